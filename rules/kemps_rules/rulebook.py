"""What an event breaks: R1 to R10, R14 and R18 on the cards, checked against the deal before the event."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from kemps_rules.cards import Card
from kemps_rules.deal import ASIDE, CENTRE, SOME_HAND, Deal, Place, Touch
from kemps_rules.events import (
    CardLaid,
    CardPassed,
    CardTaken,
    CardTouched,
    CentreSwept,
    CentreTurned,
    HandShown,
    Timed,
)
from kemps_rules.flags import Flag
from kemps_rules.seats import Seat
from kemps_rules.unobserved import was_unwatched

DISPUTE_MS: Final = 1000
"""Two seats that go for the same card within this time dispute it (design: *Verdict logic*)."""

Found = Iterator[Flag]


def are_apart(first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Whether it is sure which of two (time, uncertainty) came first.

    >>> are_apart((1000, 60), (1120, 60)), are_apart((1000, 60), (1121, 60))
    (False, True)
    """
    return abs(first[0] - second[0]) > first[1] + second[1]


def _flag(rule: str, line: int, event: Timed, message: str, *seats: Seat | None) -> Flag:
    named = tuple(dict.fromkeys(seat for seat in seats if seat is not None))
    return Flag(rule, event.at_ms, named, message, (line,))


def _odd(deal: Deal, line: int, event: Timed, cards: tuple[Card, ...], seat: Seat | None = None) -> Found:
    """A joker or a card that the house's deck does not have, once a deal (R1)."""
    for card in cards:
        if card not in deal.odd and (card.is_joker or card not in deal.house.cards):
            deal.odd |= {card}
            yield _flag("R1", line, event, f"{card.sign} does not belong in this deck", seat)


def _seen_twice(deal: Deal, line: int, event: Timed, card: Card, seat: Seat | None) -> Found:
    """A card that must be elsewhere by what was seen: R9 from aside, R8 from another hand, else R1."""
    places = deal.where.get(card, ())
    if len(places) < deal.house.copies or card.is_joker or card in deal.stale:
        return
    if not isinstance(event, CentreTurned) and any(place in _hands(deal, seat) for place in places):
        return
    if ASIDE in places:
        yield _flag("R9", line, event, f"{card.sign} was set aside and is back in the deal", seat)
    elif isinstance(event, CentreTurned):
        yield _flag("R1", line, event, f"{card.sign} is turned up, but was seen before in this deal")
    elif CENTRE in places:
        if isinstance(event, CardLaid) or not deal.missing:
            yield _flag("R1", line, event, f"{card.sign} is seen twice: it still lies in the centre", seat)
    elif seat is not None:
        yield from _out_of_hand(deal, line, event, card, seat, places[0])


def _hands(deal: Deal, seat: Seat | None) -> tuple[Place, ...]:
    """Where a card that a seat, or nobody knows who, has in its hand may be known to be."""
    return (SOME_HAND, *deal.seats) if seat is None else (SOME_HAND, seat)


def _out_of_hand(deal: Deal, line: int, event: Timed, card: Card, seat: Seat, owner: Seat) -> Found:
    if card in deal.shown.get(owner, ()):
        yield _flag("R1", line, event, f"{card.sign} is seen twice: {owner} shows it too", seat, owner)
    else:
        message = f"{card.sign} was in {owner}'s hand and came to {seat} without the centre"
        yield _flag("R8", line, event, message, owner, seat)


def check_turn(deal: Deal, line: int, event: CentreTurned) -> Found:
    """R1 and R9 on each card; R3 and R9 on how many."""
    yield from _odd(deal, line, event, event.cards)
    for card in () if event.first_sight else event.cards:
        yield from _seen_twice(deal, line, event, card, None)
    if event.first_sight:
        return
    for card in set(event.cards):
        if event.cards.count(card) > deal.house.copies:
            yield _flag("R1", line, event, f"{card.sign} is turned up twice")
    if deal.is_centre_stale:
        return  # nobody knows how many lay there
    count = len(event.cards) + event.unread
    if deal.stock is not None and count > deal.stock:
        yield _flag("R3", line, event, "more cards are turned up than the stock has left")
    elif deal.turned + count > 4 and not (deal.layouts or deal.is_swapped or count >= 4 <= deal.turned):
        yield _flag("R3", line, event, f"{deal.turned + count} cards are turned up instead of four")
    elif deal.turned + count > 4:
        yield _flag("R9", line, event, "new cards are turned up before the old ones are set aside")


