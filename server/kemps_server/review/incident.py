"""An incident: one thing at a table that is worth a person's look, however often it was noticed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

from kemps_server.page.words import Phrase


class Sort(StrEnum):
    """What an incident is about."""

    CALL = "call"  # a call and its verdict
    FLAG = "flag"  # a suspicion tied to a rule
    READING = "reading"  # what was read of cards and is in doubt


class Weight(IntEnum):
    """How much hangs on an incident; the queue has the heaviest first."""

    ROUTINE = 0  # a call that was judged clearly: nothing to do unless somebody disputes it
    LOW = 1
    MIDDLE = 2
    HIGH = 3  # letters hang on it


class State(StrEnum):
    """How far people have come with it."""

    OPEN = "open"
    HELD = "held"
    SEALED = "sealed"  # one opinion is given and sealed; a second is asked for
    DECIDED = "decided"


@dataclass(frozen=True, slots=True)
class Part:
    """What a review names: a rule, or ``call`` or ``reading``, and the lines it is about."""

    rule: str
    lines: tuple[int, ...]
    message: str = ""  # in English, as the rules say it

    @property
    def id(self) -> str:
        """The part's name; it stays the same whatever lines follow."""
        return f"{self.rule}-{self.lines[0]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What people have decided; ``decision`` is a word, or empty, and ``line`` where it stands."""

    state: State = State.OPEN
    decision: str = ""
    by: str = ""
    why: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """One item of the queue.

    Attributes:
        sort: What it is about.
        rule: The rule it hangs on, R1 to R18; empty for readings that break none.
        parts: What it was put together from; the first line of the first names it.
        seats: Whose it is, as far as that is known.
        at_ms: When it begins.
        until_ms: When it is over.
        weight: How much hangs on it.
        reasons: Why it is here and weighs what it weighs.
        evidence: Further lines it rests on.
        verdict: The ruling on a call as it stands, or empty.
        standing: What people have decided.
    """

    sort: Sort
    rule: str
    parts: tuple[Part, ...]
    seats: tuple[str, ...] = ()
    at_ms: int
    until_ms: int
    weight: Weight = Weight.LOW
    reasons: tuple[Phrase, ...] = ()
    evidence: tuple[int, ...] = ()
    verdict: str = ""
    standing: Standing = field(default_factory=Standing)

    @property
    def id(self) -> str:
        """The name of its earliest part; lines that come later leave it as it is."""
        return min(self.parts, key=lambda part: (part.lines[0], part.rule)).id

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines it is about, in their order."""
        return tuple(sorted({line for part in self.parts for line in part.lines}))

    @property
    def names(self) -> Iterator[str]:
        """All names it answers to: that of each part, so that a link stays good when two become one."""
        return (part.id for part in self.parts)
