"""Signs in a video that hands of two people touch: hands that are near each other, and stay so.

Seen from above, a hand that passes over another looks as one that touches it. But hands that touch stay where
they are against each other, and those that pass do not.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_vision.people.contact.meeting import Sign, gap_between, is_similar, of_two_people, rise
from kemps_vision.people.contact.spans import HANDS_TOUCHED, OwnedHand

# Palm lengths. Landmarks lie within the fingers: two fingers that touch are about two half widths apart.
NEAR, NEAR_SPREAD = 0.2, 0.05
STILL_MS: Final = 180  # how long two hands are compared with how they lay before
STILL: Final = 1.5  # palm lengths a second by which they may move against each other meanwhile
REASON: Final = "hands touch or overlap"


class NearHands:
    """Compares hands that are near each other with where they were a moment ago."""

    def __init__(self) -> None:
        self._before: deque[tuple[int, dict[int, NDArray[np.float32]]]] = deque()

    def step(self, at_ms: int, hands: Sequence[OwnedHand]) -> list[Sign]:
        """A sign for each two hands that are not the same person's; times must rise."""
        while len(self._before) > 1 and at_ms - self._before[1][0] >= STILL_MS:
            self._before.popleft()
        signs = []
        for one, other in combinations(hands, 2):
            gap, at = gap_between(one.pose, other.pose)
            score = rise(NEAR - gap, NEAR_SPREAD) * of_two_people(one, other)
            if score > 0.01 and is_similar(one.pose, other.pose):
                owners, is_still = (one.owner, other.owner), self._is_still(at_ms, one, other)
                signs.append(Sign(HANDS_TOUCHED, owners, score, at, REASON, is_still))
        self._before.append((at_ms, {hand.track: hand.pose.palm for hand in hands}))
        return signs

    def _is_still(self, at_ms: int, one: OwnedHand, other: OwnedHand) -> bool:
        """Whether the way from one to the other is what it was; not, where that is not known."""
        for then_ms, palms in self._before:
            if one.track in palms and other.track in palms:
                moved = (one.pose.palm - other.pose.palm) - (palms[one.track] - palms[other.track])
                size = max((one.pose.size_px + other.pose.size_px) / 2, 1.0)
                return float(np.linalg.norm(moved)) / size <= STILL * (at_ms - then_ms) / 1000
        return False
