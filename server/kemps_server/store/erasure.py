"""A name is replaced in all that the database holds, and its old bytes are taken out of the file.

This is the one place in which lines of journals are changed, and it changes nothing but a person's name: line
numbers, times and all else stay. It is done in one transaction.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Connection, Table, and_, select
from sqlalchemy.exc import DBAPIError

from kemps_server.store.database import Database
from kemps_server.store.games import opening_of
from kemps_server.store.schema import acts, games, lines, tables, tokens

_log = logging.getLogger(__name__)

Replace = Callable[[str], str]
_AT_ONCE: Final = 2000  # rows


@dataclass(frozen=True, slots=True)
class Replacement:
    """How texts change; each gives back what it was given where the name is not in it."""

    in_line: Replace
    in_text: Replace
    in_config: Replace


@dataclass(slots=True)
class Found:
    """Where the name stands: lines of each game by its id, and how many other places of each sort."""

    lines: dict[str, int] = field(default_factory=dict)
    titles: int = 0
    acts: int = 0
    tables: list[str] = field(default_factory=list)
    links: int = 0


def find_within(connection: Connection, new: Replacement) -> Found:
    """Where the name stands, with nothing changed."""
    return _walk(connection, new, changes=False)


def replace_within(connection: Connection, new: Replacement) -> Found:
    """Where the name stood; it is gone from there when the transaction ends."""
    found = _walk(connection, new, changes=True)
    for game in found.lines:
        first = select(lines.c.text).where(lines.c.game == game).order_by(lines.c.n)
        opening = opening_of([row[0] for row in connection.execute(first)])
        values = {"opening": opening, "revision": games.c.revision + 1}
        connection.execute(games.update().where(games.c.id == game).values(**values))
    return found


def compact(database: Database) -> bool:
    """Whether the old bytes are out of an SQLite file, which they are unless another program writes it."""
    if not database.is_sqlite:
        return False  # PostgreSQL does so by itself
    try:
        with closing(database.engine.raw_connection()) as connection:
            cursor = connection.cursor()
            cursor.execute("VACUUM")
            busy, _, _ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except (DBAPIError, OSError, database.engine.dialect.dbapi.Error) as error:  # type: ignore[union-attr]
        _log.warning("the database could not be compacted: %s", error)
        return False
    return not busy


def _walk(connection: Connection, new: Replacement, *, changes: bool) -> Found:
    found = Found()
    for key, _ in _changed(connection, lines, ("text",), new.in_line, changes=changes):
        found.lines[key["game"]] = found.lines.get(key["game"], 0) + 1
    found.titles = sum(1 for _ in _changed(connection, games, ("title",), new.in_text, changes=changes))
    found.acts = sum(1 for _ in _changed(connection, acts, ("person", "why"), new.in_text, changes=changes))
    found.links = sum(1 for _ in _changed(connection, tokens, ("label",), new.in_text, changes=changes))
    configs = _changed(connection, tables, ("config",), new.in_config, changes=changes)
    found.tables = [key["name"] for key, _ in configs]
    return found


def _changed(
    connection: Connection, table: Table, columns: Sequence[str], replace: Replace, *, changes: bool
) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    """The rows of a table with the name in these columns: what they are known by, and the new texts."""
    keys = [column.name for column in table.primary_key]
    wanted = select(*(table.c[name] for name in (*keys, *columns)))
    found = []
    for row in connection.execute(wanted).yield_per(_AT_ONCE):  # a season of games is more than memory holds
        old = dict(zip(columns, row[len(keys) :], strict=True))
        new = {name: replace(text) for name, text in old.items()}
        if new != old:
            found.append((dict(zip(keys, row, strict=False)), new))
    for key, new in found:
        if changes:
            is_this = and_(*(table.c[name] == value for name, value in key.items()))
            connection.execute(table.update().where(is_this).values(**new))
        yield key, new
