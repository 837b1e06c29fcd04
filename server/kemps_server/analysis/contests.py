"""Cards that two wanted: who touched first, by how much, and whether that can be told at all (R7)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kemps_rules import events
from kemps_rules.cards import Card
from kemps_rules.rulebook import DISPUTE_MS
from kemps_rules.seats import Pair, Seat
from kemps_server.analysis.estimates import Share
from kemps_server.analysis.material import GameMaterial
from kemps_server.page.moments import Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """A card that at least two seats had a finger on within a second.

    Attributes:
        at_ms: Of the first touch.
        deal: In which deal.
        card: Which card.
        first: Who touched first, None when that is too close to tell.
        seats: Whoever touched it, in the order in which that was seen.
        players: Their names.
        gap_ms: From the first touch to the second seat's.
        doubt_ms: How exact both touches are together; a gap no longer than that tells nothing.
        taker: Who got it, None when nobody did or nobody knows who.
        line: The journal line of the first touch.
    """

    at_ms: int
    deal: int
    card: str
    first: Seat | None
    seats: tuple[Seat, ...]
    players: tuple[str, ...]
    gap_ms: int
    doubt_ms: int
    taker: Seat | None
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestTally:
    """A player's contests: how often first, of those that could be told, and how often they got the card."""

    seat: Seat
    player: str
    pair: Pair
    first: Share
    got: Share
    too_close: int


@dataclass(frozen=True, slots=True)
class _Touch:
    """A finger on a card, both known."""

    seat: Seat
    card: Card
    moment: Moment

    @property
    def at_ms(self) -> int:
        return self.moment.event.at_ms

    @property
    def uncertainty_ms(self) -> int:
        return self.moment.event.uncertainty_ms


def contests_in(material: GameMaterial) -> tuple[Contest, ...]:
    """All contests by time. A take says nothing of who touched first, so it is no touch."""
    touched: dict[Card, list[_Touch]] = defaultdict(list)
    found: list[Contest] = []
    deal = 0
    for moment in material.moments:
        event = moment.event
        if moment.table.deal != deal or isinstance(event, events.CentreSwept):
            found += [contest for touches in touched.values() for contest in _contest(touches, None)]
            touched.clear()
            deal = moment.table.deal
        if isinstance(event, events.CardTouched) and event.seat is not None and event.card is not None:
            touched[event.card].append(_Touch(event.seat, event.card, moment))
        elif isinstance(event, events.CardTaken) and event.card is not None:
            found += _contest(touched.pop(event.card, []), event.seat)
        elif isinstance(event, events.CardLaid) and event.card is not None:
            touched.pop(event.card, None)
    found += [contest for touches in touched.values() for contest in _contest(touches, None)]
    return tuple(sorted(found, key=lambda contest: (contest.at_ms, contest.line)))


def _contest(touches: list[_Touch], taker: Seat | None) -> Iterator[Contest]:
    """The last contest among the touches of one card, if there was one: earlier fingers let go again."""
    firsts: dict[Seat, _Touch] = {}
    last_ms = 0
    for touch in touches:
        if touch.at_ms - last_ms > DISPUTE_MS:
            firsts = {}
        firsts.setdefault(touch.seat, touch)
        last_ms = touch.at_ms
    if len(firsts) < 2:
        return
    first, second, *_ = firsts.values()
    gap_ms = second.at_ms - first.at_ms
    doubt_ms = first.uncertainty_ms + second.uncertainty_ms
    yield Contest(
        at_ms=first.at_ms,
        deal=first.moment.table.deal,
        card=str(first.card),
        first=first.seat if gap_ms > doubt_ms else None,
        seats=tuple(firsts),
        players=tuple(first.moment.table.players[seat] for seat in firsts),
        gap_ms=gap_ms,
        doubt_ms=doubt_ms,
        taker=taker,
        line=first.moment.line,
    )


def contest_tallies_of(material: GameMaterial, contests: Iterable[Contest]) -> Iterator[ContestTally]:
    """A tally for each player."""
    every = list(contests)
    for sitter in material.sittings:
        mine = [
            contest
            for contest in every
            if (sitter.seat, sitter.player) in zip(contest.seats, contest.players, strict=True)
        ]
        told = [contest for contest in mine if contest.first is not None]
        taken = [contest for contest in mine if contest.taker is not None]
        yield ContestTally(
            seat=sitter.seat,
            player=sitter.player,
            pair=material.pair(sitter.seat),
            first=Share.of_count(sum(contest.first == sitter.seat for contest in told), len(told)),
            got=Share.of_count(sum(contest.taker == sitter.seat for contest in taken), len(taken)),
            too_close=len(mine) - len(told),
        )
