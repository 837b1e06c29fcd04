"""``kemps listen --enrol``: a word said three times is heard afterwards; what cannot be learnt is said."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import wave
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.vision.hearing.conftest import write_sound

from kemps_server.cli import main
from kemps_vision.hearing.features import RATE, Sound

Kemps = Callable[..., int]
pytestmark = pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="needs espeak-ng")
COUNTER, BASTA = "k'aUnt@", "b'asta"


@pytest.fixture
def kemps(tmp_path: Path) -> Kemps:
    def run(*words: object) -> int:
        with pytest.raises(SystemExit) as left:
            main(["listen", *map(str, words), "--data", str(tmp_path)])
        return int(left.value.code or 0)

    return run


def said(phones: str, voice: str = "en-us+f2", speed: int = 150) -> Sound:
    spoken = subprocess.run(
        ["espeak-ng", "-v", voice, "-s", str(speed), "--stdout", f"[[{phones}]]"],
        capture_output=True,
        check=True,
    )
    with wave.open(io.BytesIO(spoken.stdout)) as file:
        rate, data = file.getframerate(), file.readframes(file.getnframes())
    samples = np.frombuffer(data[: len(data) // 2 * 2], "<i2").astype(np.float32) / 32768
    times = np.arange(0, len(samples) / rate, 1 / RATE)
    return np.interp(times, np.arange(len(samples)) / rate, samples).astype(np.float32)


def recording(path: Path, words: Sequence[Sound]) -> Path:
    """Each word in two seconds of its own, in the hiss of a room."""
    sound = (np.random.default_rng(4).normal(size=2 * RATE * len(words)) * 3e-4).astype(np.float32)
    for at, word in enumerate(words):
        begin = int((2 * at + 0.7) * RATE)
        sound[begin : begin + len(word)] += word
    return write_sound(path, sound[None])


@pytest.fixture
def takes(tmp_path: Path) -> Path:
    return recording(tmp_path / "takes.wav", [said(COUNTER, speed=speed) for speed in (140, 155, 170)])


def test_a_word_is_learnt_heard_listed_and_forgotten(
    kemps: Kemps, takes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = recording(tmp_path / "game.wav", [said(COUNTER, speed=148), said(BASTA)])
    assert kemps(game, "--json") == 0
    assert capsys.readouterr().out == ""
    assert kemps(takes, "--enrol", "Counter", "--player", "Anna", "--json") == 0
    learnt = json.loads(capsys.readouterr().out)
    assert (learnt["word"], learnt["call"], learnt["players"]) == ("Counter", "stop", ["Anna"])
    assert learnt["heard"] >= learnt["trials"] / 2
    assert kemps(game, "--json") == 0
    (call,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert call["call"] == "stop"
    assert abs(call["at_ms"] - 700) <= 150  # the file begins with some silence of espeak-ng's
    assert kemps("--words") == 0
    assert capsys.readouterr().out == "Counter, as said by Anna\n"
    assert kemps("--forget", "counter") == 0
    assert kemps("--words", "--json") == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["words"] == []


def test_a_word_that_the_rules_do_not_know_is_refused(
    kemps: Kemps, takes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps(takes, "--enrol", "Basta") == 2
    assert (
        "'Basta' is no call word of the rules 'leaflet'; write it into call_words" in capsys.readouterr().err
    )


def test_takes_that_are_too_few_or_of_two_words_are_refused(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    two = recording(tmp_path / "two.wav", [said(COUNTER), said(COUNTER)])
    assert kemps(two, "--enrol", "Counter") == 2
    assert "heard 2 times, but is needed 3 times" in capsys.readouterr().err
    mixed = recording(tmp_path / "mixed.wav", [said(COUNTER), said(COUNTER), said("p'i:nVt b'Vt@")])
    assert kemps(mixed, "--enrol", "Counter") == 2
    assert "take 3 of 'Counter' sounds unlike the others" in capsys.readouterr().err
    assert not (tmp_path / "words").exists()


def test_a_word_that_is_heard_as_the_other_call_is_refused(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = recording(tmp_path / "calls.wav", [said("k'Emps", speed=speed) for speed in (140, 150, 160)])
    assert kemps(calls, "--enrol", "Counter") == 2
    assert "'Counter' sounds like 'Kemps', which is heard anyway" in capsys.readouterr().err


def test_nothing_to_listen_to_is_said(kemps: Kemps, capsys: pytest.CaptureFixture[str]) -> None:
    assert kemps() == 2
    assert "kemps listen SOURCE" in capsys.readouterr().err
