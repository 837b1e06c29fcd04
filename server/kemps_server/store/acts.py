"""What referees did at the desk: written together with the lines it added, each act once.

Decisions themselves are lines of the journals. Here stands what has no place there: the key of each act, so
that one that is sent twice is done once, and opinions that are sealed until a second one is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Final

from sqlalchemy import Connection, func, insert, select

from kemps_rules.events import Event
from kemps_server.errors import KempsServerError
from kemps_server.store.checking import texts_of
from kemps_server.store.clock import Clock, stamp
from kemps_server.store.database import Database
from kemps_server.store.decisions import KINDS
from kemps_server.store.schema import acts, lines
from kemps_server.store.sql_journal import SqlJournal

WITHDRAWN: Final = "withdrawn"

_COLUMNS: Final = (
    acts.c.n,
    acts.c.game,
    acts.c.key,
    acts.c.digest,
    acts.c.person,
    acts.c.noted_at,
    acts.c.incident,
    acts.c.opinion,
    acts.c.why,
    acts.c.first,
    acts.c.count,
)


@dataclass(frozen=True, slots=True)
class ActRecord:
    """An act that was done; ``opinion`` is what was sealed, ``withdrawn``, or empty for an open act."""

    n: int
    game: str
    key: str
    digest: str
    person: str
    noted_at: str
    incident: str
    opinion: str
    why: str
    first: int
    count: int

    @property
    def lines(self) -> range:
        """The lines that it added to the journal."""
        return range(self.first, self.first + self.count)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAct:
    """An act to be done.

    Attributes:
        key: The client's own name for it.
        body: All that was sent, by which a second act under the same key is told from the same act again.
        person: Who does it.
        incident: What it is about.
        opinion: What it says, where it is sealed.
        why: The reason, where it is sealed.
        events: The lines it adds.
    """

    key: str
    body: str
    person: str
    incident: str = ""
    opinion: str = ""
    why: str = ""
    events: Sequence[Event] = ()

    @property
    def digest(self) -> str:
        """What tells this act from others under the same key."""
        return sha256(self.body.encode()).hexdigest()


class MeanwhileError(KempsServerError):
    """Somebody has decided something since it was looked; look again."""


class Acts:
    """The acts of a store."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def add(self, game: str, act: NewAct, *, seen_lines: int, seen_acts: int) -> ActRecord:
        """The act, done with all its lines or not at all; one that was done before is told, not done again.

        Args:
            game: Whose.
            act: What is done.
            seen_lines: How many lines the journal had when it was worked out what the act adds.
            seen_acts: The number of the last act known then.

        Raises:
            MeanwhileError: A person decided something since then, so it has to be worked out again.
            KempsServerError: The key belongs to another act, or there is no such game.
            JournalError: An event makes no sense.
            StoreError: The store refused.
        """
        journal = SqlJournal(self._database, game)
        with self._database.writing() as connection:
            first = journal.append_within(connection, []).start  # the game is locked from here on
            if (done := self._done(connection, game, act)) is not None:
                return done
            self._check(connection, game, seen_lines, seen_acts)
            added = journal.append_within(connection, texts_of(act.events, first))
            values = {
                "game": game,
                "key": act.key,
                "digest": act.digest,
                "person": act.person,
                "noted_at": stamp(self._clock()),
                "incident": act.incident,
                "opinion": act.opinion,
                "why": act.why,
                "first": added.start,
                "count": len(added),
            }
            connection.execute(insert(acts), values)
            return self._found(connection, game, act.key)[0]

    def find(self, game: str, act: NewAct) -> ActRecord | None:
        """The same act, if it was done before.

        Raises:
            KempsServerError: The key belongs to another act.
        """
        with self._database.reading() as connection:
            return self._done(connection, game, act)

    def of(self, game: str) -> tuple[ActRecord, ...]:
        """The acts in a game, in the order they were done."""
        with self._database.reading() as connection:
            return self._found(connection, game)

    def take_in(self, game: str, records: Sequence[ActRecord]) -> int:
        """How many acts of another store are new here; they stand behind those that were done here.

        Raises:
            StoreError: The store refused.
        """
        new = 0
        with self._database.writing() as connection:
            for record in records:
                if self._found(connection, game, record.key):
                    continue
                values = asdict(record) | {"game": game}
                del values["n"]
                connection.execute(insert(acts), values)
                new += 1
        return new

    def last(self) -> int:
        """The number of the last act in all games."""
        with self._database.reading() as connection:
            return connection.scalar(select(func.coalesce(func.max(acts.c.n), 0))) or 0

    def _done(self, connection: Connection, game: str, act: NewAct) -> ActRecord | None:
        found = self._found(connection, game, act.key)
        if found and found[0].digest != act.digest:
            raise KempsServerError("this key was given to another act; a new act needs a key of its own")
        return found[0] if found else None

    def _check(self, connection: Connection, game: str, seen_lines: int, seen_acts: int) -> None:
        decided = select(func.count()).where(
            lines.c.game == game, lines.c.n >= seen_lines, lines.c.kind.in_(KINDS)
        )
        acted = select(func.count()).where(acts.c.game == game, acts.c.n > seen_acts)
        if connection.scalar(decided) or connection.scalar(acted):
            raise MeanwhileError("somebody has decided something meanwhile; look again")

    @staticmethod
    def _found(connection: Connection, game: str, key: str | None = None) -> tuple[ActRecord, ...]:
        wanted = select(*_COLUMNS).where(acts.c.game == game)
        if key is not None:
            wanted = wanted.where(acts.c.key == key)
        return tuple(ActRecord(*row) for row in connection.execute(wanted.order_by(acts.c.n)))
