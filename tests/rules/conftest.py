"""Games from short text: ``8400 A takes 9c``, ``41250~120 C says kemps``, ``44000 A shows 9s 9h 9d ?``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from kemps_rules.events import Event
from kemps_rules.journal import parse_line
from kemps_rules.judgement import Judgement
from kemps_rules.replay import judge

Game: TypeAlias = Callable[..., list[Event]]
Judge: TypeAlias = Callable[..., Judgement]

START = "0 deal A\n1200 turn 9c 2h 5d Js\n"


def rows_of(text: str) -> list[dict[str, Any]]:
    """The journal objects of a text, one a line; a line that begins with ``{`` is one already."""
    lines = (line.strip() for line in text.splitlines())
    return [json.loads(line) if line.startswith("{") else row_of(line.split()) for line in lines if line]


def row_of(words: list[str]) -> dict[str, Any]:
    when, who, *rest = words
    when, _, uncertainty = when.partition("~")
    start, _, until = when.partition("-")
    row: dict[str, Any] = {"at_ms": int(start)}
    row |= {"until_ms": int(until)} if until else {}
    row |= {"uncertainty_ms": int(uncertainty)} if uncertainty else {}
    cards = [card for card in rest if card not in ("?", "_", "…")]
    if who == "deal":
        return {"kind": "deal_started", "dealer": known(rest[0])} | row
    if who in ("turn", "see"):
        row |= {"cards": cards, "unread": rest.count("?"), "first_sight": who == "see"}
        return {"kind": "centre_turned"} | row
    if who == "dry":
        return {"kind": "dry"} | row
    if who == "end":
        return {"kind": "deal_ended", "why": rest[0]} | row
    if who == "settled":
        return {"kind": "settled", "camera": rest[0]} | row
    return row | seated(known(who), rest[0], rest[1:], cards[1:])


def seated(seat: str | None, verb: str, rest: list[str], cards: list[str]) -> dict[str, Any]:
    card = known(rest[0]) if rest else None
    if verb == "sweeps":
        return {"kind": "centre_swept", "seat": seat}
    if verb in ("takes", "lays", "touches"):
        kind = {"takes": "card_taken", "lays": "card_laid", "touches": "card_touched"}[verb]
        return {"kind": kind, "seat": seat, "card": card}
    if verb == "says":
        return {"kind": "called", "seat": seat, "call": rest[0], "against": rest[1] if rest[1:] else None}
    if verb == "shows":
        row = {"kind": "hand_shown", "seat": seat, "cards": cards, "unread": rest.count("?")}
        return row | {"face_down": rest.count("_"), "complete": "…" not in rest}
    if verb == "passes":
        return {"kind": "card_passed", "from": seat, "to": known(rest[0])}
    if verb == "hides":
        return {"kind": f"{rest[0]}_hidden", "seat": seat}
    assert verb == "refuses", verb
    return {"kind": "show_refused", "seat": seat}


def known(word: str) -> str | None:
    return None if word == "?" else word


def header(seats: int, rules: str, house: dict[str, Any] | None, **more: object) -> dict[str, Any]:
    names = {seat: f"Player {seat}" for seat in "ABCDEFGH"[:seats]}
    return {"kind": "game_opened", "at_ms": 0, "rules": rules, "seats": names, "house": house, **more}


@pytest.fixture
def game() -> Game:
    """Events from text, with a header; A deals 9c 2h 5d Js unless ``start`` says otherwise."""

    def make(
        text: str,
        *,
        seats: int = 4,
        rules: str = "leaflet",
        house: dict[str, Any] | None = None,
        start: str = START,
        **more: object,
    ) -> list[Event]:
        rows = [header(seats, rules, house, **more), *rows_of(start + text)]
        return [parse_line(json.dumps(row), line) for line, row in enumerate(rows)]

    return make


@pytest.fixture
def judged(game: Game) -> Judge:
    """The judgement on a game from text."""

    def make(text: str, **options: object) -> Judgement:
        return judge(game(text, **options))

    return make
