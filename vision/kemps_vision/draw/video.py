"""Pictures written as an H.264 video that every browser plays."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import av
from av import Packet
from av.error import FFmpegError
from av.video.stream import VideoStream

from kemps_vision.errors import ImageError
from kemps_vision.frame import Image

_QUALITY: Final = "23"  # x264's constant rate factor: hardly to be told from the original
_MILLISECONDS: Final = Fraction(1, 1000)


class VideoWriter:
    """Writes RGB pictures with their times; use it as a context manager.

    Args:
        path: Where the MP4 goes.
        fps: The nominal frame rate, for players that ask.
    """

    def __init__(self, path: Path, *, fps: float) -> None:
        self._path = path
        self._fps = Fraction(fps).limit_denominator(1001)
        self._container = av.open(str(path), "w", options={"movflags": "faststart"})
        self._stream: VideoStream | None = None
        self._last_ms = -1
        self._is_closed = self._is_broken = False

    def add(self, pixels: Image, at_ms: int) -> None:
        """Appends a picture, RGB uint8 (h, w, 3), both even and the same for all; times must rise.

        Raises:
            ImageError: The picture has another size than those before or an odd one, or time stands still.
            OSError: The file cannot be written.
        """
        height, width = pixels.shape[:2]
        stream = self._stream or self._open(width, height)
        if (stream.width, stream.height) != (width, height):
            raise ImageError(
                f"{self._path}: a picture of {width}x{height} in a video of {stream.width}x{stream.height}"
            )
        if at_ms <= self._last_ms:
            raise ImageError(f"{self._path}: a picture at {at_ms} ms after one at {self._last_ms} ms")
        self._last_ms = at_ms
        frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
        frame.pts, frame.time_base = at_ms, _MILLISECONDS
        self._mux(stream.encode(frame))

    def close(self) -> None:
        """Writes what is pending and closes the file; may be called twice."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            if self._stream is not None and not self._is_broken:
                self._mux(self._stream.encode())
        finally:
            self._container.close()

    def _mux(self, packets: Iterable[Packet[VideoStream]]) -> None:
        # After a failed write (a full disk) libav must not be asked again: it crashes without its header.
        self._is_broken = True
        for packet in packets:
            self._container.mux(packet)
        self._is_broken = False

    def _open(self, width: int, height: int) -> VideoStream:
        if width % 2 or height % 2:
            raise ImageError(f"{self._path}: {width}x{height}: a video needs even sides")
        try:
            stream = self._container.add_stream("libx264", rate=self._fps)
        except (FFmpegError, ValueError) as error:
            raise ImageError(f"{self._path}: this PyAV cannot write H.264 ({error})") from error
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.time_base = _MILLISECONDS
        stream.codec_context.time_base = _MILLISECONDS
        stream.options = {"crf": _QUALITY, "preset": "veryfast"}
        self._stream = stream
        return stream

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
