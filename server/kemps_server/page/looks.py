"""Tables, hands, pairs and verdicts of the rules, as a page shows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from kemps_rules import events
from kemps_rules.cards import Card
from kemps_rules.events import GameOpened
from kemps_rules.house import House
from kemps_rules.judgement import DealResult, Judgement
from kemps_rules.seats import pair_of, pairs_of
from kemps_rules.table import Table
from kemps_rules.verdict import Verdict
from kemps_server.page.moments import Moment
from kemps_server.page.narration import Narrator, call_word, person, reason_given
from kemps_server.page.sentences import phrase_of
from kemps_server.page.story import DealLook, HandLook, PairLook, SeatLook, ShownLook, VerdictLook
from kemps_server.page.words import Phrase
from kemps_server.store.names import plain

_MOST_UNREAD: Final = 8


def centre_of(table: Table) -> tuple[str | None, ...]:
    """The cards in the centre, None for each that was not read."""
    cards = tuple(str(card) for card in table.centre)
    return (*cards, *[None] * min(table.unread, _MOST_UNREAD))


def hands_of(
    table: Table, seats: Sequence[str], before: tuple[Table, Mapping[str, HandLook]] | None = None
) -> dict[str, HandLook]:
    """Each seat's hand by the ledger, or as it was laid open.

    Args:
        table: The table.
        seats: Whose hands.
        before: Another table and what its hands looked like: those that are the same look the same.
    """
    if before is None:
        return {seat: _hand(table, seat) for seat in seats}
    known, looks = before
    return {
        seat: looks[seat] if seat in looks and _is_as(known, table, seat) else _hand(table, seat)
        for seat in seats
    }


def _is_as(one: Table, other: Table, seat: str) -> bool:
    """Whether a seat's hand looks alike at both tables."""
    return (
        one.hands.get(seat) == other.hands[seat]
        and one.shown.get(seat) == other.shown.get(seat)
        and one.open_swaps.get(seat, 0) == other.open_swaps.get(seat, 0)
        and one.unassigned_lays == other.unassigned_lays
        and one.unassigned_takes == other.unassigned_takes
    )


def _hand(table: Table, seat: str) -> HandLook:
    hand = table.hands[seat]
    known = tuple(str(card) for card in table.shown.get(seat, hand.known))
    low, high = (hand.size, hand.size) if seat in table.shown else _sizes(table, hand.size)
    balance = table.open_swaps.get(seat, 0)
    return HandLook(
        known=known,
        size=hand.size,
        size_text=str(low) if low == high else f"{max(low, 0)}–{high}",
        is_shown=seat in table.shown,
        owes="" if balance == 0 or seat in table.shown else "lay" if balance > 0 else "take",
    )


def _sizes(table: Table, counted: int) -> tuple[int, int]:
    """The least and the most cards in a hand: moves of unknown seats may be its own, nobody cheats."""
    low = max(counted - table.unassigned_lays, min(counted, 3))
    high = min(counted + table.unassigned_takes, max(counted, 5))
    if counted > 5 and low <= 5:
        high = 5
    if counted < 3 and high >= 3:
        low = 3
    return low, high


def seats_of_header(header: GameOpened) -> tuple[SeatLook, ...]:
    """The seats with their players."""
    count = len(header.seats)
    return tuple(
        SeatLook(id=seat, name=plain(name) or seat, pair=pair_of(seat, count))
        for seat, name in header.seats.items()
    )


def pairs_of_game(header: GameOpened, judgement: Judgement, house: House) -> tuple[PairLook, ...]:
    """The pairs with their letters or points, and how they stand."""
    pairs = pairs_of(len(header.seats))
    is_points = bool(judgement.points)
    counts = {
        pair: judgement.points.get(pair, 0) if is_points else len(judgement.letters.get(pair, ""))
        for pair in pairs
    }
    if house.scoring == "penalty_letters":
        counts = {pair: -count for pair, count in counts.items()}
    return tuple(
        PairLook(
            id=pair,
            letters=judgement.letters.get(pair, ""),
            points=judgement.points.get(pair, 0) if is_points else None,
            standing=_standing(pair, judgement, counts),
        )
        for pair in pairs
    )


def _standing(pair: str, judgement: Judgement, counts: Mapping[str, int]) -> str:
    if pair in judgement.lost:
        return "lost"
    if pair in judgement.won:
        return "won" if len(judgement.won) == 1 else "shared"
    if len(set(counts.values())) == 1:
        return "level" if any(counts.values()) else ""
    return "leads" if counts[pair] == max(counts.values()) else ""


def deal_look(deal: DealResult, moments: Sequence[Moment], narrator: Narrator) -> DealLook:
    """A deal with its verdict."""
    verdict = None if deal.verdict is None else _verdict(deal.verdict, moments, narrator)
    void = tuple((call.event.at_ms, narrator.claim(call.event)) for call in deal.void_calls)
    return DealLook(
        number=deal.deal, verdict=verdict, ended=deal.ended if verdict is None else "", void_calls=void
    )


def _verdict(verdict: Verdict, moments: Sequence[Moment], narrator: Narrator) -> VerdictLook:
    step_of = {moment.line: index for index, moment in enumerate(moments)}
    by_line = {moment.line: moment.event for moment in moments}
    call = by_line.get(verdict.event)
    claim = narrator.claim(call) if isinstance(call, events.Called) else _claim(verdict, narrator)
    return VerdictLook(
        ruling=verdict.ruling,
        claim=claim,
        at_ms=verdict.at_ms,
        reason=verdict.reason,
        reason_said=phrase_of(verdict.reason, narrator.name),
        is_by_person=verdict.because == "ruled",
        because=_because(verdict, moments, narrator),
        letters_to=verdict.letters_to,
        points_to=tuple(verdict.points_to.items()),
        shown=tuple(_shown([by_line[line] for line in verdict.evidence if line in by_line], narrator)),
        step=step_of.get(verdict.event),
        evidence=tuple(step_of[line] for line in verdict.evidence if line in step_of),
        is_provisional=verdict.is_provisional,
        is_double=verdict.is_double,
    )


def _because(verdict: Verdict, moments: Sequence[Moment], narrator: Narrator) -> Phrase:
    if verdict.because == "ruled":
        rulings = [moment.event for moment in moments if isinstance(moment.event, events.Ruled)]
        why = next((one.why for one in reversed(rulings) if one.event == verdict.event), "")
        return Phrase("verdicts.by_person", {"name": person(verdict.ruled_by), "why": reason_given(why)})
    args = {"reason": verdict.reason, "hands": narrator.all_names(verdict.hands)}
    return Phrase(f"because.{verdict.because}", args)


def _claim(verdict: Verdict, narrator: Narrator) -> Phrase:
    return Phrase("verdicts.call_on", {"seat": narrator.name(verdict.by), "call": call_word(verdict.call)})


def _shown(found: Sequence[events.Event], narrator: Narrator) -> Iterator[ShownLook]:
    for event in found:
        if isinstance(event, events.HandShown) and event.seat is not None:
            unread = [None] * min(event.unread + event.face_down, _MOST_UNREAD)
            name = narrator.names.get(event.seat, event.seat)
            yield ShownLook(seat=event.seat, name=name, cards=(*_names(event.cards), *unread))


def _names(cards: Sequence[Card]) -> tuple[str, ...]:
    return tuple(str(card) for card in cards)
