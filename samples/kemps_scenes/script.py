"""A journal's events become a plan: who moves what, when. Its times are those of the journal, exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kemps_rules.cards import Card
from kemps_rules.events import (
    Called,
    CardLaid,
    CardTaken,
    CardTouched,
    CentreSwept,
    CentreTurned,
    DealStarted,
    Event,
    GameOpened,
    HandReached,
    HandShown,
)
from kemps_rules.seats import SEATS
from kemps_scenes import acts, dealing, showing
from kemps_scenes.errors import SceneError
from kemps_scenes.layout import Layout
from kemps_scenes.spec import SceneSpec
from kemps_scenes.troupe import HAND_SIZE, Troupe

_PLAYED: Final = (CardTaken, CardLaid, CardTouched, HandReached, HandShown)
_FAR_MS: Final = 10**9


@dataclass(frozen=True, slots=True)
class Scene:
    """A plan ready to be rendered.

    Attributes:
        events: The journal, sorted by time.
        happenings: What happens and when, for the truth.
        centre: The centre after each change: ``{"t_ms": …, "slots": [name or None, …]}``.
    """

    spec: SceneSpec
    layout: Layout
    troupe: Troupe
    events: tuple[Event, ...]
    happenings: tuple[dict[str, Any], ...]
    centre: tuple[dict[str, Any], ...]
    duration_ms: int


def plan_scene(events: Iterable[Event], spec: SceneSpec) -> Scene:
    """The scene of a journal. Kinds without a picture (gestures, corrections, …) change nothing.

    Raises:
        SceneError: The journal tells what cannot happen on a table.
    """
    ordered = tuple(sorted(events, key=lambda event: event.at_ms))
    layout = Layout(_seat_count(ordered), spec.centre)
    troupe = Troupe.seated(layout, spec)
    _Planner(troupe, ordered).plan()
    for seat, left in list(troupe.hands):
        if troupe.away.get((seat, left)):
            troupe.go_home(seat, left=left, at_ms=troupe.hands[seat, left].last.at_ms + 120)
    last = max([event.at_ms for event in ordered] + [h["t1_ms"] for h in troupe.happenings], default=0)
    happenings = tuple(sorted(troupe.happenings, key=lambda h: h["t0_ms"]))
    return Scene(spec, layout, troupe, ordered, happenings, centre_rows(troupe), last + spec.tail_ms)


def _seat_count(events: Sequence[Event]) -> int:
    for event in events:
        if isinstance(event, GameOpened):
            return len(event.seats)
    named = {getattr(event, "seat", None) or "A" for event in events}
    return next(count for count in (4, 6, 8) if max(SEATS.index(seat) for seat in named) < count)


def _pack_size(events: Sequence[Event]) -> int:
    """How many cards the house plays with."""
    opened = next((event for event in events if isinstance(event, GameOpened)), None)
    house = (opened.house if opened else None) or {}
    return {"two": 104, "short": 32}.get(str(house.get("decks", "one")), 52)


def centre_rows(troupe: Troupe) -> tuple[dict[str, Any], ...]:
    """The centre after each change that the troupe has planned."""
    slots: list[str | None] = [None] * len(troupe.slots)
    rows: dict[int, list[str | None]] = {0: list(slots)}
    for at_ms, slot, track in sorted(troupe.centre_changes, key=lambda change: change[0]):
        slots[slot] = str(track.card) if track else None
        rows[at_ms] = list(slots)
    return tuple({"t_ms": at_ms, "slots": row} for at_ms, row in sorted(rows.items()))


class _Planner:
    """Walks through the events and lets the troupe act them."""

    def __init__(self, troupe: Troupe, events: tuple[Event, ...]) -> None:
        self.troupe, self.events = troupe, events
        self.dealer = "A"
        self.done: set[int] = set()
        self.has_dealt = False

    def plan(self) -> None:
        begins_dealt = next((e.at_ms for e in self.events if isinstance(e, DealStarted)), 0) <= 0
        self.pack = _pack_size(self.events)
        self.troupe.stock.append((0.0, self.pack))
        if begins_dealt:
            self._seat_packets(0)
        for index, event in enumerate(self.events):
            if index not in self.done:
                self._act(index, event)

    def _seat_packets(self, at_ms: float) -> None:
        for seat in self.troupe.layout.seats:
            self.troupe.fill_packet(seat, at_ms)
        self.troupe.stock.append((at_ms, self.pack - 4 * len(self.troupe.layout.seats)))
        self.has_dealt = True

    def _act(self, index: int, event: Event) -> None:
        match event:
            case DealStarted():
                self._deal(index, event)
            case CentreTurned():
                self._turn(event)
            case CentreSwept():
                dealing.sweep(
                    self.troupe, self._seat(event.seat, self.dealer), event.at_ms, self._next_turn(index)
                )
            case CardTaken():
                self._take(index, event)
            case CardLaid():
                self._lay(event)
            case CardTouched():
                self._touch(event)
            case HandReached():
                self._reach(event)
            case HandShown():
                seat = self._seat(event.seat, "A")
                showing.show(
                    self.troupe,
                    seat,
                    event.cards,
                    event.at_ms,
                    unread=event.unread,
                    face_down=event.face_down,
                    under=tuple(Card.parse(name) for name in event.extra.get("under", ())),
                )
            case Called():
                self._note_call(event)
            case _:
                pass

    def _seat(self, seat: str | None, otherwise: str) -> str:
        chosen = seat or otherwise
        if chosen not in self.troupe.layout.seats:
            raise SceneError(f"seat {chosen} is not at this table of {len(self.troupe.layout.seats)}")
        return chosen

    def _idle(self) -> str:
        """A seat without an open swap, for what nobody was seen to do."""
        idle = [seat for seat in self.troupe.layout.seats if seat not in self.troupe.emptied]
        return str(self.troupe.rng.choice(idle or list(self.troupe.layout.seats)))

    def _deal(self, index: int, event: DealStarted) -> None:
        self.dealer = self._seat(event.dealer, self.dealer)
        before = max((e.at_ms for e in self.events[:index]), default=0)
        after = min((e.at_ms for e in self.events[index + 1 :]), default=event.at_ms + 3000)
        if event.at_ms <= 0:
            return
        if self.has_dealt:
            start = max(before + 300, event.at_ms - 1800)
            dealing.gather(self.troupe, self.dealer, start, max(start + 200, event.at_ms - 100), self.pack)
        dealing.deal(
            self.troupe, self.dealer, event.at_ms, min(event.at_ms + 2200, (event.at_ms + after) / 2)
        )
        self.has_dealt = True

    def _turn(self, event: CentreTurned) -> None:
        cards = (*event.cards, *showing.unused_cards(self.troupe, event.cards, event.unread))
        if event.first_sight or event.at_ms == 0:
            dealing.lay_out(self.troupe, cards, 0)
        else:
            dealing.turn(self.troupe, self.dealer, cards, event.at_ms)

    def _take(self, index: int, event: CardTaken) -> None:
        seat = self._seat(event.seat, self._idle())
        following = self._next_of(seat, index)
        # A hand of three has laid first: what it takes completes a swap, even if it is laid again later.
        is_whole = len(self.troupe.packets[seat]) >= HAND_SIZE
        if following is not None and event.card is not None and is_whole:
            position, later = following
            if isinstance(later, CardLaid) and later.card == event.card and later.seat == event.seat:
                acts.take_and_put_back(self.troupe, seat, event.card, event.at_ms, later.at_ms)
                self.done.add(position)
                return
        acts.take(self.troupe, seat, event.card, event.at_ms, following[1].at_ms if following else _FAR_MS)

    def _lay(self, event: CardLaid) -> None:
        onto = event.extra.get("onto")
        acts.lay(
            self.troupe,
            self._laying(event),
            event.card,
            event.at_ms,
            onto=None if onto is None else Card.parse(onto),
        )

    def _touch(self, event: CardTouched) -> None:
        seat, aside = self._seat(event.seat, self._idle()), event.extra.get("pushed_mm")
        if aside is None:
            acts.touch(self.troupe, seat, event.card, event.at_ms)
        else:
            acts.push(self.troupe, seat, event.card, event.at_ms, (float(aside[0]), float(aside[1])))

    def _laying(self, event: CardLaid) -> str:
        waiting = list(self.troupe.emptied)
        return self._seat(event.seat, waiting[0] if waiting else self._idle())

    def _reach(self, event: HandReached) -> None:
        seat = self._seat(event.seat, self._idle())
        until = event.until_ms if event.until_ms is not None else event.at_ms + 600
        near = [e for e in self.events if isinstance(e, _PLAYED) and e is not event and e.seat == event.seat]
        if any(event.at_ms - 400 <= e.at_ms <= until + 400 for e in near):
            return  # the hand is over the centre anyway, for what it does there
        acts.hover(self.troupe, seat, event.card, event.at_ms, until)

    def _next_of(self, seat: str, index: int) -> tuple[int, Event] | None:
        for position in range(index + 1, len(self.events)):
            event = self.events[position]
            if isinstance(event, _PLAYED) and event.seat in (seat, None):
                return position, event
            if isinstance(event, CentreTurned | CentreSwept) and seat == self.dealer:
                return position, event
        return None

    def _next_turn(self, index: int) -> float:
        for event in self.events[index + 1 :]:
            if isinstance(event, CentreTurned):
                return event.at_ms - len(event.cards) * dealing.TURN_NEEDS_MS
        return _FAR_MS

    def _note_call(self, event: Called) -> None:
        count = len(self.troupe.layout.seats)
        partner = SEATS[(SEATS.index(event.seat) + count // 2) % count] if event.seat else None
        accused = None
        if event.against:
            rival = SEATS[(SEATS.index(event.against) + count // 2) % count]
            accused = sorted((event.against, rival))
        self.troupe.note(
            "call",
            event.at_ms,
            event.at_ms,
            seat=event.seat,
            word=event.call,
            against=accused,
            quad_of=partner if event.call == "kemps" else None,
        )


__all__ = ["Scene", "plan_scene"]
