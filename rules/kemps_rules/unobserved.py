"""Spans in which nobody saw the table: what was known before is not known after, and nobody is to blame.

Cards may have been swapped, swept and dealt meanwhile. The ledger gives up what it knew: a contradiction with
it is no breach that anybody saw. What is seen from the end of the span on counts as ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from kemps_rules.deal import ASIDE, SOME_HAND, CallMade, Deal, Gap
from kemps_rules.events import NotObserved
from kemps_rules.seats import Seat

FOUND_MS: Final = 1000
"""What moved in a span may be told as if it had moved up to this long after it: a card that lies there anew
is read within a second (the bar of the card reader)."""
OPEN: Final = 2**63 - 1
"""The end of a span whose end is not known yet: it lasts until a card is seen to move."""


def gap_of(event: NotObserved) -> Gap:
    """The span that an event tells of."""
    return Gap(event.at_ms, OPEN if event.until_ms is None else event.until_ms, event.seats)


def lose_sight(deal: Deal, gap: Gap) -> None:
    """From here on the deal is not watched, or some of its seats are not."""
    deal.gaps += (gap,)
    deal.blind += (gap,)
    _forget(deal, gap)


def see_again(deal: Deal, at_ms: int, *, is_card: bool) -> None:
    """Spans that are over by ``at_ms`` are over: what was told of the time within them is not known either.

    A span without an end ends where a card is seen to move (``is_card``).
    """
    for gap in deal.blind:
        ended = gap
        if gap.until_ms == OPEN and is_card:
            ended = gap._replace(until_ms=at_ms)
            deal.gaps = tuple(ended if one == gap else one for one in deal.gaps)
        if ended.until_ms <= at_ms:
            deal.blind = tuple(one for one in deal.blind if one != gap)
            _forget(deal, gap)


def _forget(deal: Deal, gap: Gap) -> None:
    for seat in gap.seats or deal.seats:
        deal.forget_hand(seat)
        deal.sizes[seat] = 4
        deal.last_taken.pop(seat, None)
    deal.unsized |= frozenset(gap.seats or deal.seats)
    if gap.seats:
        return
    for card in deal.loose:
        deal.put(card, None, SOME_HAND)
    for card in tuple(deal.aside):
        deal.put(card, None, ASIDE)
        deal.aside_unread += 1
    deal.stale = frozenset(deal.centre)
    deal.is_centre_stale = True
    deal.stock = None
    deal.touches.clear()


def was_unwatched(deal: Deal, since_ms: int = 0) -> bool:
    """Whether the whole table was out of sight at some time after ``since_ms``."""
    return any(not gap.seats and gap.until_ms + FOUND_MS >= since_ms for gap in deal.gaps)


@dataclass(frozen=True, slots=True)
class Unseen:
    """What the spans of a deal leave open about the hands at a call.

    ``blind`` are the seats whose hands may have changed between the call and their showing, with the span.
    The sizes of hands of ``unsized`` seats at the call are not known, nor what seats of ``unknown`` held.
    Moves up to ``from_ms`` or from ``until_ms`` on say nothing about the call.
    """

    blind: Mapping[Seat, Gap]
    unsized: frozenset[Seat]
    unknown: frozenset[Seat]
    from_ms: int
    until_ms: int

    def is_watched(self, at_ms: int) -> bool:
        """Whether what moved then can be told from what nobody saw."""
        return self.from_ms < at_ms < self.until_ms


def unseen_at(deal: Deal, call: CallMade, shown: Mapping[Seat, int]) -> Unseen:
    """What is open about the hands at a call; ``shown`` tells when each of them lay open."""
    start_ms = call.event.at_ms - call.event.uncertainty_ms
    before = [gap for gap in deal.gaps if gap.at_ms <= call.event.at_ms]
    later = [gap for gap in deal.gaps if gap.until_ms + FOUND_MS >= start_ms]
    blind: dict[Seat, Gap] = {}
    for seat, shown_ms in shown.items():
        found = [gap for gap in later if gap.is_about(seat) and gap.at_ms <= shown_ms]
        if found:
            blind[seat] = found[0]
    return Unseen(
        blind=blind,
        unsized=frozenset(seat for gap in before for seat in gap.seats or deal.seats),
        unknown=frozenset(seat for gap in before for seat in gap.seats),
        from_ms=max((gap.until_ms for gap in before if not gap.seats), default=-1),
        until_ms=min((gap.at_ms for gap in later), default=OPEN),
    )
