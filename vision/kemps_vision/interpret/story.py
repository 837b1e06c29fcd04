"""All that happens at the table, told as events: centre, shown hands, and where a deal begins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_rules.events import (
    Called,
    CardLaid,
    CardTaken,
    CentreSwept,
    CentreTurned,
    DealStarted,
    Event,
    Json,
    Settled,
    UnknownEvent,
)
from kemps_rules.seats import Seat
from kemps_vision.appearance import Quad
from kemps_vision.changes import Change, Conflict, Left
from kemps_vision.interpret.centre import CENTRE_SIZE, CentreEvent, CentreStory, SeesHands
from kemps_vision.interpret.hands import ShownHands
from kemps_vision.spots import Spot
from kemps_vision.zones import TableZones

INFERRED: Final = {"inferred": True}
SURPLUS_MS: Final = 1000  # a card may lie on others for so long before one of them is taken
HIDDEN_READS: Final = 2  # that did not find a card
PERSISTENT_READS: Final = 3
SETTLE_MS: Final = 1500  # after a call: what happened before it has been voted on by then


class Story:
    """From changes of the tracks and calls to events, in the order of knowledge."""

    def __init__(
        self,
        zones: TableZones,
        seats: Sequence[Seat],
        *,
        frame_ms: float,
        camera: str,
        hands: SeesHands,
    ) -> None:
        self._zones = zones
        self._camera = camera
        self._centre = CentreStory(hands, frame_ms)
        self._hands = ShownHands(zones, seats)
        self._in_centre: set[int] = set()
        self._unsettled_call: Called | None = None
        self._was_told = False
        self._deal_ms = 0  # when the deal began
        self._swept_ms: int | None = None  # when the centre was swept last, at the latest
        self._unread: list[Spot] = []  # cards that lie in the centre and are not told yet

    @property
    def call(self) -> Called | None:
        """The call that ended swapping in this deal, if any."""
        return self._hands.call

    @property
    def is_playing(self) -> bool:
        """Whether cards are swapped now: the centre is open, and nobody has called."""
        return self._centre.is_open and self._hands.call is None

    def withdraw(self, call: Called) -> None:
        """That call was none: nothing waits for hands to be shown for it."""
        self._hands.withdraw(call)
        if self._unsettled_call == call:
            self._unsettled_call = self._hands.call

    def set_zones(self, zones: TableZones) -> None:
        """Where the centre is, once it was found."""
        self._zones = zones
        self._hands.set_zones(zones)

    def camera_moved(self, zones: TableZones, moved: Callable[[Quad], Quad]) -> None:
        """The camera was moved: the zones as they lie now, and what maps points (n, 2) of the old view."""
        self.set_zones(zones)
        self._centre.camera_moved(moved)

    def is_centre(self, point: NDArray[np.float64]) -> bool:
        """Whether a card there lies in the centre: in its zone and with its cards."""
        is_called = self._hands.call is not None
        # A card that was pushed may lie over the edge of the zone by half its width.
        beside_px = 0.0 if is_called else self._centre.beside_px
        return self._zones.is_in_centre(point, beside_px) and self._centre.is_place(
            point, is_called=is_called
        )

    def step(
        self, now_ms: int, changes: Iterable[Change], calls: Iterable[Called], spots: Sequence[Spot]
    ) -> list[Event]:
        """What this moment's changes tell."""
        events: list[Event] = []
        if not self._was_told:
            self._was_told = True
            self._centre.began(now_ms)
            events.append(DealStarted(at_ms=now_ms, dealer=None, extra=dict(INFERRED)))
        for call in calls:
            self._hands.called(call)
            self._unsettled_call = self._unsettled_call or call
            events.append(call)
        self._centre.hide(frozenset(spot.id for spot in spots if _is_hidden(spot)))
        self._unread = [spot for spot in spots if _is_persistent(spot) and self.is_centre(spot.centre)]
        for change in changes:
            events += self._change(change)
        lying = [spot for spot in spots if spot.id in self._in_centre and spot.is_settled]
        are_clear = all(spot.is_in_view for spot in lying)
        told = self._centre.step(now_ms, are_others_clear=are_clear, unsettled=len(self._unread))
        events += self._with_deals(told)
        events += self._hands.step(now_ms, [spot for spot in spots if not self.is_centre(spot.centre)])
        return events + self._settled(now_ms, spots)

    def surplus(self, now_ms: int, spots: Sequence[Spot]) -> list[Spot]:
        """Cards that must have left the centre: out of sight since as many as it holds were read."""
        if not self.is_playing:
            return []
        lying = [spot for spot in spots if spot.id in self._in_centre and spot.is_settled]
        read = sorted((spot.found_ms for spot in lying if not _is_hidden(spot)), reverse=True)
        if len(read) < CENTRE_SIZE:
            return []
        return [
            spot
            for spot in lying
            if _is_hidden(spot)
            and now_ms - spot.shown_ms(now_ms) >= SURPLUS_MS
            and read[CENTRE_SIZE - 1] > spot.shown_ms(now_ms)
        ]

    def finish(self, now_ms: int) -> list[Event]:
        """Everything held back, at the end of the source."""
        events: list[Event] = list(self._with_deals(self._centre.finish()))
        events += self._hands.finish()
        return [*events, Settled(at_ms=now_ms, camera=self._camera)]

    def _change(self, change: Change) -> list[Event]:
        if isinstance(change, Conflict):
            return [self._conflict(change)]
        if isinstance(change, Left):
            if change.spot in self._in_centre:
                self._in_centre.discard(change.spot)
                return self._with_deals(self._centre.left(change))
            self._hands.left(change)
            return []
        if not self.is_centre(change.quad.mean(axis=0)):
            self._hands.appeared(change)
            return []
        self._in_centre.add(change.spot)
        return self._with_deals(self._centre.appeared(change))

    def _conflict(self, change: Conflict) -> UnknownEvent:
        fields: dict[str, Json] = {
            "card": change.card and str(change.card),
            "seen": str(change.seen),
            "camera": self._camera,
        }
        if change.twin is not None:
            fields["lies_twice"] = True
        return UnknownEvent(kind="card_conflict", at_ms=change.at_ms, fields=fields)

    def _with_deals(self, told: Sequence[CentreEvent]) -> list[Event]:
        """The events, with a new deal before the first that cannot belong to the old one."""
        events: list[Event] = []
        for event in told:
            if isinstance(event, CardTaken | CardLaid):
                events += self._hands.before(event.at_ms)
            if self._begins_deal(event):
                events += self._new_deal(event, told)
            if isinstance(event, CentreSwept):
                self._swept_ms = event.at_ms + event.uncertainty_ms
            is_early = isinstance(event, CentreTurned) and event.at_ms < self._deal_ms
            events.append(replace(event, at_ms=self._deal_ms) if is_early else event)
        return events

    def _begins_deal(self, event: CentreEvent) -> bool:
        if self._hands.call is None or event.at_ms <= self._hands.call.at_ms:
            return False
        if isinstance(event, CentreTurned):
            return not event.first_sight
        return self._hands.is_any_shown and isinstance(event, CardTaken | CardLaid)

    def _new_deal(self, event: CentreEvent, told: Sequence[CentreEvent]) -> list[Event]:
        is_turned = isinstance(event, CentreTurned)
        self._deal_ms = int(min(self._new_since_ms(), event.at_ms)) if is_turned else event.at_ms
        self._hands.new_deal(self._deal_ms)
        self._unsettled_call = self._hands.call
        started = DealStarted(at_ms=self._deal_ms, dealer=None, extra=dict(INFERRED))
        if is_turned:
            return [started]
        taken = {e.card for e in told if isinstance(e, CardTaken) and e.card and e.at_ms >= event.at_ms}
        laid = {e.card for e in told if isinstance(e, CardLaid) and e.at_ms >= event.at_ms}
        cards = (self._centre.cards_at(event.at_ms) | taken) - (laid - taken)
        lying = CentreTurned(
            at_ms=event.at_ms, cards=tuple(sorted(cards)), unread=self._centre.unread, first_sight=True
        )
        return [started, lying]

    def _new_since_ms(self) -> float:
        """Since when a card lies in the centre that is new but not told yet; the first is not told first."""
        if self._swept_ms is None:
            return float("inf")
        times = (spot.first_read_ms for spot in self._unread)
        return min((at_ms for at_ms in times if at_ms > self._swept_ms), default=float("inf"))

    def _settled(self, now_ms: int, spots: Sequence[Spot]) -> list[Event]:
        call = self._unsettled_call
        if call is None or now_ms < call.at_ms + call.uncertainty_ms + SETTLE_MS:
            return []
        pending_ms = self._centre.oldest_pending_ms
        is_open = any(
            not spot.is_settled and spot.first_read_ms <= call.at_ms and self.is_centre(spot.centre)
            for spot in spots
        )
        is_covered = any(spot.id in self._in_centre and not spot.is_in_view for spot in spots)
        if (
            is_open
            or is_covered
            or (pending_ms is not None and pending_ms <= call.at_ms + call.uncertainty_ms)
        ):
            return []
        self._unsettled_call = None
        return [Settled(at_ms=call.at_ms + call.uncertainty_ms, camera=self._camera)]


def _is_hidden(spot: Spot) -> bool:
    """Whether a card may be gone: out of sight since it was read, or covered and the readings do not find it.

    Readings of another card that came to lie there do not bring it back.
    """
    return spot.is_doubted or (not spot.is_clear and spot.misses >= HIDDEN_READS)


def _is_persistent(spot: Spot) -> bool:
    """Whether a card that could not be named yet is read again and again."""
    return not spot.is_settled and spot.reads >= PERSISTENT_READS and spot.misses < PERSISTENT_READS
