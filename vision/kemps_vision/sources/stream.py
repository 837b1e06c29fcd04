"""Network cameras and other streams without an end: the newest frame wins, a broken one is reopened."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import av
import av.error
from av.bitstream import BitStreamFilterContext
from av.container import InputContainer
from av.packet import Packet
from av.video.reformatter import VideoReformatter
from av.video.stream import VideoStream

from kemps_vision.errors import SourceError
from kemps_vision.frame import Image, SourceInfo, SourceState
from kemps_vision.sources.files import (
    OPEN_TIMEOUT_S,
    READ_TIMEOUT_S,
    plausible_fps,
    reason_of,
    watched_stream,
)
from kemps_vision.sources.live import Clock, Coded, LiveSource, Patience, Tap
from kemps_vision.sources.upright import UPRIGHT, display_axes, turn

LEAK: Final = 0.0005  # seconds a second: how fast a camera's clock may go slower than ours
PENDING_MOST: Final = 256  # packets whose pictures have not come out of the decoder yet
FIRST_PACKETS: Final = 500  # without a picture in so many there is none
ANNEX_B: Final = "h264_mp4toannexb,dump_extra=freq=keyframe"

OpenStream = Callable[[str], InputContainer]


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded picture, turned upright; ``size`` is (width, height) of the picture as it is stored."""

    frame: av.VideoFrame
    axes: tuple[int, int, int, int]
    size: tuple[int, int]

    def rgb(self) -> Image:
        """RGB, contiguous; several threads may ask for one picture at the same time."""
        # A frame keeps one converter for all who ask, and two threads in it at once end or stop the process.
        shown = VideoReformatter().reformat(self.frame, *self.size, "rgb24")
        return turn(shown.to_ndarray().astype("uint8", copy=False), self.axes)


class StreamCamera(LiveSource):
    """Frames of a stream that has no end; its pictures are recorded as they come, if they are H.264.

    Times are the stream's own, laid onto our clock by the packets that came with the least delay; how long a
    picture took to get here is not known (``offset_ms`` of the camera tells it).

    Raises:
        SourceError: It cannot be opened, or there is no picture in it.
    """

    def __init__(
        self,
        where: str,
        *,
        camera: str = "table",
        clock: Clock = time.monotonic,
        patience: Patience | None = None,
        opener: OpenStream | None = None,
    ) -> None:
        self._where = where
        self._opener = opener or open_stream
        self._times = ArrivalTimes()
        self._annex_b: BitStreamFilterContext | None = None
        self._pending: dict[int, tuple[int, Tap | None]] = {}
        self._has_key = False
        self._begun: tuple[Tap | None, float] = (None, clock())
        name = without_password(where)
        self._container = self._opener(where)
        self._stream = self._set_stream()
        first = self._first_picture()
        self._axes = display_axes(first)
        self._size = (first.width, first.height)
        width, height = self._size if not self._axes[1] else self._size[::-1]
        self.info = SourceInfo(
            name=name,
            where=where,
            kind="stream",
            width=width,
            height=height,
            fps=plausible_fps(self._stream.average_rate or self._stream.guessed_rate),
        )
        super().__init__(name, camera, clock, patience or Patience())
        self._offer(0, Decoded(first, self._axes, self._size), None)
        self._thread.start()

    @property
    def is_h264(self) -> bool:
        """Whether its packets are recorded as they come."""
        return self._stream.codec_context.name == "h264" and self._axes == UPRIGHT

    def _set_stream(self) -> VideoStream:
        stream = watched_stream(self._container)
        if stream is None:
            self._container.close()
            raise SourceError(f"{without_password(self._where)}: there is no video in the stream")
        return stream

    def _first_picture(self) -> av.VideoFrame:
        for count, packet in enumerate(self._container.demux(self._stream)):
            if count > FIRST_PACKETS:
                break
            for picture in self._pictures(packet):
                return picture
        self._container.close()
        raise SourceError(f"{without_password(self._where)}: not one picture of the stream can be decoded")

    def _pictures(self, packet: Packet[VideoStream]) -> list[av.VideoFrame]:
        try:
            pictures = packet.decode()
        except (av.error.FFmpegError, OSError):
            return []
        return [picture for picture in pictures if not picture.is_corrupt]

    def _run(self) -> None:
        while self._goes_on():
            try:
                for packet in self._container.demux(self._stream):
                    if not self._goes_on():
                        break
                    if packet.size:
                        self._take_in(packet, self._clock())
            except (av.error.FFmpegError, OSError):
                self.skipped += 1
            if self._goes_on():
                self._reopen()
        self._container.close()

    def _take_in(self, packet: Packet[VideoStream], at_s: float) -> None:
        with self._ready:
            tap, start_s = self._tap, self._start_s
        if (tap, start_s) != self._begun:
            self._begun, self._has_key = (tap, start_s), False
            self._times, self._annex_b = ArrivalTimes(), None
            self._pending.clear()
        stamp_s = _seconds(packet.pts if packet.pts is not None else packet.dts, packet.time_base)
        if packet.is_keyframe or not self._has_key:
            self._times.settle(stamp_s, at_s - start_s)
        self._has_key = self._has_key or packet.is_keyframe
        if self._has_key and packet.pts is not None:
            at_ms = self._times.at_ms(stamp_s)
            self._pending[packet.pts] = (at_ms, tap)
            if tap is not None and self.is_h264:
                dts_s = stamp_s if packet.dts is None else _seconds(packet.dts, packet.time_base)
                self._copy(tap, packet, at_ms, self._times.at_ms(dts_s))
        for picture in self._pictures(packet):
            self._show(picture)
        for old in list(self._pending)[:-PENDING_MOST]:
            del self._pending[old]

    def _show(self, picture: av.VideoFrame) -> None:
        at_ms, tap = self._pending.pop(picture.pts if picture.pts is not None else -1, (None, None))
        if at_ms is None:  # it came before the first key picture, from which the recording can be read
            return
        with self._ready:
            if (self._tap, self._start_s) != self._begun:  # of before the game began: not on its clock
                return
            at_ms, now_tap = self._stamp(self._start_s + at_ms / 1000)
        shown = Decoded(picture, self._axes, self._size)
        if tap is None or self.is_h264:
            self._offer(at_ms, shown, tap)
            return
        bgr = shown.rgb()[:, :, ::-1]
        recorded = tap.encode(at_ms, bgr)
        if recorded is not None and now_tap is tap:
            self._offer(at_ms, recorded, tap)

    def _copy(self, tap: Tap, packet: Packet[VideoStream], at_ms: int, dts_ms: int) -> None:
        if self._annex_b is None:
            self._annex_b = BitStreamFilterContext(ANNEX_B, self._stream)
        is_key = packet.is_keyframe
        whole = Packet(bytes(packet))  # the filter empties what it is given, and the decoder wants it too
        whole.pts, whole.dts, whole.time_base = packet.pts, packet.dts, packet.time_base
        whole.is_keyframe = is_key
        for made in self._annex_b.filter(whole):
            tap.copy(Coded(bytes(made), at_ms, dts_ms, is_key))

    def _reopen(self) -> None:
        with self._ready:
            self._mark_lost()
        self._container.close()
        while self.state is SourceState.LOST:
            self._rest(self._patience.reopen_every_ms / 1000)
            try:
                self._container = self._opener(self._where)
                self._stream = self._set_stream()
            except SourceError:
                continue
            self._times, self._annex_b, self._has_key = ArrivalTimes(self._times.last_ms), None, False
            self._pending.clear()
            return


