"""Clips that understanding a table is measured on: they can be played, and rules agree with their truth."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from kemps_rules.events import CardLaid, CardTaken, CardTouched, CentreSwept, DealStarted, Event
from kemps_rules.replay import judge
from kemps_scenes.call_scripts import KINDS, LONGEST_MS, call_script
from kemps_scenes.crossings import Crossings, ShownCards
from kemps_scenes.script import plan_scene
from kemps_scenes.spec import SHOW_STYLES
from kemps_scenes.table_clips import (
    DEVELOPMENT_SEED,
    GAME_S,
    TableClip,
    call_clips,
    fast_clip,
    game_clips,
    render,
    restless_clips,
)
from kemps_scenes.table_scripts import RESTLESS, game, restless

OPEN_TO_RULES = {"covered_quad", "covered_odd_card"}  # the rules cannot know what lies under the hand


def ruling(events: tuple[Event, ...]) -> list[str]:
    return [deal.verdict.ruling for deal in judge(events).deals if deal.verdict]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seats", ["ABCD", "ABCDEF"])
def test_a_call_comes_to_what_the_rules_say_of_its_script(kind: str, seats: str) -> None:
    for seed, style in enumerate(SHOW_STYLES):
        script = call_script(kind, seed, seats, style)
        told = ruling(script.events)
        wanted = (
            "cannot_verify" if kind in OPEN_TO_RULES or script.verdicts == ("open",) else script.verdicts[0]
        )
        assert told == [wanted]


def test_all_scripts_can_be_played_and_last_as_long_as_they_should() -> None:
    for clip in call_clips(2 * len(KINDS), DEVELOPMENT_SEED):
        assert plan_scene(clip.script.events, clip.spec).duration_ms <= LONGEST_MS
    for clip in [*game_clips(4, DEVELOPMENT_SEED), *restless_clips(5, DEVELOPMENT_SEED)]:
        planned = plan_scene(clip.script.events, clip.spec)
        assert abs(planned.duration_ms - GAME_S * 1000) < 6000


def test_games_have_swaps_a_sweep_a_call_and_a_next_deal_and_keep_to_the_rules() -> None:
    for seed in range(6):
        script = game(seed, "ABCD", 60)
        kinds = Counter(event.kind for event in script.events)
        assert kinds["card_taken"] == kinds["card_laid"] >= 10
        assert any(isinstance(event, CentreSwept) for event in script.events)
        assert sum(isinstance(event, DealStarted) for event in script.events) == 2
        assert ruling(script.events) == list(script.verdicts)
        assert not {flag.rule for flag in judge(script.events).flags} - {"R7"}


def test_quick_swaps_are_three_tenths_of_a_second_apart() -> None:
    times = sorted(
        event.at_ms
        for seed in range(4)
        for event in game(seed, "ABCD", 60).events
        if isinstance(event, CardTaken)
    )
    assert sum(b - a == 300 for a, b in pairwise(times)) >= 4


@pytest.mark.parametrize("kind", RESTLESS)
def test_in_restless_play_the_centre_never_changes(kind: str) -> None:
    script = restless(kind, 3, "ABCD", 60)
    assert not any(isinstance(event, CardTaken | CardLaid) for event in script.events)
    assert len(script.events) > 4
    assert len(plan_scene(script.events, restless_clips(1)[0].spec).centre) == 1


def test_a_card_that_is_pushed_again_is_pushed_back_so_that_it_stays_in_the_centre() -> None:
    pushed: dict[str, tuple[float, float]] = {}
    for event in restless("hovering", 59_101, "ABCD", 60).events:
        if isinstance(event, CardTouched) and "pushed_mm" in event.extra:
            x, y = pushed.get(str(event.card), (0.0, 0.0))
            dx, dy = event.extra["pushed_mm"]
            pushed[str(event.card)] = (x + dx, y + dy)
            assert abs(y + dy) <= 40
    assert (0.0, 0.0) in pushed.values()


def test_looks_are_varied_and_names_are_told_apart() -> None:
    games, calls = game_clips(16), call_clips(308)
    assert {len(clip.script.events[0].seats) for clip in games} == {4, 6}  # type: ignore[union-attr]
    assert len({clip.spec.deck for clip in games}) >= 5
    assert len({clip.spec.surface for clip in games}) >= 4
    assert len({clip.spec.camera for clip in games}) >= 4
    assert len({clip.name for clip in [*games, *calls]}) == 324
    styles = {kind: {clip.spec.shows for clip in calls if clip.kind == kind} for kind in KINDS}
    assert all(len(seen) == len(SHOW_STYLES) for seen in styles.values()), "each kind in each style"
    assert fast_clip().spec.fps == 30
    shaken, relit = (
        next(clip for clip in restless_clips(5) if clip.kind == kind) for kind in ("shaken", "relit")
    )
    assert len(shaken.spec.nudges) == 4
    assert len(relit.spec.relit) > 5


@pytest.fixture(scope="module")
def small() -> TableClip:
    clip = call_clips(1, DEVELOPMENT_SEED)[0]
    return replace(clip, spec=replace(clip.spec, width=320, height=180, fps=5, clutter="none"))


def test_a_clip_is_rendered_once_with_its_truth(tmp_path: Path, small: TableClip) -> None:
    paths = render(small, tmp_path)
    truth = json.loads(paths.truth.read_text("utf-8"))
    assert truth["verdicts"] == list(small.script.verdicts)
    assert len(truth["journal"]) == len(small.script.events)
    assert json.loads(truth["calls"][0])["kind"] == "called"
    assert "centre = " in truth["table"]
    assert [row["seat"] for row in truth["shown"]] == [
        row["seat"] for row in truth["events"] if row["type"] == "reveal"
    ]
    written = paths.truth.stat().st_mtime_ns
    assert render(small, tmp_path) == paths
    assert paths.truth.stat().st_mtime_ns == written
    other = replace(small, spec=replace(small.spec, seed=1))
    assert other.fingerprint != small.fingerprint


def card(name: str, place: str, visible: float, length: float = 100.0) -> dict[str, object]:
    quad = [[0, 0], [70, 0], [70, length], [0, length]]
    return {"card": name, "place": place, "visible": visible, "face_to_camera": True, "quad": quad}


def test_a_hand_is_well_shown_while_all_its_cards_are_large_and_in_view() -> None:
    row = {"type": "reveal", "seat": "A", "cards": ["9s", "9h"], "under": ["9d"], "all_down_ms": 1000}
    shown = ShownCards([row])
    for at_ms, least in ((900, 1.0), (1000, 1.0), (1100, 0.95), (1200, 0.5)):
        cards = [card("9s", "shown:A", 1.0), card("9h", "shown:A", least), card("9d", "shown:A", 1.0)]
        shown.look({"t_ms": at_ms, "cards": [*cards, card("9c", "slot:1", 1.0)]})
    shown.look({"t_ms": 1300, "cards": [card("9s", "shown:A", 1.0)]})
    assert shown.told(100.0) == [{"seat": "A", "well_shown_ms": 200, "least_px": 100.0}]


def test_hands_of_two_seats_that_lie_over_each_other_are_a_crossing() -> None:
    crossings = Crossings()
    for at_ms, left in ((0, 200), (100, 90), (200, 80), (700, 80), (800, 300)):
        hands = [
            {"seat": "A", "box": [0, 0, 100, 100]},
            {"seat": "A", "box": [0, 0, 50, 50]},
            {"seat": "B", "box": [left, 0, left + 100, 100]},
        ]
        crossings.look({"t_ms": at_ms, "hands": hands})
    assert crossings.spans == [
        {"t0_ms": 100, "t1_ms": 200, "seats": ["A", "B"]},
        {"t0_ms": 700, "t1_ms": 700, "seats": ["A", "B"]},
    ]
