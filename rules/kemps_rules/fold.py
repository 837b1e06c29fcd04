"""The walk over a game's events in the order in which they happened: deals begin, go on and end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, ClassVar, Final

from kemps_rules.calls import asked_hands
from kemps_rules.conduct import (
    Conduct,
    check_call,
    check_contact,
    check_dealer,
    check_hidden,
    check_seat_change,
    next_dealers,
    note_reach,
)
from kemps_rules.deal import CallMade, Deal, Gap
from kemps_rules.events import (
    Called,
    CardLaid,
    CardPassed,
    CardTaken,
    CardTouched,
    CentreSwept,
    CentreTurned,
    DealEnded,
    DealStarted,
    Dry,
    Event,
    GameOpened,
    HandHidden,
    HandReached,
    HandShown,
    HandsTouched,
    NotObserved,
    PacketHidden,
    SeatChanged,
    Settled,
    ShowRefused,
    SignNamed,
)
from kemps_rules.flags import Flag
from kemps_rules.house import House
from kemps_rules.ledger import APPLY
from kemps_rules.rulebook import CHECK, are_apart
from kemps_rules.seats import Seat
from kemps_rules.table import Hand, Table
from kemps_rules.unobserved import gap_of, lose_sight, see_again, was_unwatched

_NEW_CENTRE: Final = 3
"""So many cards turned up at once after the end of a deal are a new deal whose beginning was missed."""


class Fold:
    """The state of a game after some of its events; ``copy`` gives one that goes on by itself."""

    __slots__ = ("before", "closed", "deal", "gaps", "house", "memory", "players", "seats", "settled")

    def __init__(self, header: GameOpened, house: House) -> None:
        self.house = house
        self.seats = tuple(header.seats)
        self.players = dict(header.seats)
        self.closed: list[Deal] = []
        self.deal: Deal | None = None
        self.before: list[Flag] = []
        self.memory = Conduct()
        self.settled: dict[str, int] = {}
        self.gaps: tuple[Gap, ...] = ()  # that may be about a deal of which nothing is known yet

    def copy(self) -> Fold:
        """The same state, changing by itself from now on; closed deals no longer change and are shared."""
        twin = Fold.__new__(Fold)
        for name in ("house", "seats", "gaps"):
            setattr(twin, name, getattr(self, name))
        for name in ("players", "closed", "before", "memory", "settled"):
            setattr(twin, name, getattr(self, name).copy())
        twin.deal = None if self.deal is None else self.deal.copy()
        return twin

    @property
    def deals(self) -> list[Deal]:
        """All deals so far, the running one last."""
        return self.closed if self.deal is None else [*self.closed, self.deal]

    def apply(self, line: int, event: Event) -> None:
        """Go on by one event."""
        handle = self._handlers.get(type(event))
        if self.deal is not None and self.deal.blind:
            see_again(self.deal, event.at_ms, is_card=type(event) in APPLY)
        if handle is not None:
            handle(self, line, event)

    def table(self) -> Table:
        """The table as it stands."""
        deal = self.deal
        if deal is None:
            hands = dict.fromkeys(self.seats, Hand())
            opened: dict[str, int] = {}
            players = self.players.copy()
            return Table(
                0, None, False, (), 0, 0, hands, (), 0, None, opened, (), 0, 0, None, {}, None, players
            )
        return Table(
            deal=deal.number,
            dealer=deal.dealer,
            is_open=deal.opened_at is not None,
            centre=tuple(deal.centre),
            unread=deal.unread,
            missing=deal.missing,
            hands=deal.hands,
            aside=tuple(deal.aside),
            aside_unread=deal.aside_unread,
            stock=deal.stock,
            open_swaps={
                seat: size - 4 for seat, size in deal.sizes.items() if size != 4 and seat not in deal.unsized
            },
            unassigned=deal.loose,
            unassigned_takes=deal.loose_takes,
            unassigned_lays=deal.loose_lays,
            call=None if deal.call_at is None else deal.call_at[2],
            shown=deal.shown.copy(),
            ended=deal.ended,
            players=self.players.copy(),
        )

    def _flag(self, flags: Iterable[Flag]) -> None:
        (self.before if self.deal is None else self.deal.flags).extend(flags)

    def _begin(self, line: int, dealer: Seat | None) -> Deal:
        """A new deal; one of which nothing but its beginning was told is the same deal, told better now."""
        blank = self.deal if self.deal is not None and self.deal.is_blank else None
        if self.deal is not None and blank is None:
            self.closed.append(self.deal)
        if dealer is None and blank is not None and blank.is_dealer_told:
            dealer = blank.dealer
        self.deal = Deal(self.house, self.seats, len(self.closed) + 1, dealer, line)
        if dealer is None and self.closed:
            allowed = next_dealers(self.closed[-1], len(self.seats))
            self.deal.dealer = allowed[0] if len(allowed) == 1 else None
        self.deal.flags = blank.flags if blank is not None else []
        return self.deal

    def _current(self, line: int, event: Event) -> Deal:
        """The running deal; watching may have begun in the middle of one, or a beginning was missed."""
        deal = self.deal
        is_turned = isinstance(event, CentreTurned)
        is_new = isinstance(event, CentreTurned) and len(event.cards) + event.unread >= _NEW_CENTRE
        if deal is not None and isinstance(event, CentreTurned) and _begins_after_dry(deal, event):
            return self._begin_after_dry(line, deal)
        if deal is None or (is_new and (deal.is_over or _may_be_over(deal, event))):
            deal = self._begin(line, None)
            self._go_on_unseen()
            self._drop_ended_gaps(event)
            deal.is_implicit = True
            if not is_turned:
                deal.opened_at = (0, 0)
        return deal

    def _begin_after_dry(self, line: int, deal: Deal) -> Deal:
        """The next deal: what was turned up when the stock was dry was its beginning."""
        deal.ended = "dry"
        turned = deal.beyond
        deal.withdrawn |= {("R3", number) for number, _ in turned}
        new = self._begin(turned[0][0] if turned else line, None)
        new.is_implicit = True
        for number, event in turned:
            APPLY[CentreTurned](new, number, event)
        return new

    def _start(self, line: int, event: DealStarted) -> None:
        previous = self.deal
        if previous is not None and previous.is_blank:
            previous = self.closed[-1] if self.closed else None
        flags = list(check_dealer(previous, line, event, len(self.seats)))
        self._begin(line, event.dealer).flags += flags
        self._drop_ended_gaps(event)
        self._go_on_unseen()

    def _drop_ended_gaps(self, event: Event) -> None:
        self.gaps = tuple(gap for gap in self.gaps if gap.until_ms > event.at_ms)

    def _go_on_unseen(self) -> None:
        """A deal has begun in a span in which nobody saw the table, or its beginning lay in one."""
        if self.deal is not None:
            for gap in self.gaps:
                lose_sight(self.deal, gap)

    def _cards(self, line: int, event: Event) -> None:
        deal = self._current(line, event)
        if deal.is_over and not isinstance(event, HandShown | ShowRefused | SignNamed | DealEnded):
            return  # the cards are being cleared away
        kind = type(event)
        check = CHECK.get(kind)
        if check is not None:
            deal.flags.extend(check(deal, line, event))
        was_open = deal.opened_at is not None
        APPLY[kind](deal, line, event)
        if not was_open and deal.opened_at is not None:
            _excuse(deal)

    def _reach(self, line: int, event: CardTouched | CardTaken) -> None:
        self._cards(line, event)
        self._explain(line, event)

    def _explain(self, _line: int, event: CardTouched | CardTaken | HandReached) -> None:
        explained = note_reach(self.memory, event)
        if explained and self.deal is not None:
            self.deal.withdrawn |= explained

    def _call(self, line: int, event: Called) -> None:
        call = self.house.call_named(event.call)
        if call == "double_kemps" and self.house.double_kemps == "off":
            call = "kemps"
        if call is None:
            self._flag(check_call(Deal(self.house, self.seats, 0, None, line), line, event, None))
            return
        deal = self._current(line, event)
        deal.flags.extend(check_call(deal, line, event, call))
        is_early = deal.opened_at is None
        is_hidden = is_early and was_unwatched(deal)
        void = "over" if deal.ended is not None else "R4" if is_early and not is_hidden else ""
        if void and not deal.is_called:
            deal.flags.append(_untimely(line, event, void))
        if void == "R4":
            deal.early.append((line, event.at_ms, event.uncertainty_ms))
        made = _made(deal, line, event, call, void, is_hidden=is_hidden)
        deal.calls.append(made)
        if not void:
            _hear(deal, made)

    def _unseen(self, _line: int, event: NotObserved) -> None:
        if not self._is_of_table(event):
            return
        gap = gap_of(event)
        self.gaps += (gap,)
        if self.deal is not None:
            lose_sight(self.deal, gap)

    def _is_of_table(self, event: NotObserved) -> bool:
        """Whether the cards were out of sight: who watches them tells from time to time what is settled."""
        if event.role:
            return event.role == "table"
        if self.settled and event.camera:
            return event.camera in self.settled
        return event.camera != "faces"

    def _hidden(self, line: int, event: HandHidden | PacketHidden) -> None:
        self._flag(check_hidden(self.memory, line, event, len(self.seats)))

    def _contact(self, line: int, event: HandsTouched) -> None:
        self._flag(check_contact(self.memory, line, event))

    def _seat(self, line: int, event: SeatChanged) -> None:
        if event.seat is None:
            return
        if event.to in self.players:
            names = self.players
            names[event.seat], names[event.to] = names[event.to], names[event.seat]
            if self.deal is not None:
                self._flag(check_seat_change(self.seats, line, event))
        else:
            self.players[event.seat] = event.to

    def _settle(self, _line: int, event: Settled) -> None:
        self.settled[event.camera] = max(event.at_ms, self.settled.get(event.camera, 0))

    _handlers: ClassVar[dict[type, Callable[[Fold, int, Any], None]]] = {
        CentreTurned: _cards,
        CardTouched: _reach,
        CardTaken: _reach,
        CardLaid: _cards,
        CardPassed: _cards,
        CentreSwept: _cards,
        HandShown: _cards,
        ShowRefused: _cards,
        SignNamed: _cards,
        Dry: _cards,
        DealEnded: _cards,
        DealStarted: _start,
        Called: _call,
        HandReached: _explain,
        HandHidden: _hidden,
        PacketHidden: _hidden,
        HandsTouched: _contact,
        SeatChanged: _seat,
        Settled: _settle,
        NotObserved: _unseen,
    }


def _untimely(line: int, event: Called, void: str) -> Flag:
    """R4: a call while no deal is open."""
    seats = () if event.seat is None else (event.seat,)
    when = "before the last centre card is face up" if void == "R4" else "after the end of the deal"
    return Flag("R4", event.at_ms, seats, f"a call {when}", (line,))


def _begins_after_dry(deal: Deal, event: CentreTurned) -> bool:
    """Whether cards are the next deal's: the stock was dry, the last centre is gone, they were seen before.

    Cards that were not seen before may as well be cards too many (R3).
    """
    is_dry = not event.first_sight and deal.is_beyond_stock
    is_play = not deal.is_called and deal.ended is None and deal.house.dry_stock != "reshuffle"
    return is_dry and is_play and any(len(deal.where.get(c, ())) >= deal.house.copies for c in event.cards)


def _may_be_over(deal: Deal, event: Event) -> bool:
    """Whether cards from the stock are the next deal's: that hands were shown may have been out of sight."""
    is_first_sight = isinstance(event, CentreTurned) and event.first_sight
    return not is_first_sight and deal.call_at is not None and was_unwatched(deal, deal.call_at[0])