def check_touch(deal: Deal, line: int, event: CardTouched) -> Found:
    """R1: only a joker or a strange card is wrong with a touch."""
    if event.card is not None:
        yield from _odd(deal, line, event, (event.card,), event.seat)


def check_take(deal: Deal, line: int, event: CardTaken) -> Found:
    """R4 before the start, R14 after the call, R6 on number and place, R7 on who touched first."""
    yield from _out_of_time(deal, line, event)
    seat, card = event.seat, event.card
    if deal.house.dealt_alike == "redraw" and not (deal.is_swapped or deal.layouts) and has_three(deal):
        yield _flag("R3", line, event, "three alike in the first centre are dealt again in this house", seat)
    if seat is not None and seat not in deal.unsized:
        limit = 4 if deal.house.swap_order == "lay_first" else 4 + deal.house.largest_swap
        size = deal.sizes[seat] + 1
        if size - deal.loose_lays > limit:  # any of those may have been this seat's
            yield _flag("R6", line, event, f"{seat} has {size} cards at once; {limit} are allowed", seat)
    if card is None:
        return
    yield from _odd(deal, line, event, (card,), seat)
    if CENTRE in deal.where.get(card, ()):
        yield from _first_touch(deal, line, event, card)
    elif len(deal.where.get(card, ())) >= deal.house.copies and SOME_HAND not in deal.where[card]:
        yield from _taken_elsewhere(deal, line, event, card)
    elif (
        deal.opened_at
        and not (deal.unread or deal.missing or deal.is_centre_stale)
        and deal.layouts + len(deal.first_centre)
    ):
        yield _flag("R6", line, event, f"{card.sign} is taken, but does not lie in the centre", seat)


def has_three(deal: Deal) -> bool:
    """Whether three or more cards of a rank were turned up at the start."""
    ranks = [card.rank for card in deal.first_centre]
    return any(ranks.count(rank) >= 3 for rank in ranks)


def _taken_elsewhere(deal: Deal, line: int, event: CardTaken, card: Card) -> Found:
    place = deal.where[card][0]
    if ASIDE in deal.where[card]:
        yield _flag("R9", line, event, f"{card.sign} was set aside and is taken back", event.seat)
    elif event.seat is not None and place != event.seat:
        yield from _out_of_hand(deal, line, event, card, event.seat, place)
    elif event.seat is not None:
        yield _flag(
            "R1", line, event, f"{card.sign} is taken, but {place} was holding it already", event.seat
        )


def check_lay(deal: Deal, line: int, event: CardLaid) -> Found:
    """As for a take; a card laid back that was just taken is no swap and no flag, and clears its take."""
    seat, card = event.seat, event.card
    if seat is not None and card is not None and deal.last_taken.get(seat, (None,))[0] == card:
        taken = deal.last_taken[seat][1]
        deal.withdrawn |= {(rule, taken) for rule in ("R4", "R6", "R14")}
        return
    yield from _out_of_time(deal, line, event)
    if seat is not None and seat not in deal.unsized:
        size = deal.sizes[seat] - 1
        if size + deal.loose_takes < 4 - deal.house.largest_swap:
            yield _flag(
                "R6", line, event, f"{seat} laid more cards than it took; {max(size, 0)} are left", seat
            )
    if card is not None:
        yield from _odd(deal, line, event, (card,), seat)
        yield from _seen_twice(deal, line, event, card, seat)


def _out_of_time(deal: Deal, line: int, event: CardTaken | CardLaid | CardPassed) -> Found:
    when = (event.at_ms, event.uncertainty_ms)
    seats = (event.from_seat, event.to_seat) if isinstance(event, CardPassed) else (event.seat,)
    if deal.call_at is not None:
        if _is_after_call(deal, when):
            yield _flag("R14", line, event, "a card moved after the call", *seats)
    elif deal.opened_at is None and not isinstance(event, CardPassed) and not was_unwatched(deal):
        deal.early.append((line, *when))
        yield _flag("R4", line, event, "a swap before the last centre card is face up", *seats)


