"""Reaches into the centre as spans: from the moment a seat's arm or hand is over it to when it has gone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from kemps_rules.seats import Seat

GAP_MS: Final = 350  # in which it may not be seen
LEAST_MS: Final = 100  # a shorter one is a flicker


@dataclass(frozen=True, slots=True)
class Reach:
    """A reach into the centre; ``seat`` is None where it is not clear whose it was."""

    at_ms: int
    until_ms: int
    seat: Seat | None


class Reaching:
    """Joins what was seen picture by picture into reaches."""

    def __init__(self) -> None:
        self._open: dict[Seat | None, tuple[int, int]] = {}

    def step(self, at_ms: int, seats: Iterable[Seat | None]) -> list[Reach]:
        """The reaches that have ended, given whose arms or hands are over the centre now; times must rise."""
        for seat in set(seats):
            start_ms, _ = self._open.get(seat, (at_ms, at_ms))
            self._open[seat] = start_ms, at_ms
        return self._ended(at_ms - GAP_MS)

    def finish(self) -> list[Reach]:
        """Those still going on when nothing more is seen."""
        return self._ended(None)

    @property
    def oldest_open_ms(self) -> int | None:
        """Since when the longest of those that go on has lasted, or None."""
        return min((start_ms for start_ms, _ in self._open.values()), default=None)

    def _ended(self, last_ms: int | None) -> list[Reach]:
        over = [seat for seat, (_, seen_ms) in self._open.items() if last_ms is None or seen_ms < last_ms]
        reaches = [Reach(*self._open.pop(seat), seat) for seat in over]
        long = [reach for reach in reaches if reach.until_ms - reach.at_ms >= LEAST_MS]
        return sorted(long, key=lambda reach: (reach.at_ms, reach.seat or ""))
