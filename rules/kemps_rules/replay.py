"""The one walk that live play, the replay page and tests share: events in, steps with their consequences out.

Lines come in the order of knowledge, the table is the fold in the order of time. A line about the past, or a
person's decision about an earlier line, takes the fold back to a state kept from before, and on from there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from kemps_rules.decisions import DECISIONS, Plan, check_decision, plan_of
from kemps_rules.errors import HouseError, JournalError
from kemps_rules.events import DealStarted, Event, GameOpened, Inserted, SeatChanged
from kemps_rules.flags import Flag
from kemps_rules.fold import Fold
from kemps_rules.house import PRESETS, House, house_from
from kemps_rules.journal import Journal, check_seats
from kemps_rules.judgement import Judgement, counted, judgement_of, outcome_of, with_review
from kemps_rules.score import Score
from kemps_rules.seats import Pair, seats_of
from kemps_rules.table import Table
from kemps_rules.verdict import Verdict

STRIDE: Final = 64
"""While a game is live a state is kept each so many events: going back costs at most as many again."""
KEPT: Final = 8
"""So many of these states are kept, besides one for the start of each deal."""

Entry: TypeAlias = tuple[int, int, Event]
"""When, the line, and the event as it stands after people's decisions."""


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the journal and the game after it.

    ``flags`` are new with this line, ``withdrawn`` no longer hold. ``verdict`` is the running deal's,
    provisional until vision has settled past the call; ``letters`` count it already.
    """

    line: int
    event: Event
    table: Table
    flags: tuple[Flag, ...]
    withdrawn: tuple[Flag, ...]
    verdict: Verdict | None
    letters: Mapping[Pair, str]


@dataclass(frozen=True, slots=True)
class _Earlier:
    """What the deals before the running one have come to, and for which state of the replay that holds."""

    key: tuple[int, int, int]
    score: Score
    flags: dict[Flag, None]
    withdrawn: frozenset[tuple[str, int]]


class Replay:
    """A game being followed. Take lines with ``push``; it can be copied or pickled at any line and go on.

    Raises:
        HouseError: The header's house rules make no sense.
        JournalError: A line cannot be used at this table or points at nothing; the replay is then as before.
    """

    def __init__(self, header: GameOpened, house: House | None = None, line: int = 0) -> None:
        self.header = header
        self.house = house_of(header) if house is None else house
        self.house.stock_after_deal(len(header.seats))
        self._lines: dict[int, Event] = {line: header}
        self._decisions: list[tuple[int, Event]] = []
        self._plan = Plan()
        self._sorted: list[Entry] = []
        self._done = 0
        self._fold = Fold(header, self.house)
        self._starts: list[tuple[int, Fold]] = []
        self._lately: list[tuple[int, Fold]] = []
        self._rewound = 0
        self._earlier = _Earlier((0, 0, 0), Score.at_start(header, self.house), {}, frozenset())
        self._flags: tuple[_Earlier, dict[Flag, None]] = (self._earlier, {})

    def extend(self, lines: Iterable[tuple[int, Event]]) -> None:
        """Take many lines at once: people's decisions are worked out once and the fold runs once."""
        known, decisions = dict(self._lines), list(self._decisions)
        for line, event in lines:
            self._check(line, event, known)
            known[line] = event
            if isinstance(event, DECISIONS):
                decisions.append((line, event))
        plan = plan_of(decisions)
        entries = [
            self._entry(plan, line, event) for line, event in known.items() if event is not self.header
        ]
        self._sorted = sorted((entry for entry in entries if entry is not None), key=_when)
        self._lines, self._decisions, self._plan = known, decisions, plan
        self._rewind(0)

    def push(self, line: int, event: Event) -> Step:
        """Take a line and tell what it did."""
        self._check(line, event, self._lines)
        if isinstance(event, DECISIONS):
            self._decide(line, event)
        else:
            self._change({line: (None, self._entry(self._plan, line, event))})
        self._lines[line] = event
        self._catch_up(is_live=True)
        return self.step(line, event)

    def judgement(self, *, is_final: bool = True) -> Judgement:
        """The judgement on all lines so far; ``is_final`` when no more will come."""
        self._catch_up(is_live=False)
        score = Score.at_start(self.header, self.house)
        return judgement_of(self._fold, self._plan, score, is_final=is_final)

    def step(self, line: int, event: Event) -> Step:
        """The game as it stands, told as the consequence of a line."""
        fold, deal, earlier = self._fold, self._fold.deal, self._look_back()
        score, now, verdict = earlier.score.copy(), dict[Flag, None](), None
        if deal is not None:
            outcome = outcome_of(fold, deal, self._plan, is_final=False)
            verdict = with_review(counted(score, outcome.verdict), self._plan)
            gone = deal.withdrawn | earlier.withdrawn
            now = dict.fromkeys(flag for flag in (*deal.flags, *outcome.flags) if _key(flag) not in gone)
        old_earlier, old = self._flags
        self._flags = (earlier, now)
        if old_earlier is not earlier:
            now, old = earlier.flags | now, old_earlier.flags | old
        return Step(
            line=line,
            event=event,
            table=fold.table(),
            flags=tuple(flag for flag in now if flag not in old),
            withdrawn=tuple(flag for flag in old if flag not in now),
            verdict=verdict,
            letters=score.letters,
        )

    def _check(self, line: int, event: Event, known: Mapping[int, Event]) -> None:
        if line in known:
            raise JournalError("there is such a line already", line + 1)
        if isinstance(event, GameOpened):
            raise JournalError("a second header; one journal holds one game", line + 1)
        check_seats(event, self.header.seats, line)
        if isinstance(event, DECISIONS):
            check_decision(line, event, known)

    def _entry(self, plan: Plan, line: int, event: Event) -> Entry | None:
        """The line's place and event under a plan; None when it is none of the table's."""
        standing = plan.effective(line, event)
        if standing is None:
            return None
        if standing is not event:
            check_seats(standing, self.header.seats, plan.corrected_at(line))
        return (standing.at_ms, line, standing)

    def _decide(self, line: int, event: Event) -> None:
        decisions = [*self._decisions, (line, event)]
        plan = plan_of(decisions)
        changes = {
            number: (self._entry(self._plan, number, known), self._entry(plan, number, known))
            for number, known in self._affected(plan)
        }
        if isinstance(event, Inserted | SeatChanged):
            changes[line] = (None, self._entry(plan, line, event))
        self._decisions, self._plan = decisions, plan
        self._change(changes)

    def _affected(self, plan: Plan) -> Iterator[tuple[int, Event]]:
        """The lines that may stand differently under a new plan."""
        if plan.swaps != self._plan.swaps:
            yield from ((line, event) for line, event in self._lines.items() if event is not self.header)
            return
        touched = plan.touched(self._plan)
        yield from ((line, self._lines[line]) for line in sorted(touched) if line in self._lines)

    def _change(self, changes: Mapping[int, tuple[Entry | None, Entry | None]]) -> None:
        """Replace entries of the walk by others and go back to before the first of them."""
        first = len(self._sorted)
        for old, new in changes.values():
            if old == new:
                continue
            if old is not None:
                place = bisect_left(self._sorted, _when(old), key=_when)
                del self._sorted[place]
                first = min(first, place)
            if new is not None:
                place = bisect_left(self._sorted, _when(new), key=_when)
                self._sorted.insert(place, new)
                first = min(first, place)
        if first < self._done:
            self._rewind(first)

    def _rewind(self, place: int) -> None:
        """Go back to the latest state kept from at or before a place of the walk."""
        for kept in (self._lately, self._starts):
            while kept and kept[-1][0] > place:
                kept.pop()
        states = [kept[-1] for kept in (self._lately, self._starts) if kept]
        self._done, fold = max(states, key=lambda state: state[0], default=(0, Fold(self.header, self.house)))
        self._fold = fold.copy()
        self._rewound += 1

    def _catch_up(self, *, is_live: bool) -> None:
        """Fold what has not been folded; a live game keeps states on the way."""
        fold, entries = self._fold, self._sorted
        for number in range(self._done, len(entries)):
            _, line, event = entries[number]
            fold.apply(line, event)
            if is_live and type(event) is DealStarted:
                self._starts.append((number + 1, fold.copy()))
            elif is_live and (number + 1) % STRIDE == 0:
                self._lately = [*self._lately[1 - KEPT :], (number + 1, fold.copy())]
        self._done = len(entries)

    def _look_back(self) -> _Earlier:
        fold = self._fold
        key = (self._rewound, len(fold.closed), len(self._decisions))
        if self._earlier.key != key:
            score = Score.at_start(self.header, self.house)
            flags = list(fold.before)
            for deal in fold.closed:
                outcome = outcome_of(fold, deal, self._plan, is_final=False)
                counted(score, outcome.verdict)
                flags += [*deal.flags, *outcome.flags]
            gone = frozenset[tuple[str, int]]().union(*(deal.withdrawn for deal in fold.deals))
            kept = dict.fromkeys(flag for flag in flags if _key(flag) not in gone)
            self._earlier = _Earlier(key, score, kept, gone)
        return self._earlier


