"""Streams without an end: what they send is kept as it is, and they are opened again when they break off."""

from __future__ import annotations

import threading
import time
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.video.codeccontext import VideoCodecContext
from av.video.stream import VideoStream

from kemps_vision.errors import SourceError
from kemps_vision.frame import Frame, Image, SourceState
from kemps_vision.sources import VideoFile, open_source
from kemps_vision.sources.live import Coded, Patience, Picture, Raw
from kemps_vision.sources.stream import ArrivalTimes, StreamCamera, without_password

WIDTH, HEIGHT, FPS = 128, 64, 15


def picture(number: int) -> Image:
    pixels = np.full((HEIGHT, WIDTH, 3), (90, 110, 130), np.uint8)
    pixels[10:50, number * 3 % 110 : number * 3 % 110 + 12] = (240, 200, 30)
    return pixels


def write_ts(path: Path, count: int, codec: str = "libx264") -> Path:
    with av.open(str(path), "w", format="mpegts") as container:
        stream = container.add_stream(codec, rate=FPS)
        assert isinstance(stream, VideoStream)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.codec_context.gop_size = 10
        if codec == "libx264":
            stream.options = {"bf": "0", "preset": "ultrafast"}
        for number in range(count):
            frame = av.VideoFrame.from_ndarray(picture(number))
            frame.pts, frame.time_base = number, Fraction(1, FPS)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


class Clock:
    """Real seconds from 50 on, so that threads that wait for each other need no help."""

    def __init__(self) -> None:
        self._zero = time.monotonic() - 50

    def __call__(self) -> float:
        return time.monotonic() - self._zero


class Kept:
    """A tap that keeps what it gets."""

    def __init__(self) -> None:
        self.coded: list[Coded] = []
        self.encoded: list[int] = []

    def encode(self, at_ms: int, bgr: Image) -> Picture | None:
        self.encoded.append(at_ms)
        return Raw(bgr)

    def copy(self, coded: Coded) -> None:
        self.coded.append(coded)


class Served:
    """Opens the same file again and again, each time when it is let; what it names is never there."""

    def __init__(self, path: Path, *, times: int = 1000) -> None:
        self.path = path
        self.opened = 0
        self.times = times
        self.let = threading.Event()

    def __call__(self, _: str) -> InputContainer:
        if self.opened >= self.times or (self.opened and not self.let.is_set()):
            raise SourceError("nobody there")
        self.opened += 1
        return av.open(str(self.path))


def camera(served: Served, **patience: int) -> StreamCamera:
    return StreamCamera(
        "rtsp://ann:secret@host/live",
        clock=Clock(),
        patience=Patience(reopen_every_ms=1, **patience),
        opener=served,
    )


def taken(source: StreamCamera, seconds: float = 10) -> list[Frame]:
    """Frames until the stream is lost."""
    frames = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        frame = source.take(0.05)
        if frame is not None:
            frames.append(frame)
        elif source.state is SourceState.LOST:
            break
    return frames


def _both(seen: list[Frame], tap: Kept) -> set[int]:
    return {frame.at_ms for frame in seen} & {coded.at_ms for coded in tap.coded}


def test_packets_of_h264_are_kept_as_they_came_and_decode_to_what_was_watched(tmp_path: Path) -> None:
    served = Served(write_ts(tmp_path / "a.ts", 40))
    tap = Kept()
    with camera(served) as source:
        source.begin(50.0, tap=tap)
        served.let.set()  # the stream, opened again after its end, is recorded from its first key picture on
        deadline = time.monotonic() + 60
        seen: list[Frame] = []
        # On a busy machine most frames are dropped: it goes on until enough were watched.
        while time.monotonic() < deadline and (len(tap.coded) < 100 or len(_both(seen, tap)) < 5):
            seen += [frame for frame in (source.take(0.05),) if frame is not None]
    assert not tap.encoded
    assert tap.coded[0].is_key
    assert all(one.at_ms < other.at_ms for one, other in zip(tap.coded, tap.coded[1:], strict=False))
    decoder = VideoCodecContext.create("h264", "r")
    shown: dict[int | None, Image] = {}
    for coded in tap.coded:
        packet = av.Packet(coded.data)
        packet.pts = coded.at_ms
        shown |= {
            frame.pts: frame.to_ndarray(format="rgb24").astype(np.uint8) for frame in decoder.decode(packet)
        }
    watched = [frame for frame in seen if frame.at_ms in shown]
    assert len(watched) >= 3
    assert all(np.array_equal(frame.pixels, shown[frame.at_ms]) for frame in watched)


