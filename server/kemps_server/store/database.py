"""Connections to the database, transactions, and its refusals said in one line.

SQLite runs with a write-ahead log and ``synchronous=FULL``: readers never wait for the writer, and a commit
has reached the disk when it returns. Transactions are begun by hand, because the driver would begin them
late: a writer takes the write lock first (``BEGIN IMMEDIATE``), so that no two read the same last number.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Condition, Lock
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from kemps_server.errors import KempsServerError, StoreError

BUSY_S: Final = 5.0  # how long a writer waits for another
_MOST_CONNECTIONS: Final = 40  # as many as the server has threads
_WRITES: Final = "kemps_writes"
_PRAGMAS: Final = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
)
_SQLITE_REASONS: Final = {
    "SQLITE_FULL": "the disk is full; make room and try again",
    "SQLITE_BUSY": f"another program has been writing it for {BUSY_S:g} s; try again when it is done",
    "SQLITE_LOCKED": "another program is writing it; try again when it is done",
    "SQLITE_READONLY": "it may not be written; look at the rights of the folder and the file",
    "SQLITE_CANTOPEN": "it cannot be opened; look at the rights of the folder and the file",
    "SQLITE_PERM": "it may not be opened; look at the rights of the folder and the file",
    "SQLITE_CORRUPT": "it is damaged; keep it, and put the last backup in a new folder with kemps restore",
    "SQLITE_NOTADB": "it is no database of kemps, or damaged; move it away, or put a backup in a new folder "
    "with kemps restore",
    "SQLITE_IOERR": "the disk failed or is full; what was acknowledged before is kept",
}
_POSTGRES_REASONS: Final = {
    "53100": "the server's disk is full",
    "53300": "the server takes no more connections",
    "25006": "the server may only be read",
    "28P01": "the server refuses the password",
    "3D000": "there is no such database on the server",
    "55P03": "another program is writing it; try again when it is done",
}


class Database:
    """An SQLite file or a PostgreSQL database; safe for use from several threads."""

    def __init__(self, engine: Engine, where: str) -> None:
        self.engine = engine
        self.where = where
        self.changed = Condition()
        self._watching: sqlite3.Connection | None = None
        self._watched = Lock()

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file of ours."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database.

        Raises:
            StoreError: The database refused.
        """
        with self._telling(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that alone may write; it is on disk when this ends, or has never been.

        Raises:
            StoreError: The database refused; nothing was written.
        """
        with self._telling(), self.engine.connect() as plain:
            connection = plain.execution_options(**{_WRITES: True})
            with connection.begin():
                yield connection
        with self.changed:
            self.changed.notify_all()

    def version(self) -> int | None:
        """A number that is another one once anything was written, in whatever process; None for PostgreSQL.

        It costs a hundredth of a query, so that many can look often whether there is something new.

        Raises:
            StoreError: The database refused.
        """
        if not self.is_sqlite:
            return None
        with self._telling(), self._watched:
            if self._watching is None:
                # A connection that never writes: SQLite counts what all others do.
                path = self.engine.url.database or ""
                self._watching = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            return int(self._watching.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        """Let go of all connections."""
        with self._watched:
            if self._watching is not None:
                self._watching.close()
                self._watching = None
        self.engine.dispose()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise StoreError(f"{self.where}: {reason_of(error.orig)}") from error
        except sqlite3.Error as error:
            raise StoreError(f"{self.where}: {reason_of(error)}") from error


def open_sqlite(path: Path) -> Database:
    """The database in a file, which is made when there is none, for its owner alone to read."""
    with suppress(OSError):  # said by SQLite, with the rest that can be wrong
        path.touch(mode=0o600)  # also what lies beside it while it is open gets these rights
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": BUSY_S},
        pool_size=5,
        max_overflow=_MOST_CONNECTIONS - 5,
    )
    event.listen(engine, "connect", _prepare_connection)
    event.listen(engine, "begin", _begin)
    return Database(engine, str(path))


def open_postgres(address: str) -> Database:
    """The database at an address such as ``postgresql://kemps:secret@localhost/kemps``.

    Raises:
        KempsServerError: That is no such address, or the driver is not installed.
    """
    try:
        url = make_url(address)
    except ArgumentError:
        raise KempsServerError(
            "KEMPS_DATABASE: no address of a database; write postgresql://USER:PASSWORD@HOST/NAME"
        ) from None
    if url.drivername not in {"postgresql", "postgres", "postgresql+psycopg"}:
        raise KempsServerError(
            f"KEMPS_DATABASE: {url.drivername} is no database that kemps knows; write "
            "postgresql://USER:PASSWORD@HOST/NAME, or unset it to use SQLite"
        )
    try:
        engine = create_engine(
            url.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,
            pool_size=5,
            max_overflow=_MOST_CONNECTIONS - 5,
            connect_args={"connect_timeout": round(BUSY_S)},
        )
    except (ImportError, NoSuchModuleError):
        raise KempsServerError(
            "KEMPS_DATABASE: PostgreSQL needs a driver; install it with: pip install 'kemps[postgres]'"
        ) from None
    return Database(engine, url.set(password=None).render_as_string())


def reason_of(error: BaseException | None) -> str:
    """Why the database refused, and what to do, in one line."""
    if isinstance(error, sqlite3.Error):
        name = getattr(error, "sqlite_errorname", "") or ""
        known = next((text for code, text in _SQLITE_REASONS.items() if name.startswith(code)), None)
        return known or " ".join(str(error).split())
    state = getattr(error, "sqlstate", None)
    if isinstance(state, str) and state in _POSTGRES_REASONS:
        return _POSTGRES_REASONS[state]
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return f"the server refused: {lines[0]}"


def _prepare_connection(connection: Any, _record: object) -> None:  # noqa: ANN401 - the driver's own type
    connection.isolation_level = None  # transactions are begun by _begin
    cursor = connection.cursor()
    try:
        for pragma in _PRAGMAS:
            cursor.execute(pragma)
    finally:
        cursor.close()


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
