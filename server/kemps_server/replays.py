"""A whole game as JSON for programs: the judgement, and every line with the table after it, by time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kemps_rules.cards import Card
from kemps_rules.journal import Journal
from kemps_rules.replay import judge
from kemps_rules.table import Table
from kemps_rules.wire import event_to_json
from kemps_server.page.moments import Moment, header_of, moments_of


def replay_as_json(journal: Journal) -> dict[str, Any]:
    """``seats``, ``judgement`` as ``kemps judge --json`` gives it, ``steps``, ``warnings``.

    Raises:
        KempsRulesError: The journal cannot be judged.
        KempsServerError: It has no header.
    """
    return {
        "seats": dict(header_of(journal).seats),
        "judgement": judge(journal).as_json(),
        "steps": [_step(moment) for moment in moments_of(journal)],
        "warnings": list(journal.warnings),
    }


def _step(moment: Moment) -> dict[str, Any]:
    return {
        "line": moment.line,
        "event": event_to_json(moment.event),
        "is_retracted": moment.is_retracted,
        "table": table_as_json(moment.table),
    }


def table_as_json(table: Table) -> dict[str, Any]:
    """The table with all that is known of it, also what players would not tell each other."""
    return {
        "deal": table.deal,
        "dealer": table.dealer,
        "is_open": table.is_open,
        "centre": _names(table.centre),
        "unread": table.unread,
        "missing": table.missing,
        "hands": {
            seat: {"known": _names(hand.known), "size": hand.size} for seat, hand in table.hands.items()
        },
        "aside": _names(table.aside),
        "aside_unread": table.aside_unread,
        "stock": table.stock,
        "open_swaps": dict(table.open_swaps),
        "unassigned": _names(table.unassigned),
        "unassigned_takes": table.unassigned_takes,
        "unassigned_lays": table.unassigned_lays,
        "unassigned_open": table.unassigned_open,
        "call": table.call,
        "shown": {seat: _names(cards) for seat, cards in table.shown.items()},
        "ended": table.ended,
    }


def _names(cards: Iterable[Card]) -> list[str]:
    return [str(card) for card in cards]
