"""The figures of ``kemps bench calibration``, worked out from results given by hand."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from kemps_rules.cards import Card
from kemps_rules.events import CardLaid, CardTaken, CentreSwept, CentreTurned, Settled
from kemps_server.bench import calibration_games, calibration_nudges, calibration_tables
from kemps_server.bench.calibration_games import GameResult, clip_files, told_of
from kemps_server.bench.calibration_nudges import SIZE, WIDE, NudgeResult, nudge, seen_through
from kemps_server.bench.calibration_tables import TableResult, overlap
from kemps_server.cli import main


def table(seats: int, right: int, *, is_found: bool = True, share: float = 0.8) -> TableResult:
    return TableResult(
        names="x",
        seats=seats,
        is_found=is_found,
        overlap=share,
        inside=4,
        right=right,
        seen=2,
        turned_deg=5.0,
    )


def test_seats_of_tables_that_were_not_found_count_as_wrong() -> None:
    lost = TableResult(names="x", seats=4, is_found=False)
    answer = calibration_tables.summary([table(4, 4), lost, table(6, 5, share=0.6)])
    assert answer["found"]["right"] == 2
    assert (answer["seats_right_of_4"]["right"], answer["seats_right_of_4"]["of"]) == (4, 8)
    assert (answer["seats_right_of_6"]["right"], answer["seats_right_of_6"]["of"]) == (5, 6)
    assert answer["places_in_centre"]["of"] == 12
    assert (answer["overlap_median"], answer["overlap_least"]) == (0.7, 0.6)


def test_without_tables_there_are_no_figures() -> None:
    assert calibration_tables.summary([])["overlap_median"] is None
    assert calibration_nudges.summary([])["look_ms"] is None


def test_outlines_that_are_apart_overlap_by_nothing() -> None:
    square = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])
    assert overlap(square, square + 5) == 0.0
    assert overlap(square, square[::-1]) == pytest.approx(1.0)


def test_nudges_told_late_or_never_are_missed() -> None:
    result = NudgeResult(
        "x", 120, false_alarms=1, nudges=[(5.0, 1, 0.5), (30.0, 11, 1.0), (60.0, None, None)]
    )
    answer = calibration_nudges.summary([result])
    assert (answer["noticed_in_10_s"]["right"], answer["noticed_in_10_s"]["of"]) == (1, 3)
    assert answer["off_px_worst"] == 0.5
    assert answer["false_alarms"]["a_minute"] == 0.5


def test_a_nudged_camera_sees_things_where_the_nudge_says() -> None:
    wide = np.zeros((WIDE[1], WIDE[0], 3), np.uint8)
    cv2.circle(wide, (1000, 500), 6, (255, 255, 255), -1)
    move = nudge(20.0, -10.0, 4.0, 1.03)
    seen = seen_through(wide, move)
    assert seen.shape == (SIZE[1], SIZE[0], 3)
    rows, columns = np.nonzero(seen[..., 0] > 128)
    expected = cv2.perspectiveTransform(np.array([[[1000.0 - 160, 500.0 - 90]]]), move)[0, 0]
    assert np.allclose([columns.mean(), rows.mean()], expected, atol=0.6)
    assert seen_through(wide, move, 0.5).max() == pytest.approx(128, abs=2)


def test_events_of_the_centre_are_compared_by_kind_seat_and_card() -> None:
    nine, king = Card.parse("9c"), Card.parse("Kc")
    told = told_of(
        [
            CentreTurned(at_ms=0, cards=(nine, king)),
            CardTaken(at_ms=10, seat="A", card=nine),
            CardLaid(at_ms=20, seat=None, card=king),
            Settled(at_ms=30, camera="table"),
            CentreSwept(at_ms=40, seat="B"),
        ]
    )
    assert told == [
        ("centre_turned", None, "9c"),
        ("centre_turned", None, "Kc"),
        ("card_taken", "A", "9c"),
        ("card_laid", None, "Kc"),
        ("centre_swept", "B", ""),
    ]


def test_clips_alike_are_those_without_an_event_that_only_one_run_tells() -> None:
    same = GameResult(name="a", both=6, only_given=(), only_found=(), seats_right=4, seats=4, overlap=0.8)
    other = GameResult(
        name="b", both=3, only_given=("card_taken A 9c",), only_found=(), seats_right=3, seats=4, overlap=0.7
    )
    answer = calibration_games.summary([same, other])
    assert answer["clips_alike"]["right"] == 1
    assert (answer["events_alike"]["right"], answer["events_alike"]["of"]) == (9, 10)
    assert answer["seats_right"]["right"] == 7


def test_only_clips_with_their_table_are_watched(tmp_path: Path) -> None:
    for name in ("b.mp4", "b.table.toml", "b.calls.jsonl", "a.mp4"):
        (tmp_path / name).write_text("", encoding="utf-8")
    (files,) = clip_files(tmp_path)
    assert files.clip.name == "b.mp4"
    assert files.calls is not None


def test_a_folder_without_clips_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["bench", "calibration", "--data", str(tmp_path), "--clips", "0"])
    assert left.value.code == 2
    assert "holds no clip with its .table.toml beside it" in capsys.readouterr().err