def _when(entry: Entry) -> tuple[int, int]:
    return entry[:2]


def _key(flag: Flag) -> tuple[str, int]:
    return (flag.rule, flag.events[0])


def house_of(header: GameOpened) -> House:
    """The rules a game was opened with: the header's switches, else the preset it names.

    Raises:
        HouseError: The name is no preset and no switches are given, or the switches make no sense.
    """
    is_preset = header.rules in PRESETS
    if header.house is None:
        if not is_preset:
            raise HouseError(
                f"the header names no switches, and {header.rules!r} is none of {', '.join(PRESETS)}"
            )
        return House.preset(header.rules)
    base = {"preset": header.rules} if is_preset else {}
    return house_from(base | header.house, name=header.rules, source="the header's house rules")


def replay(events: Iterable[Event], house: House | None = None) -> Iterator[Step]:
    """A step for each event, the header's first; ``events`` may be endless.

    Events without a header are taken to be of a table of four under the leaflet's rules. A list's positions
    are the line numbers, a ``Journal`` brings its own.
    """
    walk: Replay | None = None
    for line, event in _numbered(events):
        if walk is None and isinstance(event, GameOpened):
            walk = Replay(event, house, line)
            yield walk.step(line, event)
            continue
        if walk is None:
            walk = Replay(_four(), house, -1)
        yield walk.push(line, event)


def judge(events: Iterable[Event], house: House | None = None) -> Judgement:
    """The judgement on a whole game; takes what ``replay`` takes, in time that grows with its length only."""
    numbered = iter(_numbered(events))
    first = next(numbered, None)
    if first is not None and isinstance(first[1], GameOpened):
        walk = Replay(first[1], house, first[0])
        walk.extend(numbered)
    else:
        walk = Replay(_four(), house, -1)
        walk.extend((*(() if first is None else (first,)), *numbered))
    return walk.judgement()


def _numbered(events: Iterable[Event]) -> Iterable[tuple[int, Event]]:
    return events.numbered if isinstance(events, Journal) else enumerate(events)


def _four() -> GameOpened:
    return GameOpened(at_ms=0, seats={seat: f"Player {seat}" for seat in seats_of(4)})
