"""How far sound and pictures are apart, from one clap that was heard and seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_vision.errors import CalibrationError
from kemps_vision.hearing.features import RATE, Sound

STEP: Final = RATE // 500  # 2 ms
RISE_DB: Final = 22.0
APART_MS: Final = 250.0
MOST_OFFSET_MS: Final = 1000.0
AGREE_MS: Final = 60.0
LEAST_SPEED: Final = 0.8  # shoulder widths a second, with which hands meet in a clap
TOUCHING: Final = 0.9  # shoulder widths between wrists, below which hands may touch


def claps_heard(sound: Sound, first_ms: float = 0.0) -> list[float]:
    """The times of sounds that begin at once, over all the band, and die away: claps, and knocks too."""
    steps = len(sound) // STEP
    if steps < 60:
        return []
    sharp = np.diff(sound[: steps * STEP], prepend=sound[:1])
    level = 10 * np.log10((sharp.reshape(steps, STEP) ** 2).mean(axis=1) + 1e-11)
    times: list[float] = []
    for step in range(50, steps):
        before = float(np.quantile(level[step - 50 : step - 1], 0.9))
        if level[step] - before < RISE_DB:
            continue
        after = level[step + 75 : step + 100]  # 150 to 200 ms later: a word would still be heard
        is_short = not len(after) or level[step : step + 5].max() - float(after.max()) > RISE_DB / 2
        at_ms = first_ms + 1000 * step * STEP / RATE
        if is_short and (not times or at_ms - times[-1] > APART_MS):
            times.append(at_ms)
    return times


def claps_seen(times_ms: Sequence[float], apart: Sequence[float]) -> list[float]:
    """When two hands met fast: ``apart`` is their distance in shoulder widths at each time.

    The moment is where the line of their approach meets that of their parting, finer than the frames.
    """
    times, gaps = np.asarray(times_ms, np.float64), np.asarray(apart, np.float64)
    seen: list[float] = []
    for place in range(2, len(gaps) - 2):
        is_least = gaps[place] <= gaps[place - 2 : place + 3].min() and gaps[place] < TOUCHING
        coming = 1000 * (gaps[place - 2] - gaps[place]) / max(1.0, times[place] - times[place - 2])
        if is_least and coming > LEAST_SPEED and (not seen or times[place] - seen[-1] > APART_MS):
            seen.append(_met(times, gaps, place))
    return seen


def _met(times: NDArray[np.float64], gaps: NDArray[np.float64], place: int) -> float:
    """When the line through the two gaps before a least one meets that through the two after it.

    Where the lines are as good as parallel, or meet elsewhere, it is the least gap's own time.
    """
    (a, b), (c, d) = times[place - 2 : place], times[place + 1 : place + 3]
    coming = (gaps[place - 1] - gaps[place - 2]) / max(1.0, b - a)
    parting = (gaps[place + 2] - gaps[place + 1]) / max(1.0, d - c)
    if parting - coming < 1e-4:
        return float(times[place])
    met = (gaps[place - 1] - coming * b - gaps[place + 1] + parting * c) / (parting - coming)
    return float(met) if times[place - 1] <= met <= times[place + 1] else float(times[place])


def offset_ms(heard_ms: Sequence[float], seen_ms: Sequence[float]) -> float:
    """How much later the same moment is stamped in the pictures than in the sound.

    >>> offset_ms([1000.0, 3000.0], [1080.0, 3084.0])
    82.0

    Raises:
        CalibrationError: No clap was heard and seen, or the claps do not agree.
    """
    pairs = [seen - heard for heard in heard_ms for seen in seen_ms if abs(seen - heard) <= MOST_OFFSET_MS]
    if not pairs:
        raise CalibrationError(
            "no clap was both heard and seen; clap once before the camera, hands in view, in a quiet room"
        )
    best = max(pairs, key=lambda one: sum(abs(other - one) <= AGREE_MS for other in pairs))
    agreeing = [other for other in pairs if abs(other - best) <= AGREE_MS]
    if len(agreeing) < min(len(heard_ms), len(seen_ms)) / 2:
        raise CalibrationError("the claps that were heard and seen do not agree; clap again, once")
    return float(np.median(agreeing))
