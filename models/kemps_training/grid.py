"""The grid of the detector's answers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CELL_PX = 4
# A cell's centre in px is cell * 4 + 1.5, since its px are 4c .. 4c+3.
CELL_CENTRE_PX = 1.5


def draw_bump(size: int, x: float, y: float, spread: float) -> NDArray[np.float64]:
    """A bell (size, size) about the cell (x, y), 1 at its top, ``spread`` cells wide."""
    places = np.arange(size, dtype=np.float64)
    down = np.exp(-((places - y) ** 2) / (2 * spread**2))
    return np.outer(down, np.exp(-((places - x) ** 2) / (2 * spread**2)))
