"""Where corner indices and backs may be: the peaks of the detector's heat maps, each with its pose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.cards.backs import BackCandidates, back_candidates
from kemps_vision.cards.grid import CHANNELS, FACE_UP, STRIDE, Grid, belief_of, in_px, peaks_of
from kemps_vision.cards.network import Network
from kemps_vision.cards.reading import Floats, Pixels
from kemps_vision.errors import ReaderError

_UNIT_PX: Final = 12.0  # the detector tells log(height / 12 px)
_MULTIPLE: Final = 16  # the detector halves the picture four times


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Places that may be corner indices, in px of one picture.

    Attributes:
        centre: (n, 2) the middle of rank and suit.
        up: (n, 2) from the centre to the top of the rank.
        right: (n, 2) to the index's right, as long on the card as ``up``.
        card_centre: (n, 2) where the middle of its card would be.
        heat: (n,) the detector's belief, 0..1.
    """

    centre: Floats
    up: Floats
    right: Floats
    card_centre: Floats
    heat: Floats

    def __len__(self) -> int:
        return len(self.heat)

    def __getitem__(self, rows: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Candidates:
        return Candidates(
            self.centre[rows], self.up[rows], self.right[rows], self.card_centre[rows], self.heat[rows]
        )

    def rescaled(self, factor: float) -> Candidates:
        """The same places in a picture resized by ``factor`` (pixel centres are at whole numbers)."""
        shift = 0.5 * factor - 0.5
        return Candidates(
            self.centre * factor + shift,
            self.up * factor,
            self.right * factor,
            self.card_centre * factor + shift,
            self.heat,
        )

    def shifted(self, x: float, y: float) -> Candidates:
        """The same places in a picture whose origin lies at (-x, -y) of this one."""
        offset = np.array([x, y])
        return Candidates(self.centre + offset, self.up, self.right, self.card_centre + offset, self.heat)


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """What the detector saw in one picture.

    Attributes:
        candidates: Possible indices, the hottest first.
        backs: Possible cards that lie face down, the hottest first.
        grid: The detector's answer.
    """

    candidates: Candidates
    backs: BackCandidates
    grid: Grid

    @property
    def face_up(self) -> Floats:
        """(rows, columns) belief, 0..1, that a face-up card covers a cell of ``STRIDE`` px."""
        return belief_of(self.grid[FACE_UP])


class IndexFinder:
    """Runs the index detector on a picture as it is; choosing the scale is the reader's work.

    Source of the method: Zhou et al., "Objects as Points" (2019), with a card-shaped pose in place of a box.
    """

    def __init__(self, network: Network, *, min_heat: float = 0.25, most: int = 200) -> None:
        self._network = network
        self._min_heat = min_heat
        self._most = most

    def find(self, pixels: Pixels) -> Findings:
        """Possible indices and backs in an RGB picture of any size, and where face-up cards are.

        Raises:
            ReaderError: The network's answer has not the shape of this detector.
        """
        height, width = pixels.shape[:2]
        grid = self._network(_as_batch(pixels))
        if grid.ndim != 4 or grid.shape[1] != CHANNELS:
            raise ReaderError(f"the card detector answers {grid.shape}, not (1, {CHANNELS}, rows, columns)")
        rows, columns = -(-height // STRIDE), -(-width // STRIDE)
        seen = grid[0, :, :rows, :columns]
        return Findings(self._indices(seen), back_candidates(seen), seen)

    def _indices(self, grid: Grid) -> Candidates:
        peaks = peaks_of(grid, 0, min_heat=self._min_heat, most=self._most)
        values = peaks.values
        height = (np.exp(np.clip(values[:, 3], -3.0, 3.0)) * _UNIT_PX)[:, None]
        centre = in_px(peaks.cells + values[:, 1:3])
        return Candidates(
            centre=centre,
            up=values[:, 4:6] * height,
            right=values[:, 6:8] * height,
            card_centre=centre + values[:, 9:11] * height,
            heat=peaks.heat,
        )


def _as_batch(pixels: Pixels) -> NDArray[np.float32]:
    """(1, 3, h, w) in 0..1, black to the right and below up to a size that the detector takes."""
    height, width = pixels.shape[:2]
    batch = np.empty((1, 3, height + -height % _MULTIPLE, width + -width % _MULTIPLE), np.float32)
    batch[:, :, height:] = batch[:, :, :, width:] = 0.0
    # Plane by plane, as this is twice as fast as turning the axes of the whole.
    for plane, colour in zip(batch[0], cv2.split(pixels), strict=True):
        np.multiply(colour, np.float32(1 / 255), out=plane[:height, :width])
    return batch
