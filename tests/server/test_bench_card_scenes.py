"""Cards at rest on scene clips: what counts as wrong, found and lost, and one clip measured for real."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kemps_rules.cards import Card
from kemps_rules.events import CardLaid, CardTaken, CentreSwept, CentreTurned, Event
from kemps_scenes import trials
from kemps_server.bench.card_scenes import exact_95, figures_of, measure_scenes, promises_of, report_of
from kemps_server.bench.scene_marks import Track, marks_of
from kemps_server.bench.scene_sheet import strip
from kemps_server.bench.scene_watching import ClipResult, centre_moments

pytestmark = pytest.mark.long

FRAME_MS = 100.0


def stay(
    card: str, x: float, *, start: int = 0, end: int = 4000, free: range = range(0, 4000, 100)
) -> dict[str, Any]:
    """A card 50 px wide and 80 px long with its middle at x, 100."""
    quad = [[x - 25, 60], [x + 25, 60], [x + 25, 140], [x - 25, 140]]
    return {
        "card": card,
        "uid": 0,
        "place": "table",
        "quad": quad,
        "length_px": 80.0,
        "from_ms": start,
        "until_ms": end,
        "free_ms": list(free),
    }


def track(card: str | None, x: float, start: int, end: int = 4000) -> Track:
    return Track(card, (x, 100.0), start, end)


def test_a_card_named_within_a_second_of_lying_free_is_found_and_one_named_later_is_not() -> None:
    covered = range(1500, 4000, 100)
    stays = [stay("9c", 100), stay("Kd", 300), stay("2h", 500, free=covered), stay("5s", 700)]
    tracks = [track("9c", 104, 900), track("Kd", 300, 1300), track("2h", 500, 2400)]
    marks, made_up = marks_of(stays, tracks, FRAME_MS)
    assert [(mark.is_found, mark.named_ms, mark.free_at_ms) for mark in marks] == [
        (True, 900, 1000),
        (False, 1300, 1000),
        (True, 2400, 2500),
        (False, None, 1000),
    ]
    assert made_up == []
    assert not any(mark.wrong for mark in marks)


def test_a_card_that_hardly_lay_free_is_no_observation() -> None:
    marks, _ = marks_of([stay("9c", 100, free=range(0, 800, 100))], [], FRAME_MS)
    assert marks == []


def test_another_name_in_a_card_s_place_is_wrong_and_a_name_where_nothing_lies_is_made_up() -> None:
    marks, made_up = marks_of(
        [stay("9c", 100), stay("Kd", 300)], [track("9s", 100, 500), track("Ah", 600, 500)], FRAME_MS
    )
    assert [mark.wrong for mark in marks] == ["9s", None]
    assert [one.card for one in made_up] == ["Ah"]


def test_in_a_fan_a_wrong_name_is_that_of_the_neighbour_that_has_none() -> None:
    stays = [stay("9c", 100), stay("Kd", 125)]
    marks, made_up = marks_of(stays, [track("9c", 100, 500), track("Kh", 108, 500)], FRAME_MS)
    assert [(mark.card, mark.wrong) for mark in marks] == [("9c", None), ("Kd", "Kh")]
    assert made_up == []


def test_a_track_of_the_card_that_lay_there_before_is_no_wrong_name() -> None:
    stays = [
        stay("9c", 100, end=2000, free=range(0, 1500, 100)),
        stay("Kd", 100, start=2500, free=range(2500, 4000, 100)),
    ]
    marks, made_up = marks_of(stays, [track("9c", 100, 500, 3200), track("Kd", 100, 3200)], FRAME_MS)
    assert [(mark.wrong, mark.is_found) for mark in marks] == [(None, True), (None, True)]
    assert made_up == []


def test_a_card_given_up_while_it_lies_free_is_lost() -> None:
    marks, _ = marks_of([stay("9c", 100)], [track("9c", 100, 500, 1500), track("9c", 100, 2500)], FRAME_MS)
    assert marks[0].is_lost
    marks, _ = marks_of([stay("9c", 100)], [track("9c", 100, 500, 1500), track("9c", 100, 1800)], FRAME_MS)
    assert not marks[0].is_lost


def test_the_centre_is_right_where_the_journal_has_the_cards_that_lie_there() -> None:
    rows = [
        {"t_ms": 0, "slots": ["9c", "2h", None]},
        {"t_ms": 2000, "slots": [None, "2h", None]},
        {"t_ms": 4000, "slots": ["Kd", "2h", None]},
    ]
    cards = tuple(map(Card.parse, ("9c", "2h")))
    events: list[Event] = [
        CentreTurned(at_ms=0, cards=cards, first_sight=True),
        CardTaken(at_ms=2100, seat=None, card=cards[0]),
        CardLaid(at_ms=3900, seat=None, card=Card.parse("Kd")),
    ]
    right, moments = centre_moments(rows, events, 6000)
    assert right == moments > 30
    late = [events[0], CardTaken(at_ms=3400, seat=None, card=cards[0]), events[2]]
    assert centre_moments(rows, late, 6000) == (moments - 10, moments)
    swept = [*events, CentreSwept(at_ms=5000, seat=None)]
    assert centre_moments(rows, swept, 6000) == (moments - 10, moments)


def test_intervals_are_those_of_clopper_and_pearson() -> None:
    assert exact_95(0, 3000) == pytest.approx((0.0, 0.00123), abs=1e-5)
    assert exact_95(5, 10) == pytest.approx((0.18709, 0.81291), abs=1e-5)
    assert exact_95(0, 0) == (0.0, 1.0)


def test_small_cards_are_told_apart_and_the_report_can_be_written() -> None:
    trial = trials.trials(1)[0]
    marks, _ = marks_of(
        [stay("9c", 100), stay("Kd", 300) | {"length_px": 50.0}], [track("9c", 100, 500)], FRAME_MS
    )
    report = report_of([ClipResult(trial, tuple(marks), ("Ah",), 40, 39, 80.0)])
    assert (report.counted.observations, report.counted.found, report.small.observations) == (1, 1, 1)
    assert report.small.found == 0
    assert report.by["size"]["36-70 px"].observations == 1
    assert report.by["deck"] == {trial.spec.deck: figures_of([marks[0]])}
    assert (report.made_up, report.centre_right, report.centre_moments) == (1, 39, 40)
    written = json.loads(json.dumps(report.as_json()))
    assert [line["clip"] for line in written["failures"]] == [trial.name] * 3


def test_other_clips_have_other_promises_of_the_same_kinds() -> None:
    seen, unseen = promises_of(160, 1), promises_of(160, 161)
    assert len(seen) == len(unseen) == 26
    assert not {trial.spec.seed for trial in seen} & {trial.spec.seed for trial in unseen}
    assert {trial.kind for trial in unseen} == set(trials.PROMISES)


def test_a_promise_is_kept_when_exactly_what_must_be_told_is_told() -> None:
    still, covered, swapped = trials.promises(3)
    assert [trial.kind for trial in (still, covered, swapped)] == list(trials.PROMISES)
    taken, laid = swapped.promised

    def is_kept(trial: trials.Trial, *told: str, made_up: tuple[str, ...] = ()) -> bool:
        return ClipResult(trial, (), made_up, 90, 90, 100.0, told).is_kept

    assert is_kept(still)
    assert is_kept(covered)
    assert is_kept(swapped, taken, laid)
    assert not is_kept(still, "card_conflict")
    assert not is_kept(covered, "card_taken 9c")
    assert not is_kept(swapped)
    assert not is_kept(still, made_up=("9c",))
    table = ClipResult(trials.trials(1)[0], (), (), 40, 40, 80.0)
    report = report_of([table, *(ClipResult(trial, (), (), 90, 90, 90.0) for trial in trials.promises(6))])
    assert report.promises == {"still": (2, 2), "covered": (2, 2), "swapped": (2, 0)}
    assert report.clips == 1
    assert len(report.failures) == 2


def test_a_strip_shows_the_card_s_place() -> None:
    (mark,), _ = marks_of([stay("9c", 100)], [], FRAME_MS)
    frames = [(at_ms, np.full((200, 400, 3), 90, np.uint8)) for at_ms in range(0, 4000, 500)]
    picture = strip(frames, mark, "0000-table")
    assert picture.shape == (520, 640, 3)
    assert (picture[100, 100] == 90).all()


def test_a_clip_is_measured_and_its_result_taken_from_disk_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[int, int]] = []
    report = measure_scenes(
        clips=1, work=tmp_path, sheet=tmp_path / "sheet.png", on_clip=lambda n, of: seen.append((n, of))
    )
    assert seen == [(1, 1)]
    assert report.clips == 1
    assert report.counted.observations >= 15
    assert report.counted.wrong == 0
    assert report.counted.found_share >= 0.9
    assert report.centre_right == report.centre_moments
    assert (tmp_path / "sheet.png").is_file()

    def refuse(*_: object) -> None:
        raise AssertionError("the clip was rendered again")

    monkeypatch.setattr(trials, "render_trial", refuse)
    assert measure_scenes(clips=1, work=tmp_path) == report
    with pytest.raises(AssertionError, match="rendered again"):
        measure_scenes(clips=1, first=2, work=tmp_path)  # another clip, of which nothing is kept
