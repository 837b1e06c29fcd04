"""A watched game's events on their way into the store, and calls on their way out of it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final

from kemps_rules.events import Called, DealStarted, Event, GameOpened, HandShown, NotObserved
from kemps_server.observers.made_calls import MadeCalls
from kemps_server.observers.standing import Standing
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
        self._withdrawn: list[Called] = []
        self._lines: dict[Called, list[int]] = {}
        self._own: set[int] = set()
        self._made = MadeCalls()
        if standing.call is not None:
            self._made.see(*standing.call)
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

    def withdrawn(self) -> list[Called]:
        """The calls that had been heard, and that a person has taken back since it was last asked."""
        with self._lock:
            withdrawn, self._withdrawn = self._withdrawn, []
        return withdrawn

    def follow(self, is_over: threading.Event) -> None:
        """Hear what the server appends, until it is over; for a thread of its own."""
        position = self._standing.lines
        while not is_over.is_set():
            for line in self._journal.read(position):
                position = line.number + 1
                self._see(line)
            self._journal.wait(position, PATIENCE_S)

    def _see(self, line: Line) -> None:
        if line.is_blank:
            return
        for change in self._made.see(line.number, line.event):
            with self._lock:
                if change.before is not None:
                    self._forget(change.line, change.before)
                if change.now is not None:
                    self._hear(change.line, change.now)

    def _hear(self, line: int, call: Called) -> None:
        if line in self._own:
            self._own.discard(line)
            return
        self._lines.setdefault(call, []).append(line)
        if call in self._withdrawn:  # it was taken back and stands again before anybody asked
            self._withdrawn.remove(call)
        else:
            self._heard.append(call)

    def _forget(self, line: int, call: Called) -> None:
        if line in self._lines.get(call, ()):
            self._lines[call].remove(line)
        if call in self._heard:
            self._heard.remove(call)
        else:
            self._withdrawn.append(call)

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
