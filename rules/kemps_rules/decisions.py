"""People's decisions: what they leave of the observed events, and the rulings and reviews that stand.

Nothing is updated in place: a decision can be undone; then the result is as if neither line had been written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, get_args

from kemps_rules.errors import JournalError
from kemps_rules.events import (
    CALL,
    READING,
    Called,
    Corrected,
    Decision,
    Event,
    GameOpened,
    HandsTouched,
    IdentitiesSwapped,
    Inserted,
    Noted,
    Retracted,
    Reviewed,
    Ruled,
    SeatChanged,
    Undone,
)
from kemps_rules.seats import Seat
from kemps_rules.wire import event_from_json, event_to_json

DECISIONS: Final = get_args(Decision)
_HIDDEN: Final = (Retracted, Corrected, Undone, Ruled, Reviewed, Noted, IdentitiesSwapped)


@dataclass(frozen=True, slots=True)
class Plan:
    """What the decisions that stand do to the other lines."""

    retracted: frozenset[int] = frozenset()
    corrections: Mapping[int, tuple[tuple[int, Corrected], ...]] = field(default_factory=dict)
    undone: frozenset[int] = frozenset()
    swaps: tuple[tuple[int, Seat, Seat], ...] = ()
    rulings: Mapping[int, Ruled] = field(default_factory=dict)
    reviews: tuple[tuple[int, Reviewed], ...] = ()
    notes: tuple[tuple[int, Noted], ...] = ()

    def review_of(self, rule: str, lines: Sequence[int]) -> tuple[int, Reviewed] | None:
        """The last review of a flag, a call or a reading, with its line.

        One that names all ``lines`` counts before those that name only the first.
        """
        named = [row for row in self.reviews if row[1].rule == rule]
        exact = [row for row in named if set(row[1].events) == set(lines)]
        first = [row for row in named if set(row[1].events) == {lines[0]}]
        found = exact or first
        return found[-1] if found else None

    def effective(self, line: int, event: Event) -> Event | None:
        """The event of a line as it stands after all decisions; None when it is none of the table's."""
        if line in self.retracted or line in self.undone or isinstance(event, _HIDDEN):
            return None
        standing = event.as_event if isinstance(event, Inserted) else event
        given: set[str] = set()
        for at, correction in self.corrections.get(line, ()):
            standing = _corrected(standing, correction, at)
            given |= set(correction.to)
        if self.swaps and not isinstance(event, Inserted):
            standing = _swapped(standing, self.swaps, given)
        return standing

    def corrected_at(self, line: int) -> int:
        """The line of the last correction of an event, or the event's own."""
        return self.corrections[line][-1][0] if line in self.corrections else line

    def touched(self, other: Plan) -> set[int]:
        """The lines that another plan, with the same swaps of identities, may let stand differently."""
        lines = set(self.retracted ^ other.retracted) | set(self.undone ^ other.undone)
        both = self.corrections.keys() | other.corrections.keys()
        return lines | {n for n in both if self.corrections.get(n) != other.corrections.get(n)}


def check_decision(line: int, decision: Event, lines: Mapping[int, Event]) -> None:
    """Nothing, when a decision points at lines that are there and of a kind that it can be about.

    Raises:
        JournalError: It does not; the message names its line.
    """
    if isinstance(decision, Reviewed | Noted):
        for number in decision.events:
            _check_subject(line, decision, _target(line, decision, number, lines), number)
    elif isinstance(decision, Ruled):
        call = _target(line, decision, decision.event, lines)
        if not isinstance(call.as_event if isinstance(call, Inserted) else call, Called):
            raise JournalError(
                f"a ruling is about a call, but event {decision.event} is {call.kind}", line + 1
            )
    elif isinstance(decision, Undone):
        target = _target(line, decision, decision.event, lines)
        if not isinstance(target, DECISIONS):
            raise JournalError(
                f"{target.kind} is no person's event; retract it instead of undoing it", line + 1
            )
    elif isinstance(decision, Corrected | Retracted):
        target = _target(line, decision, decision.event, lines)
        is_note = isinstance(target, Noted) and isinstance(decision, Retracted)  # so older journals do it
        is_observed = (
            is_note or isinstance(target, Inserted) or not isinstance(target, (GameOpened, *DECISIONS))
        )
        if not is_observed:
            raise JournalError(f"{target.kind} cannot be {decision.kind}; undo it instead", line + 1)
    elif isinstance(decision, IdentitiesSwapped) and (len(decision.seats), len(set(decision.seats))) != (
        2,
        2,
    ):
        raise JournalError("identities_swapped names two different seats", line + 1)


