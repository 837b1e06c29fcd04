"""The recorded sound of a live game: short whole files beside the pictures, within one budget."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.vision.hearing.conftest import tones, write_sound

from kemps_server.recording.disk import Disk, HeldSpan, hold
from kemps_server.sound.ears import LiveEars
from kemps_server.sound.opening import open_sounds
from kemps_server.sound.recording import PIECE_S, SoundRecorder, sound_folder
from kemps_vision.hearing.features import RATE
from kemps_vision.hearing.listener import Listener
from kemps_vision.hearing.sources import SoundTrack
from kemps_vision.sources.segments import segments_in
from kemps_vision.zones import parse_config


def written(folder: Path, seconds: float, budget: int = 10**9) -> None:
    sound = tones(seconds, [("kemps", 2.0), ("stop", 6.0)])
    recorder = SoundRecorder(folder, Disk(folder, budget, pytest.fail, free=lambda _: 10**12))
    for at in range(0, len(sound), 1600):
        recorder.add(1000.0 + 1000 * at / RATE, sound[at : at + 1600])
    recorder.close()


def test_the_sound_is_there_in_whole_files_that_say_when_they_sounded(tmp_path: Path) -> None:
    written(tmp_path, 12.0)
    files = segments_in(sound_folder(tmp_path))
    assert [(one.at_ms, one.until_ms) for one in files] == [(1000, 6000), (6000, 11_000), (11_000, 13_000)]
    with SoundTrack(str(files[1].path)) as track:
        heard = np.concatenate([block.samples[:, 0] for block in track])
    assert len(heard) == pytest.approx(PIECE_S * RATE, abs=2048)
    loud = np.flatnonzero(np.abs(heard) > 0.1)
    assert loud[0] / RATE == pytest.approx(1.0, abs=0.07)  # the Stop at the sound's sixth second


def test_the_oldest_goes_first_but_what_is_held_stays(tmp_path: Path) -> None:
    hold(tmp_path, HeldSpan(0, 5000, "call"))
    written(tmp_path, 40.0, budget=8_000)
    left = [one.at_ms for one in segments_in(sound_folder(tmp_path))]
    assert left[0] == 1000
    assert len(left) < 8
    assert left[-1] == 36_000


def test_ears_record_what_they_hear_on_the_games_clock(tmp_path: Path, tone_listener: Listener) -> None:
    path = write_sound(tmp_path / "room.wav", tones(6.0, [("kemps", 2.0)])[None])
    sounds = open_sounds(parse_config(f'[sound]\nsource = "{path}"\n'), "0", listener=tone_listener)
    ears = LiveEars(sounds, tmp_path, pytest.fail)
    ears.begin(sounds.opened_s - 3.0, SoundRecorder(tmp_path, Disk(tmp_path, 10**9, pytest.fail)))
    ears._thread.join(20)
    ears.close()
    files = segments_in(sound_folder(tmp_path))
    assert [one.at_ms for one in files] == [3000, pytest.approx(8000, abs=100)]
    assert files[-1].until_ms == pytest.approx(9000, abs=2)
