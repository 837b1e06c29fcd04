"""Video files and stream URLs, decoded with PyAV (FFmpeg)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import av
import av.error
from av.video.stream import VideoStream

from kemps_vision.errors import SourceError
from kemps_vision.frame import Frame, Image, SourceInfo, SourceState, TimeBasis
from kemps_vision.sources.upright import display_axes, turn

OPEN_TIMEOUT_S: Final = 8.0
READ_TIMEOUT_S: Final = 5.0
DEFAULT_FPS: Final = 25.0
MISSING_MS: Final = 1000  # sound may well be this much longer than the pictures
PACKET_ERRORS: Final = 25  # broken packets in a row after which the rest of a file is given up


class VideoFile:
    """The frames of a video file, or of a stream if ``is_stream``; times from the first frame on.

    A frame that cannot be decoded is skipped and counted. Decoding uses one thread, so that a
    damaged file gives the same frames every time.
    """

    def __init__(
        self,
        where: str,
        *,
        camera: str = "table",
        is_stream: bool = False,
        timeout_s: tuple[float, float] = (OPEN_TIMEOUT_S, READ_TIMEOUT_S),
    ) -> None:
        self._where = where
        self._camera = camera
        self._is_stream = is_stream
        self._timeout_s = timeout_s
        self.state = SourceState.OPEN
        self.dropped = 0
        self.skipped = 0
        self._notes: list[str] = []
        self._container = self._open()
        self._stream = self._video_stream()
        self._decoded = self._decode()
        self._first = self._first_frame()
        self._axes = display_axes(self._first)
        self.info = self._describe()
        self._clock = _MediaClock(self._stream.time_base, self.info.fps)

    @property
    def notes(self) -> tuple[str, ...]:
        """What went wrong on the way, a line each."""
        return tuple(self._notes)

    @property
    def lost_spans(self) -> tuple[tuple[int, int | None], ...]:
        """A file has none; a stream that broke off is told in ``notes``."""
        return ()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the file; may be called twice."""
        if self.state is not SourceState.CLOSED:
            self.state = SourceState.CLOSED
            self._container.close()

    def __iter__(self) -> Iterator[Frame]:
        """The frames in the order of their times."""
        index, at_ms = 0, 0
        picture: av.VideoFrame | None = self._first
        while picture is not None and self.state is SourceState.OPEN:
            at_ms, basis = self._clock.at_ms(picture.pts)
            yield Frame(self._camera, index, at_ms, self._pixels(picture), basis)
            index += 1
            picture = next(self._decoded, None)
        if self.state is SourceState.OPEN:
            self.state = SourceState.ENDED
            self._note_missing(index, at_ms)

    def _pixels(self, picture: av.VideoFrame) -> Image:
        if (picture.width, picture.height) != (self._first.width, self._first.height):
            picture = picture.reformat(width=self._first.width, height=self._first.height)
        return turn(picture.to_ndarray(format="rgb24").astype("uint8", copy=False), self._axes)

    def _open(self) -> av.container.InputContainer:
        what = "the stream" if self._is_stream else "the file"
        if not self._is_stream:
            _check_file(Path(self._where))
        try:
            return av.open(self._where, "r", timeout=self._timeout_s, metadata_errors="replace")
        except av.error.InvalidDataError as error:
            raise SourceError(
                f"{self._where}: {what} is no video, or was cut off while it was written; "
                "play it in a media player, or copy it again"
            ) from error
        except (av.error.FFmpegError, OSError) as error:
            raise SourceError(f"{self._where}: {what} cannot be opened: {reason_of(error)}") from error

    def _video_stream(self) -> VideoStream:
        stream = watched_stream(self._container)
        if stream is not None:
            return stream
        self._container.close()
        raise SourceError(
            f"{self._where}: there is no video in it (sound only, or cut off while it was written?); "
            "give a complete recording with pictures"
        )

    def _first_frame(self) -> av.VideoFrame:
        first = next(self._decoded, None)
        if first is None:
            self._container.close()
            raise SourceError(f"{self._where}: not one picture in it can be decoded; is the file complete?")
        return first

    def _decode(self) -> Iterator[av.VideoFrame]:
        errors = 0
        packets = self._container.demux(self._stream)
        while errors < PACKET_ERRORS:
            try:
                packet = next(packets, None)
                if packet is None:
                    return
                pictures = packet.decode()
            except av.error.EOFError:
                return
            except (av.error.FFmpegError, OSError) as error:
                if self._is_stream:
                    self._notes.append(f"{self._where}: the stream stopped: {reason_of(error)}")
                    return
                errors += 1
                self.skipped += 1
                continue
            for picture in pictures:
                errors = 0
                if picture.is_corrupt:
                    self.skipped += 1
                else:
                    yield picture
        self._notes.append(f"{self._where}: broken from here on; the rest was not watched")

    def _note_missing(self, seen: int, last_ms: int) -> None:
        if self.skipped:
            self._notes.append(f"{self._where}: {self.skipped} broken pictures were left out")
        expected = self.info.frame_count or 0
        if expected - seen - self.skipped > 1:
            self._notes.append(
                f"{self._where}: {seen} of {expected} pictures are there; the file was cut off"
            )
        elif not expected and (self.info.duration_ms or 0) - last_ms > MISSING_MS:
            self._notes.append(
                f"{self._where}: the pictures end at {last_ms} ms of {self.info.duration_ms} ms; "
                "the file was cut off or is damaged"
            )

    def _describe(self) -> SourceInfo:
        height, width = self._first.height, self._first.width
        if self._axes[1]:
            height, width = width, height
        stream = self._stream
        info = SourceInfo(
            name=self._where if self._is_stream else Path(self._where).name,
            where=self._where,
            kind="stream" if self._is_stream else "file",
            width=width,
            height=height,
            fps=plausible_fps(stream.average_rate or stream.guessed_rate),
        )
        if self._is_stream:
            return info
        return replace(
            info, duration_ms=_duration_ms(self._container, stream), frame_count=stream.frames or None
        )


