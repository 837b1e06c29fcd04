"""``kemps observe`` on a drawn table (see tests/vision/conftest.py), as stills in a folder."""

from __future__ import annotations

import importlib.util
import io
import json
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import cv2
import numpy as np
import pytest

from kemps_rules.events import CardTaken, Event, NotObserved, UnknownEvent
from kemps_rules.journal import read_journal
from kemps_server.cli.app import main
from kemps_server.cli.observe import table_source
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_server.watching import Mode, watch
from kemps_vision.calibration.anchors import find_anchors, small_view
from kemps_vision.calibration.record import CalibrationRecord, CameraRecord, record_path, save_record
from kemps_vision.errors import SourceError
from kemps_vision.frame import Frame
from kemps_vision.zones import TableConfig, parse_config

Main = Callable[..., int]
TELL_A_PUSH = ("not_observed", "camera_moved", "camera_lost_place")


@pytest.fixture(scope="module")
def drawing() -> ModuleType:
    path = Path(__file__).parent.parent / "vision" / "conftest.py"
    spec = importlib.util.spec_from_file_location("drawn_table", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def one_swap(drawing: ModuleType) -> Any:  # noqa: ANN401 - a class of a module loaded by path
    table = drawing.DrawnTable(duration_ms=6500)
    table.centre("9c 2h 5d Js", end=[2000])
    table.takes("A", 0, "9c", 2000)
    table.lays("A", 0, "Kc", 3300)
    return table


@pytest.fixture(scope="module")
def stills(drawing: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stills")
    table = one_swap(drawing)
    for number in range(65):
        picture = cv2.cvtColor(table.picture(number * 100), cv2.COLOR_RGB2BGR)
        assert cv2.imwrite(str(folder / f"{number:03}.png"), picture)
    return folder


@pytest.fixture
def config(drawing: ModuleType, tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(drawing.CONFIG)
    return path


@pytest.fixture
def kemps(drawing: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Main:
    """The command line with the reader of drawn cards, nobody followed; gives the exit code."""
    monkeypatch.setattr("kemps_server.cli.observe.default_reader", lambda **_: drawing.DrawnReader())

    def run(*words: str | Path) -> int:
        with pytest.raises(SystemExit) as left:
            main([*map(str, words), *(["--no-people"] if words[0] == "observe" else [])])
        assert isinstance(left.value.code, int)
        return left.value.code

    return run


def test_a_folder_gets_journal_evidence_and_a_note_of_the_recording(
    kemps: Main, stills: Path, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "deep" / "game"
    assert kemps("observe", stills, "--out", out, "--config", config, "--call", "4.5 C kemps") == 0
    events = read_journal(out / "game.jsonl").events
    assert [event.kind for event in events if event.kind != "card_touched"] == [
        "game_opened",
        "deal_started",
        "centre_turned",
        "card_taken",
        "card_laid",
        "called",
        "settled",
        "settled",
    ]
    taken = next(event for event in events if isinstance(event, CardTaken))
    lines = {event.kind: line for line, event in enumerate(events)}
    line = lines["card_taken"]
    assert (str(taken.card), taken.seat) == ("9c", "A")
    assert json.loads((out / "recording.json").read_text())["path"] == str(stills)
    assert (out / "video" / stills.name).resolve() == stills
    pictures = json.loads((out / "evidence" / "index.json").read_text())["pictures"]
    assert [(row["line"], row["moment"]) for row in pictures if row["kind"] == "card_taken"] == [
        (line, "before"),
        (line, "at"),
        (line, "after"),
    ]
    assert {row["line"] for row in pictures} == {line, lines["card_laid"], lines["called"]}
    assert all((out / "evidence" / row["file"]).read_bytes()[:2] == b"\xff\xd8" for row in pictures)
    at = next(row for row in pictures if row["line"] == line and row["moment"] == "at")
    assert abs(at["at_ms"] - taken.at_ms) <= 120
    told = capsys.readouterr()
    assert f"{len(events)} events" in told.out
    assert told.err == ""


def test_json_prints_each_event_as_it_stands_in_the_journal(
    kemps: Main, stills: Path, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps("observe", stills, "--out", tmp_path / "g", "--config", config, "--json") == 0
    assert capsys.readouterr().out == (tmp_path / "g" / "game.jsonl").read_text()


def test_a_game_that_is_there_is_not_touched_unless_asked(
    kemps: Main, stills: Path, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "g"
    assert kemps("observe", stills, "--out", out, "--config", config) == 0
    before = (out / "game.jsonl").read_bytes()
    capsys.readouterr()
    assert kemps("observe", stills, "--out", out, "--config", config) == 2
    assert "there is a game in this folder" in capsys.readouterr().err
    assert (out / "game.jsonl").read_bytes() == before
    assert kemps("observe", stills, "--out", out, "--config", config, "--overwrite") == 0
    assert (out / "game.jsonl").read_bytes() == before


def test_ctrl_c_leaves_a_valid_journal_and_resume_makes_it_whole(
    kemps: Main,
    stills: Path,
    config: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole, out = tmp_path / "whole", tmp_path / "g"
    assert kemps("observe", stills, "--out", whole, "--config", config) == 0

    def press_ctrl_c(_: object, event: Event, __: object = None) -> None:
        if event.kind == "card_taken":
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(
            "kemps_server.keeping.EvidenceKeeper.note", lambda keeper, _, event: press_ctrl_c(keeper, event)
        )
        assert kemps("observe", stills, "--out", out, "--config", config) == 130
    told = capsys.readouterr().err
    assert "stopped at" in told
    assert "--resume" in told
    part = (out / "game.jsonl").read_text()
    assert part.splitlines()[-1].startswith('{"kind":"card_taken"')
    assert kemps("observe", stills, "--out", out, "--config", config, "--resume") == 0
    assert (out / "game.jsonl").read_text() == (whole / "game.jsonl").read_text()


def test_resuming_another_recording_is_refused(
    kemps: Main, stills: Path, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "g"
    out.mkdir()
    (out / "game.jsonl").write_text(
        '{"kind":"game_opened","at_ms":0,"version":1,"seats":{"A":"x","B":"y","C":"z","D":"w"}}\n'
    )
    assert kemps("observe", stills, "--out", out, "--config", config, "--resume") == 2
    assert "another recording" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere.mp4", "--out", "g"], "no such file"),
        (["--out", "g"], "nothing to watch"),
        (["a", "b", "--out", "g"], "one source too many"),
        (["STILLS", "--out", "g", "--config", "none.toml"], "none.toml: cannot be read"),
        (["STILLS", "--out", "g", "--calls", "none.jsonl"], "none.jsonl: cannot be read"),
        (["STILLS", "--out", "g", "--call", "1 Z kemps"], "there is no seat"),
        (["STILLS", "--out", "g", "--call", "4.2 A stop A"], "own pair"),
        (["STILLS", "--out", "FILE"], "is a file; --out names a folder"),
        (["STILLS", "--out", "g", "--resume", "--overwrite"], "--overwrite deletes it: give one"),
        (["STILLS"], "--out"),
    ],
)
def test_what_is_wrong_with_the_command_line_is_one_line_and_exit_code_2(
    kemps: Main,
    stills: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("FILE").write_text("x")
    assert kemps("observe", *[str(stills) if word == "STILLS" else word for word in words]) == 2
    err = capsys.readouterr().err
    assert told in err
    assert err.count("\n") == 1
    assert not Path("g").exists()


def test_a_configuration_for_pictures_of_another_shape_is_refused_before_anything_is_written(
    kemps: Main, stills: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.toml").write_text("[[camera]]\nsize = [400, 640]\n")
    assert kemps("observe", stills, "--out", tmp_path / "g", "--config", tmp_path / "t.toml") == 2
    assert "another shape" in capsys.readouterr().err
    assert not (tmp_path / "g").exists()


def test_sources_go_to_cameras_in_order_or_by_name() -> None:
    two = parse_config('[[camera]]\nname="faces"\nrole="faces"\n[[camera]]\nname="table"\nsource="7"\n')
    assert table_source(["1", "2"], two) == "2"
    assert table_source(["table=3", "1"], two) == "3"
    assert table_source(["1"], two) == "7"
    assert table_source(["rtsp://host/x?a=b"], TableConfig()) == "rtsp://host/x?a=b"
    with pytest.raises(KempsServerError, match="no camera 'door'"):
        table_source(["door=1"], two)
    with pytest.raises(KempsServerError, match='has the role "table"'):
        table_source(["1"], parse_config('[[camera]]\nname="faces"\nrole="faces"\n'))


def test_watch_tells_frames_and_events_as_they_come(drawing: ModuleType, tmp_path: Path) -> None:
    table = one_swap(drawing)
    told: list[str] = []
    written: list[int] = []

    def hear(event: Event, _: object) -> None:
        told.append(event.kind)
        written.append(len((tmp_path / "g" / "game.jsonl").read_text().splitlines()))

    seen: list[int] = []
    summary = watch(
        drawing.DrawnSource(table),
        tmp_path / "g",
        parse_config(drawing.CONFIG),
        reader=drawing.DrawnReader(),
        on_frame=lambda frame, _: seen.append(frame.at_ms),
        on_event=hear,
    )
    assert summary.events == len(told) == len(read_journal(summary.journal).events)
    assert written == list(range(1, len(told) + 1))
    assert summary.frames == len(seen) == 97
    assert summary.is_whole
    assert summary.pictures == 6


def test_a_full_disk_is_told_and_what_was_written_stays(
    drawing: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, count = os.write, [0]

    def write(file: int, row: bytes) -> int:
        count[0] += 1
        if count[0] > 3:
            raise OSError(28, "No space left on device")
        return real(file, row)

    monkeypatch.setattr("kemps_rules.writer.os.write", write)
    with pytest.raises(WorkFailedError, match="No space left on device"):
        watch(
            drawing.DrawnSource(one_swap(drawing)),
            tmp_path / "g",
            parse_config(drawing.CONFIG),
            reader=drawing.DrawnReader(),
        )
    assert len(read_journal(tmp_path / "g" / "game.jsonl").events) == 3


def test_evidence_that_cannot_be_written_does_not_stop_the_game(
    drawing: ModuleType, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    out = tmp_path / "g"
    out.mkdir()
    (out / "evidence").write_text("a file where the folder should be")
    caplog.set_level("WARNING")  # whatever other tests have left the root's at
    summary = watch(
        drawing.DrawnSource(one_swap(drawing)),
        out,
        parse_config(drawing.CONFIG),
        reader=drawing.DrawnReader(),
    )
    assert summary.is_whole
    assert summary.pictures == 0
    assert [record.message for record in caplog.records if "evidence is not kept" in record.message]


@contextmanager
def plain_logging() -> Iterator[None]:
    """Logging as a program finds it that was just started."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers[:] = []
    root.setLevel(logging.WARNING)
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)


def test_evidence_that_cannot_be_written_is_a_line_of_the_command(
    kemps: Main, stills: Path, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "g"
    out.mkdir()
    (out / "evidence").write_text("a file where the folder should be")
    with plain_logging():
        assert kemps("observe", stills, "--out", out, "--config", config) == 0
    err = capsys.readouterr().err
    assert err.startswith("kemps observe: evidence is not kept: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (BrokenPipeError(32, "Broken pipe"), ""),
        (OSError(28, "No space left on device"), "standard output cannot be written: No space left"),
    ],
)
def test_the_game_goes_on_when_nobody_reads_the_events(
    kemps: Main,
    stills: Path,
    config: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: OSError,
    told: str,
) -> None:
    whole, out = tmp_path / "whole", tmp_path / "g"
    assert kemps("observe", stills, "--out", whole, "--config", config) == 0
    capsys.readouterr()
    lines: list[str] = []

    class Gone(io.StringIO):
        """Takes one line."""

        def write(self, text: str) -> int:
            if lines and text:
                raise error
            lines.append(text)
            return len(text)

    with monkeypatch.context() as patched:
        patched.setattr("sys.stdout", Gone())
        assert kemps("observe", stills, "--out", out, "--config", config, "--json") == 0
    assert (out / "game.jsonl").read_text() == (whole / "game.jsonl").read_text()
    err = capsys.readouterr().err
    assert told in err
    assert err.count("\n") == bool(told)


def test_a_call_beyond_the_end_is_warned_of_and_kept(
    kemps: Main, stills: Path, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "g"
    assert kemps("observe", stills, "--out", out, "--config", config, "--call", "99:00 A kemps") == 0
    err = capsys.readouterr().err
    assert err.startswith("kemps observe: the call at 5940 s lies beyond the end of the recording (6.5 s)")
    assert err.count("\n") == 1
    assert [event.at_ms for event in read_journal(out / "game.jsonl").events if event.kind == "called"] == [
        5_940_000
    ]


def test_a_camera_that_vanishes_for_good_leaves_what_was_known(drawing: ModuleType, tmp_path: Path) -> None:
    class Vanishing(drawing.DrawnSource):  # type: ignore[name-defined, misc]  # a class of a module loaded by path
        def __iter__(self) -> Any:  # noqa: ANN401
            for frame in super().__iter__():
                if frame.at_ms > 3000:
                    raise SourceError("camera 0 stopped sending (unplugged?)")
                yield frame

    with pytest.raises(SourceError, match="unplugged"):
        watch(
            Vanishing(one_swap(drawing), kind="webcam"),
            tmp_path / "g",
            parse_config(drawing.CONFIG),
            reader=drawing.DrawnReader(),
        )
    events = read_journal(tmp_path / "g" / "game.jsonl").events
    assert [event.kind for event in events[-2:]] == ["card_taken", "settled"]


def test_ctrl_c_is_the_end_of_a_live_game_and_tells_what_was_held_back(
    drawing: ModuleType, tmp_path: Path
) -> None:
    def stop(frame: Frame, _: object) -> None:
        if frame.at_ms > 3000:
            raise KeyboardInterrupt

    summary = watch(
        drawing.DrawnSource(one_swap(drawing), kind="webcam"),
        tmp_path / "g",
        parse_config(drawing.CONFIG),
        reader=drawing.DrawnReader(),
        on_frame=stop,
    )
    assert not summary.is_whole
    kinds = [event.kind for event in read_journal(summary.journal).events]
    assert kinds[-2:] == ["card_taken", "settled"]
    with pytest.raises(KempsServerError, match="cannot be watched again"):
        watch(
            drawing.DrawnSource(one_swap(drawing), kind="webcam"),
            tmp_path / "g",
            reader=drawing.DrawnReader(),
            mode=Mode.RESUME,
        )


def test_a_camera_pushed_since_its_calibration_is_told_at_the_start_and_its_zones_follow(
    kemps: Main, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(3)
    view = np.full((400, 640, 3), (60, 95, 40), np.uint8)
    for x, y, *colour in rng.integers(0, (640, 400, 235, 235, 235), (150, 5)).tolist():
        cv2.circle(view, (x, y), 4 + x % 9, colour, -1, cv2.LINE_AA)
    pushed = tmp_path / "pushed"
    pushed.mkdir()
    for number in range(15):
        assert cv2.imwrite(str(pushed / f"{number:02}.png"), np.roll(view, 24, axis=1))
    record = CalibrationRecord({}, {"table": CameraRecord((640, 400), find_anchors([small_view(view)]))})
    save_record(record_path(config), record)
    out = tmp_path / "game"
    assert kemps("observe", pushed, "--out", out, "--config", config) == 0
    unseen, moved = [e for e in read_journal(out / "game.jsonl").events if e.kind in TELL_A_PUSH]
    assert isinstance(unseen, NotObserved)
    assert (unseen.at_ms, moved.at_ms) == (0, unseen.until_ms)
    assert unseen.until_ms is not None
    assert unseen.until_ms <= 1100
    assert isinstance(moved, UnknownEvent)
    assert moved.fields["shift_px"] == pytest.approx(24, abs=1.5)
    record_path(config).write_text("{}")
    capsys.readouterr()
    assert kemps("observe", pushed, "--out", out, "--config", config, "--overwrite") == 0
    assert "table.calibration.json: is no record of a calibration" in capsys.readouterr().err
    assert not [e for e in read_journal(out / "game.jsonl").events if e.kind in TELL_A_PUSH]
