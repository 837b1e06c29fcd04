"""``kemps bench table``: figures over clips, bars, comparison of reports, strips, and one clip for real."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import pytest

from kemps_rules.events import Called
from kemps_scenes.spec import SceneSpec
from kemps_scenes.table_clips import TableClip
from kemps_scenes.table_scripts import Script, game
from kemps_server.bench import table_watching
from kemps_server.bench.table_bars import bars
from kemps_server.bench.table_comparison import fallen
from kemps_server.bench.table_report import at_most_95, report_of
from kemps_server.bench.table_results import (
    RenderedSource,
    TableResult,
    results,
    shared_sources,
    shared_table,
)
from kemps_server.bench.table_scores import ClipScore, Fault, Ruled
from kemps_server.bench.table_sheet import times_of, write_strips
from kemps_server.bench.table_tables import BEGIN, END, markdown, put_into, sheets
from kemps_server.bench.table_truth import AskedCall, Reveal
from kemps_server.cli import main
from kemps_server.errors import KempsServerError

LOOK = {
    "deck": "club",
    "surface": "felt",
    "camera": "arm",
    "light": "steady",
    "style": "row",
    "centre": "row",
}


def result(group: str, score: ClipScore, *, kind: str = "4 seats", cpu_s: float = 30.0) -> TableResult:
    return TableResult(
        name=f"{group}-1",
        group=group,
        kind=kind,
        seed=1,
        look=LOOK,
        score=score,
        cpu_s=cpu_s,
        video_s=60.0,
        has_people=True,
        clip=Path("clip.mp4"),
    )


def good_game(minutes: int = 16) -> ClipScore:
    return ClipScore(
        found=Counter(card_taken=100, card_laid=100, centre_turned=8, centre_swept=1, deal_started=1),
        seats=Counter(right=200),
        errors_ms=[40] * 190 + [200] * 10,
        centre=(1000, 1000),
        duration_ms=minutes * 60_000,
    )


def call(want: str, got: str, *, is_well_shown: bool = True) -> ClipScore:
    reveal = Reveal("A", (), 3000, 2000, 4, want == "right", "row", is_well_shown)
    return ClipScore(ruled=[Ruled(AskedCall(1500, "C", want, (reveal,)), got, "")], duration_ms=6000)


def verdicts_of(report: dict[str, Any]) -> dict[str, str]:
    return {bar.what: bar.verdict for bar in bars(report)}


def test_all_bars_are_met_by_what_is_right_throughout() -> None:
    watched = [
        result("game", good_game()),
        result("restless", ClipScore(centre=(10, 10), duration_ms=300_000), kind="hovering"),
        *(result("call", call("right", "right"), kind="quad") for _ in range(300)),
        result(
            "fouls",
            ClipScore(found=Counter(card_passed=9, hands_touched=9, hand_hidden=9), duration_ms=600_000),
            kind="passes",
        ),
        result("speed", ClipScore(duration_ms=20_000), kind="720p30", cpu_s=50.0),
    ]
    told = verdicts_of(report_of(watched))
    assert len(told) == 14
    assert set(told.values()) == {"met"}


def test_on_few_clips_what_holds_is_not_told_and_what_fails_fails() -> None:
    few = good_game(minutes=2)
    few.extra["card_laid"] = 5
    report = report_of([result("game", few), result("call", call("right", "wrong"), kind="quad")])
    told = verdicts_of(report)
    assert told["swaps: recall"] == "too few to tell"
    assert told["swaps: precision"] == "not met"
    assert told["automatic verdicts that are wrong"] == "not met"
    assert told["swaps invented in restless play"] == "not measured"
    assert told["720p30 recording with hands, on 2 cores"] == "not measured"


def test_verdicts_are_counted_by_what_was_shown_and_what_nobody_can_tell_is_left_out() -> None:
    scores = [
        call("right", "right"),
        call("wrong", "cannot_verify"),
        call("wrong", "none", is_well_shown=False),
        call("open", "cannot_verify"),
    ]
    calls = report_of([result("call", score, kind="quad") for score in scores])["calls"]
    assert (calls["calls"], calls["automatic"], calls["wrong"], calls["right_rulings"]) == (4, 1, 0, 1)
    assert (calls["well_shown"], calls["well_shown_open"], calls["open"]) == (2, 1, 2)
    forced = report_of([result("call", call("open", "right"), kind="tie")])["calls"]
    assert forced["wrong"] == 1, "who rules on what nobody can tell is wrong"


def test_what_none_of_so_many_proves() -> None:
    assert at_most_95(0, 300) == pytest.approx(1 - 0.05 ** (1 / 300), abs=1e-4)
    assert at_most_95(0, 0) == 1.0


def test_a_report_is_held_against_an_earlier_one_of_the_same_clips() -> None:
    old = report_of([result("game", good_game()), result("call", call("right", "right"), kind="quad")])
    worse = good_game()
    worse.seats = Counter(right=190, wrong=10)
    new = report_of([result("game", worse), result("call", call("right", "wrong"), kind="quad")])
    assert fallen(old, old) == []
    assert fallen(old, new) == [
        "games: right seat fell from 1.0000 to 0.9500",
        "calls: ruled as they are fell from 1.0000 to 0.0000",
        "calls: wrong verdicts rose from 0 to 1",
    ]
    assert fallen(old, new, tolerance=1.0) == ["calls: wrong verdicts rose from 0 to 1"]
    with pytest.raises(KempsServerError, match="not of the same clips"):
        fallen(old, report_of([result("game", good_game())]))


def test_the_tables_go_between_the_marks_of_a_document(tmp_path: Path) -> None:
    report = report_of([result("game", good_game()), result("call", call("right", "right"), kind="quad")])
    shown = sheets(report, bars(report))
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", "utf-8")
    put_into(page, shown)
    text = page.read_text("utf-8")
    assert text.startswith("before\n")
    assert text.endswith(f"{END}\nafter\n")
    assert "old" not in text
    assert "| swaps: recall | ≥ 0.98 | made-up table: 1.0000 (200 of 200; 0.982–1.000) | met |" in markdown(
        shown
    )
    page.write_text("no marks", "utf-8")
    with pytest.raises(KempsServerError, match="lacks the lines"):
        put_into(page, shown)


@pytest.fixture(scope="module")
def small() -> TableClip:
    """Some seconds of a small game, quick to draw and to watch."""
    script = game(3, "ABCD", 60)
    events = tuple(event for event in script.events if event.at_ms < 5500 and not isinstance(event, Called))
    spec = SceneSpec(seed=3, width=640, height=360, fps=10, clutter="none", packets="lying", tail_ms=800)
    return TableClip("game-small", "game", "4 seats", Script(events), spec)


def test_a_clip_is_drawn_watched_scored_and_kept(
    tmp_path: Path, small: TableClip, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = [RenderedSource.of(small)]
    (first,) = results(sources, tmp_path, with_people=False)
    score = first.score
    wanted = sum(event.kind in ("card_taken", "card_laid") for event in small.script.events)
    assert score.found.total() + score.missed.total() >= wanted > 0
    assert (first.video_s > 4, first.cpu_s > 0, first.has_people) == (True, True, False)
    with monkeypatch.context() as patch:
        patch.setattr(table_watching, "watched", lambda *_, **__: pytest.fail("watched again"))
        (again,) = results(sources, tmp_path, with_people=False)
    assert again.score == score
    other = replace(small, spec=replace(small.spec, seed=4))
    assert other.fingerprint != small.fingerprint, "another look is another clip"
    faulty = replace(first, score=ClipScore(faults=[Fault("extra card_laid", 2000, "A 9♠")]))
    (sheet,) = write_strips(tmp_path / "strips", [faulty])
    picture = cv2.imread(str(sheet))
    assert sheet.name == "extra-card_laid.png"
    assert picture is not None
    assert picture.shape == (252 + 22, 448 * 5, 3)


def test_strips_of_verdicts_look_on_until_the_hand_lies_open() -> None:
    assert times_of(Fault("verdict open", 1500, ""))[-1] > 6000
    assert times_of(Fault("missed card_laid", 1500, "")) == [500, 1100, 1500, 1900, 2500]


def test_recordings_of_others_are_told_their_centre_and_seats(tmp_path: Path) -> None:
    truth: dict[str, Any] = {
        "slots": [{"nominal_quad": [[100, 100], [140, 100], [140, 160], [100, 160]]}],
        "frames": [{"hands": [{"seat": "A", "box": [110, 300, 130, 320]}]}],
    }
    table = shared_table(truth)
    assert "centre = [[60, 60], [180, 60], [180, 200], [60, 200]]" in table
    assert 'id = "A"\nat = [120, 400]' in table
    with pytest.raises(KempsServerError, match="no table clip with its truth"):
        shared_sources(tmp_path)
    (tmp_path / "clip.json").write_text(json.dumps(truth), "utf-8")
    (tmp_path / "clip.mp4").write_bytes(b"")
    assert [source.path.name for source in shared_sources(tmp_path)] == ["clip.json"]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--games", "0", "--restless", "0", "--calls", "0", "--fouls", "0"], "nothing to measure"),
        (["--compare", "nowhere.json"], "nowhere.json: is no report of kemps bench table --out"),
        (["--games", "-1"], "--games"),
    ],
)
def test_what_cannot_be_measured_is_one_line_and_exit_code_2(
    words: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["bench", "table", *words])
    assert left.value.code == 2
    told = capsys.readouterr().err
    assert line in told
    assert told.count("\n") == 1


@pytest.mark.shared
def test_the_shared_clips_are_recognised_and_their_calls_told(shared: Path) -> None:
    sources = shared_sources(shared / "data" / "table")
    assert [source.path.stem for source in sources] == ["calm_oblique", "fouls", "kemps"]
    recording, truth = sources[2].recording(Path())
    assert len(recording.calls) == sum(row["type"] == "call" for row in truth["events"]) == 2
    assert recording.table.count("[[seat]]") == 4
