"""Other scenes made of a pool's: other throats, paces and microphones, sound that begins or ends."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kemps_vision.hearing.features import BANDS

Rows = NDArray[np.float32]
Marks = list[tuple[int, float]]
KEPT: Final = 360  # rows of a scene that are learnt from, so that it may be said faster or begin later
SILENT: Final = float(np.log(1e-6) * 0.25)  # a band of digital silence
_PACE: Final = 0.1
_THROAT: Final = 0.06
_CLEAR_ROWS: Final = 12  # sound that begins does so at least so long before a call
_CALL_ROWS: Final = 130  # and goes on so long after one


def varied(rows: Rows, marks: Marks, rng: np.random.Generator) -> tuple[Rows, Marks]:
    """`KEPT` rows of a scene, and where its calls begin in them."""
    rows, marks = _spoken_otherwise(rows, marks, rng)
    rows = through_another_microphone(rows, rng)
    return _cut_off(rows, marks, rng), marks


def _spoken_otherwise(rows: Rows, marks: Marks, rng: np.random.Generator) -> tuple[Rows, Marks]:
    """Faster or slower by a tenth; all formants higher or lower by a few parts of a hundred."""
    most = np.log((len(rows) - 1) / KEPT)
    pace = float(np.exp(min(most, rng.uniform(-_PACE, _PACE))))
    begin = float(rng.uniform(0, len(rows) - 1 - pace * (KEPT - 1)))
    warped = between(rows.T, np.arange(BANDS) * float(np.exp(rng.uniform(-_THROAT, _THROAT)))).T
    return between(warped, begin + pace * np.arange(KEPT)), [
        (channel, (at - begin) / pace) for channel, at in marks
    ]


def between(rows: Rows, places: NDArray[np.floating[Any]]) -> Rows:
    """Rows at places that need not be whole, by their two neighbours."""
    low = np.clip(places.astype(np.int64), 0, len(rows) - 2)
    share = np.clip(places - low, 0, 1).astype(np.float32)[:, None]
    return np.asarray(rows[low] * (1 - share) + rows[low + 1] * share, np.float32)


def through_another_microphone(rows: Rows, rng: np.random.Generator) -> Rows:
    """Another colour, and a band or a moment that is missing."""
    knots = rng.normal(0, 0.12, 6)
    rows = rows + np.interp(np.linspace(0, 5, BANDS), np.arange(6), knots).astype(np.float32)
    if rng.random() < 0.3:
        low = int(rng.integers(BANDS - 6))
        rows[:, low : low + int(rng.integers(1, 7))] = float(rows.mean())
    if rng.random() < 0.15:
        at = int(rng.integers(len(rows) - 12))
        rows[at : at + int(rng.integers(2, 8))] = float(rows.min())
    return rows


def _cut_off(rows: Rows, marks: Marks, rng: np.random.Generator) -> Rows:
    """Now and then sound that begins in the scene or ends there: a recording's start, a gap, a muting.

    Without such scenes the first sound after silence is taken for a call.
    """
    places = [at for _, at in marks]
    if rng.random() < 0.12:
        last = min([len(rows) - 60.0, *(at - _CLEAR_ROWS for at in places if at > 0)])
        if last > 1:
            rows[: int(rng.uniform(1, last))] = SILENT
    if rng.random() < 0.06:
        first = max([60.0, *(at + _CALL_ROWS for at in places)])
        if first < len(rows) - 1:
            rows[int(rng.uniform(first, len(rows))) :] = SILENT
    return rows
