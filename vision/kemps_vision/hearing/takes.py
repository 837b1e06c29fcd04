"""Takes of a word in a recording: stretches of speech between pauses, each checked for what spoils it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.signal import butter, sosfilt

from kemps_vision.errors import EnrolmentError
from kemps_vision.hearing.features import RATE, Sound

STEP: Final = RATE // 200  # 5 ms
PAUSE_S: Final = 0.35  # shorter ones are within a word
SHORTEST_S: Final = 0.12
LONGEST_S: Final = 1.5
AROUND_S: Final = 0.7  # kept before and after a take
QUIETEST: Final = 0.01  # of full scale, at the loudest
LEAST_OVER_NOISE_DB: Final = 15.0
MUCH_QUIETER_DB: Final = 15.0
HUM_HZ: Final = 120.0
GAP: Final = 10  # steps
EARLIEST: Final = 30
ONSET_DB: Final = 32.0  # below the loudest, as where the network learnt from
CLIPPED_SHARE: Final = 0.01
_FULL: Final = 0.999


@dataclass(frozen=True, slots=True, eq=False)
class Take:
    """One time that a word was said: mono sound at 16 kHz, in samples where it begins and ends in it."""

    sound: Sound
    onset: int
    end: int


def takes_in(sound: Sound, where: str) -> list[Take]:
    """The takes of a recording, in their order.

    Raises:
        EnrolmentError: It is silent, or a take is too quiet, too noisy, too long or overdriven; the text says
            which and what to do.
    """
    if len(sound) < SHORTEST_S * RATE or float(np.abs(sound).max()) < QUIETEST:
        raise EnrolmentError(f"{where}: nothing loud enough is in it; speak up, nearer to the microphone")
    levels = _levels(sound)
    floor = float(np.quantile(levels, 0.1))
    stretches = _stretches(levels, floor)
    if not stretches:
        raise EnrolmentError(
            f"{where}: no word stands out from the noise; say it louder, where it is quieter, with a pause "
            "of a second before and after it"
        )
    return [
        _take(sound, levels, stretch, floor, f"{where}: take {number}")
        for number, stretch in enumerate(stretches, 1)
    ]


def _levels(sound: Sound) -> NDArray[np.float32]:
    """Levels in dB of each 5 ms above 120 Hz: a hum is no word."""
    filtered = sosfilt(butter(2, HUM_HZ, "highpass", fs=RATE, output="sos"), sound)
    return _in_steps(np.asarray(filtered, np.float32))


def _in_steps(sound: Sound) -> NDArray[np.float32]:
    steps = len(sound) // STEP
    energy = (sound[: steps * STEP].reshape(steps, STEP) ** 2).mean(axis=1)
    return np.asarray(10 * np.log10(energy + 1e-10), np.float32)


def _stretches(levels: NDArray[np.float32], floor: float) -> list[tuple[int, int]]:
    """First and last step of each stretch of speech."""
    loudest = float(np.quantile(levels, 0.99))
    loud = np.flatnonzero(levels > max(floor + 8.0, loudest - 25.0))
    if not len(loud) or loudest < floor + 8.0:
        return []
    breaks = np.flatnonzero(np.diff(loud) > PAUSE_S * RATE / STEP)
    firsts, lasts = [0, *(breaks + 1)], [*breaks, len(loud) - 1]
    found = [(int(loud[first]), int(loud[last]) + 1) for first, last in zip(firsts, lasts, strict=True)]
    # A chair or a breath between is no take.
    return [
        (first, last)
        for first, last in found
        if (last - first) * STEP >= SHORTEST_S * RATE
        and float(levels[first:last].max()) >= float(levels.max()) - MUCH_QUIETER_DB
    ]


def _take(
    sound: Sound, levels: NDArray[np.float32], stretch: tuple[int, int], floor: float, where: str
) -> Take:
    first, last = stretch
    loudest = float(levels[first:last].max())
    if loudest < floor + LEAST_OVER_NOISE_DB:
        raise EnrolmentError(
            f"{where} is hardly louder than the noise; say it louder, or where it is quieter"
        )
    if (last - first) * STEP > LONGEST_S * RATE:
        raise EnrolmentError(
            f"{where} lasts {(last - first) * STEP / RATE:.1f} s; say the word alone, in less than "
            f"{LONGEST_S:g} s, with a pause of a second after it"
        )
    part = np.abs(sound[first * STEP : last * STEP])
    if float((part >= _FULL).mean()) > CLIPPED_SHARE:
        raise EnrolmentError(f"{where} is overdriven; go farther from the microphone, or turn it down")
    begin = _onset(sound, stretch)
    kept = max(0, begin * STEP - round(AROUND_S * RATE))
    until = min(len(sound), last * STEP + round(AROUND_S * RATE))
    return Take(sound[kept:until], begin * STEP - kept, last * STEP - kept)


def _onset(sound: Sound, stretch: tuple[int, int]) -> int:
    """The step from which on the differences of the samples are loud, as in what the network learnt from.

    A hiss or a click before the loud part belongs to the word, if no gap of more than 50 ms is between.
    """
    levels = _in_steps(np.diff(sound, prepend=sound[:1]))
    first, last = stretch
    loudest, floor = float(levels[first:last].max()), float(np.quantile(levels, 0.1))
    loud = np.flatnonzero(levels[first:last] > max(loudest - ONSET_DB, floor + 6.0))
    begin = at = first + (int(loud[0]) if len(loud) else 0)
    while at > max(0, first - EARLIEST) and begin - at <= GAP:
        at -= 1
        if levels[at] > max(loudest - ONSET_DB, floor + 6.0):
            begin = at
    return begin


def enough(takes: Sequence[Take], wanted: int, text: str) -> None:
    """Nothing, if there are so many takes.

    Raises:
        EnrolmentError: There are fewer.
    """
    if len(takes) < wanted:
        raise EnrolmentError(
            f"{text!r} was heard {len(takes)} times, but is needed {wanted} times; say it so often, with a "
            "pause of a second between"
        )
