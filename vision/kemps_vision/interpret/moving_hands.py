"""Whose hand moved a card, by how far each seat's was at it over time.

A hand that takes is at the card and gone with it a moment later; one that lays was not there before. A hand
that merely lies there is there all the time. When a card went is not known well where hands hide it: each
seat is given the moment that suits it best, the less the further that is from when the card last showed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_rules.seats import Seat
from kemps_vision.changes import Appeared, Left

# From and until, in ms from the moment in which the card is moved.
THERE: Final = (-200, 60)
BEFORE: Final = (-900, -450)
GONE: Final = (250, 550)
AFTER_CLEAR: Final = (150, 600)  # ... from when a laid card is in full view: a hand may rest there
RESTS_MS: Final = 130  # after a card is first seen to lie still the hand is on it yet
TAKEN_BEFORE, TAKEN_AFTER = 0.2, 0.6  # of what is seen then, against what is seen at the moment
LAID_BEFORE, LAID_AFTER = 0.5, 0.2
STEP_MS: Final = 66  # between the moments that are tried
EARLY_MS, EARLY_SHARP_MS = 700, 300  # so long before its last sight a card may have gone
LATE_MS: Final = 500  # ... or after it, until its place is seen bare
COVERED_MS: Final = 100  # and so long before a hand is seen to cover it
OFF, OFF_SHARP = 0.14, 0.43  # what a second between its last sight and the moment costs


@dataclass(frozen=True, slots=True, eq=False)
class HandsOver:
    """How far each seat's hand was at one place, picture by picture.

    Attributes:
        seats: The seats, in the order of the columns.
        times_ms: (pictures,) when.
        arms: (pictures, seats) 0..1 by arms.
        tips: (pictures, seats) 0..1 by finger tips; NaN where nobody looked for hands.
    """

    seats: tuple[Seat, ...]
    times_ms: NDArray[np.int64]
    arms: NDArray[np.float64]
    tips: NDArray[np.float64]

    def mean(self, start_ms: int, end_ms: int) -> NDArray[np.float64]:
        """(seats,) 0..2: arms and tips in the mean of a span; 0 where nothing was seen."""
        is_in = (self.times_ms >= start_ms) & (self.times_ms <= end_ms)
        looked = is_in & ~np.isnan(self.tips).any(axis=1)
        total = np.zeros(len(self.seats))
        if is_in.any():
            total = total + self.arms[is_in].mean(axis=0)
        return total + self.tips[looked].mean(axis=0) if looked.any() else total


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """What hands say of one card that was moved: about when, and 0..2 for each seat."""

    at_ms: int
    scores: dict[Seat, float]


def span_of(change: Left | Appeared) -> tuple[int, int]:
    """From when until when hands matter to a change."""
    if isinstance(change, Left):
        return _earliest(change) + BEFORE[0], _latest(change) + GONE[1]
    return change.rest_ms + RESTS_MS + BEFORE[0], change.clear_ms + AFTER_CLEAR[1]


def moved(hands: HandsOver, change: Left | Appeared) -> Sight:
    """How much speaks for each seat having taken a card, or having laid it."""
    if not hands.seats:
        return Sight(change.shown_ms if isinstance(change, Left) else change.rest_ms, {})
    at_ms, scores = _taken(hands, change) if isinstance(change, Left) else _laid(hands, change)
    return Sight(at_ms, dict(zip(hands.seats, scores.tolist(), strict=True)))


def _taken(hands: HandsOver, left: Left) -> tuple[int, NDArray[np.float64]]:
    off = OFF_SHARP if left.is_sharp else OFF
    tried_ms = range(_earliest(left), _latest(left) + 1, STEP_MS)
    scores = np.array(
        [
            _over(hands, at_ms, THERE)
            - TAKEN_BEFORE * _over(hands, at_ms, BEFORE)
            - TAKEN_AFTER * _over(hands, at_ms, GONE)
            - off * abs(left.shown_ms - at_ms) / 1000
            for at_ms in tried_ms
        ]
    )
    return tried_ms[int(scores.max(axis=1).argmax())], scores.max(axis=0)


def _laid(hands: HandsOver, card: Appeared) -> tuple[int, NDArray[np.float64]]:
    at_ms = card.rest_ms + RESTS_MS
    scores = hands.mean(at_ms + THERE[0], at_ms + THERE[1])
    scores = scores - LAID_BEFORE * _over(hands, at_ms, BEFORE)
    return at_ms, scores - LAID_AFTER * _over(hands, card.clear_ms, AFTER_CLEAR)


def _over(hands: HandsOver, at_ms: int, span: tuple[int, int]) -> NDArray[np.float64]:
    return hands.mean(at_ms + span[0], at_ms + span[1])


def _earliest(left: Left) -> int:
    early_ms = EARLY_SHARP_MS if left.is_sharp else EARLY_MS
    return min(max(left.covered_ms - COVERED_MS, left.shown_ms - early_ms), left.shown_ms)


def _latest(left: Left) -> int:
    if left.is_sharp:
        return left.shown_ms + THERE[1]
    return max(left.shown_ms, min(left.bare_ms - COVERED_MS, left.shown_ms + LATE_MS)) + THERE[1]
