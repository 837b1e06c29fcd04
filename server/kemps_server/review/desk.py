"""The desk: incidents of all stored games in one queue, and acts on one of them at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from threading import Lock
from typing import Final

from kemps_rules.errors import KempsRulesError
from kemps_rules.events import Event, Json, Noted
from kemps_server.errors import KempsServerError
from kemps_server.review.acts import Act, Outcome, outcome_of
from kemps_server.review.called import call_incidents
from kemps_server.review.docket import Docket, Look
from kemps_server.review.flagged import flag_incidents
from kemps_server.review.incident import Incident, Sort, Standing, State
from kemps_server.review.opinions import sealed_on
from kemps_server.review.raw import check_raw, raw_decision, touched_by
from kemps_server.review.readings import reading_incidents
from kemps_server.review.standing import history_of, standing_of
from kemps_server.store.acts import ActRecord, MeanwhileError, NewAct
from kemps_server.store.games import GameRecord
from kemps_server.store.store import Store

NEWEST: Final = 25
"""So many games are looked at when none is named."""
MOST_KEPT: Final = 48
"""So many games are kept in memory: one of an hour takes some 5 MB, and 7 more once its lines are shown."""
_TRIES: Final = 8
_SORTS: Final = tuple(Sort)


class ConflictError(KempsServerError):
    """Somebody else decided about the same thing since the referee looked; nothing was written."""


class MissingError(KempsServerError):
    """There is no such game or incident."""


@dataclass(frozen=True, slots=True)
class Found:
    """A game as it stands, with its incidents: the heaviest first, then as they happened."""

    look: Look
    incidents: tuple[Incident, ...]

    def incident(self, name: str) -> Incident:
        """The incident of this name; one that has become part of another is that one.

        Raises:
            MissingError: There is none.
        """
        by_id = {one.id: one for one in self.incidents}
        by_name = {part: one for one in self.incidents for part in one.names}
        found = by_id.get(name) or by_name.get(name)
        if found is None:
            raise MissingError(f"there is no incident {name!r} in this game (any more)")
        return found


@dataclass(frozen=True, slots=True)
class Queue:
    """Games with their incidents.

    Attributes:
        version: Another text once anything in any game has changed.
        games: Those that were looked at.
        troubles: Why some of them cannot be judged.
        stored: All games of the store.
    """

    version: str
    games: tuple[Found, ...]
    troubles: Mapping[str, str]
    stored: tuple[GameRecord, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """An act that was done, now or before, and the game after it."""

    record: ActRecord
    found: Found
    is_repeat: bool


class Desk:
    """The desk of one store; safe for several threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        # By name and the moment it was stored: a name may be given again once its game is gone.
        self._dockets: dict[tuple[str, str], Docket] = {}
        self._found: dict[tuple[str, str], Found] = {}

    def version(self) -> str:
        """A text that is another one once anything in any game has changed."""
        return _version(self._store.games.all(), self._store.acts.last())

    def queue(self, game: str | None = None, *, newest: int = NEWEST) -> Queue:
        """The incidents of the games that are played or came last, or of one game.

        Args:
            game: Of this one only.
            newest: So many games besides those that are played: a season of them would take long to judge.

        Raises:
            MissingError: There is no such game.
            StoreError: The store cannot be read.
        """
        last = self._store.acts.last()
        records = self._store.games.all()
        if game is not None and all(record.id != game for record in records):
            raise MissingError(f"there is no stored game {game!r}; kemps import takes one in")
        self._forget(records)
        found, troubles = [], {}
        for record in self._wanted(records, game, newest):
            try:
                found.append(self._look(record))
            except (KempsRulesError, KempsServerError) as error:
                troubles[record.id] = str(error)
        return Queue(_version(records, last), tuple(found), troubles, records)

    def _wanted(self, records: tuple[GameRecord, ...], game: str | None, newest: int) -> list[GameRecord]:
        if game is not None:
            return [record for record in records if record.id == game]
        played = {sitting.game for sitting in self._store.sittings.all() if sitting.ended_at is None}
        latest = sorted(records, key=lambda record: (record.id in played, record.added_at), reverse=True)
        return latest[: newest + len(played)]

    def find(self, game: str) -> Found:
        """One game with its incidents.

        Raises:
            MissingError: There is no such game.
            KempsRulesError: Its journal cannot be judged.
            StoreError: The store cannot be read.
        """
        record = self._store.games.find(game)
        if record is None:
            raise MissingError(f"there is no stored game {game!r}; kemps import takes one in")
        return self._look(record)

    def act(self, game: str, name: str, act: Act, by: str) -> Done:
        """What ``by`` does about one incident.

        Raises:
            MissingError: There is no such game or incident.
            ConflictError: Somebody else decided about it since ``act.seen``.
            KempsServerError: It cannot be done to it as it stands.
            StoreError: The store refused.
        """
        body = json.dumps([name, asdict(replace(act, seen=None)), by])
        for _ in range(_TRIES):
            found = self.find(game)
            new = NewAct(key=act.key, body=body, person=by, incident=name)
            if (before := self._store.acts.find(game, new)) is not None:
                return Done(before, found, is_repeat=True)
            incident = found.incident(name)
            _check_seen(found.look, incident, act, by)
            outcome = outcome_of(found.look, incident, act, by)
            new = replace(new, incident=incident.id, opinion=outcome.opinion, why=_sealed_why(outcome, act))
            if (record := self._add(found.look, replace(new, events=outcome.events))) is not None:
                return Done(record, self.find(game), is_repeat=False)
        raise ConflictError("others decide too fast in this game; look again")

    def decide(self, game: str, data: Mapping[str, Json], *, by: str, key: str, seen: int | None) -> Done:
        """A decision that ``by`` wrote as a line of the journal: a correction, say.

        Raises:
            MissingError: There is no such game.
            ConflictError: Somebody else decided about the same line since the first ``seen`` lines.
            KempsServerError: It is no decision, or makes no sense in this game.
            StoreError: The store refused.
        """
        body = json.dumps([data, by], sort_keys=True)
        for _ in range(_TRIES):
            found = self.find(game)
            new = NewAct(key=key, body=body, person=by)
            if (before := self._store.acts.find(game, new)) is not None:
                return Done(before, found, is_repeat=True)
            decision = raw_decision(data, by, found.look)
            _check_lines(found.look, decision, seen, by)
            check_raw(found.look, found.incidents, decision)
            if (record := self._add(found.look, replace(new, events=[decision]))) is not None:
                return Done(record, self.find(game), is_repeat=False)
        raise ConflictError("others decide too fast in this game; look again")

    def _add(self, look: Look, new: NewAct) -> ActRecord | None:
        """The act, done; None when somebody decided something since the game was looked at."""
        try:
            return self._store.acts.add(look.game, new, seen_lines=look.lines, seen_acts=look.last_act)
        except MeanwhileError:
            return None

    def _look(self, record: GameRecord) -> Found:
        key = record.id, record.added_at
        with self._lock:
            docket = self._dockets.pop(key, None) or Docket(self._store, record.id)
            self._dockets[key] = docket  # the last one used is the last one here
            for old in list(self._dockets)[:-MOST_KEPT]:
                del self._dockets[old]
                self._found.pop(old, None)
        look = docket.look(record)
        kept = self._found.get(key)
        if kept is None or kept.look is not look:
            kept = self._found[key] = Found(look, incidents_of(look))
        return kept

    def _forget(self, records: tuple[GameRecord, ...]) -> None:
        """Let go of games that are no longer in the store."""
        names = {(record.id, record.added_at) for record in records}
        with self._lock:
            for gone in self._dockets.keys() - names:
                del self._dockets[gone]
                self._found.pop(gone, None)


