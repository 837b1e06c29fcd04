"""Hands followed from picture to picture, by where they are; who they belong to is told in ``hand_seats``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from kemps_vision.people.landmarks import HandPose

SAME_HAND: Final = 0.5  # palms apart: nearer, two finds are of one hand
REACH: Final = 1.2  # palms that a hand may be off where it was expected
REACH_A_SECOND: Final = 12.0  # ... and this much more for each second unseen
LOST_MS: Final = 700  # unseen so long, and a hand found there may be another
CLEARLY: Final = 0.6  # palms by which an assignment must be better than the one with two hands exchanged
LONE_CLEARLY: Final = 1.0  # ... or than the one in which it is the hand of a track that is not seen
AWAY_MS: Final = 200  # unseen so long, and found ...
AWAY: Final = 1.0  # ... so many palms from where it should be, it may be a hand that took its place
STEADY: Final = 0.6  # share of the old speed kept when a new place is seen
_FAR: Final = 1e6


@dataclass(slots=True, eq=False)
class HandTrack:
    """One hand over time.

    Attributes:
        id: Its number, counted up.
        pose: How it was seen last.
        seen_ms: When that was.
        since_ms: Since when it is followed without a doubt about which hand it is.
        is_doubtful: It may be another hand just now: two came so close that they may have been exchanged, or
            it was found again away from where it was lost.
    """

    id: int
    pose: HandPose
    seen_ms: int
    since_ms: int
    is_doubtful: bool = False
    speed: NDArray[np.float64] = field(default_factory=lambda: np.zeros(2))  # px a ms

    def expected(self, at_ms: int) -> NDArray[np.float64]:
        """(2,) px: where its palm should be."""
        # A hand that was lost has rather stopped than gone on.
        ahead_ms = min(at_ms - self.seen_ms, 150)
        return np.asarray(self.pose.palm + self.speed * ahead_ms, np.float64)

    def see(self, pose: HandPose, at_ms: int) -> None:
        """It was found there."""
        span_ms = max(1, at_ms - self.seen_ms)
        moved = np.asarray(pose.palm - self.pose.palm, np.float64) / span_ms
        self.speed = STEADY * self.speed + (1 - STEADY) * moved
        self.pose, self.seen_ms = pose, at_ms


class HandTracks:
    """All hands in one camera's pictures."""

    def __init__(self) -> None:
        self.tracks: list[HandTrack] = []
        self._next_id = 0

    def step(self, at_ms: int, hands: Sequence[HandPose]) -> list[HandTrack]:
        """The hands seen in this picture, each as the track it belongs to; times must rise."""
        self.tracks = [track for track in self.tracks if at_ms - track.seen_ms <= LOST_MS]
        for track in self.tracks:
            track.is_doubtful = False
        found = without_doubles(hands)
        costs = self._costs(found, at_ms)
        rows, columns = linear_sum_assignment(costs)
        pairs = [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if costs[i, j] < _FAR]
        doubtful = _exchangeable(costs, pairs) | _claimed(costs, pairs)
        seen = []
        for i, j in pairs:
            track = self.tracks[i]
            if at_ms - track.seen_ms >= AWAY_MS and costs[i, j] > AWAY:
                doubtful.add(i)
            track.see(found[j], at_ms)
            if i in doubtful:
                track.is_doubtful, track.since_ms = True, at_ms
            seen.append(track)
        taken = {j for _, j in pairs}
        new = [self._start(hand, at_ms) for j, hand in enumerate(found) if j not in taken]
        return seen + new

    def _start(self, hand: HandPose, at_ms: int) -> HandTrack:
        track = HandTrack(self._next_id, hand, at_ms, at_ms)
        self._next_id += 1
        self.tracks.append(track)
        return track

    def _costs(self, hands: Sequence[HandPose], at_ms: int) -> NDArray[np.float64]:
        """(tracks, hands): palms between where a track is expected and where a hand is."""
        costs = np.full((len(self.tracks), len(hands)), _FAR)
        for i, track in enumerate(self.tracks):
            reach = REACH + REACH_A_SECOND * (at_ms - track.seen_ms) / 1000
            for j, hand in enumerate(hands):
                size = max(track.pose.size_px, hand.size_px, 1.0)
                distance = float(np.linalg.norm(hand.palm - track.expected(at_ms))) / size
                if distance < reach:
                    costs[i, j] = distance
        return costs


def without_doubles(hands: Sequence[HandPose]) -> list[HandPose]:
    """The hands without second finds of one hand, of which the surer one stays."""
    kept: list[HandPose] = []
    for hand in sorted(hands, key=lambda hand: -hand.score):
        sizes = [max(hand.size_px, other.size_px, 1.0) for other in kept]
        near = [
            float(np.linalg.norm(hand.palm - other.palm)) < SAME_HAND * size
            for other, size in zip(kept, sizes, strict=True)
        ]
        if not any(near):
            kept.append(hand)
    return kept


def _exchangeable(costs: NDArray[np.float64], pairs: Sequence[tuple[int, int]]) -> set[int]:
    """The tracks of which two might as well be each other's."""
    doubtful: set[int] = set()
    for place, (i, j) in enumerate(pairs):
        for k, m in pairs[place + 1 :]:
            if costs[i, m] + costs[k, j] - costs[i, j] - costs[k, m] < CLEARLY:
                doubtful |= {i, k}
    return doubtful


def _claimed(costs: NDArray[np.float64], pairs: Sequence[tuple[int, int]]) -> set[int]:
    """The tracks whose hand might as well be that of one that is not seen: of two that met one is lost."""
    unseen = sorted(set(range(len(costs))) - {i for i, _ in pairs})
    return {i for i, j in pairs if any(costs[k, j] - costs[i, j] < LONE_CLEARLY for k in unseen)}
