"""Readings as incidents: cards that two looks named differently, or that nobody should build on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kemps_rules.cards import Card
from kemps_rules.errors import CardError
from kemps_rules.events import (
    READING,
    CardLaid,
    CardTaken,
    CentreTurned,
    Corrected,
    Event,
    HandShown,
    Inserted,
    Retracted,
    UnknownEvent,
)
from kemps_server.page.words import Phrase
from kemps_server.review.docket import Look
from kemps_server.review.incident import Incident, Part, Sort, Weight
from kemps_server.review.weights import reason

CONFLICT: Final = "card_conflict"
DOUBTFUL: Final = 0.6
"""A card that was read with less confidence is worth a look."""
GAP_MS: Final = 10_000
"""Conflicts about one card that lie no further apart are one incident."""


def reading_incidents(look: Look) -> Iterator[Incident]:
    """An incident for each card that is in conflict, and for each event that was read with doubt."""
    judged = {line for deal in look.judgement.deals if deal.verdict for line in deal.verdict.evidence}
    yield from _conflicts(look)
    for line, event in look.events.items():
        told = event.as_event if isinstance(event, Inserted) else event
        is_card = isinstance(told, CentreTurned | CardTaken | CardLaid | HandShown)
        if is_card and event is told and told.confidence < DOUBTFUL:
            percent = f"{told.confidence:.0%}"
            yield _incident(
                (Part(READING, (line,)),),
                [told],
                Weight.MIDDLE if line in judged else Weight.ROUTINE,
                (reason("unsure", percent=percent),),
            )


def _conflicts(look: Look) -> Iterator[Incident]:
    groups: list[list[tuple[int, UnknownEvent]]] = []
    latest: dict[object, list[tuple[int, UnknownEvent]]] = {}
    found = [
        (line, event)
        for line, event in look.events.items()
        if isinstance(event, UnknownEvent) and event.kind == CONFLICT
    ]
    for line, event in sorted(found, key=lambda row: (row[1].at_ms, row[0])):
        card = event.fields.get("card")
        group = latest.get(card)
        if group is None or event.at_ms > group[-1][1].at_ms + GAP_MS:
            group = latest[card] = []
            groups.append(group)
        group.append((line, event))
    for group in groups:
        is_twice = any(event.fields.get("lies_twice") for _, event in group)
        yield _incident(
            tuple(Part(READING, (line,)) for line, _ in group),
            [event for _, event in group],
            Weight.MIDDLE if is_twice else Weight.LOW,
            tuple(_conflict_reasons([event for _, event in group], is_twice=is_twice)),
            rule="R1" if is_twice else "",
        )


def _conflict_reasons(events: list[UnknownEvent], *, is_twice: bool) -> Iterator[Phrase]:
    fields = events[-1].fields
    card, seen = _sign(fields.get("card")), _sign(fields.get("seen"))
    yield reason("lies_twice", card=card) if is_twice else reason("conflict", card=card, seen=seen)
    if len(events) > 1:
        yield reason("repeated", count=str(len(events)))


def _sign(name: object) -> str:
    try:
        return Card.parse(str(name)).sign
    except CardError:
        return "?"


def _incident(
    parts: tuple[Part, ...],
    events: list[Event] | list[UnknownEvent],
    weight: Weight,
    reasons: tuple[Phrase, ...],
    *,
    rule: str = "",
) -> Incident:
    seats = dict.fromkeys(seat for event in events if (seat := getattr(event, "seat", None)) is not None)
    return Incident(
        sort=Sort.READING,
        rule=rule,
        parts=parts,
        seats=tuple(seats),
        at_ms=min(event.at_ms for event in events),
        until_ms=max(event.at_ms for event in events),
        weight=weight,
        reasons=reasons,
    )


def settled_by(look: Look, line: int) -> tuple[int, Corrected | Retracted] | None:
    """The last decision that put a reading right or took it out, with its line."""
    found = [
        (number, decision)
        for number, decision in look.standing
        if isinstance(decision, Corrected | Retracted) and decision.event == line
    ]
    return found[-1] if found else None
