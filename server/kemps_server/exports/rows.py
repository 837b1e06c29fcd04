"""Each event of a game as one flat row, in the order of time, as it stands after people's decisions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kemps_rules.events import Json
from kemps_rules.journal import Journal
from kemps_rules.wire import event_to_json
from kemps_server.page.moments import Moment, moments_of

_SEAT_KEYS: Final = ("seat", "dealer", "from")
_OTHER_KEYS: Final = ("against", "to")
_VALUE_KEYS: Final = ("call", "gesture", "where", "ruling", "decision", "what", "alphabet")


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """An event. What it does not tell is None, which is not the same as nothing having happened.

    Attributes:
        line: Its line in the journal, the header being 0.
        deal: Which deal it belongs to, from 1 on; 0 before the first.
        at_ms: When it happened.
        until_ms: When it was over.
        kind: What it is.
        seat: Who did it.
        other: The second seat: whom a call is against, who was given a card, whose hand was met.
        cards: The cards, as in ``9s Td``.
        value: The call, the gesture, the place of a contact, the ruling or the decision.
        confidence: How sure the observer is, 0 to 1.
        uncertainty_ms: How exact ``at_ms`` is.
        is_retracted: Whether a person took it out.
        by: The person whose decision it is.
        why: The person's reason, or why a deal ended.
        event: All of it as JSON, as a line of the journal would have it.
    """

    line: int
    deal: int
    at_ms: int
    until_ms: int
    kind: str
    seat: str | None
    other: str | None
    cards: str | None
    value: str | None
    confidence: float
    uncertainty_ms: int
    is_retracted: bool
    by: str | None
    why: str | None
    event: str


def rows_of(journal: Journal) -> Iterator[EventRow]:
    """A row for each line of the journal but the header.

    Raises:
        KempsServerError: It has no header.
    """
    for moment in moments_of(journal):
        yield _row(moment)


def _row(moment: Moment) -> EventRow:
    event = moment.event
    data = event_to_json(event)
    seats = [seat for seat in _list(data.get("seats")) if isinstance(seat, str)]
    return EventRow(
        line=moment.line,
        deal=moment.table.deal,
        at_ms=event.at_ms,
        until_ms=moment.until_ms,
        kind=event.kind,
        seat=_first(data, _SEAT_KEYS) or (seats[0] if seats else None),
        other=_first(data, _OTHER_KEYS) or (seats[1] if len(seats) > 1 else None),
        cards=_cards(data),
        value=_first(data, _VALUE_KEYS),
        confidence=event.confidence,
        uncertainty_ms=event.uncertainty_ms,
        is_retracted=moment.is_retracted,
        by=_first(data, ("by",)),
        why=_first(data, ("why",)),
        event=json.dumps(data, ensure_ascii=False, separators=(",", ":")),
    )


def _first(data: dict[str, Json], keys: tuple[str, ...]) -> str | None:
    return next((value for key in keys if isinstance(value := data.get(key), str) and value), None)


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _cards(data: dict[str, Json]) -> str | None:
    cards = [card for card in [data.get("card"), *_list(data.get("cards"))] if isinstance(card, str)]
    return " ".join(cards) or None
