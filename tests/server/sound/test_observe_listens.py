"""``kemps observe`` with sound: a recording's calls are in its journal, the same each time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.server.test_cli_observe import config, drawing, kemps, stills
from tests.vision.hearing.conftest import tones, write_sound

from kemps_models.errors import ManifestError
from kemps_rules.events import Called
from kemps_rules.journal import read_journal
from kemps_server.sound import opening
from kemps_vision.hearing.listener import Listener

__all__ = ["config", "drawing", "kemps", "stills"]

Main = Callable[..., int]


@pytest.fixture
def table(config: Path, tmp_path: Path, tone_listener: Listener, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(opening, "house_listener", lambda *_: tone_listener)
    sound = write_sound(tmp_path / "room.wav", tones(6.4, [("kemps", 4.6)])[None])
    with config.open("a") as file:
        file.write(f'\n[sound]\nsource = "{sound}"\noffset_ms = 0\n')
    return config


def called(folder: Path) -> list[Called]:
    return [event for event in read_journal(folder / "game.jsonl").events if isinstance(event, Called)]


def test_a_call_that_is_heard_is_an_event_with_its_sound(
    kemps: Main, stills: Path, table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = tmp_path / "one", tmp_path / "two"
    for out in (first, second):
        assert kemps("observe", stills, "--out", out, "--config", table) == 0
    assert (first / "game.jsonl").read_text() == (second / "game.jsonl").read_text()
    [call] = called(first)
    assert (call.call, call.seat, call.extra["source"]) == ("kemps", None, "heard")
    assert call.at_ms == pytest.approx(4600, abs=30)
    line = read_journal(first / "game.jsonl").events.index(call)
    assert (first / "evidence" / f"{line:05}-sound.wav").is_file()
    header = json.loads((first / "game.jsonl").read_text().splitlines()[0])
    assert "listened to" in header["sound"]
    assert capsys.readouterr().err == ""


def test_a_given_call_wins_over_the_ear(kemps: Main, stills: Path, table: Path, tmp_path: Path) -> None:
    words = ("--config", table, "--call", "5.0 C kemps")
    assert kemps("observe", stills, "--out", tmp_path / "g", *words) == 0
    assert [(call.at_ms, call.seat) for call in called(tmp_path / "g")] == [(5000, "C")]


def test_nothing_is_heard_where_nobody_wants_it(
    kemps: Main, stills: Path, table: Path, tmp_path: Path
) -> None:
    assert kemps("observe", stills, "--out", tmp_path / "g", "--config", table, "--no-audio") == 0
    assert called(tmp_path / "g") == []
    assert "sound" not in json.loads((tmp_path / "g" / "game.jsonl").read_text().splitlines()[0])


def test_without_a_network_one_line_says_so_and_the_game_goes_on(
    kemps: Main,
    stills: Path,
    table: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def missing(*_: object) -> Listener:
        raise ManifestError("the list of weights is missing")

    monkeypatch.setattr(opening, "house_listener", missing)
    assert kemps("observe", stills, "--out", tmp_path / "g", "--config", table) == 0
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("kemps observe: calls are not listened for: the list of weights is missing")
