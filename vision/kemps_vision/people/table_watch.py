"""What the hands at the table do, as events: who reached into the centre, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from kemps_rules.events import Event, HandReached
from kemps_vision.frame import Image
from kemps_vision.people.arms import Arms
from kemps_vision.people.hand_seats import HandSeats, SeatedHand
from kemps_vision.people.landmarks import Box, HandPose
from kemps_vision.people.reaches import Reach, Reaching
from kemps_vision.zones import TableZones

TIPS: Final = (4, 8, 12, 16, 20)
LEAST_TIPS: Final = 2  # over the centre, for a hand that reaches; one may be a shadow's


class FindsHands(Protocol):
    """A reader of hands, such as ``tasks.HandReader``."""

    def read(self, pixels: Image, box: Box | None = None, at_ms: int | None = None) -> list[HandPose]:
        """The hands in the picture."""


@dataclass(frozen=True, slots=True)
class HandSchedule:
    """In how manieth watched frames hands are looked for: a landmarker costs more than all else here."""

    busy: int = 2  # while an arm is over the centre
    calm: int = 4


class TableWatch:
    """Follows the hands in the table camera's pictures; deterministic for the same frames."""

    def __init__(self, hands: FindsHands, schedule: HandSchedule | None = None) -> None:
        self._reader = hands
        self._schedule = schedule or HandSchedule()
        self._zones: TableZones | None = None
        self._arms: Arms | None = None
        self._seats: HandSeats | None = None
        self._reaching = Reaching()
        self._watched = 0
        self.hands: list[SeatedHand] = []

    def step(self, at_ms: int, pixels: Image, zones: TableZones) -> list[Event]:
        """The events that this frame makes known; zones may become known on the way."""
        if zones != self._zones:
            self._set_zones(zones)
        if self._arms is None or self._seats is None:
            return []
        seats = set(self._arms.step(at_ms, pixels))
        every = self._schedule.busy if seats else self._schedule.calm
        if self._watched % every == 0:
            self.hands = self._seats.step(at_ms, self._reader.read(pixels, at_ms=at_ms))
            seats |= {hand.seat for hand in self.hands if hand.seat is not None and _is_over(hand, zones)}
        self._watched += 1
        if any(seat is not None for seat in seats):
            seats.discard(None)  # one arm that is clear and a piece of it that is not
        return [_reached(reach) for reach in self._reaching.step(at_ms, seats)]

    def finish(self) -> list[Event]:
        """What was still going on."""
        return [_reached(reach) for reach in self._reaching.finish()]

    def _set_zones(self, zones: TableZones) -> None:
        self._zones = zones
        middle = zones.middle
        if zones.centre is None or middle is None:
            return
        self._arms = Arms(zones.centre, zones.seats)
        self._seats = HandSeats(zones.seats, middle)


def _is_over(hand: SeatedHand, zones: TableZones) -> bool:
    return sum(zones.is_in_centre(hand.pose.landmarks[tip, :2].tolist()) for tip in TIPS) >= LEAST_TIPS


def _reached(reach: Reach) -> HandReached:
    return HandReached(at_ms=reach.at_ms, until_ms=reach.until_ms, seat=reach.seat)
