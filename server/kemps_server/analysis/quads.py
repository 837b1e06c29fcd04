"""Four alike: when a hand had them, as far as its swaps were seen.

A hand laid open tells what it was at the call, so it had been so since its last swap. A hand of which the
ledger knew all four cards had them then, whether it was shown or not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kemps_rules import events
from kemps_rules.cards import Card
from kemps_rules.seats import Pair, Seat
from kemps_server.analysis.material import GameMaterial
from kemps_server.analysis.swaps import Swap
from kemps_server.page.moments import Moment

_QUAD = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Quad:
    """A hand with four alike.

    Attributes:
        deal: In which deal.
        seat: Whose it was.
        player: Who sat there.
        pair: Their pair.
        rank: Of which rank.
        complete_ms: Since when, as far as was seen.
        uncertainty_ms: How exact that is.
        known_from: ``shown``: the hand was laid open after a call; ``ledger``: all four were seen to come.
        is_dealt: Whether no swap of this hand was seen: it may have been dealt so.
        is_sure: Whether no unseen swap can have completed it later than ``complete_ms``.
        line: The journal line that completed it, or of the hand shown when it may have been dealt.
    """

    deal: int
    seat: Seat
    player: str
    pair: Pair
    rank: str
    complete_ms: int
    uncertainty_ms: int
    known_from: str
    is_dealt: bool
    is_sure: bool
    line: int


def quads_in(material: GameMaterial, swaps: Iterable[Swap]) -> tuple[Quad, ...]:
    """All hands of four alike that became known, by time; one a seat, deal and rank."""
    own: dict[tuple[int, Seat], list[Swap]] = defaultdict(list)
    for swap in swaps:
        if not swap.is_put_back:
            own[swap.deal, swap.sitter.seat].append(swap)
    found: dict[tuple[int, Seat, str], Quad] = {}
    for quad in (*_shown(material, own), *_by_ledger(material)):
        found.setdefault((quad.deal, quad.seat, quad.rank), quad)
    return tuple(sorted(found.values(), key=lambda quad: (quad.complete_ms, quad.seat)))


def rank_of_quad(cards: Iterable[Card], size: int) -> str | None:
    """The rank of four equal cards that are a whole hand, else None."""
    held = tuple(cards)
    ranks = {card.rank for card in held}
    is_quad = size == _QUAD == len(held) and len(ranks) == 1 and not held[0].is_joker
    return held[0].rank if is_quad else None


def _shown(material: GameMaterial, own: dict[tuple[int, Seat], list[Swap]]) -> Iterator[Quad]:
    for moment in material.moments:
        event, deal = moment.event, material.deals.get(moment.table.deal)
        if not isinstance(event, events.HandShown) or event.seat is None or deal is None:
            continue
        if moment.table.call is None or not event.complete:
            continue
        rank = rank_of_quad(event.cards, len(event.cards) + event.unread + event.face_down)
        if rank is None:
            continue
        before = [swap for swap in own[deal.number, event.seat] if swap.closed_ms <= deal.until_ms]
        last = max(before, key=lambda swap: swap.closed_ms, default=None)
        start_ms = deal.begins_ms if deal.open_ms is None else deal.open_ms
        complete_ms = start_ms if last is None else last.closed_ms
        yield Quad(
            deal=deal.number,
            seat=event.seat,
            player=moment.table.players[event.seat],
            pair=material.pair(event.seat),
            rank=rank,
            complete_ms=complete_ms,
            uncertainty_ms=0 if last is None else last.uncertainty_ms,
            known_from="shown",
            is_dealt=last is None,
            is_sure=(last is None or last.is_whole)
            and _is_seen(material, deal.number, complete_ms, deal.until_ms),
            line=moment.line if last is None else last.lines[-1],
        )


def _is_seen(material: GameMaterial, deal: int, from_ms: int, until_ms: int) -> bool:
    """Whether no swap of this deal between the two moments can have gone unseen, or be anybody's."""
    if any(start < until_ms and end > from_ms for start, end in material.table_unseen):
        return False
    return not any(
        isinstance(moment.event, events.CardTaken | events.CardLaid)
        and moment.event.seat is None
        and moment.table.deal == deal
        and from_ms <= moment.event.at_ms <= until_ms
        for moment in material.moments
    )


def _by_ledger(material: GameMaterial) -> Iterator[Quad]:
    for moment in material.moments:
        if isinstance(moment.event, events.CardTaken | events.CardLaid) and moment.table.call is None:
            yield from _known(material, moment, moment.event)


def _known(
    material: GameMaterial, moment: Moment, event: events.CardTaken | events.CardLaid
) -> Iterator[Quad]:
    seat = event.seat
    if seat is None or not moment.table.is_open or moment.table.ended:
        return
    hand = moment.table.hands[seat]
    rank = rank_of_quad(hand.known, hand.size)
    if rank is not None:
        yield Quad(
            deal=moment.table.deal,
            seat=seat,
            player=moment.table.players[seat],
            pair=material.pair(seat),
            rank=rank,
            complete_ms=event.at_ms,
            uncertainty_ms=event.uncertainty_ms,
            known_from="ledger",
            is_dealt=False,
            is_sure=True,
            line=moment.line,
        )
