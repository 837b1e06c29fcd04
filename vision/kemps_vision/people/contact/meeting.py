"""Signs in a video that hands of two people touch: tracks that meet and vanish.

The landmarker loses both hands as they clasp. What is left is that two tracks of different people came
close to each other and then were gone, neither at the edge of the picture, and no new hand of theirs turned
up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_vision.people.contact.spans import HANDS_TOUCHED, OwnedHand, Owner
from kemps_vision.people.landmarks import HandPose

# Palm lengths.
SIMILAR: Final = 0.5  # sizes of hands at about the same distance from the camera
UNOWNED: Final = 0.7  # of a score at most, when it is not clear whose one of the hands is

MET, MET_SPREAD = 1.0, 0.2  # how near tracks come before they vanish
LOOK_AHEAD_MS: Final = 150  # a hand goes on that long after it was last seen
EDGE: Final = 1.5  # from the border, a hand may have left the picture
TOGETHER_MS: Final = 700  # between the last sights of two that vanish together
HOLD_MS: Final = 6_000  # a vanished pair says nothing after that
AT_REST: Final = 1.5  # palm lengths a second: the one still seen holds the other, rather than passing over it
BOTH_GONE, ONE_GONE = 0.85, 0.55


@dataclass(frozen=True, slots=True)
class Sign:
    """What one picture says about a contact; the score is 0..1, ``at`` a place in px.

    ``is_still`` is whether the two stay where they are against each other; hands that pass each other do not.
    """

    kind: str
    owners: tuple[Owner, Owner]
    score: float
    at: tuple[float, float]
    reason: str
    is_still: bool = True


@dataclass(slots=True)
class _Seen:
    hand: OwnedHand
    at_ms: int
    first_ms: int
    pace: NDArray[np.float32]  # px a ms


class VanishedHands:
    """Remembers where hands were when they vanished.

    Args:
        size: Width and height of the pictures in px.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        self._size = size
        self._seen: dict[int, _Seen] = {}
        self._pairs: dict[tuple[int, int], tuple[float, tuple[float, float]]] = {}

    def step(self, at_ms: int, hands: Sequence[OwnedHand]) -> list[Sign]:
        """A sign for each pair that met and vanished; times must rise."""
        self._forget(at_ms, hands)
        self._remember(at_ms, hands)
        now = {hand.track for hand in hands}
        signs = []
        for one, other in combinations(self._seen.values(), 2):
            gone = [seen for seen in (one, other) if seen.hand.track not in now]
            if not gone or not self._can_be_pair(one, other, at_ms):
                continue
            gap, at = self._gap_of(one, other, at_ms)
            share = BOTH_GONE if len(gone) == 2 else ONE_GONE
            score = share * rise(MET - gap, MET_SPREAD) * of_two_people(one.hand, other.hand)
            if score > 0.01:
                owners = one.hand.owner, other.hand.owner
                is_still = all(_is_at_rest(seen) for seen in (one, other) if seen not in gone)
                signs.append(Sign(HANDS_TOUCHED, owners, score, at, "hands met and vanished", is_still))
        return signs

    def _gap_of(self, one: _Seen, other: _Seen, at_ms: int) -> tuple[float, tuple[float, float]]:
        """How near they came; kept from when the first one vanished, as the other may go on."""
        key = min(one.hand.track, other.hand.track), max(one.hand.track, other.hand.track)
        if key not in self._pairs:
            ahead = min(LOOK_AHEAD_MS, at_ms - min(one.at_ms, other.at_ms))
            self._pairs[key] = gap_between(_moved(one, ahead), _moved(other, ahead))
        gap, at = self._pairs[key]
        apart = gap_between(one.hand.pose, other.hand.pose)[0]
        # One that is still seen and leaves is not held.
        return (max(gap, apart) if one.at_ms != other.at_ms and apart > 2 * MET else gap), at

    def _remember(self, at_ms: int, hands: Sequence[OwnedHand]) -> None:
        for hand in hands:
            before = self._seen.get(hand.track)
            if before is None:
                self._seen[hand.track] = _Seen(hand, at_ms, at_ms, np.zeros(2, np.float32))
                continue
            span_ms = max(1, at_ms - before.at_ms)
            pace = (before.pace + (hand.pose.palm - before.hand.pose.palm) / span_ms) / 2
            self._seen[hand.track] = _Seen(hand, at_ms, before.first_ms, np.asarray(pace, np.float32))

    def _forget(self, at_ms: int, hands: Sequence[OwnedHand]) -> None:
        """What vanished long ago, and what came back as a new track."""
        fresh = {hand.owner for hand in hands if hand.track not in self._seen and hand.owner is not None}
        now = {hand.track for hand in hands}
        gone = [
            track
            for track, seen in self._seen.items()
            if track not in now and (at_ms - seen.at_ms > HOLD_MS or seen.hand.owner in fresh)
        ]
        for track in gone:
            del self._seen[track]
        self._pairs = {
            pair: kept
            for pair, kept in self._pairs.items()
            if set(pair) <= set(self._seen) and not set(pair) <= now
        }

    def _can_be_pair(self, one: _Seen, other: _Seen, at_ms: int) -> bool:
        if one.hand.owner is not None and one.hand.owner == other.hand.owner:
            return False
        if abs(one.at_ms - other.at_ms) > TOGETHER_MS and at_ms not in {one.at_ms, other.at_ms}:
            return False
        has_history = min(one.at_ms - one.first_ms, other.at_ms - other.first_ms) > 0
        return (
            has_history
            and is_similar(one.hand.pose, other.hand.pose)
            and not any(self._is_at_edge(seen) for seen in (one, other) if seen.at_ms != at_ms)
        )

    def _is_at_edge(self, seen: _Seen) -> bool:
        x, y = seen.hand.pose.palm + seen.pace * LOOK_AHEAD_MS
        margin = EDGE * seen.hand.pose.size_px
        width, height = self._size
        return not (margin < x < width - margin and margin < y < height - margin)


