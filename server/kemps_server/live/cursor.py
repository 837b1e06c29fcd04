"""A game followed line by line: the table, what it has come to, and what was corrected on the way."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from kemps_rules.decisions import DECISIONS, Plan, plan_of
from kemps_rules.errors import KempsRulesError
from kemps_rules.events import Called, Event, GameClosed, GameOpened, HandShown, Settled
from kemps_rules.house import House
from kemps_rules.judgement import Judgement
from kemps_rules.replay import Replay
from kemps_rules.seats import Seat
from kemps_rules.table import Table
from kemps_server.store.journals import Line
from kemps_vision.hearing.gate import is_heard, is_unconfirmed

_log = logging.getLogger(__name__)

_RULINGS: Final = ("right", "wrong")
_MOST_NOTES: Final = 8


@dataclass(frozen=True, slots=True)
class Note:
    """Something that had been told and now stands otherwise.

    Attributes:
        what: ``verdict``, ``letters``, ``centre`` or ``seats``.
        deal: In which deal.
        by_person: Whether a person decided so; else more was seen, later.
        was: What a verdict was before: a ruling, or empty where there was none.
        now: What it is now.
    """

    what: str
    deal: int
    by_person: bool
    was: str = ""
    now: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """A game after some line: what states are made of."""

    game: str
    header: GameOpened
    house: House
    table: Table
    judgement: Judgement
    shown: Mapping[Seat, HandShown]
    settled: Mapping[str, int]
    notes: Mapping[int, Note]
    lines: int
    last_ms: int
    is_closed: bool
    heard: frozenset[int] = frozenset()
    """Lines of the calls that were heard and that nobody has confirmed."""


class Cursor:
    """A place in a game's journal; it takes the lines in their order, each once."""

    def __init__(self, game: str) -> None:
        self._game = game
        self._walk: Replay | None = None
        self._events: dict[int, Event] = {}
        self._decisions: list[tuple[int, Event]] = []
        self._plan = Plan()
        self._settled: dict[str, int] = {}
        self._notes: dict[int, Note] = {}
        self._noted = 0
        self._last_ms = 0
        self._closings: list[int] = []
        self._heard: list[int] = []
        self._table: Table | None = None
        self._seen: Seen | None = None
        self.position = 0
        """The number of the next line."""
        self.problems = 0
        """How many lines could not be used."""

    @property
    def seen(self) -> Seen | None:
        """The game as it stands; None before its header."""
        return self._seen

    def load(self, lines: Sequence[Line]) -> None:
        """Take many lines at once; nothing of them is told as a correction."""
        events = [(line.number, line.event) for line in lines if not line.is_blank]
        number, header = events[0] if events else (0, None)
        if self._walk is None and isinstance(header, GameOpened):
            self._open(number, header)
            del events[0]
        if self._walk is not None:
            try:
                self._walk.extend(events)
            except KempsRulesError:  # one of them; the rest is to be seen nevertheless
                for number, event in events:
                    self._push(number, event)
            for number, event in events:
                self._keep(number, event)
            self._walk.judgement(is_final=False)  # many lines are folded only when somebody asks
            self._table = self._walk.step(-1, self._walk.header).table
        self._look(lines)

    def take(self, line: Line) -> None:
        """Take one line; what it makes of things told before is noted."""
        before, event = self._seen, None if line.is_blank else line.event
        if event is not None and self._walk is None and isinstance(event, GameOpened):
            self._open(line.number, event)
        elif event is not None and self._walk is not None and self._push(line.number, event):
            self._keep(line.number, event)
        self._look((line,))
        if before is not None and self._seen is not None:
            self._note(notes_between(before, self._seen, by_person=isinstance(event, DECISIONS)))

    def _open(self, number: int, header: GameOpened) -> None:
        try:
            self._walk = Replay(header, line=number)
            self._table = self._walk.step(number, header).table
        except KempsRulesError as error:
            self.problems += 1
            _log.warning("game %s cannot be told: %s", self._game, error)

    def _push(self, number: int, event: Event) -> bool:
        assert self._walk is not None  # noqa: S101 - for the type checker; only called with one
        try:
            self._table = self._walk.push(number, event).table
        except KempsRulesError as error:
            self.problems += 1
            _log.warning("game %s, line %d is left out: %s", self._game, number + 1, error)
            return False
        return True

    def _keep(self, number: int, event: Event) -> None:
        self._events[number] = event
        self._last_ms = max(self._last_ms, event.at_ms)
        if isinstance(event, DECISIONS):
            self._decisions.append((number, event))
            self._plan = plan_of(self._decisions)
        elif isinstance(event, Settled):
            self._settled[event.camera] = max(event.at_ms, self._settled.get(event.camera, 0))
        if isinstance(getattr(event, "as_event", event), GameClosed):
            self._closings.append(number)
        if isinstance(event, Called) and is_heard(event):
            self._heard.append(number)

    def _look(self, lines: Iterable[Line]) -> None:
        self.position = max((line.number + 1 for line in lines), default=self.position)
        if self._walk is None or self._table is None:
            return
        judgement = self._walk.judgement(is_final=False)
        self._seen = Seen(
            game=self._game,
            header=self._walk.header,
            house=self._walk.house,
            table=self._table,
            judgement=judgement,
            shown=self._shown(judgement),
            settled=dict(self._settled),
            notes=dict(self._notes),
            lines=self.position,
            last_ms=self._last_ms,
            is_closed=any(
                self._plan.effective(number, self._events[number]) is not None for number in self._closings
            ),
            heard=frozenset(number for number in self._heard if self._is_unconfirmed(number)),
        )

    def _is_unconfirmed(self, number: int) -> bool:
        call = self._plan.effective(number, self._events[number])
        return isinstance(call, Called) and is_unconfirmed(call)

    def _shown(self, judgement: Judgement) -> dict[Seat, HandShown]:
        """The hands that the last verdict stands on, as they are after corrections."""
        verdict = judgement.deals[-1].verdict if judgement.deals else None
        found: dict[Seat, HandShown] = {}
        for number in () if verdict is None else verdict.evidence:
            event = self._events.get(number)
            standing = None if event is None else self._plan.effective(number, event)
            if isinstance(standing, HandShown) and standing.seat is not None:
                found[standing.seat] = standing
        return found

    def _note(self, notes: Iterable[Note]) -> None:
        for note in notes:
            self._noted += 1
            self._notes[self._noted] = note
        while len(self._notes) > _MOST_NOTES:
            del self._notes[min(self._notes)]
        if self._seen is not None:
            self._seen = replace(self._seen, notes=dict(self._notes))


def notes_between(before: Seen, now: Seen, *, by_person: bool) -> Iterable[Note]:
    """What was told before and stands otherwise now, by a decision or by what was seen later."""
    deal = now.table.deal
    old = {result.deal: result for result in before.judgement.deals}
    is_corrected = False
    for result in now.judgement.deals:
        if result.deal not in old:
            continue
        was, verdict = old[result.deal].verdict, result.verdict
        ruling, earlier = "" if verdict is None else verdict.ruling, "" if was is None else was.ruling
        is_told = by_person or earlier in _RULINGS or (was is not None and not was.is_provisional)
        if ruling != earlier and earlier and is_told:
            is_corrected = True
            yield Note("verdict", result.deal, by_person, earlier, ruling)
    if not by_person:
        return
    if before.judgement.letters != now.judgement.letters and not is_corrected:
        yield Note("letters", deal, by_person)
    if sorted(map(str, before.table.centre)) != sorted(map(str, now.table.centre)):
        yield Note("centre", deal, by_person)
    if before.table.players != now.table.players:
        yield Note("seats", deal, by_person)
