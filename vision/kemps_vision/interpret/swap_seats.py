"""Whose a take or a lay was: what was seen of hands, and who has a swap open.

Who took a card lays one next, and who has none out has none to lay: that settles what two hands over one
card leave in doubt, and no more than that; a clear sight outweighs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kemps_rules.seats import Seat
from kemps_vision.interpret.reaching import clearest

LEAST: Final = 0.2  # of what speaks for a seat
MARGIN: Final = 0.1  # over the next
OPEN_SWAP: Final = 0.2  # that an open swap speaks for a lay, and against a take


class SwapSeats:
    """Names the seats of takes and lays in the order in which they are told."""

    def __init__(self) -> None:
        self._open: set[Seat] = set()

    def took(self, scores: Mapping[Seat, float]) -> Seat | None:
        """Whose a take was, by what speaks for each seat, see ``Reaches.seats_at``."""
        seat = _named({one: score - OPEN_SWAP * (one in self._open) for one, score in scores.items()}, scores)
        if seat is not None:
            self._open.add(seat)
        return seat

    def laid(self, scores: Mapping[Seat, float]) -> Seat | None:
        """Whose a lay was."""
        seat = _named({one: score + OPEN_SWAP * (one in self._open) for one, score in scores.items()}, scores)
        if seat is not None:
            self._open.discard(seat)
        return seat

    def swept(self) -> None:
        """Swaps begin anew with the next centre."""
        self._open.clear()


def _named(weighed: Mapping[Seat, float], seen: Mapping[Seat, float]) -> Seat | None:
    seat = clearest(weighed, least=0.0, margin=MARGIN)
    return seat if seat is not None and seen[seat] >= LEAST else None