def incidents_of(look: Look) -> tuple[Incident, ...]:
    """The incidents of a game as they stand, the heaviest first, then as they happened."""
    every = [*call_incidents(look), *flag_incidents(look), *reading_incidents(look)]
    placed = [replace(one, standing=_with_seal(look, one, standing_of(look, one))) for one in every]
    return tuple(sorted(placed, key=lambda one: (-one.weight, _SORTS.index(one.sort), one.at_ms, one.id)))


def _with_seal(look: Look, incident: Incident, standing: Standing) -> Standing:
    sealed = sealed_on(look.acts, incident)
    if sealed is None or standing.state is State.DECIDED:
        return standing
    return Standing(state=State.SEALED, by=sealed.person, line=standing.line)


def _sealed_why(outcome: Outcome, act: Act) -> str:
    return act.why if outcome.opinion else ""


def _check_seen(look: Look, incident: Incident, act: Act, by: str) -> None:
    """Nothing, when nobody else decided about the incident since the referee looked."""
    if act.seen is None or act.word == "note":
        return
    for entry in history_of(look, incident):
        who = getattr(entry.event, "by", "")
        if entry.line >= act.seen and not isinstance(entry.event, Noted) and who != by:
            raise ConflictError(f"decided meanwhile by {who or 'somebody'}; look at it as it stands now")


def _check_lines(look: Look, decision: Event, seen: int | None, by: str) -> None:
    """Nothing, when nobody else decided about the same lines since the referee looked."""
    if seen is None:
        return
    mine = touched_by(decision)
    for line, other in look.decisions:
        who = getattr(other, "by", "")
        if line >= seen and mine & touched_by(other) and who != by:
            raise ConflictError(
                f"line {min(mine) + 1} was changed meanwhile by {who or 'somebody'}; look at it again"
            )


def _version(records: tuple[GameRecord, ...], last_act: int) -> str:
    state = [last_act, *((record.id, record.lines, record.revision) for record in records)]
    return sha256(repr(state).encode()).hexdigest()[:16]
