"""A stored game as its judge sees it: the journal read once, then followed line by line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock

from kemps_rules.decisions import DECISIONS, Plan, plan_of
from kemps_rules.events import Event, GameClosed, GameOpened, Inserted
from kemps_rules.journal import Journal
from kemps_rules.judgement import Judgement
from kemps_rules.replay import Replay
from kemps_server.errors import KempsServerError
from kemps_server.page.moments import Moment, moments_of
from kemps_server.page.narration import Narrator
from kemps_server.page.words import Phrase
from kemps_server.store.acts import ActRecord
from kemps_server.store.games import GameRecord
from kemps_server.store.names import plain
from kemps_server.store.store import Store


@dataclass(frozen=True)
class Look:
    """A game at one moment: all that was known of it after so many lines."""

    record: GameRecord
    header: GameOpened
    events: Mapping[int, Event]
    written_ms: Mapping[int, int]
    judgement: Judgement
    acts: tuple[ActRecord, ...]
    is_final: bool

    @property
    def game(self) -> str:
        """The game's id."""
        return self.record.id

    @property
    def lines(self) -> int:
        """How many lines the journal has."""
        return self.record.lines

    @property
    def last_act(self) -> int:
        """The number of the last act in this game."""
        return self.acts[-1].n if self.acts else 0

    @property
    def latest_ms(self) -> int:
        """When the last thing happened that the journal tells."""
        return max(event.at_ms for event in self.events.values())

    @cached_property
    def decisions(self) -> tuple[tuple[int, Event], ...]:
        """What people decided, with its lines, also what was undone."""
        return tuple((line, event) for line, event in self.events.items() if isinstance(event, DECISIONS))

    @cached_property
    def plan(self) -> Plan:
        """What the decisions that stand come to."""
        return plan_of(self.decisions)

    @cached_property
    def standing(self) -> tuple[tuple[int, Event], ...]:
        """The decisions that were not undone."""
        return tuple((line, event) for line, event in self.decisions if line not in self.plan.undone)

    @cached_property
    def moments(self) -> tuple[Moment, ...]:
        """Each line in the order of time, with the table just after it."""
        return moments_of(Journal(tuple(self.events.values()), tuple(self.events)))

    def effective(self, line: int) -> Event | None:
        """The event of a line as it stands; None when there is none, or when it was taken out."""
        event = self.events.get(line)
        return None if event is None else self.plan.effective(line, event)

    @cached_property
    def narrator(self) -> Narrator:
        """Tells events with the names of this table's players."""
        return Narrator({seat: plain(name) or seat for seat, name in self.header.seats.items()})

    def telling(self, line: int) -> Phrase:
        """The sentence of a line, also of one that was taken out."""
        event = self.effective(line) or self.events[line]
        told = event.as_event if isinstance(event, Inserted) else event
        return self.narrator.tell(told, deal=0)

    def name(self, seat: str | None) -> str:
        """Who sits there."""
        return plain(self.header.seats.get(seat, seat)) if seat is not None else ""


class Docket:
    """Follows one game; safe for several threads."""

    def __init__(self, store: Store, game: str) -> None:
        self._store = store
        self._game = game
        self._lock = Lock()
        self._replay: Replay | None = None
        self._events: dict[int, Event] = {}
        self._written: dict[int, int] = {}
        self._count = 0
        self._is_closed = False
        self._revision = 0
        self._look: Look | None = None

    def look(self, record: GameRecord) -> Look:
        """The game as it stands now.

        Args:
            record: The game's, just read.

        Raises:
            KempsRulesError: The journal cannot be judged.
            KempsServerError: It has no header.
            StoreError: The store cannot be read.
        """
        with self._lock:
            if record.revision != self._revision:  # lines were rewritten to forget a person
                self._forget(record.revision)
            try:
                replay = self._read_on(record)
            except BaseException:
                self._forget(record.revision)  # it may have come half way
                raise
            acts, is_final = self._store.acts.of(self._game), self._is_final()
            kept = self._look
            if kept is None or kept.lines != self._count or (kept.acts, kept.is_final) != (acts, is_final):
                kept = self._look = Look(
                    record=replace(record, lines=self._count),
                    header=replay.header,
                    events=dict(self._events),
                    written_ms=dict(self._written),
                    judgement=replay.judgement(is_final=is_final),
                    acts=acts,
                    is_final=is_final,
                )
            return kept

    def _forget(self, revision: int) -> None:
        self._replay, self._look, self._count, self._revision = None, None, 0, revision
        self._events, self._written, self._is_closed = {}, {}, False

    def _read_on(self, record: GameRecord) -> Replay:
        replay = self._replay
        if replay is not None and record.lines <= self._count:
            return replay
        found = self._store.games.journal(record.id).read(self._count)
        new = [(line.number, line.event) for line in found if not line.is_blank]
        if replay is None:
            if not new or not isinstance(new[0][1], GameOpened):
                raise KempsServerError("the journal has no header, so there is no game to look at")
            replay = Replay(new[0][1], line=new[0][0])
            replay.extend(new[1:])
        else:
            for number, event in new:
                replay.push(number, event)
        self._replay = replay
        self._is_closed = self._is_closed or any(isinstance(event, GameClosed) for _, event in new)
        self._events |= dict(new)
        self._written |= {line.number: line.written_ms for line in found}
        self._count = found[-1].number + 1 if found else self._count
        return replay

    def _is_final(self) -> bool:
        """Whether no more is to come: what is provisional in a game that goes on is settled then."""
        if self._is_closed:
            return True
        sitting = self._store.sittings.of_game(self._game)
        return sitting is None or sitting.ended_at is not None
