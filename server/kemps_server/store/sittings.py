"""Which game is played at which table: at most one at a time, and what was played there before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, insert, select

from kemps_server.errors import KempsServerError
from kemps_server.store.clock import Clock, stamp
from kemps_server.store.database import Database
from kemps_server.store.schema import sittings

_COLUMNS: Final = (sittings.c.game, sittings.c.table_name, sittings.c.begun_at, sittings.c.ended_at)


@dataclass(frozen=True, slots=True)
class Sitting:
    """A game at a table; ``ended_at`` is None for as long as it is played."""

    game: str
    table: str
    begun_at: str
    ended_at: str | None


class Sittings:
    """The sittings of a store."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def begin(self, table: str, game: str) -> Sitting:
        """The game is played at the table from now on.

        Raises:
            KempsServerError: Another game is played there, or this one was begun somewhere before.
            StoreError: The store refused.
        """
        with self._database.writing() as connection:
            wanted = select(*_COLUMNS).where(
                (sittings.c.game == game) | ((sittings.c.table_name == table) & sittings.c.ended_at.is_(None))
            )
            found = connection.execute(wanted).first()
            if found is not None:
                raise KempsServerError(f"game {found[0]!r} is played at table {found[1]!r}; end it first")
            sitting = Sitting(game, table, stamp(self._clock()), None)
            values = {"game": game, "table_name": table, "begun_at": sitting.begun_at}
            connection.execute(insert(sittings), values)
        return sitting

    def end(self, game: str) -> None:
        """The game is over; nothing happens when it was before, or never sat anywhere."""
        with self._database.writing() as connection:
            still = (sittings.c.game == game) & sittings.c.ended_at.is_(None)
            connection.execute(sittings.update().where(still).values(ended_at=stamp(self._clock())))

    def current(self, table: str) -> Sitting | None:
        """What is played at a table now, or None."""
        return next(iter(self._found((sittings.c.table_name == table) & sittings.c.ended_at.is_(None))), None)

    def latest(self, table: str) -> Sitting | None:
        """What is played at a table now, else what was played there last, or None."""
        return next(iter(self._found(sittings.c.table_name == table)), None)

    def of_game(self, game: str) -> Sitting | None:
        """Where a game is or was played, or None for one that was taken in from a file."""
        return next(iter(self._found(sittings.c.game == game)), None)

    def all(self) -> tuple[Sitting, ...]:
        """All of them, the last one begun first."""
        return self._found()

    def _found(self, *conditions: ColumnElement[bool]) -> tuple[Sitting, ...]:
        wanted = select(*_COLUMNS).where(*conditions).order_by(sittings.c.begun_at.desc(), sittings.c.game)
        with self._database.reading() as connection:
            return tuple(Sitting(*row) for row in connection.execute(wanted))
