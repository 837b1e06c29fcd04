"""Where players sit, told by their hands and packets round the middle of the table.

Seats lie evenly round the table; which turn of that ring fits what is seen best is looked for, and each seat
then moves a little towards its own player's hands and cards. Without any sight of people the ring stays
evenly turned, with one seat towards the lower edge of the picture.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_rules.seats import Seat, seats_of
from kemps_vision.calibration.plane import TablePlane
from kemps_vision.zones import Point, Polygon

NARROW: Final = 0.3  # of the angle between seats: how far from its seat's direction a hand may be
TURNED: Final = (
    1.0  # signs' worth against a ring that is turned by a quarter of the way between seats or more
)
OWN: Final = 1.5  # signs' worth of the even ring against what is seen of one player
SEEN: Final = 0.5  # signs' worth within a seat's own sector, from which it counts as seen
LEAST_MM: Final = 150.0  # nearer the middle a hand takes a card, and is nobody's place
TO_BODY_MM: Final = 90.0  # from a resting hand or a packet on to its player
REACHING: Final = 0.7  # of the way to the table's edge: hands that only come so far do not rest
USUAL_MM: Final = 480.0  # from the middle to a player where nothing tells
RIGHT_OF_PACKET_MM: Final = 100.0  # packets are held in the left hand, or lie at the left
HOLDS_MM: Final = 130.0  # a hand so near a packet holds it
EDGE_PX: Final = 6.0  # an outline this near to the picture's border was cut off by it


@dataclass(frozen=True, slots=True)
class Sign:
    """A hand or a packet: where it lies in mm on the table, and how much it counts."""

    x_mm: float
    y_mm: float
    weight: float
    kind: str = "hand"

    @property
    def reach_mm(self) -> float:
        """How far from the middle."""
        return math.hypot(self.x_mm, self.y_mm)

    @property
    def angle_deg(self) -> float:
        """Its player's direction from the middle: 0 to the right in the picture, 90 to its lower edge."""
        x, y, reach = self.x_mm, self.y_mm, max(self.reach_mm, 1.0)
        if self.kind == "packet":
            # Seen from the player, who looks towards the middle, right is anticlockwise in the picture.
            x, y = x + y / reach * RIGHT_OF_PACKET_MM, y - x / reach * RIGHT_OF_PACKET_MM
        return math.degrees(math.atan2(y, x))


@dataclass(frozen=True, slots=True)
class SeatPlace:
    """One seat: where its player is in px of the picture, and whether anything of the player was seen."""

    seat: Seat
    at: Point
    is_seen: bool


def signs_of(
    plane: TablePlane, points: Sequence[NDArray[np.float64]], kind: str, *, looks: int
) -> list[Sign]:
    """Signs of the hands or packets at these points (2,) in px, which ``looks`` looks saw together."""
    if not points:
        return []
    there = np.stack(points)
    places = plane.table(there[plane.is_ahead(there)])
    signs = [Sign(float(x), float(y), 1.0 / max(1, looks), kind) for x, y in places]
    return [sign for sign in signs if sign.reach_mm >= LEAST_MM]


def holding(signs: Sequence[Sign]) -> list[Sign]:
    """The signs, those hands that hold a packet told as packets: they are left hands."""
    packets = [sign for sign in signs if sign.kind == "packet"]
    return [
        replace(sign, kind="packet")
        if any(math.hypot(sign.x_mm - one.x_mm, sign.y_mm - one.y_mm) < HOLDS_MM for one in packets)
        else sign
        for sign in signs
    ]


