"""Arms that reach into the centre, told by what differs from how the table mostly was in the last seconds.

A hand over the cards is found by its landmarks about every second time only; its arm is large and always
there. Cut along the edge of the centre, two arms that meet over the cards are two pieces, each leading to its
own side of the table; a card that was laid lies wholly inside and leads nowhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.seats import Seat
from kemps_vision.people.usual import Small, cleaned
from kemps_vision.zones import Polygon

GROWN: Final = 1.15  # the centre, so that a card at its edge does not stick out
GAP: Final = 5  # px of a small picture: a sleeve of the table's colour tears an arm apart
LEAST_PX: Final = 25  # of a small picture: the part of an arm outside the centre
LEAST_TOUCH_PX: Final = 3  # of the centre's edge that it crosses
NEAR: Final = 0.55  # of the way from the centre to the seat that the arm may leave out
CLEARLY: Final = 0.1  # by so much nearer than to any other seat
NEAR_NATS: Final = 20.0  # that a whole way to the seat left out says against it
AIMS_NATS: Final = 4.0  # that coming straight from a seat says for it, over coming from its side
# Of a small picture: so far back from the centre's edge an arm's direction is measured.
AHEAD_PX: Final = 35.0


@dataclass(frozen=True, slots=True, eq=False)
class Arm:
    """An arm that lies over the centre's edge, in px of the small picture.

    Attributes:
        seat: Whose it is, or None when that is not clear.
        edge: (2,) where it crosses the edge of the centre.
        ahead: (2,) the unit vector in which it goes on from there.
        odds: How likely it is each seat's, of those that it leads to; they sum to 1.
    """

    seat: Seat | None
    edge: NDArray[np.float64]
    ahead: NDArray[np.float64]
    odds: Mapping[Seat, float]


class Arms:
    """Sees whose arms lie over the centre, in one camera's pictures.

    Args:
        centre: The outline of the centre, in px of the pictures.
        seats: Where each player sits, in the same px; may lie outside the pictures.
    """

    def __init__(self, centre: Polygon, seats: Mapping[Seat, tuple[float, float]]) -> None:
        outline = np.asarray(centre, np.float64)
        self._middle = outline.mean(axis=0)
        self._outline = self._middle + GROWN * (outline - self._middle)
        self._seats = {seat: np.asarray(at, np.float64) for seat, at in seats.items()}
        self._zone: Small | None = None

    def over_centre(self, mask: Small, scale: float) -> frozenset[Seat | None]:
        """The seats whose arms reach into the centre; None stands for an arm whose owner is not clear.

        ``mask`` and ``scale`` are what ``Usual.differing`` gives.
        """
        return frozenset(arm.seat for arm in self.reaching(mask, scale))

    def reaching(self, mask: Small, scale: float) -> list[Arm]:
        """The arms that reach into the centre; ``mask`` and ``scale`` as ``over_centre`` takes them.

        Two arms of which one lies over the other outside are one piece there, and cross the edge twice.
        """
        zone = self._zone_in(mask, scale)
        differs = cleaned(mask, GAP)
        outside = np.asarray(differs & (1 - zone), np.uint8)
        _, pieces = cv2.connectedComponents(outside)
        # What lies inside, grown by a pixel, touches the pieces that go on outside.
        inside = cv2.dilate(np.asarray(differs & zone, np.uint8), np.ones((3, 3), np.uint8))
        is_edge = (inside > 0) & (pieces > 0)
        found: list[Arm] = []
        for piece, count in sorted(Counter(pieces[is_edge].tolist()).items()):
            points = _points(pieces == piece)
            if count >= LEAST_TOUCH_PX and len(points) >= LEAST_PX:
                found += self._arms_of(points, is_edge & (pieces == piece), scale)
        return found

    def _arms_of(self, points: NDArray[np.float64], is_edge: NDArray[np.bool_], scale: float) -> list[Arm]:
        """The arms in one piece (n, 2), one for each place where it crosses the edge."""
        ways = self._ways(points / scale)
        if not ways or ways[0][0] > NEAR:
            return []
        is_clear = len(ways) == 1 or ways[1][0] - ways[0][0] >= CLEARLY
        arms = []
        for crossing in _crossings(is_edge):
            edge = crossing.mean(axis=0)
            ahead = _ahead(points, edge, self._middle * scale)
            odds = self._odds(ways, edge / scale, ahead)
            arms.append(Arm(ways[0][1] if is_clear else None, edge, ahead, odds))
        return arms

    def _zone_in(self, mask: Small, scale: float) -> Small:
        if self._zone is None or self._zone.shape != mask.shape[:2]:
            self._zone = np.zeros(mask.shape[:2], np.uint8)
            cv2.fillPoly(self._zone, [np.round(self._outline * scale).astype(np.int32)], 1)
        return self._zone

    def _ways(self, points: NDArray[np.float64]) -> list[tuple[float, Seat]]:
        """How much of the way from the centre to each seat a piece (n, 2) leaves out, the least first.

        A hand that sticks out leaves out much of every way: it leads nowhere.
        """
        ways = []
        for seat, at in self._seats.items():
            away = max(float(np.linalg.norm(at - self._middle)), 1.0)
            ways.append((float(np.linalg.norm(points - at, axis=1).min()) / away, seat))
        return sorted(ways)

    def _odds(
        self, ways: Sequence[tuple[float, Seat]], edge: NDArray[np.float64], ahead: NDArray[np.float64]
    ) -> dict[Seat, float]:
        """Each seat's odds, by how near it the piece comes and whether the arm comes from there."""
        nats: dict[Seat, float] = {}
        for left_out, seat in ways:
            if left_out <= NEAR:
                back = self._seats[seat] - edge
                aims = float(-(ahead @ back)) / max(float(np.linalg.norm(back)), 1e-6)
                nats[seat] = AIMS_NATS * aims - NEAR_NATS * left_out
        most = max(nats.values())
        weights = {seat: float(np.exp(one - most)) for seat, one in nats.items()}
        total = sum(weights.values())
        return {seat: weight / total for seat, weight in weights.items()}


def _crossings(is_edge: NDArray[np.bool_]) -> list[NDArray[np.float64]]:
    """The points (n, 2) of each stretch of an edge without specks, or of all where there are only specks."""
    count, stretches = cv2.connectedComponents(np.asarray(is_edge, np.uint8))
    points = [_points(stretches == number) for number in range(1, count)]
    return [one for one in points if len(one) >= LEAST_TOUCH_PX] or [_points(is_edge)]


def _points(mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(n, 2) x and y of what is set."""
    rows, columns = np.nonzero(mask)
    return np.column_stack([columns, rows]).astype(np.float64)


def _ahead(
    points: NDArray[np.float64], edge: NDArray[np.float64], middle: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The direction of an arm's piece at the centre's edge; towards the middle where too little is seen."""
    near = points[np.linalg.norm(points - edge, axis=1) < AHEAD_PX]
    way = edge - near.mean(axis=0)
    if np.linalg.norm(way) < 1.0:
        way = middle - edge
    return np.asarray(way / max(float(np.linalg.norm(way)), 1e-6), np.float64)
