"""Finds where on a deck's faces the corner index is, from the ink that all faces share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kemps_training.decks import Image, IndexBox

# Share of the faces that must have ink at a place for it to count, and the corner looked at.
SHARED_INK = 0.03
CORNER_WIDTH, CORNER_HEIGHT = 0.36, 0.40
EDGE_PX = 8
INK_DISTANCE = 60


def ink(face: Image) -> NDArray[np.bool_]:
    """Where a face differs clearly from its paper."""
    inner = face[face.shape[0] // 50 : -(face.shape[0] // 50), EDGE_PX:-EDGE_PX]
    paper = np.median(inner.reshape(-1, 3), axis=0)
    return np.asarray(np.abs(face.astype(np.float32) - paper).max(2) > INK_DISTANCE)


def find_index_box(pip_faces: list[Image]) -> IndexBox | None:
    """The index box from faces two to nine, or None where no rank above a suit is found in the corner."""
    share = np.mean([ink(face) for face in pip_faces], axis=0)
    height, width = share.shape
    corner = share[: int(height * CORNER_HEIGHT), : int(width * CORNER_WIDTH)].copy()
    corner[:EDGE_PX] = 0
    corner[:, : EDGE_PX - 1] = 0
    columns = _runs(corner.max(0) > SHARED_INK, join=2)
    columns = [run for run in columns if run[1] - run[0] >= 8]
    if not columns:
        return None
    left, right = columns[0]
    rows = _runs(corner[:, left : right + 1].max(1) > SHARED_INK, join=2)
    rows = [run for run in rows if run[1] - run[0] >= 6]
    if not rows:
        return None
    if len(rows) == 1:
        (top, bottom) = rows[0]
        return IndexBox(left, top, right, bottom, top + 0.58 * (bottom - top))
    return IndexBox(left, rows[0][0], right, rows[1][1], (rows[0][1] + rows[1][0]) / 2)


def _runs(marked: NDArray[np.bool_], join: int) -> list[tuple[int, int]]:
    """First and last of each run of true values; gaps of up to ``join`` are bridged."""
    runs: list[tuple[int, int]] = []
    for place in np.flatnonzero(marked).tolist():
        if runs and place - runs[-1][1] <= join + 1:
            runs[-1] = (runs[-1][0], place)
        else:
            runs.append((place, place))
    return runs
