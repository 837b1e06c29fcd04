"""What the hands at the table do, as events: reaches into the centre, hands that touch, hands out of view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from kemps_rules.events import Event, HandHidden, HandReached, HandsTouched
from kemps_rules.seats import SEATS, Seat
from kemps_vision.frame import Image
from kemps_vision.people.arms import Arms
from kemps_vision.people.arms_meeting import REASON as ARMS_MET
from kemps_vision.people.arms_meeting import ArmsMeeting
from kemps_vision.people.contact.hiding import HiddenWatcher
from kemps_vision.people.contact.meeting import Sign, VanishedHands
from kemps_vision.people.contact.near import NearHands
from kemps_vision.people.contact.spans import ContactSpan, HiddenSpan, OwnedHand, Owner
from kemps_vision.people.contact.watching import KEEP, START, ContactWatcher
from kemps_vision.people.contact.weighing import weighed
from kemps_vision.people.hand_seats import HandSeats, SeatedHand
from kemps_vision.people.landmarks import Box, HandPose
from kemps_vision.people.lingering import Lingering
from kemps_vision.people.reaches import Reach, Reaching
from kemps_vision.people.table_top import table_top
from kemps_vision.people.usual import Small, Usual
from kemps_vision.zones import TableZones

TIPS: Final = (4, 8, 12, 16, 20)
LEAST_TIPS: Final = 2  # over the centre, for a hand that reaches; one may be a shadow's
MOVING_PX: Final = 30  # of a small picture that differ now and did not before, or the other way round
CLAIM: Final = 0.5  # a span with a lower score is no claim, and is not told
CENTRE, OVER_TABLE = "centre", "over_table"


class FindsHands(Protocol):
    """A reader of hands, such as ``tasks.HandReader``."""

    def read(self, pixels: Image, box: Box | None = None, at_ms: int | None = None) -> list[HandPose]:
        """The hands in the picture."""


@dataclass(frozen=True, slots=True)
class HandSchedule:
    """In how manieth watched frames hands are looked for: a landmarker costs more than all else here."""

    busy: int = 1  # while arms move, or hands are near each other: in every second one clasps are missed
    calm: int = 4


class TableWatch:
    """Follows the hands in the table camera's pictures; deterministic for the same frames."""

    def __init__(self, hands: FindsHands, schedule: HandSchedule | None = None) -> None:
        self._reader = hands
        self._schedule = schedule or HandSchedule()
        self._zones: TableZones | None = None
        self._hands: _Hands | None = None
        self._arms: Arms | None = None
        self._reaching = Reaching()
        self._usual = Usual()
        self._signs: list[Sign] = []
        self._watched = 0
        self._is_busy = False
        self._mask: Small | None = None
        self.hands: list[SeatedHand] = []
        self._hands_ms: int | None = None

    def tips_at(self, at_ms: int) -> list[tuple[Mapping[Seat, float], NDArray[np.float64]]]:
        """The hands found in this frame: how likely each seat's, and the finger tips (5, 2), px."""
        if self._hands_ms != at_ms:
            return []
        return [
            (hand.odds, np.asarray(hand.pose.landmarks[list(TIPS), :2], np.float64))
            for hand in self.hands
            if hand.odds
        ]

    def step(self, at_ms: int, pixels: Image, zones: TableZones, usual: Usual | None = None) -> list[Event]:
        """The events that this frame makes known; zones may become known on the way.

        ``usual`` is somebody else's memory of the same frames, so that there need not be two.
        """
        if zones != self._zones:
            self._set_zones(zones, pixels)
        if self._arms is None or self._hands is None:
            return []
        mask, scale = (usual or self._usual).differing(at_ms, pixels)
        seats = set(self._arms.over_centre(mask, scale))
        self._signs += self._hands.meeting.step(at_ms, mask, scale)
        events: list[Event] = []
        is_moving = self._mask is not None and int((mask != self._mask).sum()) >= MOVING_PX
        self._mask = mask
        every = self._schedule.busy if is_moving or self._is_busy else self._schedule.calm
        if self._watched % every == 0:
            self.hands = self._hands.seats.step(at_ms, self._reader.read(pixels, at_ms=at_ms))
            self._hands_ms = at_ms
            seats |= {hand.seat for hand in self.hands if hand.seat is not None and _is_over(hand, zones)}
            events += self._hands.step(at_ms, pixels, self.hands, self._signs)
            self._is_busy = self._hands.is_near or bool(self._signs)
            self._signs = []
        self._watched += 1
        if any(seat is not None for seat in seats):
            seats.discard(None)  # one arm that is clear and a piece of it that is not
        return [*events, *map(_reached, self._reaching.step(at_ms, seats))]

    def finish(self) -> list[Event]:
        """What was still going on."""
        events: list[Event] = [_reached(reach) for reach in self._reaching.finish()]
        return events if self._hands is None else [*events, *self._hands.finish()]

    def _set_zones(self, zones: TableZones, pixels: Image) -> None:
        self._zones = zones
        middle = zones.middle
        if zones.centre is None or middle is None:
            return
        self._arms = Arms(zones.centre, zones.seats)
        self._hands = _Hands(zones, pixels, HandSeats(zones.seats, middle))