def _made(deal: Deal, line: int, event: Called, call: str, void: str, *, is_hidden: bool) -> CallMade:
    """The call with the table as it is now."""
    return CallMade(
        line=line,
        event=event,
        call=call,
        void=void,
        centre=deal.sure_centre(),
        aside=frozenset(deal.aside),
        sizes=deal.sizes.copy(),
        unassigned_takes=deal.loose_takes,
        unassigned_lays=deal.loose_lays,
        unsized=deal.unsized,
        is_early_perhaps=is_hidden,
    )


def _hear(deal: Deal, made: CallMade) -> None:
    """Note the first call that counts, and the hands that lie open once it is answered."""
    when = (made.event.at_ms, made.event.uncertainty_ms)
    is_first = deal.call_at is None or when[0] < deal.call_at[0]
    if is_first:
        deal.call_at = (*when, made.line)
    is_stop_tied = made.call == "stop" and deal.call_at is not None and not are_apart(when, deal.call_at[:2])
    if is_first or (is_stop_tied and deal.house.tie == "stop_first"):
        deal.asked = asked_hands(deal, made)


def _excuse(deal: Deal) -> None:
    """The centre has just opened: what cannot be told apart from that moment was not too early."""
    opened = deal.opened_at
    if opened is None:
        return
    fair = {line for line, *when in deal.early if not are_apart((when[0], when[1]), opened)}
    deal.withdrawn |= {("R4", line) for line in fair}
    for number, call in enumerate(deal.calls):
        if call.line in fair:
            made = replace(call, void="")
            deal.calls[number] = made
            _hear(deal, made)
    deal.early.clear()
