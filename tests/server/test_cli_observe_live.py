"""``kemps observe`` of games that were recorded, and what it says of recording on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kemps_rules.journal import read_journal
from kemps_server.cli.app import main
from kemps_server.cli.observe import face_sources
from kemps_server.errors import KempsServerError
from kemps_server.recording.recorder import Recorder
from kemps_vision.cards.reading import Reading
from kemps_vision.draw.video import VideoWriter
from kemps_vision.errors import SourceError
from kemps_vision.frame import Image, SourceInfo
from kemps_vision.sources import RecordedGame, kind_of, open_source
from kemps_vision.sources.frames_index import End, Gap, Used
from kemps_vision.zones import parse_config

WIDTH, HEIGHT, FPS = 96, 64, 15
INFO = SourceInfo(name="camera 0", where="0", kind="webcam", width=WIDTH, height=HEIGHT, fps=FPS)
BOTH = parse_config(
    '[[camera]]\nname = "table"\nsource = "0"\n[[camera]]\nname = "faces"\nrole = "faces"\nsource = "1"\n'
)


class NoCards:
    """Reads nothing."""

    def read(
        self, pixels: Image, *, card_length_px: float | None = None, alphabet: str | None = None
    ) -> Reading:
        del pixels, card_length_px, alphabet
        return Reading((), unread=0, face_down=0, alphabet="international", ms=0.0)


def picture(number: int) -> Image:
    pixels = np.full((HEIGHT, WIDTH, 3), (90, 110, 130), np.uint8)
    pixels[20:40, number * 3 % 80 : number * 3 % 80 + 12] = (30, 200, 240)
    return pixels


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A recorded game of four seconds whose face camera was gone for one."""
    folder = tmp_path / "thursday"
    folder.mkdir()
    note = {"kind": "webcam", "name": "camera 0", "size": [WIDTH, HEIGHT], "fps": FPS, "duration_ms": None}
    note["cameras"] = [
        {"name": name, "role": name, "size": [WIDTH, HEIGHT], "fps": FPS, "watched_fps": FPS, "ahead_ms": 0}
        for name in ("table", "faces")
    ]
    (folder / "recording.json").write_text(json.dumps(note))
    with Recorder(folder, 10**12, print, free=lambda _: 10**12) as recorder:
        taps = {name: recorder.tap(name, INFO) for name in ("table", "faces")}
        for number in range(60):
            at_ms = round(number * 1000 / FPS)
            for name, tap in taps.items():
                tap.encode(at_ms, picture(number))
                recorder.note(Used(name, at_ms))
            if number == 40:
                recorder.note(Gap("faces", 1000, 2000))
        recorder.note(End(4000))
    return folder


@pytest.fixture
def kemps(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    monkeypatch.setattr("kemps_server.cli.observe.default_reader", lambda **_: NoCards())

    def run(*words: str | Path) -> int:
        with pytest.raises(SystemExit) as left:
            main([*map(str, words), "--no-people"])
        assert isinstance(left.value.code, int)
        return left.value.code

    return run


def test_the_folder_of_a_recorded_game_is_a_source(
    kemps: Callable[..., int], game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "again"
    assert kind_of(str(game)) == "recording"
    assert kemps("observe", game, "--out", out) == 0
    events = read_journal(out / "game.jsonl").events
    assert [(event.kind, event.at_ms) for event in events if event.at_ms] == [
        ("not_observed", 1000),
        ("settled", 3933),
    ]
    assert json.loads((out / "recording.json").read_text())["path"] == str(game)
    assert capsys.readouterr().err == ""


def test_without_the_list_of_used_frames_all_are_watched(
    kemps: Callable[..., int], game: Path, tmp_path: Path
) -> None:
    (game / "frames.idx").unlink()
    assert kemps("observe", game, "--out", tmp_path / "again") == 0
    events = read_journal(tmp_path / "again" / "game.jsonl").events
    assert [(event.kind, event.at_ms) for event in events if event.at_ms] == [("settled", 3933)]


def test_a_recording_is_not_recorded_again(
    kemps: Callable[..., int], game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps("observe", game, "--out", tmp_path / "again", "--record") == 0
    assert capsys.readouterr().err.strip() == (
        "kemps observe: what is watched is a recording already, so nothing is recorded"
    )
    assert not (tmp_path / "again" / "frames.idx").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--disk-budget", "lots"], "--disk-budget 'lots': write it as in 20G or 500M"),
        (["--disk-budget", "1M"], "less than half a minute"),
    ],
)
def test_a_budget_that_makes_no_sense_is_one_line_and_exit_code_2(
    kemps: Callable[..., int],
    game: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    told: str,
) -> None:
    assert kemps("observe", game, "--out", tmp_path / "again", *words) == 2
    err = capsys.readouterr().err
    assert told in err
    assert err.count("\n") == 1
    assert not (tmp_path / "again").exists()


def test_a_recording_whose_video_is_gone_is_one_line(
    kemps: Callable[..., int], game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for segment in (game / "video" / "table").iterdir():
        segment.unlink()
    assert kemps("observe", game, "--out", tmp_path / "again") == 2
    assert "there is no video of its table camera any more" in capsys.readouterr().err


def test_of_a_recorded_game_the_face_cameras_are_those_that_it_recorded(game: Path) -> None:
    with open_source(str(game)) as source:
        assert [(camera.name, where) for camera, where in face_sources([], BOTH, source)] == [
            ("faces", str(game))
        ]
        assert source.info.kind == "recording"
    game_again = RecordedGame(game)
    assert game_again.table.camera == "table"
    with open_source(str(game), camera="faces") as faces:
        assert len(list(faces)) == 60


def test_a_recording_and_a_camera_are_not_watched_together(tmp_path: Path) -> None:
    clip = tmp_path / "table.mp4"
    with VideoWriter(clip, fps=FPS) as video:
        for number in range(4):
            video.add(picture(number), number * 66)
    with open_source(str(clip)) as source, pytest.raises(KempsServerError, match="'faces' is live"):
        face_sources([str(clip)], BOTH, source)


def test_a_folder_that_is_no_recorded_game_is_told(tmp_path: Path) -> None:
    (tmp_path / "recording.json").write_text('{"kind": "file", "name": "a.mp4"}')
    assert kind_of(str(tmp_path)) == "stills"
    with pytest.raises(SourceError, match="its cameras were not recorded"):
        RecordedGame(tmp_path)
    (tmp_path / "recording.json").write_text("{")
    with pytest.raises(SourceError, match="cannot be read"):
        RecordedGame(tmp_path)
