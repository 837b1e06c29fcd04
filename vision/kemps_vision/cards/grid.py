"""The detector's answer: a grid of cells, each with what may have its middle there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.cards.reading import Floats

STRIDE: Final = 4
"""Picture px per cell of the grid."""

CHANNELS: Final = 16
FACE_UP: Final = 8
_CELL_CENTRE: Final = 1.5  # px from a cell's corner to the middle of its 4 pixels
_NEIGHBOURS: Final = np.ones((3, 3), np.uint8)

Grid: TypeAlias = NDArray[np.float32]
"""(16, rows, columns) of the detector's answer.

Of corner indices: 0 heat (a logit), 1:3 offset of the centre in cells, 3 log(height / 12 px), 4:6 up and 6:8
right in heights, 9:11 from there to the card's middle in heights. 8: a logit that a face-up card covers the
cell. Of cards that lie face down: 11 heat (a logit) at their middles, 12 and 13 log(half a long side / 24 px)
and log(half a short side / 24 px), 14 and 15 cosine and sine of twice the angle of the long sides.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Peaks:
    """The hottest cells of a heat map, hottest first.

    Attributes:
        cells: (n, 2) column and row.
        heat: (n,) the belief, 0..1.
        values: (n, 16) the grid there.
    """

    cells: Floats
    heat: Floats
    values: Floats


def peaks_of(grid: Grid, channel: int, *, min_heat: float, most: int) -> Peaks:
    """The cells that are hotter than ``min_heat`` and than all eight around them, at most ``most`` of them.

    Source of the method: Zhou et al., "Objects as Points" (2019).
    """
    logits = np.ascontiguousarray(grid[channel])
    is_peak = logits >= cv2.dilate(logits, _NEIGHBOURS)
    is_peak &= logits > np.log(min_heat / (1.0 - min_heat))
    places = np.flatnonzero(is_peak)  # twenty times as fast as nonzero, which matters at this size
    places = places[np.argsort(-logits.ravel()[places], kind="stable")[:most]]
    rows, columns = np.divmod(places, logits.shape[1])
    values = grid[:, rows, columns].T.astype(np.float64)
    return Peaks(np.stack([columns, rows], axis=1).astype(np.float64), belief_of(values[:, channel]), values)


def in_px(cells: Floats) -> Floats:
    """(n, 2) px of the picture for (n, 2) columns and rows, which need not be whole."""
    return np.asarray(cells * STRIDE + _CELL_CENTRE, dtype=np.float64)


def in_cells(px: Floats) -> Floats:
    """The reverse of ``in_px``, for points (..., 2)."""
    return np.asarray((px - _CELL_CENTRE) / STRIDE, dtype=np.float64)


def belief_of(logits: Floats | Grid) -> Floats:
    """Logits as beliefs, 0..1."""
    powers = np.exp(np.clip(logits, -30.0, 30.0).astype(np.float64))
    return np.asarray(powers / (1.0 + powers), dtype=np.float64)
