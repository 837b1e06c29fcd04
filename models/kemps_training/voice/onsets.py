"""Where a spoken word begins and ends in a clean sound."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_vision.hearing.features import RATE

STEP: Final = RATE // 200  # 5 ms
BEGIN_DB: Final = 32.0
END_DB: Final = 38.0
LEAD: Final = 6 * STEP  # kept before the onset, so that a soft attack is not cut


def onset_of(sound: NDArray[np.float32]) -> int | None:
    """The first sample of the first 5 ms within 32 dB of the loudest; None if there is only silence.

    Loudness is of the sound's differences: some voices hum for 200 ms before the first consonant, and a hum
    is not the onset of a word that begins with [k] or [s].
    """
    span = _audible(sound)
    return None if span is None else span[0]


def trimmed(sound: NDArray[np.float32]) -> NDArray[np.float32]:
    """The word with exactly `LEAD` samples before its onset, and nothing but the word's own end after it."""
    span = _audible(sound)
    if span is None:
        return np.zeros(0, np.float32)
    begin, end = span
    lead = sound[max(0, begin - LEAD) : begin]
    # Of the lead, the far end is faded in: a hum cut at once would click.
    faded = np.concatenate([np.zeros(LEAD - len(lead)), lead]) * np.linspace(0, 1, LEAD)
    return np.concatenate([faded, sound[begin : end + LEAD]]).astype(np.float32)


def _audible(sound: NDArray[np.float32]) -> tuple[int, int] | None:
    steps = len(sound) // STEP
    if steps < 4:
        return None
    differences = np.diff(sound[: steps * STEP], prepend=sound[:1])
    level = 10 * np.log10((differences.reshape(steps, STEP) ** 2).mean(axis=1) + 1e-12)
    loudest = float(level.max())
    if loudest < -90:
        return None
    begin = int(np.argmax(level > loudest - BEGIN_DB))
    end = steps - int(np.argmax(level[::-1] > loudest - END_DB))
    return begin * STEP, end * STEP
