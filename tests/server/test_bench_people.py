"""``kemps bench people``: the command, its clips, what is remembered, its bars and its documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kemps_server.bench.people import people
from kemps_server.bench.people_bars import bars
from kemps_server.bench.people_clips import FIRST_SEED, SEEN, body_clips, chosen_clips, is_drawn
from kemps_server.bench.people_labels import Scene
from kemps_server.bench.people_markdown import BEGIN, END, markdown, put_into
from kemps_server.bench.people_memory import Memory, OutOfStepError
from kemps_server.bench.people_sheet import strip, write_people_sheet, wrong_in
from kemps_server.cli.app import main
from kemps_server.errors import KempsServerError
from kemps_vision.frame import Image
from kemps_vision.people.landmarks import Box, FacePose, HandPose

PICTURE: Image = np.zeros((60, 80, 3), np.uint8)


def share(right: int, of: int) -> dict[str, Any]:
    return {"right": right, "of": of, "share": right / of if of else None, "share_95": [0.0, 1.0]}


def test_seeds_are_of_one_s_own_and_any_beginning_has_its_share_of_each_kind() -> None:
    clips = body_clips()
    assert len({clip.seed for clip in clips}) == len(clips)
    assert min(clip.seed for clip in clips) == FIRST_SEED
    assert not SEEN & {clip.seed for clip in clips}
    half = clips[: len(clips) // 2]
    for script in ("winks", "talk", "reaches", "contacts", "hidden"):
        whole = sum(clip.script == script for clip in clips)
        assert abs(sum(clip.script == script for clip in half) - whole / 2) <= 1


def test_all_clips_together_are_as_many_as_the_bars_ask_for() -> None:
    clips = body_clips()
    talk = sum(clip.seconds * clip.people for clip in clips if clip.script == "talk")
    assert talk >= 30 * 60
    assert sum(clip.seconds for clip in clips if clip.is_of_table) >= 10 * 60
    assert any(clip.script == "idle" and clip.seconds >= 60 for clip in clips)


def test_minutes_take_a_beginning_of_the_clips_and_none_takes_all() -> None:
    assert chosen_clips(0) == body_clips()
    some = chosen_clips(2.0)
    assert some == body_clips()[: len(some)]
    assert 120 <= sum(clip.seconds for clip in some) < 240


class Landmarker:
    """Finds one face or hand that lies at the time it is asked for."""

    def __init__(self) -> None:
        self.calls = 0

    def faces(self, at_ms: int | None) -> list[FacePose]:
        self.calls += 1
        place = np.full((478, 3), float(at_ms or 0), np.float32)
        return [FacePose(place, np.full(52, 0.25, np.float32), None)] if at_ms else []


class Faces(Landmarker):
    def read(self, pixels: Image, box: Box | None = None, at_ms: int | None = None) -> list[FacePose]:
        del pixels, box
        return self.faces(at_ms)


class Hands(Landmarker):
    def read(self, pixels: Image, box: Box | None = None, at_ms: int | None = None) -> list[HandPose]:
        del pixels, box, at_ms
        self.calls += 1
        return [HandPose(np.full((21, 3), 7, np.float32), 0.9, True)] * 2


def test_what_was_asked_before_is_answered_from_memory_as_it_was(tmp_path: Path) -> None:
    landmarker, hands = Faces(), Hands()
    memory = Memory.of(tmp_path / "clip.npz")
    for _ in range(2):
        reader, others = memory.faces(lambda: landmarker), memory.hands(lambda: hands)
        told = [reader.read(PICTURE, Box(1, 2, 3, 4), at_ms) for at_ms in (0, 100)]
        assert [len(faces) for faces in told] == [0, 1]
        assert told[1][0].landmarks[5].tolist() == [100.0, 100.0, 100.0]
        assert told[1][0].head is None
        assert [hand.is_left for hand in others.read(PICTURE, at_ms=3)] == [True, True]
        memory.keep()
        memory = Memory.of(tmp_path / "clip.npz")
        assert memory.is_known
    assert (landmarker.calls, hands.calls) == (2, 1)


@pytest.mark.parametrize("asked", [(Box(1, 2, 3, 5), 100), (None, 100), (Box(1, 2, 3, 4), 101)])
def test_another_question_than_before_is_out_of_step(tmp_path: Path, asked: tuple[Box | None, int]) -> None:
    memory = Memory.of(tmp_path / "clip.npz")
    memory.faces(Faces).read(PICTURE, Box(1, 2, 3, 4), 100)
    memory.keep()
    known = Memory.of(tmp_path / "clip.npz")
    with pytest.raises(OutOfStepError):
        known.faces(Faces).read(PICTURE, *asked)
    assert not known.forgotten().is_known


def test_one_question_more_than_before_is_out_of_step_and_so_is_one_reader_more(tmp_path: Path) -> None:
    memory = Memory.of(tmp_path / "clip.npz")
    memory.faces(Faces).read(PICTURE, at_ms=1)
    memory.keep()
    known = Memory.of(tmp_path / "clip.npz")
    reader = known.faces(Faces)
    reader.read(PICTURE, at_ms=1)
    with pytest.raises(OutOfStepError):
        reader.read(PICTURE, at_ms=2)
    with pytest.raises(OutOfStepError):
        known.faces(Faces)


def test_a_damaged_memory_is_filled_anew(tmp_path: Path) -> None:
    (tmp_path / "clip.npz").write_bytes(b"PK\x03\x04 half a file")
    assert not Memory.of(tmp_path / "clip.npz").is_known


def test_what_was_not_measured_is_said_to_be_so() -> None:
    assert {bar.verdict for bar in bars({})} == {"not measured"}


def verdicts(report: dict[str, Any]) -> dict[str, str]:
    return {bar.what: bar.verdict for bar in bars(report) if bar.figures}


def test_faces_need_to_be_found_and_not_made_up() -> None:
    faces = {"found": share(95, 100), "extra": 2, "extra_share": 0.02}
    claims = {"recall": share(9, 10), "false": 0, "negatives": 19}
    report = {"stills": {"faces": faces, "hands_touched": claims}}
    assert verdicts(report)["faces in stills, by number"] == "met"
    faces["extra_share"] = 0.06
    assert verdicts(report)["faces in stills, by number"] == "not met"


@pytest.mark.parametrize(
    ("right", "of", "verdict"),
    [(50, 55, "met"), (49, 55, "not met"), (20, 20, "too few to tell"), (1, 3, "not met")],
)
def test_a_bar_met_on_too_few_is_not_said_to_be_met(right: int, of: int, verdict: str) -> None:
    false = {kind: {"false": 0} for kind in ("wink_left", "wink_right", "brow_raise")}
    lively = {"person_minutes": 31.0, "false": false}
    still = {"person_minutes": 0.0, "episodes": 0}
    faces = {"winks": share(right, of), "lively": lively, "still": still, "anothers_face": 0}
    told = verdicts({"rendered": {"faces": faces}})
    assert told["winks with the right side, at least 50"] == verdict
    assert told[LIVELY] == "met"
    assert told["another's face taken for a seat's"] == "met"


LIVELY = "false winks and raised brows of faces that talk and look about, at least 30 minutes"


@pytest.mark.parametrize(
    ("winks", "brows", "minutes", "verdict"),
    [(7, 8, 31.0, "met"), (8, 9, 31.0, "not met"), (0, 5, 15.0, "too few to tell"), (4, 5, 15.0, "not met")],
)
def test_false_signals_count_together(winks: int, brows: int, minutes: float, verdict: str) -> None:
    counts = {"wink_left": winks, "wink_right": 0, "brow_raise": brows}
    false = {kind: {"false": count} for kind, count in counts.items()}
    lively = {"person_minutes": minutes, "false": false}
    assert verdicts({"rendered": {"faces": {"lively": lively, "anothers_face": 0}}})[LIVELY] == verdict


def test_speed_is_held_to_the_clock_and_to_the_landmarkers_alone() -> None:
    speed = {"times_bare": 1.2, "updates_a_second": 12.0, "update_cpu_ms": 90.0}
    told = verdicts({"speed": speed})
    assert told["following people against the landmarkers that it calls, CPU"] == "not met"
    assert told["updates a second, one table and one face camera, four faces, 2 cores"] == "met"


def test_tables_go_between_the_marks_of_a_document(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nearlier tables\n{END}\nafter\n")
    put_into(page, {"bars": [bar.as_json() for bar in bars({})]})
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "earlier tables" not in text
    assert "| winks with the right side, at least 50 | at least 0.9 | – | **not measured** |" in text
    page.write_text("no marks")
    with pytest.raises(KempsServerError, match="lacks the lines"):
        put_into(page, {"bars": []})


def test_a_photo_s_errors_are_told_in_words_and_drawn(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "a.png", False, 2, None, True, (), "two people or more")
    answer = {"faces": [[0, 0, 9, 9]], "contacts": [], "cpu_ms": 1.0}
    assert wrong_in(scene, answer) == "1 faces of 2; hand_on_face missed, 0.00"
    failure = {"clip": "x", "what": "reach missed", "who": "A", "at_ms": 300, "until_ms": 600}
    frames = [(at_ms, np.full((90, 160, 3), at_ms // 10, np.uint8)) for at_ms in range(0, 1000, 100)]
    tile = strip(frames, failure, {"frames": [{"at_ms": 0, "faces": []}]})
    assert {10, 30, 60} <= set(np.unique(tile[50:]).tolist()), "moments of the strip, before and to its end"
    write_people_sheet(tmp_path / "sheet.png", [], [tile])
    assert (tmp_path / "sheet.png").stat().st_size > 1000


def test_the_command_writes_a_report_that_it_can_be_compared_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["bench", "people", "--json", "--out", str(tmp_path / "report.json"), "--work", str(tmp_path)])
    assert left.value.code == 0
    assert json.loads(capsys.readouterr().out) == json.loads((tmp_path / "report.json").read_text())
    with pytest.raises(SystemExit) as left:
        main(["bench", "people", "--compare", str(tmp_path / "report.json")])
    assert left.value.code == 2
    assert "no part in common" in capsys.readouterr().err


def test_only_clips_that_were_drawn_can_be_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not is_drawn(body_clips()[0], tmp_path)
    with pytest.raises(SystemExit) as left:
        main(["bench", "people", "--rendered", "--only-drawn", "--work", str(tmp_path)])
    assert left.value.code == 2
    assert "no made-up clip was drawn there yet" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--data", "nowhere"], "--data names the folder"),
        (["--tables", "nowhere"], "has none of the table clips"),
        (["--compare", "nowhere.json"], "is no report of kemps bench people"),
        (["--minutes", "-1"], "minutes"),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["bench", "people", *options])
    assert left.value.code == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


def test_markdown_of_a_report_has_a_heading_for_each_part_that_was_measured() -> None:
    rate = {"false": 0, "minutes": 1.0, "a_minute": 0.0}
    figures = {
        "recall": share(1, 1),
        "precision": share(1, 1),
        "f1": 1.0,
        "false": rate,
        "onset": {"median_ms": 60},
    }
    still = {"person_minutes": 1.0, "episodes": 0}
    faces = {
        "clips": 1,
        "person_minutes": 2.0,
        "classes": {"blink": figures},
        "lively": {"person_minutes": 1.0, "false": {"wink_left": rate}},
        "still": still,
        "found_by_width": {"64–128 px": share(9, 10)},
        "anothers_face": 0,
        "winks": share(1, 1),
    }
    counted = {
        "reaches": {"found": share(3, 3), "false": rate},
        "contacts": {
            "touches_and_clasps": share(2, 2),
            "by_kind": {"clasp": share(2, 2)},
            "false": rate,
            "calibration": {"bins": [{"from": 0.9, "to": 1.0, "score": 0.95, **share(2, 2)}]},
        },
        "near_misses": {"not_called": share(1, 1)},
        "hidden": {"found": share(0, 0), "false": rate},
    }
    seats = {"right": share(5, 5), "unclear": 0, "wrong": 0, "nobodys": 0, "swaps": 0}
    tables = {"clips": 1, "minutes": 0.5, **counted, "seats": seats, "by_script": {"contacts": counted}}
    who = {"people": 2, "women": 1, "with_glasses": 1, "with_stubble": 0, "skins_light_to_dark": {"1": 2}}
    text = markdown(
        {
            "bars": [],
            "rendered": {"faces": faces, "tables": tables, "people": who, "clips": ["talk-70006"]},
            "other_tables": tables,
        }
    )
    assert "### Made-up faces, 1 clips, 2.0 minutes of one person" in text
    assert "| blink | 1 of 1, 1.000 (0.000–1.000)" in text
    assert "| contacts | 3 of 3, 1.000" in text
    assert "0 of 0" in text
    assert "### Tables of another renderer" in text


def test_the_command_is_told_of_under_its_own_name() -> None:
    assert people.__doc__ is not None
    assert "following people" in people.__doc__
