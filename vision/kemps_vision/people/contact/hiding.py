"""Hands out of view: below the edge of the table, behind a body, or only gone from the picture.

A hand that is no longer found may still lie in plain sight, as the landmarker loses hands that hold a fan.
So a hand is called hidden only when it went where hands hide: over the edge of the table or behind a body.
What left the picture was not hidden but not observed, and is told as that; what was lost over the table is
told as lost, with a score that is no claim.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.people.contact.spans import (
    BEHIND_BODY,
    BELOW_TABLE,
    LEFT_PICTURE,
    LOST,
    HiddenSpan,
    OwnedHand,
    Owner,
)

HANDS: Final = 2
LEAST_MS: Final = 500
SEEN_MS: Final = 200  # a hand that was found for less was perhaps none
LOOK_AHEAD_MS: Final = 200
AT_EDGE: Final = 1.2  # palm lengths from the table's edge
RECENT_MS: Final = 600
MOVING: Final = 0.3  # palm lengths within that; the landmarker holds on to an empty place for some pictures
AT_BORDER: Final = 1.2  # palm lengths from the picture's border
ACROSS_BODY: Final = 0.5  # palm lengths within the trunk
SCORES: Final[Mapping[str, float]] = {BELOW_TABLE: 0.85, BEHIND_BODY: 0.65, LEFT_PICTURE: 0.0, LOST: 0.3}
REASONS: Final[Mapping[str, str]] = {
    BELOW_TABLE: "went over the edge of the table and did not come back",
    BEHIND_BODY: "went behind a body and did not come back",
    LEFT_PICTURE: "left the picture",
    LOST: "is not found, though nothing hides it",
}


@dataclass(slots=True)
class _Track:
    hand: OwnedHand
    first_ms: int
    last_ms: int
    pace: NDArray[np.float32]  # px a ms
    places: tuple[tuple[int, NDArray[np.float32]], ...] = ()  # (2,) px at times, in ``RECENT_MS``


class HiddenWatcher:
    """Follows which hands are out of view.

    Args:
        size: Width and height of the pictures in px.
        table: The outline (n, 2) of the table's top in px, n >= 3, when it is known.
    """

    def __init__(self, size: tuple[int, int], table: Sequence[tuple[float, float]] | None = None) -> None:
        self._size = size
        self._table = None if table is None else np.asarray(table, np.float32).reshape(-1, 1, 2)
        self._tracks: dict[int, _Track] = {}
        self._away: dict[int, tuple[_Track, str]] = {}
        self._known: set[int] = set()
        self._last_ms = 0

    def step(
        self,
        at_ms: int,
        hands: Sequence[OwnedHand],
        trunks: Sequence[NDArray[np.float32]] = (),
        touching: Sequence[Owner] = (),
    ) -> list[HiddenSpan]:
        """The spans that are over; times must rise.

        Args:
            at_ms: The picture's time.
            hands: All that are found in it.
            trunks: The outlines (n, 2) of bodies, in px.
            touching: Owners of hands in a contact: these are lost to the landmarker, not hidden.
        """
        self._last_ms = at_ms
        ended = self._come_back(at_ms, hands)
        now = {hand.track for hand in hands}
        for number, track in list(self._tracks.items()):
            if number in now:
                continue
            del self._tracks[number]
            if track.last_ms - track.first_ms >= SEEN_MS:
                self._known.add(number)
            is_known = number in self._known and track.hand.owner is not None
            if is_known and track.hand.owner not in touching:
                self._away[number] = track, self._where(track, trunks)
        for hand in hands:
            self._follow(at_ms, hand)
        return ended

    def finish(self) -> list[HiddenSpan]:
        """The hands that were still away when watching ended."""
        ended = [self._span(track, where, self._last_ms) for track, where in self._away.values()]
        self._away.clear()
        return [span for span in ended if span is not None]

    def _come_back(self, at_ms: int, hands: Sequence[OwnedHand]) -> list[HiddenSpan]:
        """A new track of an owner is the hand that was lost nearest to it; nobody has a third."""
        ended = []
        for hand in hands:
            before = self._tracks.get(hand.track)
            # Whose hand a new track is may be clear only some pictures later.
            if before is not None and before.hand.owner == hand.owner:
                continue
            same = [number for number, (track, _) in self._away.items() if track.hand.owner == hand.owner]
            if hand.track in self._away:
                ended.append(self._end(hand.track, at_ms))
            elif same:
                ended.append(self._end(min(same, key=lambda number: self._apart(number, hand)), at_ms))
        there = Counter(hand.owner for hand in hands)
        for number, (track, _) in list(self._away.items()):
            away = sum(other.hand.owner == track.hand.owner for other, _ in self._away.values())
            if away + there[track.hand.owner] > HANDS:
                ended.append(self._end(number, at_ms))
        return [span for span in ended if span is not None]

    def _end(self, number: int, at_ms: int) -> HiddenSpan | None:
        return self._span(*self._away.pop(number), at_ms)

    def _apart(self, number: int, hand: OwnedHand) -> float:
        return float(np.linalg.norm(self._away[number][0].hand.pose.palm - hand.pose.palm))

    def _follow(self, at_ms: int, hand: OwnedHand) -> None:
        before = self._tracks.get(hand.track)
        if before is None:
            still = np.zeros(2, np.float32)
            self._tracks[hand.track] = _Track(hand, at_ms, at_ms, still, ((at_ms, hand.pose.palm),))
            return
        span_ms = max(1, at_ms - before.last_ms)
        pace = (before.pace + (hand.pose.palm - before.hand.pose.palm) / span_ms) / 2
        recent = tuple(place for place in before.places if at_ms - place[0] <= RECENT_MS)
        places = (*recent, (at_ms, hand.pose.palm))
        self._tracks[hand.track] = _Track(hand, before.first_ms, at_ms, np.asarray(pace, np.float32), places)

    def _where(self, track: _Track, trunks: Sequence[NDArray[np.float32]]) -> str:
        palm, size = track.hand.pose.palm, max(track.hand.pose.size_px, 1.0)
        ahead = palm + track.pace * LOOK_AHEAD_MS
        x, y = float(ahead[0]), float(ahead[1])
        margin, (width, height) = AT_BORDER * size, self._size
        if not (margin < x < width - margin and margin < y < height - margin):
            return LEFT_PICTURE
        # A hand at rest near the edge, such as one that holds a fan, is lost by the landmarker now and then.
        moved = max(float(np.linalg.norm(place - palm)) for _, place in track.places)
        is_moving = max(moved, float(np.linalg.norm(ahead - palm))) > MOVING * size
        is_at_edge = (
            self._table is not None and cv2.pointPolygonTest(self._table, (x, y), True) < AT_EDGE * size
        )
        if is_at_edge and is_moving:
            return BELOW_TABLE
        for trunk in trunks:
            outline = np.asarray(trunk, np.float32).reshape(-1, 1, 2)
            if cv2.pointPolygonTest(outline, (x, y), True) > ACROSS_BODY * size:
                return BEHIND_BODY
        return LOST

    @staticmethod
    def _span(track: _Track, where: str, until_ms: int) -> HiddenSpan | None:
        if until_ms - track.last_ms < LEAST_MS:
            return None
        return HiddenSpan(
            track.last_ms, until_ms, track.hand.owner, where, SCORES[where], f"a hand {REASONS[where]}"
        )
