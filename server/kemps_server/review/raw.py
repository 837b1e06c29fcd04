"""Decisions that a referee writes as lines of the journal: corrections, swaps of identities and others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kemps_rules.decisions import check_decision, plan_of
from kemps_rules.errors import JournalError
from kemps_rules.events import (
    Corrected,
    Event,
    IdentitiesSwapped,
    Inserted,
    Json,
    Retracted,
    Reviewed,
    Ruled,
    Undone,
    UnknownEvent,
)
from kemps_rules.journal import check_seats
from kemps_rules.wire import event_from_json, event_to_json
from kemps_server.deciding import as_lines, check_word, decision_of
from kemps_server.errors import KempsServerError
from kemps_server.review.docket import Look
from kemps_server.review.incident import Incident

KINDS: Final = (
    "corrected",
    "identities_swapped",
    "inserted",
    "noted",
    "retracted",
    "reviewed",
    "ruled",
    "seat_changed",
    "undone",
)


def raw_decision(data: Mapping[str, Json], by: str, look: Look) -> Event:
    """The decision that ``data`` describes, in the name of whoever sends it.

    Raises:
        KempsServerError: It is none.
    """
    if data.get("kind") not in KINDS:
        raise KempsServerError(f"kind names no decision; it is one of {', '.join(KINDS)}")
    return decision_of({**data, "by": by}, look.latest_ms)


def check_raw(look: Look, incidents: Sequence[Incident], decision: Event) -> None:
    """Nothing, when a decision makes sense as the next line of this game.

    Raises:
        KempsServerError: It does not; the text says why, lines counted from 1.
    """
    line = look.lines
    try:
        check_seats(decision, look.header.seats, line)
        check_decision(line, decision, look.events)
        plan = plan_of([*look.decisions, (line, decision)])
        swaps = isinstance(decision, IdentitiesSwapped | Undone)
        for number in look.events if swaps else plan.touched(look.plan):
            event = look.events.get(number)
            standing = None if event is None else plan.effective(number, event)
            if standing is not None and standing is not event:
                check_seats(standing, look.header.seats, number)
    except JournalError as error:
        raise KempsServerError(f"not added: {as_lines(str(error), line)}") from None
    if isinstance(decision, Corrected):
        _check_fields(look.events[decision.event], decision)
    if isinstance(decision, Reviewed):
        check_word(decision)
    if isinstance(decision, Reviewed) and not _is_known(decision, incidents):
        raise KempsServerError(
            f"not added: there is nothing of {decision.rule} about these lines; "
            "the incidents of a game name what can be reviewed"
        )


def _check_fields(target: Event, correction: Corrected) -> None:
    """Nothing, when a correction changes what the line tells; a slip would stand and do nothing."""
    event = target.as_event if isinstance(target, Inserted) else target
    if isinstance(event, UnknownEvent):
        return
    read = event_from_json(event_to_json(event) | dict(correction.to))
    if strange := set(getattr(read, "extra", ())) - set(getattr(event, "extra", ())):
        raise KempsServerError(
            f"not added: {event.kind} has no {', '.join(sorted(strange))}, so nothing would be put right"
        )


def touched_by(decision: Event) -> set[int]:
    """The lines that a decision is about."""
    if isinstance(decision, Reviewed):
        return set(decision.events)
    return {decision.event} if isinstance(decision, Corrected | Retracted | Ruled | Undone) else set()


def _is_known(review: Reviewed, incidents: Sequence[Incident]) -> bool:
    named = set(review.events)
    return any(
        part.rule == review.rule and named in (set(part.lines), {part.lines[0]})
        for incident in incidents
        for part in incident.parts
    )
