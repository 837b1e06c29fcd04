"""What people do besides moving cards: views and contacts (R10, R11), seats (R2, R5), calls (R12, R13)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from kemps_rules.cards import Card
from kemps_rules.deal import Deal
from kemps_rules.events import (
    Called,
    CardTaken,
    CardTouched,
    DealStarted,
    HandHidden,
    HandReached,
    HandsTouched,
    PacketHidden,
    SeatChanged,
)
from kemps_rules.flags import Flag
from kemps_rules.rulebook import DISPUTE_MS
from kemps_rules.seats import Seat, next_seat, pair_of, partner_of
from kemps_rules.unobserved import was_unwatched

HIDDEN_MS: Final = 500
"""A body-hand or packet out of view counts from here (design: *The journal*)."""


@dataclass(slots=True)
class Conduct:
    """What is remembered of people: the last hidden span of each seat, late reaches and contacts."""

    hidden: dict[Seat, tuple[int, int, int]] = field(default_factory=dict)
    reaches: tuple[tuple[int, Seat, Card | None], ...] = ()
    contacts: tuple[tuple[int, HandsTouched], ...] = ()

    def copy(self) -> Conduct:
        """The same memory, changing by itself from now on."""
        return Conduct(self.hidden.copy(), self.reaches, self.contacts)


def check_hidden(memory: Conduct, line: int, event: HandHidden | PacketHidden, count: int) -> Iterator[Flag]:
    """R10 for what was out of view long enough, R11 when the partner's body-hand was hidden too."""
    until_ms = event.at_ms + HIDDEN_MS if event.until_ms is None else event.until_ms
    if until_ms - event.at_ms < HIDDEN_MS:
        return
    seat, length = event.seat, (until_ms - event.at_ms) / 1000
    what = "a hand" if isinstance(event, HandHidden) else "the packet"
    seats = () if seat is None else (seat,)
    message = f"{what} of {seat or 'somebody'} was out of view for {length:.1f} s"
    yield Flag("R10", event.at_ms, seats, message, (line,))
    if seat is None or not isinstance(event, HandHidden):
        return
    partner = partner_of(seat, count)
    start, end, other = memory.hidden.get(partner, (0, -1, 0))
    if end > event.at_ms:
        both = tuple(sorted((seat, partner)))
        message = f"hands of both partners {' and '.join(both)} were out of view at the same time"
        yield Flag("R11", max(start, event.at_ms), both, message, (line, other))
    if until_ms > memory.hidden.get(seat, (0, -1, 0))[1]:
        memory.hidden[seat] = (event.at_ms, until_ms, line)


def note_reach(memory: Conduct, event: CardTouched | CardTaken | HandReached) -> set[tuple[str, int]]:
    """The flags of contacts that this reach for a card explains: both seats went for it."""
    if event.seat is None:
        return set()
    recent = tuple(reach for reach in memory.reaches if event.at_ms - reach[0] <= 2 * DISPUTE_MS)[-16:]
    memory.reaches = (*recent, (event.at_ms, event.seat, event.card))
    if not memory.contacts:
        return set()
    memory.contacts = tuple(c for c in memory.contacts if event.at_ms <= _end(c[1]) + DISPUTE_MS)
    return {("R11", line) for line, contact in memory.contacts if _is_dispute(memory, contact)}


def check_contact(memory: Conduct, line: int, event: HandsTouched) -> Iterator[Flag]:
    """R11 for a contact of two seats, except in the centre when both went for the same card."""
    known = tuple(dict.fromkeys(seat for seat in event.seats if seat is not None))
    if len(known) < 2 and None not in event.seats:
        return
    if event.where == "centre":
        if _is_dispute(memory, event):
            return
        memory.contacts = (*memory.contacts[-15:], (line, event))
    where = event.where.replace("_", " ")
    names = " and ".join(known) if len(known) > 1 else f"{known[0] if known else 'somebody'} and somebody"
    yield Flag("R11", event.at_ms, known, f"hands of {names} were in contact ({where})", (line,))