def _check_subject(line: int, decision: Reviewed | Noted, target: Event, number: int) -> None:
    """Nothing, when a review of a call is about a call, and one of a reading about what was observed."""
    told = target.as_event if isinstance(target, Inserted) else target
    if decision.rule == CALL and not isinstance(told, Called):
        raise JournalError(f"{decision.kind} speaks of a call, but event {number} is {told.kind}", line + 1)
    if decision.rule == READING and isinstance(told, (GameOpened, *DECISIONS)):
        raise JournalError(
            f"{decision.kind} speaks of a reading, but event {number} is {told.kind}", line + 1
        )


def _target(line: int, decision: Event, target: int, lines: Mapping[int, Event]) -> Event:
    found = lines.get(target) if target < line else None
    if found is None:
        raise JournalError(
            f"{decision.kind} points at event {target}, which is not there before it", line + 1
        )
    return found


def plan_of(decisions: Iterable[tuple[int, Event]]) -> Plan:
    """The plan of all decisions so far, in the order of their lines, each checked."""
    stated = list(decisions)
    undone: set[int] = set()
    for line, decision in reversed(stated):
        if isinstance(decision, Undone) and line not in undone:
            undone.add(decision.event)
    standing = [(line, decision) for line, decision in stated if line not in undone]
    corrections: dict[int, tuple[tuple[int, Corrected], ...]] = {}
    for line, decision in standing:
        if isinstance(decision, Corrected):
            corrections[decision.event] = (*corrections.get(decision.event, ()), (line, decision))
    retracted = frozenset(d.event for _, d in standing if isinstance(d, Retracted))
    swaps = [(d.at_ms, line, d.seats) for line, d in standing if isinstance(d, IdentitiesSwapped)]
    return Plan(
        retracted=retracted,
        corrections=corrections,
        undone=frozenset(undone),
        swaps=tuple((at_ms, seats[0], seats[1]) for at_ms, _, seats in sorted(swaps)),
        rulings={d.event: d for _, d in standing if isinstance(d, Ruled)},
        reviews=tuple((line, d) for line, d in standing if isinstance(d, Reviewed)),
        notes=tuple((n, d) for n, d in standing if isinstance(d, Noted) and n not in retracted),
    )


def _corrected(event: Event, correction: Corrected, line: int) -> Event:
    if correction.to.get("kind", event.kind) != event.kind:
        raise JournalError(
            "a correction cannot change the kind; retract the event and insert another", line + 1
        )
    try:
        return event_from_json(event_to_json(event) | correction.to)
    except JournalError as error:
        raise JournalError(f"the corrected {event.kind} is impossible: {error}", line + 1) from None


def _swapped(event: Event, swaps: Iterable[tuple[int, Seat, Seat]], kept: set[str]) -> Event:
    """An event with the seats that were mixed up exchanged; what a person corrected is kept."""
    if isinstance(event, SeatChanged | GameOpened):
        return event
    other: dict[Seat, Seat] = {}
    for at_ms, one, two in swaps:
        if at_ms <= event.at_ms:
            names = {seat: other.get(seat, seat) for seat in (*other, one, two)}
            exchange = {one: two, two: one}
            other = {seat: exchange.get(name, name) for seat, name in names.items()}
    changes: dict[str, object] = {}
    for name, key in (("seat", "seat"), ("from_seat", "from"), ("to_seat", "to")):
        seat = getattr(event, name, None)
        if seat is not None and key not in kept and other.get(seat, seat) != seat:
            changes[name] = other[seat]
    if isinstance(event, HandsTouched) and "seats" not in kept:
        changes["seats"] = tuple(seat if seat is None else other.get(seat, seat) for seat in event.seats)
    return replace(event, **changes) if changes else event  # type: ignore[arg-type]
