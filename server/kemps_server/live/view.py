"""What one audience sees of a table or a game, and when."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final

from kemps_server.live.cursor import Cursor, Seen
from kemps_server.live.delay import Promise
from kemps_server.live.stream import Stream
from kemps_server.store.journals import Line
from kemps_server.store.sql_journal import SqlJournal
from kemps_server.store.store import Store

AT_ONCE: Final = 64
"""So many lines are told one by one; of more only what they come to."""

Telling = Callable[[Seen], Mapping[str, Any]]


class View:
    """A game's lines held until they are due, told from then on; used by the feed's thread."""

    def __init__(self, store: Store, tell: Telling, *, is_delayed: bool) -> None:
        self.stream = Stream()
        self.game: str | None = None
        self.is_delayed = is_delayed
        self._store = store
        self._tell = tell
        self._cursor = Cursor("")
        self._held: deque[Line] = deque()
        self._read = 0
        self._is_new = True
        self._stale: deque[tuple[int, str]] = deque()

    @property
    def journal(self) -> SqlJournal | None:
        """The journal of the game that is seen."""
        return None if self.game is None else SqlJournal(self._store.database, self.game)

    @property
    def position(self) -> int:
        """The number of the next line to read."""
        return self._read

    def turn_to(self, game: str | None, around: Mapping[str, Any]) -> None:
        """Another game is seen from the next release on, or none; ``around`` is told whatever is seen."""
        self.game = game
        self._cursor, self._held, self._read = Cursor(game or ""), deque(), 0
        self._stale.clear()
        self._is_new = True
        if game is None:
            self._show(around)

    def read(self) -> tuple[Line, ...]:
        """The new lines, which are held now."""
        journal = self.journal
        new = () if journal is None else journal.read(self._read)
        self.hold(new)
        return new

    def hold(self, new: tuple[Line, ...]) -> None:
        """Hold lines that were read already."""
        self._held += new
        self._read += len(new)

    @property
    def is_holding(self) -> bool:
        """Whether there are lines that were not told."""
        return bool(self._held)

    def release(self, promise: Promise, now_ms: int, around: Mapping[str, Any]) -> None:
        """Tell the lines that are due, in their order: none goes before one that is held."""
        due: list[Line] = []
        while self._held and (not self.is_delayed or promise.due_ms(self._held[0].written_ms) <= now_ms):
            due.append(self._held.popleft())
        if len(due) > AT_ONCE or (due and self._cursor.position == 0):
            self._cursor.load(due)
            self._show(around)
            return
        if self._is_new and not due:
            self._show(around)
        for line in due:
            self._cursor.take(line)
            self._show(around)

    def next_due_ms(self, promise: Promise) -> int | None:
        """When the next line is due, or None when none is held."""
        return promise.due_ms(self._held[0].written_ms) if self._held else None

    def mark(self, stale: str, promise: Promise, now_ms: int) -> None:
        """Note that what is known is old, or not any more; the public learns it when it is due."""
        if not self._stale or self._stale[-1][1] != stale:
            self._stale.append((now_ms, stale))
        while self._stale and (not self.is_delayed or promise.due_ms(self._stale[0][0]) <= now_ms):
            self.stream.mark(self._stale[0][1])
            if len(self._stale) == 1:
                return
            self._stale.popleft()

    def tell_again(self, around: Mapping[str, Any]) -> None:
        """The same game with other things around it."""
        if not self._is_new:
            self._show(around)

    def _show(self, around: Mapping[str, Any]) -> None:
        seen = self._cursor.seen
        state = {**({} if seen is None else self._tell(seen)), **around}
        if self._is_new:
            self.stream.mark("")
            self.stream.begin(state)
        else:
            self.stream.show(state)
        self._is_new = False
