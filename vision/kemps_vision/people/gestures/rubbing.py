"""Rubbing: the thumb's tip goes to and fro over the tips of the index and middle finger, as for money."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from kemps_vision.people.gestures.episode import Episode
from kemps_vision.people.gestures.head import Swing
from kemps_vision.people.landmarks import HandPose

# Lengths in palms, from the wrist to the knuckle of the middle finger, about 9 cm.
NEAR: Final = 0.55  # the thumb's tip is so near to the middle of the two finger tips
TOGETHER: Final = 0.4  # the two finger tips are no further apart,
HELD_OUT: Final = 1.1  # and so far from the wrist: in a fist they are not
STROKE: Final = 0.12  # least way of the thumb over the tips, four times what landmarks scatter
STROKES: Final = 4  # there and back, twice
LOST_MS: Final = 250  # a hand that is not seen or held otherwise for longer ends it


class ThumbPlace(NamedTuple):
    """Where the thumb's tip is from the middle of the index and middle finger's tips, in palms."""

    along: float  # as the palm points
    across: float  # to the little finger's side


def thumb_at_tips(hands: Sequence[HandPose]) -> ThumbPlace | None:
    """The thumb of the one hand that holds it at its finger tips; None when no hand does, or several do."""
    places = [place for hand in hands if (place := _thumb_of(hand)) is not None]
    return places[0] if len(places) == 1 else None


def _thumb_of(hand: HandPose) -> ThumbPlace | None:
    points = hand.landmarks[:, :2].astype(np.float64)
    palm = max(hand.size_px, 1e-6)
    tips = (points[8] + points[12]) / 2
    away = (points[4] - tips) / palm
    lengths = [
        float(np.linalg.norm(way)) for way in (away, (points[8] - points[12]) / palm, tips - points[0])
    ]
    if lengths[0] > NEAR or lengths[1] > TOGETHER or lengths[2] < HELD_OUT * palm:
        return None
    along = (points[9] - points[0]) / palm
    across = points[17] - points[5]
    across /= max(float(np.linalg.norm(across)), 1e-6)
    return ThumbPlace(float(away @ along), float(away @ across))


def _swing() -> Swing:
    return Swing("hand_rub", STROKE, STROKES)


@dataclass(slots=True)
class Rubbing:
    """The rubbing of one person, over the tips or along them."""

    _along: Swing = field(default_factory=_swing)
    _across: Swing = field(default_factory=_swing)
    _seen_ms: int | None = None
    _told_ms: int = -1  # when the last one that was told ended

    def step(self, at_ms: int, place: ThumbPlace | None) -> Episode | None:
        """The rub that has ended before now."""
        if place is None:
            is_lost = self._seen_ms is not None and at_ms - self._seen_ms > LOST_MS
            return self.end() if is_lost else None
        self._seen_ms = at_ms
        along = self._along.step(at_ms, place.along, 1.0)
        across = self._across.step(at_ms, place.across, 1.0)
        return self._once(along, across)

    def end(self) -> Episode | None:
        """The rub that is going on."""
        self._seen_ms = None
        return self._once(self._along.end(), self._across.end())

    def _once(self, *ended: Episode | None) -> Episode | None:
        """A rub is mostly slanted: both ways tell of the same one, at once or one after the other."""
        new = [one for one in ended if one is not None and one.at_ms > self._told_ms]
        if not new:
            return None
        longest = max(new, key=lambda one: one.until_ms - one.at_ms)
        self._told_ms = longest.until_ms
        return longest
