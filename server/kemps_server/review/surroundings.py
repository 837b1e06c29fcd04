"""What lies round an incident: the lines of the journal before and after it, with the table after each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from kemps_rules.events import CentreTurned, Event, HandShown, UnknownEvent
from kemps_server.page.looks import centre_of, hands_of
from kemps_server.page.moments import Moment
from kemps_server.page.narration import Narrator
from kemps_server.page.story import HandLook
from kemps_server.page.words import Phrase
from kemps_server.review.docket import Look
from kemps_server.review.incident import Incident

BEFORE_MS: Final = 15_000
AFTER_MS: Final = 8_000
MOST_ROWS: Final = 80
FILM_BEFORE_MS: Final = 3_000
FILM_AFTER_MS: Final = 2_000
LONGEST_MS: Final = 20_000
"""A clip that loops is no longer than this; the film goes on."""
_QUIET: Final = frozenset({"settled", "game_opened", "reviewed", "ruled", "undone", "noted"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line round an incident, as it stands, with the table just after it.

    ``cards`` are those the line names, None for one that was not read; ``card_field`` is what a correction
    of them is written into, ``card`` or ``cards``, or empty when they cannot be corrected.
    """

    line: int
    at_ms: int
    kind: str
    text: Phrase
    seat: str | None
    has_seat: bool
    cards: tuple[str | None, ...]
    card_field: str
    is_about: bool
    is_evidence: bool
    is_retracted: bool
    confidence: float
    uncertainty_ms: int
    centre: tuple[str | None, ...]
    hands: Mapping[str, HandLook]
    stock: int | None
    aside: int


def rows_round(look: Look, incident: Incident) -> tuple[Row, ...]:
    """The lines round an incident in the order of time; its own and those it rests on are always there."""
    about, evidence = set(incident.lines), set(incident.evidence)
    first, last = incident.at_ms - BEFORE_MS, incident.until_ms + AFTER_MS
    wanted = [
        moment
        for moment in look.moments
        if moment.line in about | evidence
        or (first <= moment.event.at_ms <= last and moment.event.kind not in _QUIET)
    ]
    if len(wanted) > MOST_ROWS:
        nearest = sorted(wanted, key=lambda one: (one.line not in about | evidence, _far(one, incident)))
        kept = {moment.line for moment in nearest[:MOST_ROWS]}
        wanted = [moment for moment in wanted if moment.line in kept]
    return tuple(_row(moment, look.narrator, about, evidence) for moment in wanted)


def film_span(incident: Incident) -> tuple[int, int]:
    """From when until when its clip loops."""
    from_ms = max(0, incident.at_ms - FILM_BEFORE_MS)
    return from_ms, min(incident.until_ms + FILM_AFTER_MS, from_ms + LONGEST_MS)


def _far(moment: Moment, incident: Incident) -> int:
    at_ms = moment.event.at_ms
    return max(incident.at_ms - at_ms, at_ms - incident.until_ms, 0)


def _row(moment: Moment, narrator: Narrator, about: set[int], evidence: set[int]) -> Row:
    event, table = moment.event, moment.table
    cards, field = _cards(event)
    return Row(
        line=moment.line,
        at_ms=event.at_ms,
        kind=event.kind,
        text=narrator.tell(event, deal=table.deal),
        seat=getattr(event, "seat", None),
        has_seat=hasattr(event, "seat") and not isinstance(event, UnknownEvent),
        cards=cards,
        card_field=field,
        is_about=moment.line in about,
        is_evidence=moment.line in evidence,
        is_retracted=moment.is_retracted,
        confidence=event.confidence,
        uncertainty_ms=event.uncertainty_ms,
        centre=centre_of(table),
        hands=hands_of(table, tuple(table.hands)),
        stock=table.stock,
        aside=len(table.aside) + table.aside_unread,
    )


def _cards(event: Event) -> tuple[tuple[str | None, ...], str]:
    if isinstance(event, CentreTurned | HandShown):
        known = tuple(str(card) for card in event.cards)
        return (*known, *[None] * min(event.unread, 8)), "cards"
    if hasattr(event, "card"):
        return (None if event.card is None else str(event.card),), "card"
    return (), ""
