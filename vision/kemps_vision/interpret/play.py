"""When cards are swapped: from the open centre to a sweep or a call, and then again."""

from __future__ import annotations

from collections.abc import Iterable

from kemps_rules.events import Called, CentreSwept, Event


class Play:
    """The pauses between the first open centre and now; told by events, which may come late."""

    def __init__(self) -> None:
        self._is_on = False
        self._has_begun = False
        self._pauses: list[tuple[int, int]] = []
        self._since_ms: int | None = None  # of the pause that goes on

    def see(self, now_ms: int, events: Iterable[Event], *, is_on: bool) -> None:
        """Take in what was told now, and whether cards can be swapped after it."""
        for event in events:
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
