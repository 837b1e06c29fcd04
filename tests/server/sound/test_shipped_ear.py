"""The network that comes with the product, in a game; skipped until its weights are there."""

from __future__ import annotations

import io
import shutil
import subprocess
import wave
from pathlib import Path

import numpy as np
import pytest
from tests.vision.hearing.conftest import write_sound

from kemps_models.errors import ModelError
from kemps_models.hearing import hearing_path
from kemps_rules.cards import Card
from kemps_rules.events import Called, CentreTurned, DealStarted
from kemps_server.sound.ears import RecordedEars
from kemps_server.sound.opening import open_sounds
from kemps_vision.hearing.features import RATE, Sound
from kemps_vision.zones import TableConfig

SPACING_S = 4.0
WORDS = ("k'Emps", "st'Op k'Emps")
VOICES = ("en-us", "en-gb", "fr", "pt", "es")


@pytest.fixture(autouse=True)
def shipped() -> None:
    try:
        hearing_path()
    except ModelError as error:
        pytest.skip(f"no network is shipped yet: {error}")
    if shutil.which("espeak-ng") is None:
        pytest.skip("needs espeak-ng")


def said(voice: str, phones: str) -> Sound:
    spoken = subprocess.run(
        ["espeak-ng", "-v", voice, "--stdout", f"[[{phones}]]"],
        capture_output=True,
        check=True,
    )
    with wave.open(io.BytesIO(spoken.stdout)) as file:
        rate, data = file.getframerate(), file.readframes(file.getnframes())
    samples = np.frombuffer(data[: len(data) // 2 * 2], "<i2").astype(np.float32) / 32768
    times = np.arange(0, len(samples) / rate, 1 / RATE)
    sound = np.interp(times, np.arange(len(samples)) / rate, samples).astype(np.float32)
    return sound[int(np.argmax(np.abs(sound) > 0.03 * np.abs(sound).max())) :]


def deals(ears: RecordedEars, seconds: float) -> list[Called]:
    """All calls of a sound in which each is the call of a deal of its own."""
    cards = tuple(Card.parse(name) for name in ("9c", "2h", "5d", "Js"))
    heard = []
    for at_ms in range(0, round(1000 * seconds), 100):
        if at_ms % (1000 * SPACING_S) == 0:
            ears.told(1, DealStarted(at_ms=at_ms, dealer=None))
            ears.told(2, CentreTurned(at_ms=at_ms, cards=cards))
        heard += ears.take(at_ms)
    return heard


def test_most_calls_of_a_quiet_room_are_heard_in_time_and_noise_is_none(tmp_path: Path) -> None:
    calls = [(voice, word) for voice in VOICES for word in WORDS]
    seconds = SPACING_S * (len(calls) + 3)
    rng = np.random.default_rng(8)
    sound = rng.normal(0, 0.002, round(seconds * RATE)).astype(np.float32)
    for number, (voice, word) in enumerate(calls):
        begin = round((number * SPACING_S + 1.5) * RATE)
        part = said(voice, word)[: 2 * RATE]
        sound[begin : begin + len(part)] += 0.6 * part
    path = write_sound(tmp_path / "room.wav", sound[None])
    ears = RecordedEars(open_sounds(TableConfig(), str(path)), None)
    heard = deals(ears, seconds)
    near = [round((call.at_ms / 1000 - 1.5) / SPACING_S) for call in heard]
    off_ms = [
        abs(call.at_ms - 1000 * (place * SPACING_S + 1.5)) for call, place in zip(heard, near, strict=True)
    ]
    right = sum(
        place < len(calls) and off < 150 and (call.call == "stop") == (calls[place][1] == WORDS[1])
        for call, place, off in zip(heard, near, off_ms, strict=True)
    )
    assert right >= len(calls) / 2
    assert len(heard) - right <= 1
