"""Stored games: begun live or taken in from files, listed, and their journals opened."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, insert, select, text

from kemps_rules.events import GameOpened
from kemps_rules.journal import format_event, journal_of, whole_lines
from kemps_server.errors import KempsServerError
from kemps_server.store.clock import Clock, stamp
from kemps_server.store.database import Database
from kemps_server.store.journals import content_of
from kemps_server.store.names import free_slug, is_slug, plain
from kemps_server.store.schema import games, lines
from kemps_server.store.sql_journal import SqlJournal


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A stored game: its id, what people call it, when it came into the store, how many lines it has.

    ``revision`` counts how often lines were rewritten, which happens only to forget a person. ``settings``
    is JSON: whether recordings are kept, and what players agreed to.
    """

    id: str
    title: str
    added_at: str
    lines: int
    revision: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)


class Novelty(StrEnum):
    """What taking in a journal came to."""

    NEW = "new"
    GROWN = "grown"  # a stored game of which more lines are known now
    KNOWN = "known"  # all of it was there


@dataclass(frozen=True, slots=True)
class TakenIn:
    """A journal that is in the store now: as which game, and how many of its lines were new."""

    game: GameRecord
    novelty: Novelty
    new_lines: int
    warnings: tuple[str, ...]


class Games:
    """The games of a store."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def begin(self, title: str, header: GameOpened) -> GameRecord:
        """A new game, whose journal has its header as line 0.

        Raises:
            JournalError: The header makes no sense.
            StoreError: The store refused.
        """
        with self._database.writing() as connection:
            self._lock(connection)
            return self._add(connection, title, [format_event(header) + "\n"])

    def take_in(self, title: str, content: bytes) -> TakenIn:
        """The game whose journal this is, stored now if it was not: all of it or nothing.

        A journal that begins as a stored one and goes on is that game, grown; one that the stored begins with
        is known. So the same file twice, and a stored game that was exported, come to nothing new.

        Raises:
            JournalError: It is no journal; the text names the line.
            StoreError: The store refused.
        """
        warnings = journal_of(content).warnings
        content = whole_lines(content)
        texts = _rows(content)
        with self._database.writing() as connection:
            self._lock(connection)
            for record in self._records(connection, games.c.opening == opening_of(texts)):
                journal = SqlJournal(self._database, record.id)
                known = content_of(journal.read_within(connection)).removesuffix(b"\n")
                if known.startswith(content.removesuffix(b"\n")):
                    return TakenIn(record, Novelty.KNOWN, 0, warnings)
                if content.startswith(known + b"\n"):
                    new = journal.append_within(connection, texts[record.lines :])
                    return TakenIn(replace(record, lines=new.stop), Novelty.GROWN, len(new), warnings)
            record = self._add(connection, title, texts)
        return TakenIn(record, Novelty.NEW, record.lines, warnings)

    def knows(self, content: bytes) -> bool:
        """Whether all lines of this journal are those of a stored game, which may have more."""
        texts = _rows(whole_lines(content))
        with self._database.reading() as connection:
            return any(
                content_of(SqlJournal(self._database, record.id).read_within(connection)).startswith(
                    whole_lines(content).removesuffix(b"\n")
                )
                for record in self._records(connection, games.c.opening == opening_of(texts))
            )

    def find(self, game: str) -> GameRecord | None:
        """The game with this id, or None."""
        if not is_slug(game):
            return None
        with self._database.reading() as connection:
            return next(iter(self._records(connection, games.c.id == game)), None)

    def all(self) -> tuple[GameRecord, ...]:
        """All games, by title."""
        with self._database.reading() as connection:
            return tuple(self._records(connection))

    def journal(self, game: str) -> SqlJournal:
        """The journal of a stored game.

        Raises:
            KempsServerError: There is no such game.
        """
        if self.find(game) is None:
            raise KempsServerError(
                f"there is no stored game {game!r}; the list of games is what kemps serve shows"
            )
        return SqlJournal(self._database, game)

    def rename(self, game: str, title: str) -> None:
        """Give a game another title; its id stays."""
        with self._database.writing() as connection:
            connection.execute(games.update().where(games.c.id == game).values(title=plain(title) or game))

    def set_settings(self, game: str, **settings: Any) -> GameRecord:  # noqa: ANN401 - JSON
        """The game with these settings from now on; those that are not named stay as they were.

        Raises:
            KempsServerError: There is no such game.
            StoreError: The store refused.
        """
        with self._database.writing() as connection:
            record = next(iter(self._records(connection, games.c.id == game)), None)
            if record is None:
                raise KempsServerError(f"there is no stored game {game!r}")
            changed = dict(record.settings) | settings
            text_of = json.dumps(changed)
            connection.execute(games.update().where(games.c.id == game).values(settings=text_of))
        return replace(record, settings=changed)

    def remove(self, game: str) -> None:
        """Forget a game with all its lines; nothing happens when there is none."""
        with self._database.writing() as connection:
            connection.execute(games.delete().where(games.c.id == game))

    def _add(self, connection: Connection, title: str, texts: Sequence[str]) -> GameRecord:
        taken = set(connection.scalars(select(games.c.id)))
        game, added_at = free_slug(title, taken), stamp(self._clock())
        title = plain(title) or game
        values = {"id": game, "title": title, "added_at": added_at, "opening": opening_of(texts)}
        connection.execute(insert(games), values)
        written = SqlJournal(self._database, game).append_within(connection, texts)
        return GameRecord(game, title, added_at, written.stop)

    def _lock(self, connection: Connection) -> None:
        """Nobody else adds a game in this transaction's time; SQLite's writers are alone anyway."""
        if not self._database.is_sqlite:
            connection.execute(text("LOCK TABLE games IN SHARE ROW EXCLUSIVE MODE"))

    def _records(self, connection: Connection, *conditions: ColumnElement[bool]) -> list[GameRecord]:
        last = select(func.max(lines.c.n)).where(lines.c.game == games.c.id).scalar_subquery()
        count = func.coalesce(last + 1, 0)
        wanted = select(
            games.c.id, games.c.title, games.c.added_at, count, games.c.revision, games.c.settings
        )
        rows = connection.execute(wanted.where(*conditions).order_by(games.c.title, games.c.id)).all()
        return [GameRecord(*row[:5], json.loads(row[5])) for row in rows]


def opening_of(texts: Sequence[str]) -> str:
    """What tells the games apart that may be the same: the header's text, hashed."""
    first = next((text for text in texts if text.strip()), "")
    return sha256(first.rstrip("\r\n").encode()).hexdigest()


def _rows(content: bytes) -> list[str]:
    """The lines with their newlines; nothing else than a newline ends one."""
    rows = content.decode().split("\n")
    whole = [f"{row}\n" for row in rows[:-1]]
    return [*whole, rows[-1]] if rows[-1] else whole
