"""The shipped clip, watched with the committed weights, against what was rendered."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import pytest

from kemps_rules.events import CardLaid, CardTaken, CentreSwept, CentreTurned, Event, HandShown
from kemps_rules.journal import read_journal
from kemps_rules.replay import judge
from kemps_server.called import read_calls
from kemps_server.watching import watch
from kemps_vision.cards.reader import default_reader
from kemps_vision.sources import open_source
from kemps_vision.zones import load_config

DEMO = Path(str(resources.files("kemps_server") / "demo"))
TRUTH = read_journal(DEMO / "demo.game.jsonl").events


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("demo") / "game"
    config = load_config(DEMO / "demo.table.toml")
    with open_source(str(DEMO / "demo.mp4")) as source:
        watch(
            source,
            out,
            config,
            read_calls(DEMO / "demo.calls.jsonl", config.seat_names),
            reader=default_reader(),
        )
    return out


def swaps(events: Sequence[Event]) -> list[CardTaken | CardLaid]:
    return sorted((e for e in events if isinstance(e, CardTaken | CardLaid)), key=lambda e: e.at_ms)


@pytest.mark.e2e
def test_every_swap_is_seen_at_its_time_and_none_is_made_up(observed: Path) -> None:
    events, truth = swaps(read_journal(observed / "game.jsonl").events), swaps(TRUTH)
    left = list(events)
    for want in truth:
        got = next(e for e in left if e.kind == want.kind and e.card == want.card)
        left.remove(got)
        assert abs(got.at_ms - want.at_ms) <= max(got.uncertainty_ms, 150)
        assert got.seat in {want.seat, None}
    assert left == []


@pytest.mark.e2e
def test_the_centre_the_sweep_and_the_shown_hand_are_right(observed: Path) -> None:
    events = read_journal(observed / "game.jsonl").events
    turned = [card for e in events if isinstance(e, CentreTurned) for card in e.cards]
    assert sorted(turned) == sorted(card for e in TRUTH if isinstance(e, CentreTurned) for card in e.cards)
    assert sum(isinstance(e, CentreSwept) for e in events) == sum(isinstance(e, CentreSwept) for e in TRUTH)
    shown = [(e.seat, sorted(e.cards), e.unread, e.complete) for e in events if isinstance(e, HandShown)]
    assert shown == [
        (e.seat, sorted(e.cards), e.unread, e.complete) for e in TRUTH if isinstance(e, HandShown)
    ]


@pytest.mark.e2e
def test_the_verdict_is_that_of_the_leaflets_first_example(observed: Path) -> None:
    judged = judge(read_journal(observed / "game.jsonl").events).as_json()
    assert judged["letters"] == {"AC": "", "BD": "K"}
    assert [deal["verdict"]["ruling"] for deal in judged["deals"]] == ["right"]
    assert judged["flags"] == []


@pytest.mark.e2e
def test_each_call_swap_and_shown_hand_has_its_pictures(observed: Path) -> None:
    pictures = json.loads((observed / "evidence" / "index.json").read_text())["pictures"]
    events = read_journal(observed / "game.jsonl").events
    told = {
        n
        for n, e in enumerate(events)
        if e.kind in {"called", "card_taken", "card_laid", "centre_swept", "hand_shown"}
    }
    assert {row["line"] for row in pictures} == told
    assert len(pictures) == 3 * len(told)
    assert all(abs(row["at_ms"] - events[row["line"]].at_ms) <= 650 for row in pictures)