def lay_out_seats(
    plane: TablePlane,
    count: int,
    signs: Sequence[Sign] = (),
    *,
    outline: Polygon | None = None,
    picture: tuple[int, int],
    first: Point | None = None,
) -> tuple[SeatPlace, ...]:
    """The seats in order, clockwise as seen from above.

    Args:
        plane: The table.
        count: How many seats there are.
        signs: Hands and packets that were seen.
        outline: The table's edge in px, where it is seen.
        picture: Width and height in px.
        first: Where seat A is, in px; else it is the seat nearest to the lower edge of the picture, the right
            one of two.
    """
    turn = _turn(count, signs)
    ring = [(turn + n * 360 / count) % 360 for n in range(count)]
    # A ring may have a seat straight at the lower edge, at 90 degrees, or two beside it: a little nearer to
    # the first than half-way between both, which seat is the first one is clearest.
    start = 90.0 - 70.0 / count
    if first is not None:
        x, y = plane.table(np.array([first]))[0]
        start = math.degrees(math.atan2(y, x))
    ring.sort(key=lambda angle: (angle - start + 180 / count) % 360)
    edges = _edge_reach(plane, outline, picture)
    own = [_own(signs, angle, count) for angle in ring]
    reaches = _reaches(own, ring, edges)
    places = []
    for seat, angle, mine, reach in zip(seats_of(count), ring, own, reaches, strict=True):
        weight = sum(sign.weight for sign in mine)
        shift = sum(sign.weight * _apart(sign.angle_deg, angle) for sign in mine) / (weight + OWN)
        radians = math.radians(angle + shift)
        point = plane.pixels(np.array([[math.cos(radians), math.sin(radians)]]) * reach)[0]
        places.append(SeatPlace(seat, (float(point[0]), float(point[1])), weight >= SEEN))
    return tuple(places)


def _turn(count: int, signs: Sequence[Sign]) -> float:
    """By how many degrees the even ring is turned so that seats are where the signs are."""
    step = 360 / count
    tried = np.arange(-step / 2, step / 2, 1.0)
    found = np.zeros(len(tried))
    for sign in signs:
        off = (sign.angle_deg - 90 - tried + step / 2) % step - step / 2
        found += sign.weight * np.exp(-0.5 * (off / (NARROW * step)) ** 2)
    # Cameras mostly stand before a player: few signs do not turn the ring away from the lower edge.
    found -= TURNED * np.minimum(np.abs(tried) / (step / 4), 1.0)
    return 90 + float(tried[int(found.argmax())])


def _own(signs: Sequence[Sign], angle: float, count: int) -> list[Sign]:
    """The signs in a seat's sector."""
    return [sign for sign in signs if abs(_apart(sign.angle_deg, angle)) < 0.8 * 180 / count]


def _reaches(own: Sequence[Sequence[Sign]], ring: Sequence[float], edges: Mapping[int, float]) -> list[float]:
    """How far from the middle each player is: by own hands, by the table's edge, as the others are."""
    told: list[float | None] = []
    for signs, angle in zip(own, ring, strict=True):
        edge = edges.get(round(angle) % 360)
        hands = max((sign.reach_mm for sign in signs), default=None)
        by_hand = None if hands is None else hands + TO_BODY_MM
        is_reaching = by_hand is not None and edge is not None and by_hand < REACHING * edge
        told.append(edge if by_hand is None or is_reaching else by_hand)
    known = [reach for reach in told if reach is not None]
    usual = float(np.median(known)) if known else USUAL_MM
    across = len(ring) // 2
    return [reach or told[(n + across) % len(ring)] or usual for n, reach in enumerate(told)]


def _edge_reach(plane: TablePlane, outline: Polygon | None, picture: tuple[int, int]) -> dict[int, float]:
    """By whole degrees, how far from the middle the table's edge is where the picture shows it."""
    if outline is None:
        return {}
    points = np.asarray(outline, np.float64)
    is_off = (points < EDGE_PX) | (points > np.array(picture) - 1 - EDGE_PX)
    cut = is_off[:, 0] | is_off[:, 1]
    edges: dict[int, float] = {}
    for n in range(len(points)):
        if cut[n] and cut[n - 1]:
            continue
        steps = np.linspace(0, 1, 200)[:, None]
        on_side = points[n - 1] + steps * (points[n] - points[n - 1])
        is_outside = (on_side < EDGE_PX) | (on_side > np.array(picture) - 1 - EDGE_PX)
        for x, y in plane.table(on_side[~is_outside[:, 0] & ~is_outside[:, 1]]):
            edges[round(math.degrees(math.atan2(y, x))) % 360] = math.hypot(x, y)
    return edges


def _apart(angle: float, other: float) -> float:
    """Degrees from ``other`` to ``angle``, -180..180."""
    return (angle - other + 180) % 360 - 180