class ArrivalTimes:
    """A stream's time stamps on our clock: a picture is never seen before it happened.

    The offset is that of the packet which came soonest after its stamp, and follows a camera whose clock is
    slower than ours by ``LEAK``. It changes between groups of pictures only, so that their order stays.
    ``after_ms`` is the last time that a connection before this one gave.
    """

    def __init__(self, after_ms: int = -1) -> None:
        self._offset_s: float | None = None
        self._settled_s = 0.0
        self._last_ms = after_ms

    @property
    def last_ms(self) -> int:
        """The latest time that was given."""
        return self._last_ms

    def settle(self, stamp_s: float, arrived_s: float) -> None:
        """A group of pictures begins with this packet."""
        delay_s = arrived_s - stamp_s
        if self._offset_s is None:
            self._offset_s = delay_s
        else:
            leaked_s = self._offset_s + LEAK * max(0.0, arrived_s - self._settled_s)
            self._offset_s = min(leaked_s, delay_s)
        self._settled_s = arrived_s
        # Not before the pictures of the group before.
        self._offset_s = max(self._offset_s, (self._last_ms + 1) / 1000 - stamp_s)

    def at_ms(self, stamp_s: float) -> int:
        """The stamp on our clock."""
        at_ms = max(0, round(1000 * (stamp_s + (self._offset_s or 0.0))))
        self._last_ms = max(self._last_ms, at_ms)
        return at_ms


def open_stream(where: str) -> InputContainer:
    """The stream, opened.

    Raises:
        SourceError: Nobody answers, or it is no video.
    """
    options = {"fflags": "nobuffer", "rtsp_transport": "tcp"} if where.startswith("rtsp") else {}
    try:
        return av.open(
            where,
            "r",
            options=options,
            timeout=(OPEN_TIMEOUT_S, READ_TIMEOUT_S),
            metadata_errors="replace",
        )
    except (av.error.FFmpegError, OSError) as error:
        raise SourceError(
            f"{without_password(where)}: the stream cannot be opened: {reason_of(error)}"
        ) from error


def is_endless(where: str) -> bool:
    """Whether a URL is a stream without an end; what is an http file has a length."""
    if urlsplit(where).scheme not in {"http", "https"}:
        return True
    with open_stream(where) as container:
        return not container.duration


def without_password(where: str) -> str:
    """The URL without the name and the password in it.

    >>> without_password("rtsp://ann:secret@10.0.0.7:554/live")
    'rtsp://10.0.0.7:554/live'
    """
    parts = urlsplit(where)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _seconds(stamp: int | None, base: Fraction) -> float:
    return float((stamp or 0) * base)


__all__: Final = ["ArrivalTimes", "Decoded", "StreamCamera", "is_endless", "open_stream", "without_password"]
