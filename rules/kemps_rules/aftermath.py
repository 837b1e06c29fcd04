"""A shown hand with the moves after the call taken back: each way in which it may have been at the call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import reduce
from typing import Final, NamedTuple

from kemps_rules.cards import Card
from kemps_rules.deal import Move
from kemps_rules.seats import Seat
from kemps_rules.shown import Shown

MOST_WAYS: Final = 64
"""With more ways than this in which a hand may have been, nothing is said about it."""


class Held(NamedTuple):
    """The cards of a hand that are known, and how many more it had."""

    cards: tuple[Card, ...]
    unread: int

    @property
    def size(self) -> int:
        """The number of cards, read or not."""
        return len(self.cards) + self.unread


def held_at_call(
    hand: Shown | None, seat: Seat, after: Sequence[Move], centre: Collection[Card]
) -> tuple[Held, ...]:
    """What a seat may have held at the call; nothing when there are too many ways.

    What came in after the call does not count, what left then does (R14). Where it was not seen which card
    came in, or whose a move was, each possibility is a way; ``centre`` are cards that lay there at the call.
    """
    if hand is None:
        return (Held((), 0),)
    found = {Held(hand.cards, hand.unread): None}
    for number in range(len(after) - 1, -1, -1):
        move = after[number]
        if move.at_ms > hand.at_ms or move.seat not in (seat, None):
            continue
        came = {*centre, *(earlier.card for earlier in after[:number] if not earlier.is_in)}
        found = dict.fromkeys(
            then for held in found for then in _before(held, move, came, is_complete=hand.is_complete)
        )
        if len(found) > MOST_WAYS:
            return ()
    return tuple(found)


def surely_held(ways: Sequence[Held]) -> Counter[Card]:
    """The cards that a hand held in whichever way it was."""
    return reduce(Counter.__and__, (Counter(held.cards) for held in ways)) if ways else Counter()


def _before(held: Held, move: Move, came: set[Card | None], *, is_complete: bool) -> Iterator[Held]:
    """What the hand may have been before a move; the same again where the move may be another seat's."""
    if move.seat is None:
        yield held
    if not move.is_in:
        yield (
            Held(held.cards, held.unread + 1)
            if move.card is None
            else Held((*held.cards, move.card), held.unread)
        )
    elif move.card is None:
        yield from _without_one(held, came, is_complete=is_complete)
    elif move.card in held.cards:
        yield _without(held, move.card)
    elif held.unread:
        yield Held(held.cards, held.unread - 1)
    elif move.seat is not None:
        yield held


def _without_one(held: Held, came: set[Card | None], *, is_complete: bool) -> Iterator[Held]:
    """The hand less a card that nobody read when it came: one that lay in the centre, else any."""
    likely = [card for card in dict.fromkeys(held.cards) if card in came]
    for card in likely or dict.fromkeys(held.cards):
        yield _without(held, card)
    if not likely and held.unread:
        yield Held(held.cards, held.unread - 1)
    if not likely and not (is_complete and held.size):
        yield held


def _without(held: Held, card: Card) -> Held:
    cards = list(held.cards)
    cards.remove(card)
    return Held(tuple(cards), held.unread)
