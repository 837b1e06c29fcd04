"""Where seats are drawn round the table: the first below, the others clockwise, partners opposite."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin
from typing import Final

VIEW: Final = (960, 600)
_MIDDLE: Final = (480.0, 300.0)
_REACH: Final = (286.0, 158.0)
HAND_WIDTH: Final = 132.0
HAND_CARD: Final = (38.0, 53.0)
CENTRE_CARD: Final = (66.0, 92.0)
CENTRE_GAP: Final = 10.0
MOST_IN_HAND: Final = 8


@dataclass(frozen=True, slots=True)
class Place:
    """The middle of a seat's packet; where its name, mark and speech stand, in the drawing's units."""

    x: float
    y: float
    name_y: float
    mark_y: float
    bubble_y: float


def seat_places(count: int) -> tuple[Place, ...]:
    """A place for each of ``count`` seats in seating order."""
    return tuple(_place(pi / 2 + 2 * pi * index / count) for index in range(count))


def _place(angle: float) -> Place:
    x, y = _MIDDLE[0] + _REACH[0] * cos(angle), _MIDDLE[1] + _REACH[1] * sin(angle)
    below = y > _MIDDLE[1] - 20
    name_y, mark_y = (y + 55, y + 75) if below else (y - 42, y - 71)
    bubble_y = y + 62 if y < _MIDDLE[1] - 60 else y - 62
    return Place(*(round(value, 1) for value in (x, y, name_y, mark_y, bubble_y)))


def spread(count: int, width: float, room: float, gap: float) -> tuple[float, ...]:
    """Left edges of ``count`` things ``width`` wide about 0, ``gap`` apart, closer when ``room`` is short."""
    if count < 1:
        return ()
    step = width + gap if count == 1 else min(width + gap, (room - width) / (count - 1))
    start = -(step * (count - 1) + width) / 2
    return tuple(round(start + step * index, 1) for index in range(count))