def _is_after_call(deal: Deal, when: tuple[int, int]) -> bool:
    """Whether swapping had surely stopped, and the hands that were asked for surely lie closed yet."""
    if deal.call_at is None or deal.is_all_shown or not are_apart(when, deal.call_at[:2]):
        return False
    return not was_unwatched(deal, deal.call_at[0] - deal.call_at[1])


def _first_touch(deal: Deal, line: int, event: CardTaken, card: Card) -> Found:
    """R7: of the touches up to the take, each within a second of the next, the first one's seat owns it."""
    if event.seat is None:
        return
    touches = (*deal.touches.get(card, ()), Touch(event.at_ms, event.uncertainty_ms, line, event.seat))
    start = len(touches) - 1
    while start and touches[start].at_ms - touches[start - 1].at_ms <= DISPUTE_MS:
        start -= 1
    first = touches[start]
    mine = next(touch for touch in touches[start:] if touch.seat == event.seat)
    if first.seat != event.seat and are_apart(first[:2], mine[:2]):
        message = f"{first.seat} touched {card.sign} first, {event.seat} took it"
        yield Flag("R7", event.at_ms, (event.seat, first.seat), message, (line, first.line))


def check_pass(deal: Deal, line: int, event: CardPassed) -> Found:
    """R8: a card goes from hand to hand."""
    giver, taker = event.from_seat, event.to_seat
    if giver is not None and giver == taker:
        return
    yield from _out_of_time(deal, line, event)
    card = event.card.sign if event.card else "a card"
    message = f"{card} went from {giver or 'somebody'} to {taker or 'somebody'} without the centre"
    yield _flag("R8", line, event, message, giver, taker)
    if event.card is not None:
        yield from _odd(deal, line, event, (event.card,), giver)


def check_sweep(deal: Deal, line: int, event: CentreSwept) -> Found:
    """R9: only the dealer renews the centre; R14: and nobody after the call."""
    is_others = event.seat is not None and deal.is_dealer_told and event.seat != deal.dealer
    if is_others and not was_unwatched(deal):
        yield _flag(
            "R9", line, event, f"{event.seat} sets the centre aside, but {deal.dealer} deals", event.seat
        )
    if _is_after_call(deal, (event.at_ms, event.uncertainty_ms)):
        yield _flag("R14", line, event, "the centre was set aside after the call", event.seat)


def check_show(deal: Deal, line: int, event: HandShown) -> Found:
    """R18 on the size of a shown hand; R1, R8, R9 on its cards where the ledger knows otherwise."""
    seat, count = event.seat, len(event.cards) + event.unread + event.face_down
    yield from _odd(deal, line, event, event.cards, seat)
    if event.complete and count != 4 and (deal.is_called or _is_closed(deal, seat)):
        yield _flag("R18", line, event, f"{seat or 'somebody'} shows {count} cards instead of four", seat)
    for card in dict.fromkeys(event.cards):
        if card.is_joker:
            continue
        if event.cards.count(card) > deal.house.copies:
            yield _flag("R1", line, event, f"{card.sign} is seen twice in one hand", seat)
        elif seat is not None and card not in deal.known[seat]:
            yield from _seen_twice(deal, line, event, card, seat)
    if seat is not None and event.complete and count == len(event.cards) == 4 == deal.sizes[seat]:
        for card in deal.known[seat]:
            if card not in event.cards and not deal.loose_lays:
                message = f"{seat} had {card.sign}, did not lay it in the centre, and no longer holds it"
                yield _flag("R8", line, event, message, seat)


def _is_closed(deal: Deal, seat: Seat | None) -> bool:
    """Whether by the ledger a seat has no swap open."""
    return seat is not None and deal.sizes[seat] == 4 and seat not in deal.unsized


Check = Callable[[Deal, int, Any], Found]
CHECK: Final[dict[type, Check]] = {
    CentreTurned: check_turn,
    CardTouched: check_touch,
    CardTaken: check_take,
    CardLaid: check_lay,
    CardPassed: check_pass,
    CentreSwept: check_sweep,
    HandShown: check_show,
}
"""What is looked at for each kind of event; the other kinds break no rule by themselves."""
