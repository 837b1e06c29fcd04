"""Clips are made here by PyAV, with the frame's number burned in as bits."""

from __future__ import annotations

import socket
import threading
import wave
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from kemps_vision.errors import SourceError
from kemps_vision.frame import Frame, Image, SourceState, TimeBasis
from kemps_vision.sources import VideoFile, open_source
from kemps_vision.sources.files import _MediaClock

BITS = 8
CELL = 16


def numbered(number: int) -> Image:
    """A picture 128 x 64 whose upper half carries the number in 8 cells, the lower half moving stripes."""
    picture = np.full((64, BITS * CELL, 3), 96, np.uint8)
    for bit in range(BITS):
        picture[:32, bit * CELL : (bit + 1) * CELL] = 230 if number >> bit & 1 else 20
    picture[32:, (number * 5) % 100 : (number * 5) % 100 + 20] = (200, 40, 40)
    return picture


def number_of(picture: Image) -> int:
    cells = [picture[8:24, bit * CELL + 4 : (bit + 1) * CELL - 4].mean() for bit in range(BITS)]
    return sum(1 << bit for bit, level in enumerate(cells) if level > 128)


def write_clip(
    path: Path, times_ms: Sequence[int], *, rotation: int = 0, options: dict[str, str] | None = None
) -> Path:
    with av.open(
        str(path), "w", options={"movflags": "faststart"} if path.suffix == ".mp4" else {}
    ) as container:
        stream = container.add_stream("libx264", rate=30, options=options or {"g": "10"})
        stream.width, stream.height, stream.pix_fmt = BITS * CELL, 64, "yuv420p"
        stream.time_base = stream.codec_context.time_base = Fraction(1, 1000)
        if rotation:
            stream.set_display_rotation(rotation)
        for number, at_ms in enumerate(times_ms):
            frame = av.VideoFrame.from_ndarray(numbered(number))
            frame.pts, frame.time_base = at_ms, Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def write_sound(path: Path) -> Path:
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(8000))
    return path


def watch(path: Path) -> list[Frame]:
    with open_source(str(path)) as source:
        return list(source)


