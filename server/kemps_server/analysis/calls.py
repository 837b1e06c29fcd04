"""Calls: how often each player and pair was right, and how long after four alike were there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from kemps_rules.deal import CallMade
from kemps_rules.seats import Pair, Seat, pairs_of
from kemps_rules.verdict import Verdict
from kemps_server.analysis.estimates import Share, Spread
from kemps_server.analysis.material import GameMaterial, Sitter
from kemps_server.analysis.quads import Quad
from kemps_server.page.moments import Moment

VOID: Final = "void"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFigure:
    """A call.

    Attributes:
        line: Its line in the journal.
        deal: In which deal.
        at_ms: When.
        uncertainty_ms: How exact that is.
        call: ``kemps``, ``stop`` or ``double_kemps``; ``unclear`` where that is not known.
        seat: Who called, None when nobody knows.
        player: Who sat there.
        pair: Their pair.
        hands: The seats whose hands were asked for.
        ruling: ``right``, ``wrong``, ``cannot_verify``, or ``void`` for a call that does not count.
        ruled_by: The person who ruled so, or empty.
        is_provisional: Whether the verdict may still change.
        quad: The hand of four alike that made it right, if that is known.
        after_ms: From when that hand was complete to the call.
        after_doubt_ms: How far that may be off, where all swaps were seen.
        is_at_most: Whether an unseen swap may have completed the hand later, which makes it less.
    """

    line: int
    deal: int
    at_ms: int
    uncertainty_ms: int
    call: str
    seat: Seat | None
    player: str | None
    pair: Pair | None
    hands: tuple[Seat, ...]
    ruling: str
    ruled_by: str
    is_provisional: bool
    quad: Quad | None
    after_ms: int | None
    after_doubt_ms: int | None
    is_at_most: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTally:
    """Calls of a player, or of a pair when ``seat`` is None.

    Attributes:
        right: Right ones, of those that were ruled right or wrong.
        unverified: How many could not be verified.
        void: How many did not count.
        after: From complete to called, of right calls for which that is known and sure.
    """

    seat: Seat | None
    player: str | None
    pair: Pair
    right: Share
    unverified: int
    void: int
    after: Spread


def calls_in(material: GameMaterial, quads: Iterable[Quad]) -> tuple[CallFigure, ...]:
    """All calls in the order of time."""
    known = {(quad.deal, quad.seat): quad for quad in quads if quad.known_from == "shown"}
    moments = {moment.line: moment for moment in material.moments}
    found: list[CallFigure] = []
    for deal in material.judgement.deals:
        if deal.verdict is not None:
            hands = [known[deal.deal, seat] for seat in deal.verdict.hands if (deal.deal, seat) in known]
            found.append(_judged(material, moments, deal.deal, deal.verdict, hands))
        found += [_void(material, moments, deal.deal, call) for call in deal.void_calls]
    return tuple(sorted(found, key=lambda call: (call.at_ms, call.line)))


def _judged(
    material: GameMaterial, moments: Mapping[int, Moment], deal: int, verdict: Verdict, hands: list[Quad]
) -> CallFigure:
    moment, caller = moments.get(verdict.event), verdict.by
    doubt_ms = 0 if moment is None else moment.event.uncertainty_ms
    # Which of two hands of four alike was meant by a Stop is not known; the later one says the least.
    quad = max(hands, key=lambda one: one.complete_ms, default=None)
    timed = quad if quad and verdict.ruling == "right" and quad.complete_ms <= verdict.at_ms else None
    return CallFigure(
        line=verdict.event,
        deal=deal,
        at_ms=verdict.at_ms,
        uncertainty_ms=doubt_ms,
        call=verdict.call,
        seat=caller,
        player=None if caller is None or moment is None else moment.table.players[caller],
        pair=None if caller is None else material.pair(caller),
        hands=verdict.hands,
        ruling=verdict.ruling,
        ruled_by=verdict.ruled_by,
        is_provisional=verdict.is_provisional,
        quad=quad,
        after_ms=None if timed is None else verdict.at_ms - timed.complete_ms,
        after_doubt_ms=None if timed is None else doubt_ms + timed.uncertainty_ms,
        is_at_most=timed is not None and not timed.is_sure,
    )


def _void(material: GameMaterial, moments: Mapping[int, Moment], deal: int, call: CallMade) -> CallFigure:
    seat, moment = call.event.seat, moments.get(call.line)
    return CallFigure(
        line=call.line,
        deal=deal,
        at_ms=call.event.at_ms,
        uncertainty_ms=call.event.uncertainty_ms,
        call=call.call,
        seat=seat,
        player=None if seat is None or moment is None else moment.table.players[seat],
        pair=None if seat is None else material.pair(seat),
        hands=(),
        ruling=VOID,
        ruled_by="",
        is_provisional=False,
        quad=None,
        after_ms=None,
        after_doubt_ms=None,
        is_at_most=False,
    )


def tallies_of(material: GameMaterial, calls: Iterable[CallFigure]) -> Iterator[CallTally]:
    """A tally for each player, in the order of seats."""
    made = list(calls)
    for sitter in material.sittings:
        mine = [call for call in made if (call.seat, call.player) == (sitter.seat, sitter.player)]
        yield tally(mine, material.pair(sitter.seat), sitter)


def pair_tallies_of(material: GameMaterial, calls: Iterable[CallFigure]) -> Iterator[CallTally]:
    """A tally for each pair."""
    made = list(calls)
    for pair in pairs_of(material.count):
        yield tally([call for call in made if call.pair == pair], pair, None)


def tally(calls: Iterable[CallFigure], pair: Pair, sitter: Sitter | None) -> CallTally:
    """What these calls come to."""
    made = list(calls)
    count = Counter(call.ruling for call in made)
    return CallTally(
        seat=None if sitter is None else sitter.seat,
        player=None if sitter is None else sitter.player,
        pair=pair,
        right=Share.of_count(count["right"], count["right"] + count["wrong"]),
        unverified=count["cannot_verify"],
        void=count[VOID],
        after=Spread.of_times(sure_times(made)),
    )


def sure_times(calls: Iterable[CallFigure]) -> list[int]:
    """The times from complete to called that no unseen swap can have made too long."""
    return [call.after_ms for call in calls if call.after_ms is not None and not call.is_at_most]
