"""A journal in the order of time: every line as it stands after all decisions, with the table just after it.

The lines of a journal come in the order of knowledge. A page shows the order of time instead: what was
corrected stands corrected at its own moment, and what a person took out is struck through there.
"""

from __future__ import annotations

from dataclasses import dataclass

from kemps_rules.decisions import DECISIONS, plan_of
from kemps_rules.events import Event, GameOpened
from kemps_rules.fold import Fold
from kemps_rules.house import House
from kemps_rules.journal import Journal
from kemps_rules.replay import house_of
from kemps_rules.table import Table
from kemps_server.errors import KempsServerError


@dataclass(frozen=True, slots=True)
class Moment:
    """A line in the order of time, as it stands after all decisions, with the table just after it."""

    line: int
    event: Event
    table: Table
    is_retracted: bool = False

    @property
    def until_ms(self) -> int:
        """When what the line tells was over."""
        return getattr(self.event, "until_ms", None) or self.event.at_ms


def header_of(journal: Journal) -> GameOpened:
    """The journal's header.

    Raises:
        KempsServerError: It has none.
    """
    first = journal.events[0] if journal.events else None
    if not isinstance(first, GameOpened):
        raise KempsServerError("the journal has no header, so there is no game to show")
    return first


def moments_of(journal: Journal, house: House | None = None) -> tuple[Moment, ...]:
    """Every line of a journal but the header, in the order of time."""
    header = header_of(journal)
    plan = plan_of((line, event) for line, event in journal.numbered if isinstance(event, DECISIONS))
    standing = [(line, event, plan.effective(line, event)) for line, event in journal.numbered][1:]
    standing.sort(key=lambda row: ((row[2] or row[1]).at_ms, row[0]))
    fold = Fold(header, house or house_of(header))
    moments = []
    for line, event, effective in standing:
        if effective is not None:
            fold.apply(line, effective)
        is_retracted = line in plan.retracted or line in plan.undone
        told = event if effective is None or isinstance(event, DECISIONS) else effective
        moments.append(Moment(line, told, fold.table(), is_retracted))
    return tuple(moments)