def test_variable_frame_rate_gives_each_picture_its_own_time(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    times = [500 + int(t) for t in np.cumsum(rng.integers(12, 180, 60))]
    frames = watch(write_clip(tmp_path / "vfr.mp4", times))
    assert [number_of(frame.pixels) for frame in frames] == list(range(60))
    assert [frame.at_ms for frame in frames] == [t - times[0] for t in times]
    assert {frame.basis for frame in frames} == {TimeBasis.PTS}


@pytest.mark.parametrize("name", ["b.mp4", "b.mkv"])
def test_b_frames_come_in_the_order_they_are_shown(tmp_path: Path, name: str) -> None:
    times = [round(i * 1000 / 30) for i in range(40)]
    options = {"bf": "3", "b-adapt": "0", "g": "20"}
    frames = watch(write_clip(tmp_path / name, times, options=options))
    assert [number_of(frame.pixels) for frame in frames] == list(range(40))
    assert [frame.at_ms for frame in frames] == times
    assert [frame.index for frame in frames] == list(range(40))


@pytest.mark.parametrize("turned", [0, 90, 180, -90])
def test_rotated_phone_clips_stand_upright(tmp_path: Path, turned: int) -> None:
    path = write_clip(tmp_path / "phone.mp4", [0, 33, 66], rotation=turned)
    with open_source(str(path)) as source:
        frame = next(iter(source))
        size = (source.info.height, source.info.width)
    assert frame.pixels.shape[:2] == size == ((64, 128) if turned in {0, 180} else (128, 64))
    upright = np.rot90(numbered(0), turned // 90)  # both turn counter-clockwise
    assert np.abs(frame.pixels.astype(int) - upright).mean() < 12


def test_the_same_file_gives_the_same_frames_and_times(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "same.mp4", [0, 20, 90, 100, 400])
    first, second = watch(path), watch(path)
    assert [frame.at_ms for frame in first] == [frame.at_ms for frame in second]
    assert all(np.array_equal(a.pixels, b.pixels) for a, b in zip(first, second, strict=True))


def test_size_length_and_rate_are_known_before_watching(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "info.mp4", [i * 50 for i in range(20)])
    with open_source(str(path)) as source:
        info = source.info
        assert (info.kind, info.width, info.height, info.frame_count, info.is_live) == (
            "file",
            128,
            64,
            20,
            False,
        )
        assert info.fps == pytest.approx(20, abs=1.1)
        assert info.duration_ms is not None
        assert abs(info.duration_ms - 1000) <= 50
        states = [source.state]
        assert len(list(source)) == 20
        states.append(source.state)
    states.append(source.state)
    assert states == [SourceState.OPEN, SourceState.ENDED, SourceState.CLOSED]


def test_a_cut_off_file_ends_with_a_note(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "whole.mp4", [i * 33 for i in range(100)])
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(path.read_bytes()[: path.stat().st_size * 6 // 10])
    with open_source(str(cut)) as source:
        seen = [number_of(frame.pixels) for frame in source]
        assert source.state is SourceState.ENDED
        assert "cut off" in source.notes[-1]
    assert 20 < len(seen) < 90
    assert seen[:20] == list(range(20))
    assert seen == sorted(set(seen))


def test_damage_in_the_middle_is_skipped_counted_and_watched_past(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "whole.mkv", [i * 33 for i in range(120)])
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 20] = bytes(20)
    (tmp_path / "hurt.mkv").write_bytes(data)
    with open_source(str(tmp_path / "hurt.mkv")) as source:
        frames = list(source)
        assert source.skipped == 1
        assert source.notes == (f"{tmp_path / 'hurt.mkv'}: 1 broken pictures were left out",)
    assert len(frames) == 119
    assert frames[-1].at_ms == 119 * 33
    assert number_of(frames[-1].pixels) == 119


def test_damage_that_ends_the_pictures_early_is_told(tmp_path: Path) -> None:
    data = bytearray(write_clip(tmp_path / "whole.mkv", [i * 33 for i in range(120)]).read_bytes())
    data[len(data) // 2 : len(data) // 2 + 600] = bytes(600)
    (tmp_path / "hurt.mkv").write_bytes(data)
    with open_source(str(tmp_path / "hurt.mkv")) as source:
        assert 20 < len(list(source)) < 100
        assert "of 3" in source.notes[-1]
        assert "damaged" in source.notes[-1]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("zero.mp4", b"", "the file is empty"),
        ("garbage.mp4", bytes(range(256)) * 40, "no video"),
        ("text.mkv", b"not a film\n" * 50, "no video"),
    ],
)
def test_what_is_no_video_is_one_clear_line(tmp_path: Path, name: str, content: bytes, told: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=told) as caught:
        open_source(str(tmp_path / name))
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_recording_without_its_index_is_told_as_cut_off(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "whole.mov", [i * 33 for i in range(30)])
    cut = tmp_path / "cut.mov"
    cut.write_bytes(path.read_bytes()[:-900])
    with pytest.raises(SourceError, match="cut off"):
        open_source(str(cut))


def test_a_file_of_sound_only_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no video in it"):
        open_source(str(write_sound(tmp_path / "talk.wav")))


def test_a_missing_path_says_what_can_be_given(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file; give a video file"):
        open_source(str(tmp_path / "nowhere.mp4"))
    with pytest.raises(SourceError, match="the source is empty"):
        open_source(" ")


def test_a_stream_that_nobody_serves_is_an_error() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(SourceError, match="the stream cannot be opened"):
        open_source(f"http://127.0.0.1:{port}/table.ts")


def test_a_stream_that_never_answers_times_out() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(1)
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/table.ts"
        with pytest.raises(SourceError, match="no answer in time"):
            VideoFile(url, is_stream=True, timeout_s=(0.4, 0.4))


def test_a_stream_that_breaks_off_ends_with_a_note(tmp_path: Path) -> None:
    data = write_clip(tmp_path / "live.ts", [i * 33 for i in range(90)]).read_bytes()
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(1)
        done = threading.Event()
        thread = threading.Thread(target=_serve_half, args=(server, data, done))
        thread.start()
        source = VideoFile(
            f"http://127.0.0.1:{server.getsockname()[1]}/live.ts", is_stream=True, timeout_s=(3.0, 0.5)
        )
        with source:
            frames = list(source)
            assert source.state is SourceState.ENDED
            assert source.info.is_live
        done.set()
        thread.join()
    assert 10 < len(frames) < 90
    assert any("stopped" in note for note in source.notes)


def _serve_half(server: socket.socket, data: bytes, done: threading.Event) -> None:
    connection, _ = server.accept()
    with connection:
        connection.recv(4096)
        connection.sendall(b"HTTP/1.0 200 OK\r\nContent-Type: video/mp2t\r\n\r\n")
        connection.sendall(data[: len(data) // 2])
        done.wait(10)


def test_times_go_on_by_counting_where_stamps_are_missing_or_stand_still() -> None:
    clock = _MediaClock(Fraction(1, 1000), fps=20)
    stamps = [7000, 7050, None, 7150, 0, 0, 7300]
    got = [clock.at_ms(pts) for pts in stamps]
    assert [at_ms for at_ms, _ in got] == [0, 50, 100, 150, 200, 250, 300]
    assert [basis.value for _, basis in got] == ["pts", "pts", "count", "pts", "count", "count", "pts"]


def test_a_stream_that_starts_without_stamps_counts_from_zero() -> None:
    clock = _MediaClock(Fraction(1, 1000), fps=10)
    assert [clock.at_ms(pts)[0] for pts in (None, None, 900, 1000)] == [0, 100, 200, 300]
