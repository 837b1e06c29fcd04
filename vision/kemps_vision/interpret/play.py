"""When cards are swapped: from the open centre to a sweep or a call, and then again; and who swaps when."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final

from kemps_rules.events import Called, CardLaid, CardPassed, CardTaken, CentreSwept, Event

REMEMBERED: Final = 24  # the last takes and lays: passes are told a few seconds after they happened


class Play:
    """The pauses between the first open centre and now; told by events, which may come late."""

    def __init__(self) -> None:
        self._is_on = False
        self._has_begun = False
        self._pauses: list[tuple[int, int]] = []
        self._since_ms: int | None = None  # of the pause that goes on
        self._swaps: deque[CardTaken | CardLaid] = deque(maxlen=REMEMBERED)

    def see(self, now_ms: int, events: Iterable[Event], *, is_on: bool) -> None:
        """Take in what was told now, and whether cards can be swapped after it."""
        for event in events:
            if isinstance(event, CardTaken | CardLaid):
                self._swaps.append(event)
            if isinstance(event, CentreSwept | Called) and self._has_begun:
                self._since_ms = min(event.at_ms, self._since_ms or event.at_ms)
        if not is_on and self._has_begun and self._since_ms is None:
            self._since_ms = now_ms
        if is_on and self._since_ms is not None:
            self._pauses.append((self._since_ms, now_ms))
            self._since_ms = None
        self._has_begun |= is_on
        self._is_on = is_on

    def was_on(self, from_ms: int, until_ms: int) -> bool:
        """Whether no pause touches a span, as far as is known by now."""
        if not self._is_on:
            return False
        return not any(begin <= until_ms and from_ms <= end for begin, end in self._pauses)

    def explains(self, passed: CardPassed) -> bool:
        """Whether the giver laid a card in the centre meanwhile, or the taker took one there.

        Then the card that was seen in a hand is accounted for: an arm on its way home passed another's cards.
        """
        begin_ms, end_ms = passed.at_ms - passed.uncertainty_ms, passed.at_ms + passed.uncertainty_ms
        return any(
            begin_ms <= swap.at_ms <= end_ms
            and swap.seat == (passed.from_seat if isinstance(swap, CardLaid) else passed.to_seat)
            for swap in self._swaps
        )
