"""Two arms that have met: what differs from the usual leads from one seat to another without a gap.

While hands are apart, so are their arms. When two arms become one piece, and their ends came close just
before, their hands have met there; where one arm lies across the other, the ends were far apart: no contact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.seats import Seat
from kemps_vision.people.contact.meeting import Sign
from kemps_vision.people.contact.spans import HANDS_TOUCHED
from kemps_vision.people.usual import Small, cleaned

GAP: Final = 3  # px of a small picture, about a centimetre of a table that fills it
LEAST_PX: Final = 40  # of a small picture: a piece of an arm
NEAR: Final = 0.45  # of the way from the middle to the seat that an arm may leave out
MET: Final = 0.14  # of that way between the ends of two arms just before: a hand is about as long
LATE_MS: Final = 400  # ends seen longer ago say nothing
SCORE: Final = 0.75
REASON: Final = "two arms met at their hands"


@dataclass(frozen=True, slots=True)
class _End:
    at_ms: int
    place: NDArray[np.float64]  # (2,) px


class ArmsMeeting:
    """Sees arms of two seats that have become one.

    Args:
        middle: The middle of the centre, in px of the pictures.
        seats: Where each player sits, in the same px.
    """

    def __init__(self, middle: tuple[float, float], seats: Mapping[Seat, tuple[float, float]]) -> None:
        self._seats = {seat: np.asarray(at, np.float64) for seat, at in seats.items()}
        self._away = {seat: max(float(np.linalg.norm(at - middle)), 1.0) for seat, at in self._seats.items()}
        self._ends: dict[Seat, _End] = {}
        self._met: dict[tuple[Seat, Seat], tuple[float, float]] = {}

    def step(self, at_ms: int, mask: Small, scale: float) -> list[Sign]:
        """A sign for each two seats whose hands have met; the rest as ``Usual.differing`` gives it."""
        signs = []
        joined: set[tuple[Seat, Seat]] = set()
        ends: dict[Seat, tuple[int, _End]] = {}
        for points in _pieces(mask, scale):
            seats = self._led_to(points)
            if len(seats) == 1:
                seat = seats[0]
                if seat not in ends or ends[seat][0] < len(points):
                    ends[seat] = len(points), _End(at_ms, self._end_of(points, seat))
            for pair in combinations(seats, 2):
                joined.add(pair)
                at = self._met.get(pair) or self._meeting(pair, at_ms)
                if at is not None:
                    self._met[pair] = at
                    signs.append(Sign(HANDS_TOUCHED, pair, SCORE, at, REASON))
        self._met = {pair: at for pair, at in self._met.items() if pair in joined}
        self._ends |= {seat: end for seat, (_, end) in ends.items()}
        return signs

    def has_met(self, one: str | None, other: str | None) -> bool:
        """Whether the hands of two seats have met, and their arms are still one piece."""
        return any({one, other} == set(pair) for pair in self._met)

    def _led_to(self, points: NDArray[np.float64]) -> list[Seat]:
        return [
            seat
            for seat, at in sorted(self._seats.items())
            if float(np.linalg.norm(points - at, axis=1).min()) < NEAR * self._away[seat]
        ]

    def _end_of(self, points: NDArray[np.float64], seat: Seat) -> NDArray[np.float64]:
        """The point of an arm that is farthest from its seat."""
        return np.asarray(points[np.linalg.norm(points - self._seats[seat], axis=1).argmax()], np.float64)

    def _meeting(self, pair: tuple[Seat, Seat], at_ms: int) -> tuple[float, float] | None:
        """Where two arms met that were apart just now, or None when their ends were not near each other."""
        ends = [self._ends.get(seat) for seat in pair]
        if any(end is None or at_ms - end.at_ms > LATE_MS for end in ends):
            return None
        one, other = (end.place for end in ends if end is not None)
        away = min(self._away[seat] for seat in pair)
        if float(np.linalg.norm(one - other)) > MET * away:
            return None
        middle = (one + other) / 2
        return float(middle[0]), float(middle[1])


def _pieces(mask: Small, scale: float) -> list[NDArray[np.float64]]:
    """The pieces (n, 2) of what differs, in px of the picture."""
    count, pieces = cv2.connectedComponents(cleaned(mask, GAP))
    found = []
    for piece in range(1, count):
        rows, columns = np.nonzero(pieces == piece)
        if len(rows) >= LEAST_PX:
            found.append(np.column_stack([columns, rows]) / scale)
    return found
