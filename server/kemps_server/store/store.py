"""The store: a database and the files beside it, opened once and shared by all who need it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from kemps_server.data_folder import DataFolder
from kemps_server.errors import StoreError
from kemps_server.store.acts import Acts
from kemps_server.store.choices import Choices
from kemps_server.store.clock import Clock, utc_now
from kemps_server.store.database import Database, open_postgres, open_sqlite
from kemps_server.store.decisions import Decisions
from kemps_server.store.games import Games
from kemps_server.store.sittings import Sittings
from kemps_server.store.tables import Tables
from kemps_server.store.tokens import Tokens
from kemps_server.store.upgrading import prepare
from kemps_server.store.users import Users

if TYPE_CHECKING:
    from kemps_vision.enrolment.store import DeckStore

if sys.platform != "win32":
    import fcntl

_LOCK: Final = ".opening"


class Store:
    """Games, tables, users, tokens and people's decisions of one data folder; a context manager."""

    def __init__(self, folder: DataFolder, database: Database, clock: Clock) -> None:
        self.folder = folder
        self.database = database
        self.games = Games(database, clock)
        self.tables = Tables(database, clock)
        self.sittings = Sittings(database, clock)
        self.users = Users(database, clock)
        self.tokens = Tokens(database, clock)
        self.decisions = Decisions(database)
        self.acts = Acts(database, clock)
        self.choices = Choices(database)
        self.clock = clock

    @property
    def decks(self) -> DeckStore:
        """The learnt decks, which are files."""
        from kemps_vision.enrolment.store import DeckStore  # noqa: PLC0415 - large, and rarely asked for

        return DeckStore(self.folder.decks)

    @classmethod
    def open(cls, folder: DataFolder, address: str | None = None, *, clock: Clock = utc_now) -> Self:
        """The store in a data folder, made when there is none and upgraded when it is older.

        Args:
            folder: Where files lie, and the database unless ``address`` is given.
            address: Of a PostgreSQL database.
            clock: What time it is, for the store's own notes.

        Raises:
            NewerStoreError: It was made by a newer program.
            KempsServerError: ``folder`` is a file, or ``address`` is none.
            StoreError: It cannot be made, read or upgraded.
        """
        folder.make()
        database = open_sqlite(folder.database) if address is None else open_postgres(address)
        try:
            with _alone(folder.root):
                prepare(database, folder.backups, clock)
        except BaseException:
            database.close()
            raise
        return cls(folder, database, clock)

    def close(self) -> None:
        """Let go of the database; closing twice does no harm."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Nobody else makes or upgrades a database in this folder meanwhile."""
    if sys.platform == "win32":
        yield
        return
    try:
        with (folder / _LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written ({(error.strerror or str(error)).lower()})") from error