class _Hands:
    """Contact and hiding of hands whose seats are told by ``seats``."""

    def __init__(self, zones: TableZones, pixels: Image, seats: HandSeats) -> None:
        size = (pixels.shape[1], pixels.shape[0])
        self.seats = seats
        self.meeting = ArmsMeeting(zones.middle or (size[0] / 2, size[1] / 2), zones.seats)
        self.is_near = False
        self._zones = zones
        self._near = NearHands()
        self._vanished = VanishedHands(size)
        self._contacts = ContactWatcher()
        self._hidden = HiddenWatcher(size, None if zones.centre is None else table_top(pixels, zones.centre))
        self._lingering = Lingering()

    def step(self, at_ms: int, pixels: Image, hands: list[SeatedHand], met: Sequence[Sign]) -> list[Event]:
        found = [OwnedHand(hand.track, hand.seat, hand.pose, hand.odds) for hand in hands]
        vanished = [sign for sign in self._vanished.step(at_ms, found) if self._have_met(sign)]
        signs = [*self._near.step(at_ms, found), *vanished, *met]
        touching: list[Owner] = [owner for sign in signs if sign.score >= KEEP for owner in sign.owners]
        self.is_near = bool(touching)
        told = self._contacts.step(at_ms, signs)
        there = [*found, *self._lingering.step(pixels, found)]
        return [*self._touched(told), *_hid(self._hidden.step(at_ms, there, touching=touching))]

    def _have_met(self, sign: Sign) -> bool:
        """Hands are lost all the time here: two that vanished met if their arms did, or if they touched."""
        if self.meeting.has_met(*sign.owners):
            return True
        # One on its way off as it was lost has left the other; over the cards hands cover each other in play.
        is_held = sign.score >= START and not self._zones.is_in_centre(sign.at)
        return is_held and self._contacts.has_open(sign.kind, sign.owners)

    def finish(self) -> list[Event]:
        return [*self._touched(self._contacts.finish()), *_hid(self._hidden.finish())]

    def _touched(self, spans: list[ContactSpan]) -> list[Event]:
        events: list[Event] = []
        for span in spans:
            is_in_centre = self._zones.is_in_centre(span.at)
            score = weighed(span, is_in_centre=is_in_centre, is_of_arms=span.reason == ARMS_MET)
            if score < CLAIM:
                continue
            seats = (_seat(owner) for owner in span.owners)
            events.append(
                HandsTouched(
                    at_ms=span.at_ms,
                    until_ms=span.until_ms,
                    seats=tuple(sorted(seats, key=lambda seat: seat or "~")),
                    where=CENTRE if is_in_centre else OVER_TABLE,
                    confidence=round(score, 3),
                    extra={"reason": span.reason},
                )
            )
        return events


def _hid(spans: list[HiddenSpan]) -> list[Event]:
    return [
        HandHidden(
            at_ms=span.at_ms,
            until_ms=span.until_ms,
            seat=_seat(span.owner),
            confidence=round(span.score, 3),
            extra={"where": span.where, "reason": span.reason},
        )
        for span in spans
        if span.score >= CLAIM
    ]


def _seat(owner: Owner) -> Seat | None:
    return owner if owner is not None and owner in SEATS else None


def _is_over(hand: SeatedHand, zones: TableZones) -> bool:
    return sum(zones.is_in_centre(hand.pose.landmarks[tip, :2].tolist()) for tip in TIPS) >= LEAST_TIPS


def _reached(reach: Reach) -> HandReached:
    return HandReached(at_ms=reach.at_ms, until_ms=reach.until_ms, seat=reach.seat)
