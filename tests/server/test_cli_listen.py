"""``kemps listen``: a line a call, as JSON or for people, and one line for what is wrong."""

from __future__ import annotations

import json
import wave
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kemps_server.cli import listen as command
from kemps_server.cli import main
from kemps_vision.hearing.detector import Heard
from kemps_vision.hearing.listener import Ear
from kemps_vision.hearing.listening import HeardCall
from kemps_vision.hearing.sources import SoundSource

Kemps = Callable[..., int]
EAR = Ear(("kemps", "stop"), 209, 94, (4.0, 4.0), (2.0, 3.0), 4.0, 0.0, 42)
CALLS = (
    HeardCall(Heard("kemps", 41_250.4, 1.8, 42), "C"),
    HeardCall(Heard("stop", 83_250.0, 1.2, 42, overlap=1.5), None),
    HeardCall(Heard("stop", 90_000.0, 0.8, 42), None),
)


class Script:
    """Listening that hears the same calls in everything, those of at least the least score."""

    asked: dict[str, Any]

    def __init__(self, source: SoundSource, *, least: float, seats: Sequence[str], **_: object) -> None:
        Script.asked = {"least": least, "seats": tuple(seats)}
        self.least, self.blocks = least, list(source)

    def __iter__(self) -> Iterator[HeardCall]:
        assert self.blocks
        return iter([call for call in CALLS if call.heard.score >= self.least])


class _Listener:
    ear = EAR


@pytest.fixture
def kemps(monkeypatch: pytest.MonkeyPatch) -> Kemps:
    monkeypatch.setattr(command, "Listening", Script)
    monkeypatch.setattr(command, "house_listener", lambda *_: _Listener())

    def run(*words: object) -> int:
        with pytest.raises(SystemExit) as left:
            main(["listen", *map(str, words)])
        return int(left.value.code or 0)

    return run


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    path = tmp_path / "game.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(np.zeros(32000, np.int16).tobytes())
    return path


def test_json_lines_are_those_of_the_contract(
    kemps: Kemps, sound: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps(sound, "--json") == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        {"call": "kemps", "at_ms": 41250, "uncertainty_ms": 42, "score": 1.8, "seat": "C"},
        {"call": "stop", "at_ms": 83250, "uncertainty_ms": 42, "score": 1.2, "seat": None, "overlap": True},
    ]


def test_people_read_when_what_and_who(kemps: Kemps, sound: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert kemps(sound, "--maybe") == 0
    first, second, third = capsys.readouterr().out.splitlines()
    assert first.split() == ["0:41.25", "Kemps", "seat", "C", "score", "1.80,", "±", "42", "ms"]
    assert "1:23.25  Stop Kemps  nobody named" in second
    assert "two voices at once" in second
    assert "a person should listen" in third


def test_maybe_goes_down_to_the_least_that_was_tuned(kemps: Kemps, sound: Path) -> None:
    kemps(sound)
    assert Script.asked["least"] == 1.0
    kemps(sound, "--maybe")
    assert Script.asked["least"] == 0.5


def test_of_several_sources_each_line_names_its_own(
    kemps: Kemps, sound: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps(sound, sound, "--json") == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["source"] for line in lines] == ["game.wav"] * 4


def test_seats_of_the_channels_are_handed_on(kemps: Kemps, sound: Path) -> None:
    assert kemps(sound, "--seats", "ac") == 0
    assert Script.asked["seats"] == ("A", "C")


@pytest.mark.parametrize("seats", ["AA", "AZ", "A C"])
def test_seats_that_are_none_are_one_clear_line(
    kemps: Kemps, sound: Path, capsys: pytest.CaptureFixture[str], seats: str
) -> None:
    assert kemps(sound, "--seats", seats) == 2
    assert (
        capsys.readouterr().err
        == f"kemps listen: --seats {seats}: give a letter for each channel, such as ABCD\n"
    )


def test_a_source_that_is_not_there_is_one_clear_line(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps(tmp_path / "none.mp4") == 2
    said = capsys.readouterr().err
    assert "there is no such file" in said
    assert said.count("\n") == 1
