"""What people decided about an incident: what stands, and how it came to that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kemps_rules.events import Called, Corrected, Event, Inserted, Noted, Retracted, Reviewed, Ruled, Undone
from kemps_server.review.docket import Look
from kemps_server.review.incident import Incident, Part, Sort, Standing, State
from kemps_server.review.readings import settled_by

REOPENED: Final = "reopen"
HELD: Final = "hold"
VOID: Final = "dismiss"
FIRST: Final = "first"


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of an incident's history; ``is_undone`` once it was taken back."""

    line: int
    event: Event
    is_undone: bool


def standing_of(look: Look, incident: Incident) -> Standing:
    """What stands of all that people decided about an incident."""
    if incident.sort is Sort.CALL and (ruled := _ruled(look, incident)) is not None:
        return ruled
    found = [_of_part(look, part, incident.sort) for part in incident.parts]
    if incident.sort is Sort.CALL:  # a hold names one of its calls
        found = [max(found, key=lambda standing: -1 if standing.line is None else standing.line)]
    last = max(found, key=lambda standing: -1 if standing.line is None else standing.line)
    if any(standing.state is State.OPEN for standing in found):
        return Standing() if last.state is not State.OPEN else last
    return next((standing for standing in found if standing.state is State.HELD), last)


def history_of(look: Look, incident: Incident) -> tuple[Entry, ...]:
    """All decisions about an incident in the order they were made, and those that took them back."""
    found: dict[int, Event] = {}
    for line, event in look.decisions:
        target = event.event if isinstance(event, Undone) else None
        if (target is not None and target in found) or is_about(event, incident):
            found[line] = event
    gone = look.plan.undone | look.plan.retracted  # older journals take a note back by a retraction
    return tuple(Entry(line, found[line], line in gone) for line in sorted(found))


def is_about(decision: Event, incident: Incident) -> bool:
    """Whether a decision, other than one that takes another back, is about an incident."""
    if isinstance(decision, Reviewed):
        return any(_names(decision, part) for part in incident.parts)
    if isinstance(decision, Noted):
        return any(part.rule == decision.rule and part.lines == decision.events for part in incident.parts)
    if isinstance(decision, Ruled):
        return incident.sort is Sort.CALL and decision.event in incident.lines
    if isinstance(decision, Retracted | Corrected):
        return decision.event in incident.lines
    return False


def review_of(look: Look, part: Part) -> tuple[int, Reviewed] | None:
    """The last review of a part, with its line; one that names all its lines counts before others."""
    return look.plan.review_of(part.rule, part.lines)


def rulings_of(look: Look, incident: Incident) -> Iterator[tuple[int, Ruled]]:
    """The rulings that stand on the calls of an incident."""
    for line, event in look.standing:
        if isinstance(event, Ruled) and event.event in incident.lines:
            yield line, event


def retractions_of(look: Look, incident: Incident) -> Iterator[tuple[int, Retracted]]:
    """The decisions that took out a call of an incident."""
    for line, event in look.standing:
        if isinstance(event, Retracted) and event.event in incident.lines and _is_call(look, event.event):
            yield line, event


def _ruled(look: Look, incident: Incident) -> Standing | None:
    rulings = list(rulings_of(look, incident))
    if rulings:
        line, ruling = rulings[-1]
        if ruling.ruling != FIRST or incident.verdict != "cannot_verify":
            return _decided(line, ruling.ruling, ruling.by, ruling.why)
    retractions = list(retractions_of(look, incident))
    if retractions and not incident.verdict:
        line, retraction = retractions[-1]
        return _decided(line, VOID, retraction.by, retraction.why)
    return None


def _of_part(look: Look, part: Part, sort: Sort) -> Standing:
    found = review_of(look, part)
    if sort is Sort.READING and (settled := settled_by(look, part.lines[0])) is not None:
        line, decision = settled
        if found is None or line > found[0]:
            return _decided(line, decision.kind, decision.by, decision.why)
    if found is None:
        return Standing()
    line, review = found
    if review.decision == REOPENED:
        return Standing(by=review.by, why=review.why, line=line)
    state = State.HELD if review.decision == HELD else State.DECIDED
    return Standing(state=state, decision=review.decision, by=review.by, why=review.why, line=line)


def _decided(line: int, decision: str, by: str, why: str) -> Standing:
    return Standing(state=State.DECIDED, decision=decision, by=by, why=why, line=line)


def _names(review: Reviewed, part: Part) -> bool:
    return review.rule == part.rule and set(review.events) in (set(part.lines), {part.lines[0]})


def _is_call(look: Look, line: int) -> bool:
    event = look.events.get(line)
    return isinstance(event.as_event if isinstance(event, Inserted) else event, Called)
