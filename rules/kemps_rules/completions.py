"""Whether a hand held a quad at a call, for every completion that deck and ledger allow.

What is open: the identity of unread cards, the number of cards of a hand that was not shown whole, on which
side of the call a move lies whose time cannot be told apart from it, and whose the swaps of unknown seats
were. Each combination of the last two is a scenario; in each, every hand has its possible outcomes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from kemps_rules.aftermath import held_at_call, surely_held
from kemps_rules.balance import Balance, attributed
from kemps_rules.cards import RANKS, SUITS, Card
from kemps_rules.deal import CallMade, Deal, Gap, Move
from kemps_rules.rulebook import are_apart
from kemps_rules.seats import Seat
from kemps_rules.shown import Shown, shown_hands
from kemps_rules.unobserved import Unseen, unseen_at

MOST_AMBIGUOUS: Final = 6
"""With more moves than this too close to the call, nothing is said about a hand that could be a quad."""

Outcome = frozenset[bool]
NEITHER: Final[Outcome] = frozenset((True, False))
NO: Final[Outcome] = frozenset((False,))


@dataclass(frozen=True, slots=True)
class Hands:
    """What the hands asked for may have been: per scenario each seat's outcomes; and the evidence."""

    scenarios: tuple[dict[Seat, Outcome], ...]
    shown: dict[Seat, Shown]
    moves: Sequence[Move]
    close: tuple[Move, ...]
    blind: Mapping[Seat, Gap]

    def outcome(self, seat: Seat) -> Outcome:
        """Whether the seat held a quad: one value when it is sure."""
        return frozenset().union(*(scenario[seat] for scenario in self.scenarios))

    def any_of(self, seats: Sequence[Seat]) -> Outcome:
        """Whether at least one of the seats held a quad."""
        return frozenset(
            any(held) for scenario in self.scenarios for held in product(*(scenario[seat] for seat in seats))
        )


def hands_at(deal: Deal, call: CallMade, seats: Sequence[Seat]) -> Hands:
    """The possible states of the hands of ``seats`` at a call."""
    shown = shown_hands(deal, call)
    unseen = unseen_at(deal, call, {seat: hand.at_ms for seat, hand in shown.items()})
    moves = attributed(deal, [move for move in deal.moves if unseen.is_watched(move.at_ms)], shown)
    when = (call.event.at_ms, call.event.uncertainty_ms)
    close = [number for number, move in enumerate(moves) if not are_apart(move[:2], when)]
    first = close[0] if close else len(moves)
    base, start = Balance.even(deal), 0
    while start < first and moves[start].at_ms < when[0]:
        base.add(moves[start])
        start += 1
    near = tuple(moves[number] for number in close)
    question = _Question(deal, call, shown, _not_held(moves, start, shown), near, unseen)
    if len(close) > MOST_AMBIGUOUS:
        scenarios: tuple[dict[Seat, Outcome], ...] = (dict.fromkeys(seats, NEITHER),)
    else:
        scenarios = tuple(
            {seat: question.outcome(seat, before, sizes, after) for seat in seats}
            for before, after in _sides(base, moves[start:], close, start, when)
            for sizes in before.possible(question.not_held)
        )
    return Hands(scenarios, shown, moves, near, unseen.blind)


def _sides(
    base: Balance, moves: Sequence[Move], close: Sequence[int], start: int, when: tuple[int, int]
) -> Iterator[tuple[Balance, list[Move]]]:
    """Each way the close moves may lie round the call: the balance then, and what moved after it."""
    for sides in product((True, False), repeat=len(close)):
        is_before = dict(zip(close, sides, strict=True))
        balance, after = base.copy(), []
        for number, move in enumerate(moves, start):
            if is_before.get(number, move.at_ms < when[0]):
                balance.add(move)
            else:
                after.append(move)
        yield balance, after


def _not_held(moves: Sequence[Move], start: int, shown: Mapping[Seat, Shown]) -> dict[Seat, frozenset[Card]]:
    """For each seat that showed its whole hand: cards taken by an unknown seat, still out, not in it.

    A card that was laid after move ``start`` may have been that seat's until then.
    """
    last = {move.card: move for move in moves if move.card is not None}
    back = {move.card for move in moves[start:] if not move.is_in}
    out = frozenset(card for card, move in last.items() if move.is_in and move.seat is None) - back
    if None in back:
        return {}
    return {seat: out - set(hand.cards) for seat, hand in shown.items() if hand.is_full}