def _end(contact: HandsTouched) -> int:
    return contact.at_ms if contact.until_ms is None else contact.until_ms


def _is_dispute(memory: Conduct, contact: HandsTouched) -> bool:
    """Whether the seats in contact reached for one card within a second of each other, about then."""
    span = range(contact.at_ms - DISPUTE_MS, _end(contact) + DISPUTE_MS + 1)
    near = [reach for reach in memory.reaches if reach[0] in span and reach[1] in contact.seats]
    return any(
        one[1] != two[1] and abs(one[0] - two[0]) <= DISPUTE_MS and _may_be_same(one[2], two[2])
        for number, one in enumerate(near)
        for two in near[number + 1 :]
    )


def _may_be_same(one: Card | None, two: Card | None) -> bool:
    """Whether two reaches may have been for one card; a body-hand over the centre does not say which."""
    return one is None or two is None or one == two


def check_dealer(previous: Deal | None, line: int, event: DealStarted, count: int) -> Iterator[Flag]:
    """R5: the dealer changes with each deal; after a voided one the same deals, after a redeal either may."""
    allowed = next_dealers(previous, count)
    if previous is None or not allowed or event.dealer is None or not previous.is_dealer_told:
        return
    if event.dealer not in allowed:
        message = f"{event.dealer} deals, but after {previous.dealer} it is the turn of {allowed[-1]}"
        yield Flag("R5", event.at_ms, (event.dealer,), message, (line,))


def next_dealers(previous: Deal | None, count: int) -> tuple[Seat, ...]:
    """Who may deal after a deal; nobody named when it is not known who dealt it, or what nobody saw of it."""
    if previous is None or previous.dealer is None or was_unwatched(previous):
        return ()
    same, following = previous.dealer, next_seat(previous.dealer, count)
    if previous.ended == "voided":
        return (same,)
    is_open = previous.ended in ("redeal", "open") or (previous.ended is None and not previous.is_called)
    is_redrawn = previous.is_called and previous.house.dealt_alike == "redraw"
    return (same, following) if is_open or is_redrawn else (following,)


def check_seat_change(seats: tuple[Seat, ...], line: int, event: SeatChanged) -> Iterator[Flag]:
    """R2: moving to another's seat during a game breaks up the pairs; another player on a seat does not."""
    if event.seat is not None and event.to in seats and event.to != event.seat:
        message = f"the player of {event.seat} moved to {event.to}: partners no longer sit opposite"
        yield Flag("R2", event.at_ms, tuple(sorted((event.seat, event.to))), message, (line,))


def check_call(deal: Deal, line: int, event: Called, call: str | None) -> Iterator[Flag]:
    """R12 for a call by nobody, R13 for a Stop that names no rivals, R11 for words that are no call."""
    seat, count = event.seat, len(deal.seats)
    seats = () if seat is None else (seat,)
    if call is None:
        if deal.house.signals == "non_verbal":
            message = f"{event.call!r} is no call here, and words are no signal"
            yield Flag("R11", event.at_ms, seats, message, (line,))
        return
    if seat is None:
        yield Flag("R12", event.at_ms, (), "a call by nobody known; a person has to name the caller", (line,))
    if call != "stop":
        if seat is not None and event.against == seat:
            yield Flag("R12", event.at_ms, seats, f"{seat} called about the own hand", (line,))
        return
    if (
        seat is not None
        and event.against is not None
        and pair_of(seat, count) == pair_of(event.against, count)
    ):
        yield Flag("R13", event.at_ms, seats, f"{seat} says Stop against the own pair", (line,))
    elif event.against is None and (count > 4 or deal.house.counter_target == "player"):
        yield Flag("R13", event.at_ms, seats, f"{seat or 'somebody'} says Stop and names nobody", (line,))
