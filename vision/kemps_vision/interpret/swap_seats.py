"""Whose a take or a lay was: what was seen of hands, and what a round of swaps can be.

Who took a card lays one next, and who has none out has none to lay. So takes and lays are weighed together,
in the order in which they happened and not in which they are told: for every set of seats that may have a
swap open, how much speaks for it before an event and how much after. A move that does not fit costs something
and is not ruled out, for one that went before may have been missed. Nobody is named whose hand was not seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_rules.seats import Seat
from kemps_vision.changes import Appeared, Left
from kemps_vision.interpret.moving_hands import Sight

LEAST: Final = 0.2  # of what speaks for a seat
MARGIN: Final = 0.1  # over the next, where nothing but hands has a say
A_NAT: Final = 0.12  # of what speaks for a seat
MISFIT_NATS: Final = 4.0  # against a take by a seat with an open swap, or a lay by one with none
OPEN_NATS: Final = 2.5  # against each swap that was open before all that is known
NAMED: Final = 0.7  # share of the posterior
MEMORY_MS: Final = 12_000  # before an event, in which others have a say


@dataclass(frozen=True, slots=True, eq=False)
class _Move:
    change: Left | Appeared
    sight: Sight


class SwapSeats:
    """Names the seats of takes and lays since the centre was turned; all that is known by then has a say."""

    def __init__(self) -> None:
        self._moves: list[_Move] = []

    def saw(self, change: Left | Appeared, sight: Sight) -> None:
        """A card was taken or laid; to be told before any move that is named with it in mind."""
        if not any(move.change is change for move in self._moves):
            self._moves.append(_Move(change, sight))

    def seat_of(self, change: Left | Appeared) -> Seat | None:
        """Whose a move was that ``saw`` was told of."""
        own = next((move for move in self._moves if move.change is change), None)
        if own is None or max(own.sight.scores.values(), default=0.0) < LEAST:
            return None
        seats = sorted(own.sight.scores)
        shares = _shares(self._near(own), own, seats)
        best = int(shares.argmax())
        is_named = shares[best] >= NAMED and own.sight.scores[seats[best]] >= LEAST
        return seats[best] if is_named else None

    def swept(self) -> None:
        """Swaps begin anew with the next centre."""
        self._moves.clear()

    def _near(self, own: _Move) -> list[_Move]:
        """The moves that have a say, in the order in which they happened; those that nobody saw have none."""
        at_ms = own.sight.at_ms
        self._moves = [move for move in self._moves if move.sight.at_ms >= at_ms - 2 * MEMORY_MS]
        seen = [move for move in self._moves if max(move.sight.scores.values(), default=0.0) >= LEAST]
        return sorted(
            (move for move in seen if abs(move.sight.at_ms - at_ms) <= MEMORY_MS),
            key=lambda move: move.sight.at_ms,
        )


def _shares(moves: Sequence[_Move], own: _Move, seats: Sequence[Seat]) -> NDArray[np.float64]:
    """(seats,) the posterior of whose one of the moves was; a set of open swaps is a number's bits."""
    steps = [_Step.of(move, seats) for move in moves]
    number = next(i for i, move in enumerate(moves) if move is own)
    before = -OPEN_NATS * np.array([bits.bit_count() for bits in range(1 << len(seats))], np.float64)
    for step in steps[:number]:
        before = step.forward(before)
    after = np.zeros(1 << len(seats))
    for step in reversed(steps[number + 1 :]):
        after = step.backward(after)
    nats = np.logaddexp.reduce(before + steps[number].nats + after[steps[number].becomes], axis=1)
    weights = np.exp(nats - nats.max())
    return np.asarray(weights / weights.sum(), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """One move: (seats, sets) what each set of open swaps becomes, and the nats for it."""

    becomes: NDArray[np.int64]
    nats: NDArray[np.float64]

    @classmethod
    def of(cls, move: _Move, seats: Sequence[Seat]) -> _Step:
        sets, bits = np.arange(1 << len(seats)), 1 << np.arange(len(seats))[:, None]
        is_open = (sets & bits) > 0
        is_take = isinstance(move.change, Left)
        return cls(
            np.asarray(sets | bits if is_take else sets & ~bits, np.int64),
            _seen(move.sight.scores, seats)[:, None] - MISFIT_NATS * (is_open if is_take else ~is_open),
        )

    def forward(self, before: NDArray[np.float64]) -> NDArray[np.float64]:
        """(sets,) what speaks for each set after the move."""
        after = np.full(len(before), -np.inf)
        np.logaddexp.at(after, self.becomes, before + self.nats)
        return after

    def backward(self, after: NDArray[np.float64]) -> NDArray[np.float64]:
        """(sets,) what the moves from this one on say for each set before it."""
        return np.asarray(np.logaddexp.reduce(self.nats + after[self.becomes], axis=0), np.float64)


def _seen(scores: Mapping[Seat, float], seats: Sequence[Seat]) -> NDArray[np.float64]:
    return np.array([scores.get(seat, 0.0) for seat in seats], np.float64) / A_NAT