class _MediaClock:
    """Times from the first frame, from PTS; counted on where a stamp is absent or stands still."""

    def __init__(self, time_base: Fraction | None, fps: float) -> None:
        self._time_base = time_base
        self._interval_ms = 1000 / fps
        self._start: int | None = None
        self._last_ms = -1

    def at_ms(self, pts: int | None) -> tuple[int, TimeBasis]:
        """The frame's time, later than that of the frame before, and where it comes from."""
        if pts is not None and self._time_base is not None:
            if self._start is None:
                self._start = (
                    pts if self._last_ms < 0 else pts - round(self._next_ms() / 1000 / self._time_base)
                )
            at_ms = round((pts - self._start) * self._time_base * 1000)
            if at_ms > self._last_ms:
                self._last_ms = at_ms
                return at_ms, TimeBasis.PTS
        self._last_ms = self._next_ms()
        return self._last_ms, TimeBasis.COUNT

    def _next_ms(self) -> int:
        return 0 if self._last_ms < 0 else self._last_ms + max(1, round(self._interval_ms))


def _check_file(path: Path) -> None:
    if not path.exists():
        raise SourceError(
            f"{path}: there is no such file; "
            "give a video file, a folder of stills, a camera's number or a URL"
        )
    if path.stat().st_size == 0:
        raise SourceError(f"{path}: the file is empty")


def watched_stream(container: av.container.InputContainer) -> VideoStream | None:
    """The first moving pictures in a file or stream, decoded by one thread; covers of songs are none."""
    for stream in container.streams.video:
        if not stream.disposition & av.stream.Disposition.attached_pic:
            stream.codec_context.thread_count = 1
            return stream
    return None


def plausible_fps(rate: Fraction | None) -> float:
    """The rate, or a usual one where it is absent or makes no sense."""
    return float(rate) if rate and 0.5 <= rate <= 1000 else DEFAULT_FPS


def _duration_ms(container: av.container.InputContainer, stream: VideoStream) -> int | None:
    if stream.duration and stream.time_base:
        return round(stream.duration * stream.time_base * 1000)
    return round(container.duration / 1000) if container.duration else None


def reason_of(error: Exception) -> str:
    """Why FFmpeg could not, in a few words."""
    if isinstance(error, av.error.ExitError):
        return "no answer in time"
    text = getattr(error, "strerror", None) or str(error)
    return str(text).strip().rstrip(".").lower()
