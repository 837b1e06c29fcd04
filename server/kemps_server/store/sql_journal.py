"""A journal in the database; one code for SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import Final

from sqlalchemy import Connection, bindparam, insert, select

from kemps_rules.events import Event, GameOpened
from kemps_server.errors import KempsServerError
from kemps_server.store.checking import checked, texts_of
from kemps_server.store.clock import clock_ms
from kemps_server.store.database import Database
from kemps_server.store.journals import Line
from kemps_server.store.schema import games, lines

POLL_S: Final = 0.04  # how soon lines of another process are seen

# Made once: making them costs more than running them.
_LOCK: Final = select(games.c.id).where(games.c.id == bindparam("game")).with_for_update()
_LAST: Final = select(lines.c.n).where(lines.c.game == bindparam("game")).order_by(lines.c.n.desc()).limit(1)
_ADD: Final = insert(lines)


class SqlJournal:
    """The lines of one stored game."""

    def __init__(self, database: Database, game: str) -> None:
        self._database = database
        self._game = game
        self._header: GameOpened | None = None

    @property
    def game(self) -> str:
        """The game's id."""
        return self._game

    def append(self, *events: Event) -> range:
        """The numbers of the lines now on disk for these events: all of them or none."""
        with self._database.writing() as connection:
            first = self._first(connection)
            return self._insert(connection, first, texts_of(events, first))

    def append_texts(self, texts: Sequence[str]) -> range:
        """As ``append``, for lines that are written already."""
        with self._database.writing() as connection:
            return self.append_within(connection, texts)

    def append_within(self, connection: Connection, texts: Sequence[str]) -> range:
        """As ``append_texts``, in a transaction that does more than this."""
        return self._insert(connection, self._first(connection), texts)

    def read(self, start: int = 0, stop: int | None = None) -> tuple[Line, ...]:
        """The lines from number ``start`` on, up to and without ``stop``."""
        with self._database.reading() as connection:
            return self.read_within(connection, start, stop)

    def read_within(
        self, connection: Connection, start: int = 0, stop: int | None = None
    ) -> tuple[Line, ...]:
        """As ``read``, in a transaction that does more than this."""
        wanted = select(lines.c.n, lines.c.text, lines.c.written_ms)
        wanted = wanted.where(lines.c.game == self._game, lines.c.n >= start)
        if stop is not None:
            wanted = wanted.where(lines.c.n < stop)
        rows = connection.execute(wanted.order_by(lines.c.n)).all()
        return tuple(Line(*row) for row in rows)

    def read_kinds(self, kinds: Sequence[str]) -> tuple[Line, ...]:
        """The lines whose events are of these kinds, found without reading the rest."""
        wanted = select(lines.c.n, lines.c.text, lines.c.written_ms)
        wanted = wanted.where(lines.c.game == self._game, lines.c.kind.in_(kinds))
        with self._database.reading() as connection:
            rows = connection.execute(wanted.order_by(lines.c.n)).all()
        return tuple(Line(*row) for row in rows)

    def __len__(self) -> int:
        """How many lines there are now."""
        with self._database.reading() as connection:
            return _count(connection, self._game)

    def wait(self, beyond: int, timeout_s: float) -> int:
        """How many lines there are, as soon as there are more than ``beyond`` or the time is up.

        Lines of this process are told at once, those of others are looked for 25 times a second; so let one
        thread wait for a game, whoever many want its lines.
        """
        ends = monotonic() + timeout_s
        count, seen = -1, None
        while True:
            version = self._database.version()
            if count < 0 or version is None or version != seen:
                count, seen = len(self), version
            left = ends - monotonic()
            if count > beyond or left <= 0:
                return count
            with self._database.changed:
                self._database.changed.wait(min(POLL_S, left))

    def _first(self, connection: Connection) -> int:
        """The number of the next line, which nobody else gets before this transaction ends."""
        # On PostgreSQL the game's row is the lock that SQLite's BEGIN IMMEDIATE is.
        if connection.execute(_LOCK, {"game": self._game}).first() is None:
            raise KempsServerError(f"there is no stored game {self._game!r} (any more)")
        return _count(connection, self._game)

    def _insert(self, connection: Connection, first: int, texts: Sequence[str]) -> range:
        rows = checked(texts, first, self._header_within(connection))
        now = clock_ms()
        values = [
            {"game": self._game, "n": number, "text": row.text, "kind": row.kind, "written_ms": now}
            for number, row in enumerate(rows, first)
        ]
        if values:
            connection.execute(_ADD, values)
        return range(first, first + len(values))

    def _header_within(self, connection: Connection) -> GameOpened | None:
        if self._header is None:
            wanted = select(lines.c.n, lines.c.text).where(
                lines.c.game == self._game, lines.c.kind == GameOpened.kind
            )
            row = connection.execute(wanted.order_by(lines.c.n).limit(1)).first()
            event = None if row is None else Line(row[0], row[1]).event
            self._header = event if isinstance(event, GameOpened) else None
        return self._header


def _count(connection: Connection, game: str) -> int:
    row = connection.execute(_LAST, {"game": game}).first()
    return 0 if row is None else row[0] + 1
