"""The bars, held against reports made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from kemps_server.bench.card_bars import WIDTHS, bars


def a_group(**figures: float) -> dict[str, Any]:
    usual = {"photos": 10, "cards": 40, "wrong": 0, "missed": 0, "f1": 1.0, "precision": 1.0, "exact": 1.0}
    spans = {f"{name}_95": [0.9, 1.0] for name in ("f1", "precision", "exact")}
    return {**usual, **spans, **figures}


def at_sizes(group: str, *figures: dict[str, float]) -> dict[str, Any]:
    """The figures of the first widths, those of the last one also for the widths after it."""
    sure = {"cards": 950, "score": 0.98, "wrong": 0}
    filled = [*figures, *figures[-1:] * (len(WIDTHS) - len(figures))]
    return {
        size: {"groups": {group: a_group(**some)}, "wrong_and_sure": sure}
        for size, some in zip(WIDTHS, filled, strict=True)
    }


def verdict(report: dict[str, Any], what: str) -> str:
    (found,) = [bar for bar in bars(report) if what in bar.what]
    return found.verdict


def test_nothing_measured_meets_nothing_and_fails_nothing() -> None:
    assert {bar.verdict for bar in bars({})} == {"not measured"}


@pytest.mark.parametrize(("second", "expected"), [(0.993, "met"), (0.9929, "not met")])
def test_a_bar_is_met_only_when_it_is_at_every_width(second: float, expected: str) -> None:
    report = {"photos": at_sizes("layout separate", {"f1": 1.0}, {"f1": second})}
    assert verdict(report, "separate cards: F1") == expected


@pytest.mark.parametrize(("missed", "expected"), [(0, "met"), (1, "not met")])
def test_of_open_fans_one_error_is_allowed_and_not_two(missed: int, expected: str) -> None:
    report = {"photos": at_sizes("overlaps and fans, up to 6 cards", {"wrong": 1, "missed": missed})}
    assert verdict(report, "up to 6 cards: errors") == expected


@pytest.mark.parametrize(
    ("photos", "f1", "expected"),
    [(300, 0.985, "met"), (300, 0.98, "not met"), (24, 1.0, "too few to tell")],
)
def test_made_up_hands_count_from_three_hundred(photos: int, f1: float, expected: str) -> None:
    report = {"rendered": {"groups": {"all": a_group(photos=photos, f1=f1)}}}
    assert verdict(report, "made-up ones") == expected


def test_german_decks_are_held_to_the_letters_that_were_given() -> None:
    part = {"groups": {"given": a_group(f1=0.96), "each photo by itself": a_group(f1=0.5)}}
    assert verdict({"german": dict.fromkeys(WIDTHS, part)}, "German") == "met"


def test_what_holds_at_some_widths_only_is_not_met_yet() -> None:
    photos = at_sizes("layout separate", {"f1": 1.0})
    del photos["1600 px"]
    assert verdict({"photos": photos}, "separate cards: F1") == "too few to tell"
    photos["960 px"]["groups"]["layout separate"]["f1"] = 0.9
    assert verdict({"photos": photos}, "separate cards: F1") == "not met"


@pytest.mark.parametrize(
    ("wrong", "score", "expected"), [(1, 0.9, "met"), (2, 0.9, "not met"), (0, 0.0, "not met")]
)
def test_wrong_and_sure_allows_one(wrong: int, score: float, expected: str) -> None:
    sure = {"cards": 950, "score": score, "wrong": wrong}
    report = {"photos": {size: {"groups": {}, "wrong_and_sure": sure} for size in WIDTHS}}
    assert verdict(report, "wrong and sure") == expected


def scenes(observations: int, wrong: int, found: float = 1.0, centre: int = 1000) -> dict[str, Any]:
    counted = {
        "observations": observations,
        "wrong": wrong,
        "wrong_95": (0.0, 0.1),
        "found_share": found,
        "found_95": (0.0, 1.0),
    }
    moments = {"centre_right": centre, "centre_moments": 1000, "centre_95": (0.9, 1.0)}
    return {"scenes": {"counted": counted, **moments}}


def test_scene_clips_meet_their_bars_with_enough_observations_only() -> None:
    assert verdict(scenes(3000, 3), "wrong identity") == "met"
    assert verdict(scenes(3000, 4), "wrong identity") == "not met"
    assert verdict(scenes(500, 0), "wrong identity") == "too few to tell"
    assert verdict(scenes(500, 4), "wrong identity") == "not met"
    assert verdict(scenes(3000, 0, found=0.99), "found within 1 s") == "not met"
    assert verdict(scenes(3000, 0, centre=994), "centre right") == "not met"


def test_speed_weights_and_the_loss_of_int8_have_bars() -> None:
    speed = [{"width": 640, "height": 384, "crops": 8, "cpu_ms": 14.0}]
    report = {"speed": speed, "weights_bytes": 3_000_001, "int8_loss": {"here": 0.003, "there": 0.004}}
    assert verdict(report, "centre region") == "met"
    assert verdict(report, "whole frame") == "not measured"
    assert verdict(report, "weights") == "not met"
    assert verdict(report, "lost by int8") == "not met"


def test_a_bar_tells_its_figure_with_the_interval() -> None:
    report = {"photos": at_sizes("layout separate", {"f1": 0.9951})}
    assert bars(report)[0].as_json() == {
        "what": "single frame, separate cards: F1",
        "bar": "at least 0.993",
        "figures": dict.fromkeys(WIDTHS, "0.9951 (0.900–1.000)"),
        "verdict": "met",
    }