def _is_at_rest(seen: _Seen) -> bool:
    pace = float(np.linalg.norm(seen.pace)) / max(seen.hand.pose.size_px, 1.0)
    return 1000 * pace <= AT_REST


def _moved(seen: _Seen, ahead_ms: int) -> HandPose:
    points = seen.hand.pose.landmarks.copy()
    points[:, :2] += seen.pace * ahead_ms
    return HandPose(points, seen.hand.pose.score, seen.hand.pose.is_left)


def gap_between(one: HandPose, other: HandPose) -> tuple[float, tuple[float, float]]:
    """Palm lengths between the nearest points of two hands, and the middle between these."""
    ways = one.landmarks[:, None, :2] - other.landmarks[None, :, :2]
    distances = np.linalg.norm(ways, axis=2)
    i, j = np.unravel_index(int(distances.argmin()), distances.shape)
    middle = (one.landmarks[i, :2] + other.landmarks[j, :2]) / 2
    size = max((one.size_px + other.size_px) / 2, 1.0)
    return float(distances[i, j]) / size, (float(middle[0]), float(middle[1]))


def is_similar(one: HandPose, other: HandPose) -> bool:
    """Whether two hands are about equally large, and so about equally far from the camera."""
    spans = [float(np.ptp(hand.landmarks[:, :2], axis=0).max()) for hand in (one, other)]
    return min(spans) > SIMILAR * max(spans)


def of_two_people(one: OwnedHand, other: OwnedHand) -> float:
    """How sure it is that two hands are not of one person, 0..1: a hand of nobody's may be one's other."""
    if one.owner is not None and other.owner is not None:
        return float(one.owner != other.owner)
    if not one.odds or not other.odds:
        return UNOWNED
    same = sum(share * other.odds.get(owner, 0.0) for owner, share in one.odds.items())
    return min(UNOWNED, 1.0 - same)


def rise(over: float, spread: float) -> float:
    """A logistic function: 0.5 at 0, near 1 some ``spread`` above."""
    return 1.0 / (1.0 + math.exp(min(max(-over / spread, -50.0), 50.0)))
