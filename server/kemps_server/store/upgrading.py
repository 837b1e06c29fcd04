"""Databases that are new, old, or newer than this program: made, led to today's schema, or left alone."""

from __future__ import annotations

import logging
import re
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, inspect, text

from kemps_server.errors import NewerStoreError, StoreError
from kemps_server.store.clock import Clock
from kemps_server.store.database import Database, reason_of
from kemps_server.store.schema import HEAD

_VERSIONS: Final = "alembic_version"
_LOCK: Final = 0x4B454D50  # "KEMP": PostgreSQL's advisory lock while the schema changes
_KNOWN: Final = re.compile(r"\d{4}")

_log = logging.getLogger(__name__)


def prepare(database: Database, backups: Path, clock: Clock) -> None:
    """Lead the database to today's schema; nothing happens when it is there.

    An older SQLite database is copied into the folder ``backups`` first; the upgrade is one transaction, so
    that it is done or was never begun.

    Raises:
        NewerStoreError: It was made by a newer program.
        StoreError: It is none of ours, or cannot be read, copied or written.
    """
    with database.reading() as connection:
        found = _version(connection, database)
    if found == HEAD:
        return
    if found is not None and database.is_sqlite:
        copy = backups / f"kemps-{found}-{clock():%Y%m%dT%H%M%S}.sqlite"
        copy_database(Path(database.where), copy)
        _log.warning("the store is of version %s and becomes %s; as it was it lies in %s", found, HEAD, copy)
    with database.writing() as connection:
        if not database.is_sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        if _version(connection, database) != HEAD:  # nobody else did it in the meantime
            upgrade(connection)


def upgrade(connection: Connection, to: str = HEAD) -> None:
    """Take the steps to a version over this connection, in its transaction."""
    from alembic import command  # noqa: PLC0415 - most starts need no upgrade
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, to)


def copy_database(source: Path, target: Path) -> None:
    """A copy of an SQLite database as it is at one moment, also while others write it.

    Raises:
        StoreError: One of the two files refused; no half copy is left.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch(mode=0o600)
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True)) as old,
            closing(sqlite3.connect(target)) as new,
        ):
            old.backup(new)
            new.execute("PRAGMA journal_mode=DELETE")  # one file, whoever opens it
    except (sqlite3.Error, OSError) as error:
        with suppress(OSError):
            target.unlink(missing_ok=True)
        reason = reason_of(error) if isinstance(error, sqlite3.Error) else error.strerror or str(error)
        raise StoreError(f"{target}: the database could not be copied: {reason}; it is as it was") from error


def _version(connection: Connection, database: Database) -> str | None:
    """The version of the schema, or None for a database with nothing in it."""
    names = set(inspect(connection).get_table_names())
    if _VERSIONS not in names:
        if names:
            raise StoreError(f"{database.where}: holds tables of another program; kemps leaves it alone")
        return None
    row = connection.execute(text("SELECT version_num FROM alembic_version")).first()
    if row is None:
        return None
    found = str(row[0])
    if not _KNOWN.fullmatch(found) or found > HEAD:
        raise NewerStoreError(
            f"{database.where}: was made by a newer kemps (schema {found}; this one knows up to {HEAD}); "
            "update kemps, or restore an older backup into another folder"
        )
    return found
