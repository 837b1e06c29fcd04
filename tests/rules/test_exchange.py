"""Exchanged identities: from a moment on all that was observed of one seat is the other's, nothing else."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kemps_rules.decisions import plan_of
from kemps_rules.events import Event, GameOpened, Gesture, IdentitiesSwapped
from kemps_rules.journal import parse_line
from kemps_rules.replay import Replay, judge

HEADER = GameOpened(at_ms=0, seats={seat: f"Player {seat}" for seat in "ABCD"})
SEAT = st.sampled_from("ABCD")
START: list[dict[str, Any]] = [
    {"kind": "deal_started", "at_ms": 0, "dealer": "A"},
    {"kind": "centre_turned", "at_ms": 100, "cards": ["9c", "2h", "5d", "Js"]},
]
# What is observed of people, with the seats left open.
KINDS: tuple[dict[str, Any], ...] = (
    {"kind": "card_touched", "card": "9c"},
    {"kind": "card_taken", "card": "9c"},
    {"kind": "card_laid", "card": "Kc"},
    {"kind": "gesture", "gesture": "brow_raise", "until_ms": 9000},
    {"kind": "hand_reached", "until_ms": 9000},
    {"kind": "hand_hidden", "until_ms": 9000},
    {"kind": "packet_hidden", "until_ms": 9000},
    {"kind": "not_measurable", "what": "covered", "until_ms": 9000},
    {"kind": "called", "call": "kemps"},
    {"kind": "hand_shown", "cards": ["9s", "9h", "9d", "9c"]},
    {"kind": "hands_touched", "until_ms": 9000},
    {"kind": "card_passed"},
)


@st.composite
def an_observation(draw: st.DrawFn) -> dict[str, Any]:
    row = {**draw(st.sampled_from(KINDS)), "at_ms": draw(st.integers(2, 80)) * 100}
    one, other = draw(st.permutations("ABCD"))[:2]
    if row["kind"] == "hands_touched":
        return row | {"seats": [one, draw(st.sampled_from((other, None)))]}
    if row["kind"] == "card_passed":
        return row | {"from": one, "to": draw(st.sampled_from((other, None)))}
    return row | {"seat": draw(st.sampled_from((one, one, one, None)))}


def parsed(rows: list[dict[str, Any]]) -> list[Event]:
    return [HEADER, *(parse_line(json.dumps(row)) for row in [*START, *rows])]


def renamed(row: dict[str, Any], one: str, other: str) -> dict[str, Any]:
    """The row with two seats exchanged, as somebody would write it who had seen better."""
    names = {one: other, other: one}
    changed: dict[str, Any] = {
        key: names.get(row[key], row[key]) for key in ("seat", "from", "to") if key in row
    }
    if "seats" in row:
        changed["seats"] = [names.get(seat, seat) for seat in row["seats"]]
    return row | changed


@given(st.lists(an_observation(), max_size=12), st.integers(0, 90), st.permutations("ABCD"))
@settings(max_examples=150, deadline=None)
def test_an_exchange_is_as_if_the_seats_had_been_told_right_from_then_on(
    rows: list[dict[str, Any]], tenths: int, seats: list[str]
) -> None:
    at_ms, one, other = tenths * 100, seats[0], seats[1]
    swap = IdentitiesSwapped(at_ms=at_ms, seats=(one, other), by="ref")
    right = parsed([renamed(row, one, other) if row["at_ms"] >= at_ms else row for row in rows])
    events = parsed(rows)
    line = len(events)
    plan = plan_of([(line, swap)])
    assert [plan.effective(n, event) for n, event in enumerate(events[1:], 1)] == right[1:]
    assert judge([*events, swap]).as_json() == judge(right).as_json()


@given(st.lists(an_observation(), max_size=12), st.integers(0, 90), st.permutations("ABCD"))
@settings(max_examples=60, deadline=None)
def test_an_exchange_that_comes_live_is_the_one_of_the_whole_journal_and_twice_is_none(
    rows: list[dict[str, Any]], tenths: int, seats: list[str]
) -> None:
    swap = IdentitiesSwapped(at_ms=tenths * 100, seats=(seats[0], seats[1]), by="ref")
    events = parsed(rows)
    walk = Replay(HEADER)
    for line, event in enumerate([*events[1:], swap], 1):
        walk.push(line, event)
    assert walk.judgement().as_json() == judge([*events, swap]).as_json()
    walk.push(len(events) + 1, swap)
    assert walk.judgement().as_json() == judge(events).as_json()


def test_a_gesture_that_began_before_the_moment_stays_whose_it_was() -> None:
    before = Gesture(at_ms=900, until_ms=1500, seat="A", gesture="wink_left")
    since = Gesture(at_ms=1000, until_ms=1500, seat="A", gesture="wink_left")
    plan = plan_of([(9, IdentitiesSwapped(at_ms=1000, seats=("A", "B")))])
    assert plan.effective(1, before) == before
    moved = plan.effective(2, since)
    assert isinstance(moved, Gesture)
    assert moved.seat == "B"
