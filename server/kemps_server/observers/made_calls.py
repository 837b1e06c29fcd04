"""The calls of a journal as people let them stand: made, taken back, put right, and made again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kemps_rules.decisions import DECISIONS, Plan, plan_of
from kemps_rules.events import Called, Event
from kemps_server.observers.standing import call_in


@dataclass(frozen=True, slots=True)
class CallChange:
    """What became of the call in a line: ``before`` it was so, ``now`` it is; None where there is none."""

    line: int
    before: Called | None
    now: Called | None


class MadeCalls:
    """Follows the lines of a journal and tells which calls come, go and change with each."""

    def __init__(self) -> None:
        self._events: dict[int, Event] = {}
        self._standing: dict[int, Called] = {}
        self._decisions: list[tuple[int, Event]] = []

    def see(self, line: int, event: Event) -> tuple[CallChange, ...]:
        """What this line does to calls; lines must rise."""
        is_decision = isinstance(event, DECISIONS)
        if call_in(event) is not None:
            self._events[line] = event
        if is_decision:
            self._decisions.append((line, event))
        if is_decision or line in self._events:
            return tuple(self._changes(plan_of(self._decisions)))
        return ()

    def _changes(self, plan: Plan) -> Iterator[CallChange]:
        for line, event in self._events.items():
            standing = plan.effective(line, event)
            now = standing if isinstance(standing, Called) else None
            before = self._standing.get(line)
            if before == now:
                continue
            yield CallChange(line, before, now)
            if now is None:
                del self._standing[line]
            else:
                self._standing[line] = now