@dataclass(frozen=True, slots=True)
class _Question:
    deal: Deal
    call: CallMade
    shown: dict[Seat, Shown]
    not_held: dict[Seat, frozenset[Card]]
    near: tuple[Move, ...]
    unseen: Unseen

    def outcome(
        self, seat: Seat, before: Balance, sizes: Mapping[Seat, int], after: Sequence[Move]
    ) -> Outcome:
        """Whether the seat may, and may not, have held a quad in this scenario."""
        hand = self.shown.get(seat)
        if (hand is not None and hand.is_doubtful) or seat in self.unseen.blind:
            return NEITHER
        if seat in self.unseen.unsized:
            return self._unsized_outcome(seat, hand, before, after)
        by_ledger = 4 + sizes[seat]
        if hand is None or not hand.is_complete:
            by_ledger += before.passed[seat]
        ways = held_at_call(hand, seat, after, self.call.centre)
        if not ways:
            return NEITHER
        if hand is not None and hand.is_complete:
            ways = tuple(held for held in ways if held.size == by_ledger) or ways
        is_closed_after = bool(sizes[seat] and after and before.is_even_after(after))
        found: set[bool] = set()
        for held in ways:
            counts = _sizes(hand, held.size, by_ledger)
            if is_closed_after:
                counts = {by_ledger}  # open at the call, and what closed it was seen
            if counts != {4}:
                found.add(False)
            if 4 in counts:
                found |= self._quads(seat, held.cards, before, after, open_swaps=by_ledger - 4)
        return frozenset(found)

    def _unsized_outcome(
        self, seat: Seat, hand: Shown | None, before: Balance, after: Sequence[Move]
    ) -> Outcome:
        """The same for a hand of which the ledger tells no size: only what is shown counts."""
        found: set[bool] = set()
        for held in held_at_call(hand, seat, after, self.call.centre):
            counts = _sizes(hand, held.size, None)
            if counts != {4}:
                found.add(False)
            if 4 in counts:
                found |= self._quads(seat, held.cards, before, after, open_swaps=0)
        return frozenset(found) or NEITHER

    def _quads(
        self, seat: Seat, cards: Sequence[Card], before: Balance, after: Sequence[Move], *, open_swaps: int
    ) -> Outcome:
        held = list(cards)
        elsewhere = self._elsewhere(seat, before, after)
        if open_swaps < 0:  # the take that was not seen took a card of this centre or of one set aside since
            elsewhere = elsewhere - Counter(self.call.centre) - Counter(self.call.aside)
        known = [
            card for card in self._known(before, seat) if not elsewhere[card]
        ]  # a shown hand outranks the ledger
        missing = [] if open_swaps else list((Counter(known) - Counter(held)).elements())
        if len(missing) <= 4 - len(held):
            held += missing
        return quads(held, elsewhere, self.deal)

    def _elsewhere(self, seat: Seat, before: Balance, after: Sequence[Move]) -> Counter[Card]:
        """The cards that were certainly not in the seat's hand at the call."""
        places: Counter[Card] = Counter(self.call.centre) + Counter(self.call.aside)
        loose = [move.card for move in self.near if move.card is not None and move.seat in (seat, None)]
        own = self._known(before, seat)
        for card in (*loose, *own):
            del places[card]
        for other in before.known:
            if other != seat:
                hand, known = self.shown.get(other), self._known(before, other)
                if hand is None or hand.is_doubtful or other in self.unseen.blind:
                    places.update(known)
                    continue
                ways = held_at_call(hand, other, after, self.call.centre)
                places.update(Counter(known) | surely_held(ways))
        seen: set[Card] = set()
        for move in after:
            if move.card is None:
                if not move.is_in and move.seat in (seat, None):
                    break  # what is seen from here on may be the card that left unread
            elif move.card not in seen:
                seen.add(move.card)
                was_elsewhere = move.is_in or move.seat not in (seat, None)
                if was_elsewhere and not places[move.card]:
                    places[move.card] += 1
        return places

    def _known(self, before: Balance, seat: Seat) -> Sequence[Card]:
        """What a seat is known to have held at the call."""
        return () if seat in self.unseen.unknown else before.known[seat]


def _sizes(hand: Shown | None, count: int, by_ledger: int | None) -> set[int]:
    """How many cards the hand may have had, of which ``count`` surely were there.

    What is open by the ledger may have been closed unseen; ``by_ledger`` is None where it tells no size.
    """
    if hand is not None and hand.is_complete:
        return {count} if count != 4 or by_ledger is None else {4, by_ledger}
    expected = {4} if by_ledger is None else {4, by_ledger}
    if hand is not None and hand.more_at_most is not None:
        seen = set(range(count, count + hand.more_at_most + 1))
        return seen & expected if by_ledger in seen else seen
    possible = {size for size in expected if size >= count}
    return possible if by_ledger is not None and by_ledger >= count else possible | {max(5, count)}


def quads(held: Sequence[Card], elsewhere: Mapping[Card, int], deal: Deal) -> Outcome:
    """Whether those held, filled up to four with cards not elsewhere, can be and can fail to be a quad."""
    ranks = {card.rank for card in held}
    if len(ranks) > 1 or any(card.is_joker for card in held):
        return NO
    open_cards = 4 - len(held)
    if open_cards == 0:
        return frozenset((True,))
    free = _free_by_rank(held, elsewhere, deal)
    wanted = ranks or set(free)
    found = {True for rank in wanted if free.get(rank, 0) >= open_cards}
    if sum(free.values()) - max((free.get(rank, 0) for rank in ranks), default=0) > 0:
        found.add(False)
    return frozenset(found) or NO


def _free_by_rank(held: Sequence[Card], elsewhere: Mapping[Card, int], deal: Deal) -> dict[str, int]:
    deck, copies, own = deal.house.cards, deal.house.copies, Counter(held)
    return {
        rank: sum(
            max(0, copies - elsewhere.get(card, 0) - own[card])
            for card in (Card(rank, suit) for suit in SUITS)
            if card in deck
        )
        for rank in RANKS
    }
