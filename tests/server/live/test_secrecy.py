"""Over whole games: what the public is told does not depend on what is secret."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from kemps_rules.events import Event
from kemps_rules.journal import format_event
from kemps_server.bench.long_game import long_game
from kemps_server.live.cursor import Cursor
from kemps_server.live.patches import patch_between, patched
from kemps_server.live.public_state import public_state
from kemps_server.store.journals import Line

# What nobody at the table tells the others, and what only the observer notes.
SECRET = {
    "gesture", "hand_reached", "hand_hidden", "packet_hidden", "hands_touched", "card_touched",
    "not_observed", "not_measurable", "card_conflict", "camera_moved",
}  # fmt: skip
SIGNS = (
    "wink",
    "brow",
    "gesture",
    "hidden",
    "touched",
    "strength",
    "flag",
    "below_table",
    "reach",
    "R10",
    "R11",
)


@pytest.fixture(scope="module")
def game() -> tuple[Event, ...]:
    return long_game(4, minutes=20, seed=3)


@pytest.fixture(scope="module")
def states(game: tuple[Event, ...]) -> list[dict[str, Any]]:
    return list(public_states(game))


def public_states(events: Iterable[Event]) -> Iterator[dict[str, Any]]:
    """Each state that differs from the one before."""
    cursor, before = Cursor("evening"), None
    for number, event in enumerate(events):
        cursor.take(Line(number, format_event(event)))
        state = None if cursor.seen is None else public_state(cursor.seen)
        if state is not None and state != before:
            before = state
            yield state


def test_the_public_is_told_the_same_whether_secret_things_happened_or_not(
    game: tuple[Event, ...], states: list[dict[str, Any]]
) -> None:
    open_ones = [event for event in game if event.kind not in SECRET]
    assert len(game) - len(open_ones) > 50
    assert list(public_states(open_ones)) == states


def test_no_message_of_a_whole_game_holds_a_sign_of_what_is_secret(states: list[dict[str, Any]]) -> None:
    pairs = zip(({}, *states), states, strict=False)
    told = "\n".join(json.dumps(patch_between(before, now)) for before, now in pairs)
    assert [sign for sign in SIGNS if sign in told] == []
    assert len(states) > 50


def test_cards_are_told_only_where_they_lie_open(states: list[dict[str, Any]]) -> None:
    """A card stands in the centre or in a hand laid open, and nowhere else in what is told."""
    for state in states:
        rest = {key: value for key, value in state.items() if key not in ("centre", "shown")}
        assert not any(card_like(text) for text in texts_in(rest))


def texts_in(value: Any) -> Iterator[str]:  # noqa: ANN401 - JSON
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)


def card_like(text: str) -> bool:
    return len(text) == 2 and text[0] in "A23456789TJQK" and text[1] in "shdc"


def test_the_deltas_of_a_whole_game_add_up_to_its_last_state(states: list[dict[str, Any]]) -> None:
    state: dict[str, Any] = {}
    for now in states:
        state = patched(state, json.loads(json.dumps(patch_between(state, now))))
    assert state == states[-1]
