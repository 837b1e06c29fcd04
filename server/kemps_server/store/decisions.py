"""What people decided in stored games: lines of their journals, found without reading the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import select

from kemps_rules.decisions import DECISIONS
from kemps_rules.events import Event
from kemps_server.errors import KempsServerError
from kemps_server.store.database import Database
from kemps_server.store.journals import Line
from kemps_server.store.schema import lines
from kemps_server.store.sql_journal import SqlJournal

KINDS: Final = tuple(sorted(decision.kind for decision in DECISIONS))


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """A decision: where it stands and what it says; ``by`` is empty when nobody signed it."""

    game: str
    line: int
    event: Event
    by: str


class Decisions:
    """The decisions in a store's journals. Nothing is changed: taking one back is one more (``undone``)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, game: str, decision: Event) -> DecisionRecord:
        """The decision, which stands in the game's journal from now on.

        Raises:
            KempsServerError: There is no such game, or the event is no decision of a person.
            JournalError: It makes no sense.
            StoreError: The store refused.
        """
        if not isinstance(decision, DECISIONS):
            raise KempsServerError(f"a {decision.kind!r} event is no person's decision")
        line = SqlJournal(self._database, game).append(decision).start
        return DecisionRecord(game, line, decision, decision.by)

    def of(self, game: str | None = None) -> tuple[DecisionRecord, ...]:
        """The decisions in a game, or in all of them, in the order they were made in each."""
        wanted = select(lines.c.game, lines.c.n, lines.c.text).where(lines.c.kind.in_(KINDS))
        if game is not None:
            wanted = wanted.where(lines.c.game == game)
        with self._database.reading() as connection:
            rows = connection.execute(wanted.order_by(lines.c.game, lines.c.n)).all()
        return tuple(_record(name, Line(number, text)) for name, number, text in rows)


def _record(game: str, line: Line) -> DecisionRecord:
    event = line.event
    return DecisionRecord(game, line.number, event, getattr(event, "by", ""))
