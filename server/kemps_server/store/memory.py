"""A journal in memory, for tests and for play that nobody wants kept."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Condition

from kemps_rules.events import Event, GameOpened
from kemps_server.store.checking import checked, texts_of
from kemps_server.store.clock import clock_ms
from kemps_server.store.journals import Line


class MemoryJournal:
    """The lines of one game; they are gone with the process."""

    def __init__(self, game: str) -> None:
        self._game = game
        self._lines: list[Line] = []
        self._header: GameOpened | None = None
        self._changed = Condition()

    @property
    def game(self) -> str:
        """The game's id."""
        return self._game

    def append(self, *events: Event) -> range:
        """The numbers of the lines now there for these events: all of them or none."""
        return self.append_texts(texts_of(events, len(self)))

    def append_texts(self, texts: Sequence[str]) -> range:
        """As ``append``, for lines that are written already."""
        with self._changed:
            first = len(self._lines)
            rows = checked(texts, first, self._header)
            now = clock_ms()
            new = [Line(number, row.text, now) for number, row in enumerate(rows, first)]
            if self._header is None:
                self._header = next(
                    (line.event for line in new if not line.is_blank and isinstance(line.event, GameOpened)),
                    None,
                )
            self._lines += new
            self._changed.notify_all()
        return range(first, first + len(new))

    def read(self, start: int = 0, stop: int | None = None) -> tuple[Line, ...]:
        """The lines from number ``start`` on, up to and without ``stop``."""
        with self._changed:
            return tuple(self._lines[max(0, start) : stop])

    def __len__(self) -> int:
        """How many lines there are now."""
        return len(self._lines)

    def wait(self, beyond: int, timeout_s: float) -> int:
        """How many lines there are, as soon as there are more than ``beyond`` or the time is up."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._lines) > beyond, timeout_s)
            return len(self._lines)
