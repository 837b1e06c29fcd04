"""The fold: what each event does to a deal. It never refuses; what breaks a rule is the rulebook's business.

Where an event contradicts what was known, the newer sight wins; where it leaves open which card or whose
hand, the knowledge that is no longer certain is given up, never replaced by a guess.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from kemps_rules.cards import Card
from kemps_rules.deal import ASIDE, CENTRE, SOME_HAND, Deal, Move, Touch
from kemps_rules.events import (
    CardLaid,
    CardPassed,
    CardTaken,
    CardTouched,
    CentreSwept,
    CentreTurned,
    DealEnded,
    Dry,
    HandShown,
    ShowRefused,
    SignNamed,
)
from kemps_rules.seats import Seat


def turn(deal: Deal, line: int, event: CentreTurned) -> None:
    """Cards lie newly in the centre; the fourth opens the swapping."""
    if not event.first_sight and deal.is_beyond_stock:
        deal.beyond += ((line, event),)
    if event.first_sight:
        _see_again(deal)
    elif deal.is_centre_stale and deal.opened_at is not None:
        _clear_away(deal)
    for card in event.cards:
        _lie_down(deal, card, CENTRE if event.first_sight else "")
    deal.unread += event.unread
    if event.first_sight:
        deal.stock = None
    elif deal.stock is not None:
        deal.stock = max(0, deal.stock - len(event.cards) - event.unread)
    deal.turned += len(event.cards) + event.unread
    if deal.layouts == 0 and not deal.is_swapped:
        deal.first_centre += event.cards
    if deal.opened_at is None and (event.first_sight or deal.turned >= 4 or deal.layouts):
        deal.opened_at = (event.at_ms, event.uncertainty_ms)


def _see_again(deal: Deal) -> None:
    """The centre is looked at afresh: nothing of what was thought to lie there is certain."""
    for card in tuple(deal.centre):
        deal.put(card, None, CENTRE)
    deal.unread = deal.missing = 0
    deal.is_centre_stale = False


def _clear_away(deal: Deal) -> None:
    """New cards come from the stock: the old ones were set aside while nobody saw it, nobody knows which."""
    deal.aside_unread += deal.centre_size
    _see_again(deal)
    deal.layouts += 1
    deal.turned = 0


def _lie_down(deal: Deal, card: Card, *sources: str) -> None:
    places = deal.where.get(card, ())
    is_known = any(place in sources for place in places)
    if CENTRE in places and len(places) >= deal.house.copies and not is_known:
        deal.unread += 1  # one of two equal cards in view must be another one, misread
        return
    deal.put(card, CENTRE, *sources)
    deal.touches.pop(card, None)


def touch(deal: Deal, line: int, event: CardTouched) -> None:
    """Remember who had a finger on which card first."""
    if event.seat is not None and event.card is not None:
        touches = deal.touches.get(event.card, ())[-7:]
        deal.touches[event.card] = (*touches, Touch(event.at_ms, event.uncertainty_ms, line, event.seat))


def take(deal: Deal, line: int, event: CardTaken) -> None:
    """A card is one seat's, or somebody's, and that swap is open."""
    deal.is_swapped = deal.is_swapped or not deal.layouts
    deal.moves.append(Move(event.at_ms, event.uncertainty_ms, line, event.seat, True, event.card))
    if event.seat is None:
        deal.loose_takes += 1
    else:
        deal.sizes[event.seat] += 1
        if event.card is not None:
            deal.last_taken[event.seat] = (event.card, line)
    _leave_centre(deal, event.card)
    if event.card is not None:
        deal.put(event.card, event.seat or SOME_HAND, CENTRE)
        deal.touches.pop(event.card, None)


def _leave_centre(deal: Deal, card: Card | None) -> None:
    if card is not None and CENTRE in deal.where.get(card, ()):
        return
    if deal.unread and (card is not None or not deal.centre):
        deal.unread -= 1
    elif deal.missing < len(deal.centre):
        deal.missing += 1


def lay(deal: Deal, line: int, event: CardLaid) -> None:
    """A card is in the centre; one swap less is open."""
    deal.is_swapped = deal.is_swapped or not deal.layouts
    deal.moves.append(Move(event.at_ms, event.uncertainty_ms, line, event.seat, False, event.card))
    if event.seat is None:
        deal.loose_lays += 1
    else:
        deal.sizes[event.seat] -= 1
        deal.last_taken.pop(event.seat, None)
    if event.card is None:
        deal.unread += 1
        for seat in deal.seats if event.seat is None else (event.seat,):
            deal.forget_hand(seat)
        return
    if event.seat is None and deal.house.copies > 1:
        for seat in deal.seats:  # it may be the copy that any of them was known to hold
            if event.card in deal.known[seat]:
                deal.put(event.card, None, seat)
    _lie_down(deal, event.card, event.seat or SOME_HAND, SOME_HAND)


def pass_card(deal: Deal, line: int, event: CardPassed) -> None:
    """A card changed hands without the centre."""
    giver, taker = event.from_seat, event.to_seat
    if giver is not None and giver == taker:
        return
    deal.moves.append(Move(event.at_ms, event.uncertainty_ms, line, giver, False, event.card, True))
    deal.moves.append(Move(event.at_ms, event.uncertainty_ms, line, taker, True, event.card, True))
    if giver is None:
        deal.loose_lays += 1
    else:
        deal.sizes[giver] -= 1
    if taker is None:
        deal.loose_takes += 1
    else:
        deal.sizes[taker] += 1
    if event.card is not None:
        deal.put(event.card, taker or SOME_HAND, giver or SOME_HAND)
    else:
        for seat in deal.seats if giver is None else (giver,):
            deal.forget_hand(seat)


def sweep(deal: Deal, _line: int, event: CentreSwept) -> None:
    """The centre is empty, its cards are out for this deal; only the dealer sweeps (R9)."""
    if event.seat is not None and not deal.is_dealer_told:
        deal.dealer = event.seat
    unsure = frozenset(deal.centre) if deal.missing else deal.stale
    deal.aside_unread += deal.unread + len(unsure) - deal.missing
    for card in tuple(deal.centre):
        deal.put(card, None if card in unsure else ASIDE, CENTRE)
    deal.unread = deal.missing = 0
    deal.touches.clear()
    deal.layouts += 1
    deal.turned = 0
    deal.is_centre_stale = False


def show(deal: Deal, line: int, event: HandShown) -> None:
    """A hand lies open: what is read of it outranks the ledger."""
    deal.shows.append((line, event))
    seat = event.seat
    if seat is None:
        return
    if deal.is_called:
        deal.shown[seat] = event.cards
    unread = event.unread + event.face_down
    if event.complete and not unread:
        deal.forget_hand(seat)
    for card in event.cards:
        if event.cards.count(card) <= deal.house.copies:
            _hold(deal, card, seat, event.cards.count(card))
    if event.complete:
        deal.sizes[seat] = len(event.cards) + unread


def _hold(deal: Deal, card: Card, seat: Seat, wanted: int) -> None:
    if deal.known[seat].count(card) < wanted:
        deal.put(card, seat, SOME_HAND)


def refuse(deal: Deal, line: int, event: ShowRefused) -> None:
    """An asked hand stayed closed."""
    deal.refusals.append((line, event))


def name_sign(deal: Deal, line: int, event: SignNamed) -> None:
    """A secret sign was named aloud."""
    deal.signs.append((line, event))


def run_dry(deal: Deal, _line: int, _event: Dry) -> None:
    """The deal ends without letters, or the swept cards are the new stock."""
    if deal.house.dry_stock == "reshuffle":
        if deal.stock is not None:
            deal.stock += len(deal.aside) + deal.aside_unread
        for card in tuple(deal.aside):
            deal.put(card, None, ASIDE)
        deal.aside_unread = 0
    elif not deal.is_called:
        deal.ended = "dry"


def end(deal: Deal, _line: int, event: DealEnded) -> None:
    """The deal is over, however that came."""
    if event.why == "dry" and deal.is_called:
        return
    deal.ended = event.why


Apply = Callable[[Deal, int, Any], None]
APPLY: Final[dict[type, Apply]] = {
    CentreTurned: turn,
    CardTouched: touch,
    CardTaken: take,
    CardLaid: lay,
    CardPassed: pass_card,
    CentreSwept: sweep,
    HandShown: show,
    ShowRefused: refuse,
    SignNamed: name_sign,
    Dry: run_dry,
    DealEnded: end,
}
"""What each kind of event does to a deal; the other kinds do nothing to it."""
