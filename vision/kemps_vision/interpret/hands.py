"""Shown hands: cards that come to lie face up outside the centre after a call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from kemps_rules.events import Called, HandShown
from kemps_rules.seats import Seat, partner_of
from kemps_vision.changes import Appeared, Left
from kemps_vision.matching import overlap
from kemps_vision.spots import Spot
from kemps_vision.zones import TableZones

HAND_SIZE: Final = 4
LEAST: Final = 3  # fewer face-up cards are no shown hand
TOGETHER: Final = 1.6  # card lengths between neighbours of one hand
BEFORE_CALL_MS: Final = 300  # a call's time is known that well
WHOLE_QUIET_MS: Final = 1200  # four lie there and no fifth has come
PART_QUIET_MS: Final = 4500  # fewer or more lie there and nothing has changed
SAME_CARD: Final = 0.03  # of a card of the same name that seems to lie over it
PRESENT_READS: Final = 3  # after so many readings something does lie there
TIME_MS: Final = 150  # by how much the time of the last card may be off
SAME_PLACE: Final = 0.06  # card lengths: of two so near to each other one alone is seen


@dataclass(slots=True)
class _Group:
    cards: list[Appeared]

    @property
    def last_ms(self) -> int:
        return max(card.settled_ms for card in self.cards)

    @property
    def rest_ms(self) -> int:
        return max(card.rest_ms for card in self.cards)

    def is_near(self, card: Appeared) -> bool:
        return any(_distance(card, other) < TOGETHER for other in self.cards)


class ShownHands:
    """Gathers the cards outside the centre after each call and tells whole hands."""

    def __init__(self, zones: TableZones, seats: Sequence[Seat]) -> None:
        self._zones = zones
        self._seats = tuple(seats)
        self._call: Called | None = None
        self._later: list[Called] = []  # calls of the same deal
        self._groups: list[_Group] = []
        self._shown: list[Seat | None] = []
        self._spots: tuple[Spot, ...] = ()
        self._gone: set[int] = set()  # spots

    @property
    def call(self) -> Called | None:
        """The call after which hands are looked for, or None."""
        return self._call

    @property
    def is_any_shown(self) -> bool:
        """Whether a hand was shown since the call."""
        return bool(self._shown)

    def set_zones(self, zones: TableZones) -> None:
        """Where centre and seats are, once it is known."""
        self._zones = zones

    def called(self, call: Called) -> None:
        """From here on hands are shown; the first call of a deal counts."""
        if self._call is None:
            self._call = call
            self._groups = [group for group in self._groups if group.last_ms >= call.at_ms]
        else:
            self._later.append(call)

    def withdraw(self, call: Called) -> None:
        """That call was none: the next one counts, or no hand is looked for and none was shown."""
        if call in self._later:
            self._later.remove(call)
        elif call == self._call and self._later:
            self._call = self._later.pop(0)
        elif call == self._call:
            self.new_deal()

    def new_deal(self, from_ms: int | None = None) -> None:
        """Forget the calls and what was shown; a call after ``from_ms`` is one of the new deal."""
        calls = [call for call in self._later if from_ms is not None and call.at_ms > from_ms]
        self._call, self._later = (calls[0] if calls else None), calls[1:]
        since_ms = calls[0].at_ms - BEFORE_CALL_MS if calls else float("inf")
        self._groups = [group for group in self._groups if group.rest_ms >= since_ms]
        self._shown = []
        self._gone.clear()

    def appeared(self, card: Appeared) -> None:
        """A card lies outside the centre."""
        if self._call is None or card.rest_ms < self._call.at_ms - BEFORE_CALL_MS:
            return
        self._forget_moved(card)
        near = [group for group in self._groups if group.is_near(card)]
        joined = _Group([card, *(other for group in near for other in group.cards)])
        self._groups = [group for group in self._groups if group not in near] + [joined]

    def left(self, change: Left) -> None:
        """A card is gone; one gone before it was even named lay so only while the hand was spread.

        Others were shown, even when the hand is taken up before it is told.
        """
        self._gone.add(change.spot)
        for group in self._groups:
            group.cards = [
                card for card in group.cards if card.spot != change.spot or change.bare_ms > card.settled_ms
            ]
        self._groups = [group for group in self._groups if group.cards]

    def _forget_moved(self, card: Appeared) -> None:
        """A card that has gone and lies here again was pushed, or is only now seen where it really lies."""
        for group in self._groups:
            group.cards = [
                other
                for other in group.cards
                if card.card is None or other.card != card.card or other.spot not in self._gone
            ]
        self._groups = [group for group in self._groups if group.cards]

    def step(self, now_ms: int, spots: Sequence[Spot]) -> list[HandShown]:
        """The hands that are complete or unchanged for long; ``spots`` lie outside the centre."""
        events = []
        self._spots = tuple(spots)
        for group in list(self._groups):
            waits_for_more = bool(self._unnamed(group))
            quiet_ms = now_ms - group.last_ms
            is_whole = len(group.cards) == HAND_SIZE and all(card.card for card in group.cards)
            if quiet_ms >= (WHOLE_QUIET_MS if is_whole and not waits_for_more else PART_QUIET_MS):
                events += self._tell(group)
        return events

    def before(self, at_ms: int) -> list[HandShown]:
        """The hands that lay there when swapping went on: no more of them will be seen."""
        return [
            event for group in list(self._groups) if group.rest_ms <= at_ms for event in self._tell(group)
        ]

    def finish(self) -> list[HandShown]:
        """The hands seen so far; nothing more will come."""
        return [event for group in list(self._groups) for event in self._tell(group)]

    def _tell(self, group: _Group) -> list[HandShown]:
        unnamed = len(self._unnamed(group))
        most = len(group.cards) + unnamed
        sure = self._apart(group.cards) if len(group.cards) > HAND_SIZE else group.cards
        count = len(sure) + unnamed
        if count < LEAST:
            return []
        self._groups.remove(group)
        seat = self._seat(group)
        self._shown.append(seat)
        known = [card for card in sorted(sure, key=_left_to_right) if card.card is not None]
        if count > HAND_SIZE > len(known):
            # Some of them are not there, and nothing says which: a verdict must not rest on any.
            known, count = [], HAND_SIZE
        # More than four are sure only where all are named: what has no name yet may be another sight of one.
        count = min(count, max(HAND_SIZE, len(sure)))
        return [
            HandShown(
                at_ms=group.rest_ms,
                uncertainty_ms=TIME_MS,
                seat=seat,
                cards=tuple(card.card for card in known if card.card is not None),
                unread=count - len(known),
                unread_at_most=most - len(known) if most > count else None,
                complete=HAND_SIZE <= count == most and not unnamed and bool(known),
                confidence=min((card.confidence for card in known), default=0.5),
            )
        ]

    def _apart(self, cards: Sequence[Appeared]) -> list[Appeared]:
        """The cards but those in the very place of one that was read after them: it was misread as them."""
        read_ms = {spot.id: spot.found_ms for spot in self._spots}

        def is_hidden(card: Appeared) -> bool:
            here = [other for other in cards if _distance(card, other) < SAME_PLACE]
            return any(read_ms.get(card.spot, 0) < read_ms.get(other.spot, 0) for other in here)

        return [card for card in cards if not is_hidden(card)]

    def _unnamed(self, group: _Group) -> list[Spot]:
        """Cards of the hand that lie there by several readings, but that no vote has named yet."""
        return [
            spot
            for spot in self._spots
            if not spot.is_settled
            and spot.reads >= PRESENT_READS
            and spot.misses < 2
            and _is_beside(spot, group)
            and not _is_second_sight(spot, group)
        ]

    def _seat(self, group: _Group) -> Seat | None:
        place = np.mean([card.quad.mean(axis=0) for card in group.cards], axis=0)
        towards = self._zones.seat_towards(place)
        if towards is not None:
            return towards
        call = self._call
        if call is None or call.seat is None or call.call == "stop" or call.seat not in self._seats:
            return None
        return partner_of(call.seat, len(self._seats))


def _is_second_sight(spot: Spot, group: _Group) -> bool:
    """Whether this is a named card of the hand again, seen by its other indices: some decks have four."""
    return any(card.card == spot.guess and overlap(spot.quad, card.quad) > SAME_CARD for card in group.cards)


def _is_beside(spot: Spot, group: _Group) -> bool:
    length = spot.length_px
    return any(
        np.linalg.norm(card.quad.mean(axis=0) - spot.centre) < TOGETHER * length for card in group.cards
    )


def _distance(a: Appeared, b: Appeared) -> float:
    length = max(np.linalg.norm(one.quad[[3, 2]] - one.quad[[0, 1]], axis=1).mean() for one in (a, b))
    return float(np.linalg.norm(a.quad.mean(axis=0) - b.quad.mean(axis=0)) / max(length, 1.0))


def _left_to_right(card: Appeared) -> tuple[float, float]:
    x, y = card.quad.mean(axis=0)
    return float(x), float(y)
