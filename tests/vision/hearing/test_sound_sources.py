"""Sound from files: its clock, its gaps, its channels, and one clear line for what has none."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest

from kemps_vision.errors import SourceError
from kemps_vision.hearing.features import RATE
from kemps_vision.hearing.sources import SampleClock, SoundHealth, SoundTrack, open_sound

from .conftest import tones, write_sound


def read(track: SoundTrack) -> tuple[float, np.ndarray]:
    with track:
        blocks = list(track)
    return blocks[0].at_ms, np.concatenate([block.samples for block in blocks])


@pytest.mark.parametrize(
    ("name", "codec", "rate"),
    [
        ("a.wav", "pcm_s16le", 16000),
        ("a.wav", "pcm_s16le", 44100),
        ("a.mp4", "aac", 48000),
        ("a.mka", "libopus", 48000),
    ],
)
def test_a_tone_is_where_it_was_in_every_codec_and_rate(
    tmp_path: Path, name: str, codec: str, rate: int
) -> None:
    times = np.arange(rate * 2) / rate
    sound = np.where(times >= 1.0, 0.4 * np.sin(2 * np.pi * 700 * times), 0).astype(np.float32)
    _, samples = read(SoundTrack(str(write_sound(tmp_path / name, sound[None], rate=rate, codec=codec))))
    onset = int(np.argmax(np.abs(samples[:, 0]) > 0.1))
    assert abs(onset - RATE) <= 0.004 * RATE


def test_channels_stay_apart(tmp_path: Path) -> None:
    left, right = tones(1.0, [("kemps", 0.2)]), np.zeros(RATE, np.float32)
    track = SoundTrack(str(write_sound(tmp_path / "two.wav", np.stack([left, right]))))
    assert track.channels == 2
    _, samples = read(track)
    assert np.abs(samples[:, 0]).max() > 0.25
    assert np.abs(samples[:, 1]).max() < 0.01


def test_time_0_is_the_first_picture(tmp_path: Path) -> None:
    path = tmp_path / "film.mkv"
    with av.open(str(path), "w") as writer:
        video = writer.add_stream("mpeg4", rate=25)
        video.width, video.height, video.pix_fmt = 64, 64, "yuv420p"
        sound = writer.add_stream("pcm_s16le", rate=RATE, layout="mono")
        for number in range(25):
            picture = av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), np.uint8), format="rgb24")
            picture.pts = number + 10  # 0.4 s later than the stamp 0
            writer.mux(video.encode(picture))
        writer.mux(video.encode(None))
        frame = av.AudioFrame.from_ndarray(np.zeros((1, RATE), np.int16), "s16", "mono")
        frame.sample_rate, frame.pts = RATE, 0
        writer.mux(sound.encode(frame))
    begins_ms, _ = read(SoundTrack(str(path)))
    assert begins_ms == pytest.approx(-400, abs=1)


def test_the_offset_of_a_clap_is_added_to_all_times(tmp_path: Path) -> None:
    path = write_sound(tmp_path / "a.wav", np.zeros((1, RATE), np.float32))
    begins_ms, _ = read(SoundTrack(str(path), offset_ms=80))
    assert begins_ms == 80


def test_a_gap_is_filled_with_silence_and_told() -> None:
    health = SoundHealth()
    clock = SampleClock(health)
    assert clock.placed(0.0, np.ones((RATE, 1), np.float32))[0] == 0.0
    begin_ms, samples = clock.placed(1500.0, np.ones((160, 1), np.float32))
    assert begin_ms == 1000.0
    assert len(samples) == RATE // 2 + 160
    assert (health.gaps, health.missing_ms) == (1, 500.0)
    assert clock.placed(None, np.ones((160, 1), np.float32))[0] == 1510.0


def test_what_comes_twice_is_left_out() -> None:
    clock = SampleClock(SoundHealth())
    clock.placed(0.0, np.ones((RATE, 1), np.float32))
    _, samples = clock.placed(900.0, np.ones((RATE, 1), np.float32))
    assert len(samples) == RATE - 1600


def test_a_clock_that_goes_fast_is_measured() -> None:
    health = SoundHealth()
    clock = SampleClock(health)
    for number in range(400):
        clock.placed(number * 100 * (1 - 30e-6), np.zeros((1600, 1), np.float32))
    assert health.drift_ppm == pytest.approx(30, abs=2)
    assert health.gaps == 0
    assert health.notes("a.mp4") == ()
    health.drift_ppm = 80.0
    assert "288 ms an hour" in health.notes("a.mp4")[0]


def test_what_has_no_sound_is_one_line_that_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "text.wav").write_text("no sound")
    for where, said in (
        (tmp_path / "none.mp4", "there is no such file"),
        (tmp_path / "text.wav", "cannot be opened"),
        (tmp_path, "is a folder"),
    ):
        with pytest.raises(SourceError, match=said) as caught:
            open_sound(str(where))
        assert "\n" not in str(caught.value)


def test_a_film_without_sound_is_told(tmp_path: Path) -> None:
    path = tmp_path / "silent.mp4"
    with av.open(str(path), "w") as writer:
        video = writer.add_stream("mpeg4", rate=25)
        video.width, video.height, video.pix_fmt = 64, 64, "yuv420p"
        writer.mux(video.encode(av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), np.uint8), format="rgb24")))
        writer.mux(video.encode(None))
    with pytest.raises(SourceError, match="there is no sound in it"):
        open_sound(str(path))
