"""A watched game's events on their way into the store, and calls on their way out of it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final

from kemps_rules.events import Called, DealStarted, Event, GameOpened, HandShown, NotObserved
from kemps_server.observers.standing import Standing, call_in
from kemps_server.store.journals import Journal, Line

PATIENCE_S: Final = 0.25  # how often it is looked whether the game is still watched


class StoreLines:
    """Where the events of a live game go: ``KeepsLines`` of ``watch``, with the journal in the store.

    Calls are appended by the server and heard here; when the watcher tells them they stand there already. Of
    a game that goes on, what is seen again is not told again.

    Args:
        journal: The game's.
        standing: Where it stands.
        gaps: What was not observed since it was watched last, told when watching begins.
    """

    def __init__(self, journal: Journal, standing: Standing, gaps: Sequence[NotObserved] = ()) -> None:
        self._journal = journal
        self._standing = standing
        self._gaps = tuple(gaps)
        self._awaits_deal = standing.goes_on and standing.is_dealt
        self._lock = threading.Lock()
        self._heard: list[Called] = []
        self._lines: dict[Called, list[int]] = {}
        self._own: set[int] = set()
        if standing.call is not None:
            self._heard.append(standing.call[1])  # hands are looked for again; what is told of it is told

    def keep(self, events: Sequence[Event]) -> list[tuple[int, Event]]:
        """The events that stand in the store when this returns, each with its line."""
        told: dict[int, Event] = {}
        fresh = [event for event in events if not self._is_known(event, told)]
        if any(isinstance(event, GameOpened) for event in events):
            fresh = [*self._gaps, *fresh]
        with self._lock:  # what is heard by the ears of the watcher itself must not come back to it
            numbers = self._journal.append(*fresh) if fresh else ()
            self._own |= {n for n, one in zip(numbers, fresh, strict=True) if isinstance(one, Called)}
        return [*told.items(), *zip(numbers, fresh, strict=True)]

    def calls(self) -> list[Called]:
        """The calls that have been heard since it was last asked."""
        with self._lock:
            heard, self._heard = self._heard, []
        return heard

    def follow(self, is_over: threading.Event) -> None:
        """Hear what the server appends, until it is over; for a thread of its own."""
        position = self._standing.lines
        while not is_over.is_set():
            for line in self._journal.read(position):
                position = line.number + 1
                self._see(line)
            self._journal.wait(position, PATIENCE_S)

    def _see(self, line: Line) -> None:
        call = None if line.is_blank else call_in(line.event)
        if call is not None:
            self._hear(line.number, call)

    def _hear(self, line: int, call: Called) -> None:
        with self._lock:
            if line in self._own:
                self._own.discard(line)
                return
            self._lines.setdefault(call, []).append(line)
            self._heard.append(call)

    def _is_known(self, event: Event, told: dict[int, Event]) -> bool:
        """Whether the event stands in the journal; a call's line goes into ``told``."""
        if isinstance(event, GameOpened):
            return True  # the game was opened by whoever began it
        if isinstance(event, DealStarted) and self._awaits_deal:
            self._awaits_deal = False  # the watcher's own beginning, in the middle of a deal
            return True
        if isinstance(event, Called):
            with self._lock:
                lines = self._lines.get(event, [])
                line = lines.pop(0) if lines else None
            if line is not None:
                told[line] = event
            return line is not None or self._is_standing(event)
        return isinstance(event, HandShown) and self._was_shown(event)

    def _is_standing(self, call: Called) -> bool:
        return self._standing.call is not None and self._standing.call[1] == call

    def _was_shown(self, event: HandShown) -> bool:
        """Whether an earlier run saw this hand lie there."""
        before = None if event.seat is None else self._standing.shown.get(event.seat)
        return self._standing.call is not None and before is not None and set(before) == set(event.cards)
