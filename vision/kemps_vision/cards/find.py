"""Where corner indices may be: the peaks of the detector's heat map, each with the pose of its index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.cards.network import Network
from kemps_vision.cards.reading import Floats, Pixels
from kemps_vision.errors import ReaderError

STRIDE: Final = 4
"""Picture px per cell of the detector's grid."""

CHANNELS: Final = 16
_UNIT_PX: Final = 12.0  # the detector tells log(height / 12 px)
_MULTIPLE: Final = 16  # the detector halves the picture four times
_CELL_CENTRE: Final = 1.5  # px from a cell's corner to the middle of its 4 pixels


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
        mask: (rows, columns) belief, 0..1, that a face-up card covers a cell of ``STRIDE`` px.
    """

    candidates: Candidates
    mask: NDArray[np.float32]


class IndexFinder:
    """Runs the index detector on a picture as it is; choosing the scale is the reader's work.

    Source of the method: Zhou et al., "Objects as Points" (2019), with a card-shaped pose in place of a box.
    """

    def __init__(self, network: Network, *, min_heat: float = 0.25, most: int = 200) -> None:
        self._network = network
        self._min_heat = min_heat
        self._most = most

    def find(self, pixels: Pixels) -> Findings:
        """Possible indices in an RGB picture of any size, and the mask of face-up cards.

        Raises:
            ReaderError: The network's answer has not the shape of this detector.
        """
        height, width = pixels.shape[:2]
        grid = self._network(_as_batch(pixels))
        if grid.ndim != 4 or grid.shape[1] != CHANNELS:
            raise ReaderError(f"the card detector answers {grid.shape}, not (1, {CHANNELS}, rows, columns)")
        rows, columns = -(-height // STRIDE), -(-width // STRIDE)
        seen = grid[0, :, :rows, :columns]
        return Findings(self._peaks(seen), _sigmoid(seen[8]))

    def _peaks(self, grid: NDArray[np.float32]) -> Candidates:
        heat = _sigmoid(grid[0])
        is_peak = (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat > self._min_heat)
        ys, xs = np.nonzero(is_peak)
        order = np.argsort(-heat[ys, xs], kind="stable")[: self._most]
        ys, xs = ys[order], xs[order]
        values = grid[:, ys, xs].T.astype(np.float64)
        cells = np.stack([xs, ys], axis=1)
        height = (np.exp(np.clip(values[:, 3], -3.0, 3.0)) * _UNIT_PX)[:, None]
        centre = (cells + values[:, 1:3]) * STRIDE + _CELL_CENTRE
        return Candidates(
            centre=centre,
            up=values[:, 4:6] * height,
            right=values[:, 6:8] * height,
            card_centre=centre + values[:, 9:11] * height,
            heat=heat[ys, xs].astype(np.float64),
        )


def _as_batch(pixels: Pixels) -> NDArray[np.float32]:
    height, width = pixels.shape[:2]
    down, right = -height % _MULTIPLE, -width % _MULTIPLE
    padded = cv2.copyMakeBorder(pixels, 0, down, 0, right, cv2.BORDER_CONSTANT) if down or right else pixels
    planes = np.ascontiguousarray(padded.transpose(2, 0, 1))[None]
    return np.multiply(planes, np.float32(1 / 255), dtype=np.float32)


def _sigmoid(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(logits, -30.0, 30.0))), dtype=np.float32)
