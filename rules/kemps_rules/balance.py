"""Whose swaps were open at a moment: the moves of a deal, some of them by nobody knows whom.

A move by an unknown seat is given to a seat only where the card itself tells: what a seat shows or lays it
must have taken, what it had taken only it can lay. The rest stays with nobody, and every way of sharing it
out that leaves as few swaps open as possible is a possible ledger. When nothing is open in sum and all moves
fit together, all hands have four.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Final

from kemps_rules.cards import Card
from kemps_rules.deal import Deal, Move
from kemps_rules.seats import Seat
from kemps_rules.shown import Shown

MOST_OPEN: Final = 3
"""With more swaps of unknown seats open than this, any hand may have any size."""


def attributed(deal: Deal, moves: list[Move], shown: Mapping[Seat, Shown]) -> list[Move]:
    """Moves of a deal, those of unknown seats given to a seat where their card tells whose they were."""
    if deal.house.copies > 1 or all(move.seat is not None for move in moves):
        return moves
    owner = {card: seat for seat, hand in shown.items() if not hand.is_doubtful for card in hand.cards}
    moves = _takes_attributed(moves, owner)
    holder: dict[Card, Seat | None] = {}
    for number, move in enumerate(moves):
        if move.card is None:
            continue
        if move.is_in:
            holder[move.card] = move.seat
        elif move.seat is None:
            moves[number] = move._replace(seat=holder.pop(move.card, None))
        else:
            holder.pop(move.card, None)
    return moves


def _takes_attributed(moves: Sequence[Move], owner: dict[Card, Seat]) -> list[Move]:
    """Backwards: who has the card next must be who took it."""
    found: list[Move] = []
    following: dict[Card, Seat | None] = dict(owner)
    for move in reversed(moves):
        given = move
        if move.card is not None:
            if move.is_in and move.seat is None:
                given = move._replace(seat=following.get(move.card))
            following[move.card] = None if move.is_in else move.seat
        found.append(given)
    found.reverse()
    return found


@dataclass(slots=True)
class Balance:
    """For each seat what came in less what went out and cards it surely holds; the moves of nobody.

    Passed cards are counted by themselves: they leave no swap open, and a shown hand outranks them.
    """

    of: dict[Seat, int]
    known: dict[Seat, list[Card]]
    passed: dict[Seat, int]
    is_single: bool
    takes: list[Card | None] = field(default_factory=list)
    lays: int = 0

    @classmethod
    def even(cls, deal: Deal) -> Balance:
        """All hands have four, nothing is known of them."""
        known: dict[Seat, list[Card]] = {seat: [] for seat in deal.seats}
        even = dict.fromkeys(deal.seats, 0)
        return cls(even, known, even.copy(), deal.house.copies == 1)

    def copy(self) -> Balance:
        """The same balance, changing by itself from now on."""
        known = {seat: list(cards) for seat, cards in self.known.items()}
        return Balance(
            self.of.copy(), known, self.passed.copy(), self.is_single, self.takes.copy(), self.lays
        )

    def add(self, move: Move) -> None:
        """Count one move."""
        sign = 1 if move.is_in else -1
        if move.is_pass:
            if move.seat is not None:
                self.passed[move.seat] += sign
        elif move.seat is not None:
            self.of[move.seat] += sign
        elif move.is_in:
            self.takes.append(move.card)
        else:
            self.lays += 1
        self._note(move)
        if (self.takes or self.lays) and self.total == 0:
            self._close()

    def _note(self, move: Move) -> None:
        """What a hand is known to hold: where there is one of each card, the newest sight of it wins."""
        if move.card is None:
            if not move.is_in:
                for seat in self.known if move.seat is None else (move.seat,):
                    self.known[seat].clear()
            return
        if self.is_single or not move.is_in:
            for cards in self.known.values():
                if move.card in cards:
                    cards.remove(move.card)
        if move.is_in and move.seat is not None:
            self.known[move.seat].append(move.card)

    @property
    def total(self) -> int:
        """How many swaps are open in sum: what the centre lacks of four."""
        return sum(self.of.values()) + len(self.takes) - self.lays

    def is_even_after(self, moves: Iterable[Move]) -> bool:
        """Whether these moves close all that is open, so that every hand has four."""
        end = self.copy()
        for move in moves:
            end.add(move)
        return not (end.takes or end.lays or any(end.of.values()))

    def _close(self) -> None:
        over = sum(count for count in self.of.values() if count > 0)
        under = -sum(count for count in self.of.values() if count < 0)
        if over <= self.lays and under <= len(self.takes):
            self.of = dict.fromkeys(self.of, 0)
            self.takes.clear()
            self.lays = 0

    def possible(self, not_held: Mapping[Seat, frozenset[Card]]) -> Iterator[dict[Seat, int]]:
        """Each way the open swaps may be shared out; ``not_held`` are cards a seat surely did not keep."""
        if not self.takes and not self.lays:
            yield self.of
            return
        unit, seats, found = (1 if self.total > 0 else -1), tuple(self.of), False
        if abs(self.total) <= MOST_OPEN:
            for opened in combinations_with_replacement(seats, abs(self.total)):
                sizes = {seat: unit * opened.count(seat) for seat in seats}
                if self._fits(sizes, not_held):
                    found = True
                    yield sizes
        if not found:
            yield dict.fromkeys(seats, 0)
            yield {seat: self.of[seat] or 1 for seat in seats}

    def _fits(self, sizes: Mapping[Seat, int], not_held: Mapping[Seat, frozenset[Card]]) -> bool:
        change = {seat: size - self.of[seat] for seat, size in sizes.items()}
        for seat, count in change.items():
            hidden = not_held.get(seat, frozenset())
            if count > sum(card is None or card not in hidden for card in self.takes):
                return False
        taken = sum(count for count in change.values() if count > 0)
        laid = -sum(count for count in change.values() if count < 0)
        return taken <= len(self.takes) and laid <= self.lays