def test_a_stream_that_was_ahead_of_the_clock_is_watched_at_the_times_it_is_recorded_at(
    tmp_path: Path,
) -> None:
    served = Served(write_ts(tmp_path / "a.ts", 40))
    tap = Kept()
    with camera(served) as source:
        taken(source)  # 2.7 s of pictures in a moment
        source.begin(50.0, tap=tap)
        served.let.set()
        deadline = time.monotonic() + 60
        seen: list[Frame] = []
        while time.monotonic() < deadline and (len(tap.coded) < 100 or len(seen) < 5):
            seen += [frame for frame in (source.take(0.05),) if frame is not None]
    assert len(seen) >= 5
    assert {frame.at_ms for frame in seen} <= {coded.at_ms for coded in tap.coded}


def test_a_stream_of_another_kind_is_encoded(tmp_path: Path) -> None:
    served = Served(write_ts(tmp_path / "a.ts", 40, "mpeg2video"))
    tap = Kept()
    with camera(served) as source:
        assert not source.is_h264
        source.begin(50.0, tap=tap)
        served.let.set()
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and len(tap.encoded) < 50:
            source.take(0.05)
    assert not tap.coded
    assert len(tap.encoded) >= 50
    assert tap.encoded == sorted(set(tap.encoded))


def test_a_stream_that_breaks_off_is_lost_and_comes_back(tmp_path: Path) -> None:
    served = Served(write_ts(tmp_path / "a.ts", 20))
    with camera(served) as source:
        first = taken(source)
        assert first
        assert source.state is SourceState.LOST
        served.let.set()
        deadline = time.monotonic() + 20
        frame = None
        while frame is None and time.monotonic() < deadline:
            frame = source.take(0.05)
        assert frame is not None
        assert frame.at_ms > first[-1].at_ms
        assert source.lost_spans[0][1] is not None
        assert "stopped sending" in source.notes[0]
        assert "secret" not in "".join([*source.notes, source.info.name])


def test_a_stream_that_does_not_come_back_is_given_up(tmp_path: Path) -> None:
    served = Served(write_ts(tmp_path / "a.ts", 20), times=1)
    with camera(served, lost_after_ms=50, give_up_after_ms=300) as source, pytest.raises(SourceError) as told:
        list(source)
    assert "did not come back" in str(told.value)
    assert "secret" not in str(told.value)


def test_what_is_no_video_is_told(tmp_path: Path) -> None:
    empty = tmp_path / "a.ts"
    with av.open(str(empty), "w", format="mpegts") as container:
        stream = container.add_stream("aac", rate=44100)
        assert isinstance(stream, AudioStream)
        sound = av.AudioFrame.from_ndarray(np.zeros((2, 1024), np.float32), format="fltp", layout="stereo")
        sound.sample_rate = 44100
        container.mux(stream.encode(sound))
        container.mux(stream.encode())
    with pytest.raises(SourceError, match="no video in the stream"):
        camera(Served(empty))


def test_stamps_are_laid_onto_our_clock_by_the_packets_with_the_least_delay() -> None:
    times = ArrivalTimes()
    times.settle(100.0, 5.080)  # 80 ms late
    assert times.at_ms(100.0) == 5080
    times.settle(101.0, 6.020)
    assert times.at_ms(101.0) == 6020
    times.settle(102.0, 7.300)  # a late one changes next to nothing
    assert abs(times.at_ms(102.0) - 7020) <= 1


def test_times_do_not_go_back_when_a_packet_comes_sooner_than_any_before() -> None:
    times = ArrivalTimes()
    times.settle(100.0, 9.0)
    shown = [times.at_ms(100.0 + n / 15) for n in range(15)]
    times.settle(101.0, 9.2)
    shown += [times.at_ms(101.0 + n / 15) for n in range(15)]
    assert shown == sorted(set(shown))


def test_a_slower_clock_is_followed() -> None:
    times = ArrivalTimes()
    for second in range(600):
        arrived = second * 1.0003  # 0.3 ms a second slower than ours
        times.settle(float(second), arrived)
    assert abs(times.at_ms(599.0) - 599 * 1000.3) <= 2


def test_passwords_are_not_shown() -> None:
    assert without_password("rtsp://a:b@h:1/x?y=1") == "rtsp://h:1/x?y=1"
    assert without_password("rtsp://h/x") == "rtsp://h/x"


def test_a_stream_that_nobody_serves_is_told_without_its_password() -> None:
    with pytest.raises(SourceError, match="the stream cannot be opened") as told:
        open_source("rtsp://ann:secret@127.0.0.1:1/live")
    assert "secret" not in str(told.value)


def test_a_file_is_still_a_file(tmp_path: Path) -> None:
    assert isinstance(open_source(str(write_ts(tmp_path / "a.ts", 5))), VideoFile)
