"""Where things lie on a table for 4, 6 or 8: centre, stock, aside, packets, shown hands, resting arms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_scenes.errors import SceneError

CARD_M: Final = (0.063, 0.088)
SEAT_LETTERS: Final = "ABCDEFGH"

# seats -> half axes of the rings of shown hands and of packets, picture width against four seats, row step
_RINGS: Final = {
    4: ((0.325, 0.166), (0.402, 0.228), 1.0, 0.068),
    6: ((0.39, 0.235), (0.475, 0.305), 1.20, 0.067),
    8: ((0.445, 0.285), (0.535, 0.358), 1.33, 0.050),
}
_PILES: Final = {4: (0.236, 0.142), 6: (0.236, 0.200), 8: (0.155, 0.122)}
_SIDE_M: Final = {
    4: 0.135,
    6: 0.115,
    8: 0.095,
}  # packet to the left of the seat's middle, right hand to the right


@dataclass(frozen=True, slots=True)
class Place:
    """Where something lies: x, y in metres and the direction of its upper edge (0 = north, anticlockwise)."""

    x: float
    y: float
    yaw: float = 0.0


class Layout:
    """All places of one table.

    ``slots`` are the centre's four own places, then spare ones for cards laid before others are taken: two
    near ones, which belong to the centre as a camera is told it, and farther ones for when all lay first.
    """

    def __init__(self, seats: int, centre: str = "row") -> None:
        if seats not in _RINGS:
            raise SceneError(f"a table has 4, 6 or 8 seats, not {seats}")
        self.seats = SEAT_LETTERS[:seats]
        self.shown_ring, self.packet_ring, self.zoom_out, self.row_step = _RINGS[seats]
        self._side = _SIDE_M[seats]
        step = 0.0755
        if centre == "row":
            own = [(-1.5 * step, 0.0), (-0.5 * step, 0.0), (0.5 * step, 0.0), (1.5 * step, 0.0)]
            more = [(2.5 * step, 0.0), (-2.5 * step, 0.0)]
            far = [(x * step, 0.096) for x in (0.5, -0.5, 1.5, -1.5)]
        else:
            own = [(-step / 2, 0.049), (step / 2, 0.049), (-step / 2, -0.049), (step / 2, -0.049)]
            more = [(1.5 * step, 0.0), (-1.5 * step, 0.0)]
            far = [(x * step, y) for x in (2.5, -2.5) for y in (0.049, -0.049)]
        self.slots = tuple(Place(x, y) for x, y in own + more + far)
        self.own_slots = len(own)
        self.near_slots = len(own + more)
        x, y = _PILES[seats]
        self.stock = Place(-x, y, 0.06)
        self.aside = Place(x, y, -0.09)
        half_x, half_y = self.packet_ring
        self.table_half = (half_x + 0.17, half_y + 0.16)

    def angle(self, seat: str) -> float:
        """Direction of a seat from the middle: A sits south, the others follow clockwise seen from above."""
        return float(-np.pi / 2 - 2 * np.pi * self.seats.index(seat) / len(self.seats))

    def forward(self, seat: str) -> NDArray[np.float64]:
        """Unit vector from a seat towards the middle, across the table's edge."""
        outward = np.array([np.cos(self.angle(seat)), np.sin(self.angle(seat))])
        return np.asarray(-outward / np.hypot(*outward), np.float64)

    def facing(self, seat: str) -> float:
        """Yaw of a card that the seat's player sees upright."""
        fx, fy = self.forward(seat)
        return float(np.arctan2(-fx, fy))

    def at(
        self, seat: str, ring: tuple[float, float], right: float = 0.0, forward: float = 0.0
    ) -> tuple[float, float]:
        """A point by a seat: on a ring, then shifted to the player's right and forward, in metres."""
        fx, fy = self.forward(seat)
        x = ring[0] * np.cos(self.angle(seat)) + right * fy + forward * fx
        y = ring[1] * np.sin(self.angle(seat)) - right * fx + forward * fy
        return (float(x), float(y))

    def packet(self, seat: str) -> Place:
        """Where a seat's packet is."""
        return Place(*self.at(seat, self.packet_ring, -self._side), self.facing(seat))

    def arm_rest(self, seat: str, *, left: bool) -> tuple[float, float]:
        """Where the fingers of a seat's idle hand are."""
        return self.at(seat, self.packet_ring, -self._side if left else self._side, -0.075 if left else -0.01)

    def shoulder(self, seat: str, *, left: bool) -> tuple[float, float]:
        """Where a seat's arm comes from, outside the table."""
        ring = (self.packet_ring[0] + 0.42, self.packet_ring[1] + 0.42)
        return self.at(seat, ring, -0.19 if left else 0.19)

    def shown_row(self, seat: str, count: int) -> list[Place]:
        """Places of a hand shown in a row, left to right for its player."""
        step = min(self.row_step, 0.272 / max(1, count))
        yaw = self.facing(seat)
        return [
            Place(*self.at(seat, self.shown_ring, (k - (count - 1) / 2) * step), yaw) for k in range(count)
        ]

    def shown_fan(self, seat: str, count: int) -> list[Place]:
        """Places of a hand shown as a fan, which opens from the player outwards."""
        places = []
        facing = self.facing(seat)
        radius = 0.115
        for k in range(count):
            turn = ((count - 1) / 2 - k) * np.radians(15.0)
            right, forward = -np.sin(turn) * radius, np.cos(turn) * radius - radius
            places.append(
                Place(*self.at(seat, self.shown_ring, float(right), float(forward)), facing + float(turn))
            )
        return places

    def shown_pile(self, seat: str, count: int) -> list[Place]:
        """Places of a hand shown as a pile which slid apart a little."""
        yaw = self.facing(seat)
        return [
            Place(
                *self.at(seat, self.shown_ring, (k - (count - 1) / 2) * 0.017, k * 0.003),
                yaw - 0.05 * (k - 1),
            )
            for k in range(count)
        ]

    def shown(self, seat: str, count: int, style: str) -> list[Place]:
        """Places of a shown hand in a style; one that is held up is a fan over its place."""
        if style in ("row", "singly"):
            return self.shown_row(seat, count)
        return self.shown_pile(seat, count) if style == "pile" else self.shown_fan(seat, count)
