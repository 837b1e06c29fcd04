"""A game at a table of a store, played a line at a time from events that are known beforehand."""

from __future__ import annotations

from collections.abc import Iterable

from kemps_rules.events import Event, GameOpened
from kemps_rules.journal import parse_line
from kemps_server.errors import KempsServerError
from kemps_server.store.store import Store


class PlayedGame:
    """A game that has begun: its header stands, ``events`` are those still to come."""

    def __init__(self, store: Store, table: str, title: str, events: Iterable[Event]) -> None:
        """The header is the first of the events.

        Raises:
            KempsServerError: It is not, or another game is played at the table.
        """
        header, *self.events = events
        if not isinstance(header, GameOpened):
            raise KempsServerError("a game begins with its header")
        self.id = store.games.begin(title, header).id
        self.journal = store.games.journal(self.id)
        store.sittings.begin(table, self.id)

    def play(self, *lines: str | Event) -> None:
        """These lines, or all events that are still to come when none are given."""
        events = [parse_line(line) if isinstance(line, str) else line for line in lines]
        if not events:
            events, self.events = self.events, []
        self.journal.append(*events)
