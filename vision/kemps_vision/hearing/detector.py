"""Calls in a running sound: fed in pieces of any size, told as soon as nothing later can change them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_vision.hearing.features import HOP, RATE, WINDOW, Sound, features
from kemps_vision.hearing.listener import STRIDE, Heats, shipped_listener

SUM_REACH: Final = 4  # places at each side of a peak that count towards its score
PEAK_REACH: Final = 9  # a higher peak of the same call so near is the same call
SAME_CALL_MS: Final = 450
TAIL_MS: Final = 950  # a Kemps so soon after a Stop Kemps is its second word
# A call that a later one talks over leaves a faint heat of its own: it is looked for so many places before
# the later one, and not in those next to it, which are the foot of the same peak.
BEFORE: Final = 36
APART: Final = 4
FAINT: Final = 0.12  # the least score of such a call
FAINT_PAIR: Final = 0.9  # what two of them have together where neither is a call by itself
_ROW_MS: Final = 1000 * HOP / RATE


@dataclass(frozen=True, slots=True)
class Heard:
    """A call that was heard; times are ms after the first sample.

    ``score`` is 1 at the threshold of a call; below it only a person should decide. ``overlap`` is 1 at the
    threshold of two who call at once. ``reported_ms`` is how much had been fed when it was told.
    """

    call: str
    at_ms: float
    score: float
    uncertainty_ms: int
    overlap: float = 0.0
    reported_ms: float = 0.0

    @property
    def is_overlapped(self) -> bool:
        """Whether two seemed to call at once: which was first, and what the other called, is not known."""
        return self.overlap >= 1.0

    @property
    def is_sure(self) -> bool:
        """Whether it may count as a call without a person."""
        return self.score >= 1.0 and not self.is_overlapped


class CallDetector:
    """Hears calls in mono sound at 16 kHz; what it tells does not depend on how the sound is cut into pieces.

    Times count samples from the first one fed. ``least`` is the least score told: 1 for calls only, less for
    what a person may want to look at.
    """

    def __init__(self, listener: Heats | None = None, least: float = 1.0) -> None:
        self._listener = listener or shipped_listener()
        self._ear = self._listener.ear
        self._least = least
        self._fed = 0
        # What lies before the first sample is silence, so that a call at once is heard too.
        self._sound: Sound = np.zeros(0, np.float32)
        self._rows = features(np.zeros(WINDOW + HOP * (self._ear.past - 1), np.float32))
        self._heat = np.zeros((len(self._ear.calls) + 1, 0), np.float32)
        self._first_place = 0
        self._done = 0
        self._last: dict[str, float] = {}

    def feed(self, sound: Sound) -> list[Heard]:
        """The calls that are certain now, in the order of their onsets."""
        self._fed += len(sound)
        self._sound = np.concatenate([self._sound, sound])
        rows = features(self._sound)
        self._sound = self._sound[HOP * len(rows) :]
        self._rows = np.concatenate([self._rows, rows])
        heat = self._listener.heat(self._rows)
        self._rows = self._rows[STRIDE * heat.shape[1] :]
        self._heat = np.concatenate([self._heat, heat], axis=1)
        return self._told()

    def finish(self) -> list[Heard]:
        """The calls near the end, after which silence is assumed."""
        places = self._ear.ahead // STRIDE + SUM_REACH + PEAK_REACH + 2
        fed, heard = self._fed, self.feed(np.zeros(WINDOW + HOP * STRIDE * places, np.float32))
        return [one for one in heard if one.at_ms <= 1000 * fed / RATE]

    def _told(self) -> list[Heard]:
        sums = _sums(self._heat)
        until = self._first_place + self._heat.shape[1] - SUM_REACH - PEAK_REACH
        heard: list[Heard] = []
        for place in range(self._done, until):
            one = self._at(sums, place - self._first_place)
            if one is not None:
                heard.append(one)
        self._done = max(self._done, until)
        kept = max(0, self._done - self._first_place - SUM_REACH - BEFORE)
        self._heat, self._first_place = self._heat[:, kept:], self._first_place + kept
        return heard

    def _at(self, sums: NDArray[np.float32], spot: int) -> Heard | None:
        """The call whose peak is at a spot of the kept heat, unless a nearer or louder one explains it."""
        low, high = max(0, spot - PEAK_REACH), spot + PEAK_REACH + 1
        here, count = sums[:, low:high], len(self._ear.calls)
        scores = sums[:count, spot] / self._ear.thresholds
        at_once = float(here[count].max()) / self._ear.two
        two = at_once >= 1.0
        best: Heard | None = None
        for channel, call in enumerate(self._ear.calls):
            is_peak = int(np.argmax(here[channel])) == spot - low
            if not is_peak or self._is_tail(call, spot, two=two):
                continue
            score = float(scores[channel])
            overlap = max(at_once, self._doubt(sums, channel, spot, score))
            is_told = score >= self._least or (overlap >= 1.0 and not two)
            if is_told and (best is None or score > best.score):
                best = self._heard(channel, spot, score, overlap)
        if best is None and two and int(np.argmax(here[count])) == spot - low:
            best = self._drowned(here, spot, scores, at_once)
        if best is not None:
            self._last[best.call] = best.at_ms
        return best

    def _doubt(self, sums: NDArray[np.float32], channel: int, spot: int, score: float) -> float:
        """How likely a call is the later of two, 1 at the threshold: another, untold, begins before it.

        "Two at once" is learnt for the first of two, so that its heat at this call speaks against it.
        """
        others = [place for place in range(len(self._ear.calls)) if place != channel]
        before = sums[others, max(0, spot - BEFORE) : max(0, spot - APART)]
        if any(self._is_told(self._ear.calls[other], spot) for other in others) or not before.size:
            return 0.0
        first = float((before / np.array(self._ear.thresholds)[others, None]).max())
        if score >= 1.0:
            low, high = max(0, spot - APART), spot + SUM_REACH + PEAK_REACH + 1
            here = float(sums[-1, low:high].max())
            return (first + 0.01) / float(np.sqrt(here + 0.01)) / self._ear.second
        # A faint "Stop" before a faint "Kemps" is rather one call, which is too faint, than two.
        is_one = self._ear.calls[channel] == "kemps"
        return (first + score) / FAINT_PAIR if min(first, score) >= FAINT and not is_one else 0.0

    def _is_told(self, call: str, spot: int) -> bool:
        """Whether a call was told that began in the places before."""
        return 0 < self._ms(spot) - self._last.get(call, -1e9) <= (BEFORE + 2) * STRIDE * _ROW_MS

    def _drowned(
        self, here: NDArray[np.float32], spot: int, scores: NDArray[np.float32], overlap: float
    ) -> Heard | None:
        """Two who call at once where neither is clear enough to be told by itself."""
        thresholds = np.array(self._ear.thresholds)[:, None] * self._least
        channel = int(np.argmax(scores))
        if (here[: len(thresholds)] >= thresholds).any() or self._is_tail(
            self._ear.calls[channel], spot, two=True
        ):
            return None
        return self._heard(channel, spot, float(scores[channel]), overlap)

    def _heard(self, channel: int, spot: int, score: float, overlap: float) -> Heard:
        low, high = max(0, spot - SUM_REACH), spot + SUM_REACH + 1
        row = channel if score >= self._least else len(self._ear.calls)
        heat = self._heat[row, low:high]
        centre = low + float(np.average(np.arange(len(heat)), weights=heat + 1e-9))
        return Heard(
            self._ear.calls[channel],
            max(0.0, self._ms(centre)),
            score,
            self._ear.uncertainty_ms,
            overlap,
            reported_ms=1000 * self._fed / RATE,
        )

    def _ms(self, spot: float) -> float:
        return STRIDE * (self._first_place + spot) * _ROW_MS + self._ear.shift_ms

    def _is_tail(self, call: str, spot: int, *, two: bool) -> bool:
        """Whether it is a call told already, or the second word of one."""
        at_ms = self._ms(spot)
        if at_ms - self._last.get(call, -1e9) < SAME_CALL_MS:
            return True
        return call == "kemps" and not two and at_ms - self._last.get("stop", -1e9) < TAIL_MS


def calls_in(sound: Sound, listener: Heats | None = None, least: float = 1.0) -> list[Heard]:
    """The calls in a whole sound."""
    detector = CallDetector(listener, least)
    return [*detector.feed(sound), *detector.finish()]


def _sums(heat: NDArray[np.float32]) -> NDArray[np.float32]:
    """The heat around each place, summed."""
    padded = np.pad(heat, ((0, 0), (SUM_REACH, SUM_REACH + 1)))
    total = np.cumsum(np.pad(padded, ((0, 0), (1, 0))), axis=1, dtype=np.float64)
    width = 2 * SUM_REACH + 1
    return (total[:, width : width + heat.shape[1]] - total[:, : heat.shape[1]]).astype(np.float32)
