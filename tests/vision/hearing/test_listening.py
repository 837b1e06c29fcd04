"""A source's calls, on its clock, with the seat whose microphone heard them loudest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kemps_vision.errors import SourceError
from kemps_vision.hearing.features import RATE
from kemps_vision.hearing.listener import Listener
from kemps_vision.hearing.listening import Listening
from kemps_vision.hearing.sources import SoundTrack

from .conftest import tones, write_sound


def test_calls_of_a_file_are_on_its_clock(tmp_path: Path, tone_listener: Listener) -> None:
    path = write_sound(tmp_path / "a.wav", tones(5.0, [("kemps", 1.0), ("stop", 3.0)])[None])
    with SoundTrack(str(path), offset_ms=100) as track:
        calls = list(Listening(track, listener=tone_listener))
    assert [call.heard.call for call in calls] == ["kemps", "stop"]
    assert [call.heard.at_ms for call in calls] == pytest.approx([1100, 3100], abs=30)
    assert [call.seat for call in calls] == [None, None]
    assert max(call.heard.reported_ms - call.heard.at_ms for call in calls) <= 1600


def test_what_is_called_before_the_first_picture_is_no_call(tmp_path: Path, tone_listener: Listener) -> None:
    path = write_sound(tmp_path / "a.wav", tones(5.0, [("kemps", 1.0), ("stop", 3.0)])[None])
    with SoundTrack(str(path), offset_ms=-2000) as track:
        assert [call.heard.call for call in Listening(track, listener=tone_listener)] == ["stop"]


def test_the_seat_of_the_loudest_microphone_is_named_and_a_call_is_told_once(
    tmp_path: Path, tone_listener: Listener
) -> None:
    call = tones(4.0, [("kemps", 1.0)])
    path = write_sound(tmp_path / "four.wav", np.stack([call * 0.1, call, call * 0.05, call * 0.1]))
    with SoundTrack(str(path)) as track:
        calls = list(Listening(track, seats="ABCD", listener=tone_listener))
    assert [(call.heard.call, call.seat) for call in calls] == [("kemps", "B")]
    assert calls[0].as_event().seat == "B"


def test_microphones_that_hear_it_alike_name_nobody(tmp_path: Path, tone_listener: Listener) -> None:
    call = tones(4.0, [("stop", 1.0)])
    path = write_sound(tmp_path / "two.wav", np.stack([call, call * 0.9]))
    with SoundTrack(str(path)) as track:
        assert [call.seat for call in Listening(track, seats="AB", listener=tone_listener)] == [None]


def test_somebody_who_sees_the_mouths_is_asked(tmp_path: Path, tone_listener: Listener) -> None:
    path = write_sound(tmp_path / "a.wav", tones(4.0, [("kemps", 2.0)])[None])
    asked: list[tuple[float, float]] = []

    def namer(at_ms: float, sound: np.ndarray, first_ms: float) -> str:
        begin = round((at_ms - first_ms) * RATE / 1000)
        asked.append((at_ms, float(np.abs(sound[begin : begin + 1600]).max())))
        return "D"

    with SoundTrack(str(path)) as track:
        assert [call.seat for call in Listening(track, namer=namer, listener=tone_listener)] == ["D"]
    assert asked[0][0] == pytest.approx(2000, abs=30)
    assert asked[0][1] > 0.2


def test_a_channel_for_each_seat_is_asked_for(tmp_path: Path, tone_listener: Listener) -> None:
    path = write_sound(tmp_path / "a.wav", np.zeros((1, RATE), np.float32))
    with SoundTrack(str(path)) as track, pytest.raises(SourceError, match="has 1 channels, but 4 seats"):
        Listening(track, seats="ABCD", listener=tone_listener)
