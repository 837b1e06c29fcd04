"""Writes frames as an MP4 that any player shows: H.264, yuv420p, a key frame each second."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Final

import av
import numpy as np
from av.video.stream import VideoStream
from numpy.typing import NDArray

_PRESET: Final = "medium"


class ClipWriter:
    """An MP4 being written; a context manager. Frames are RGB uint8 (h, w, 3), a fixed time apart.

    ``preset`` is H.264's own: a quicker one makes about as small a file of about the same quality here.
    """

    def __init__(
        self, path: Path, *, width: int, height: int, fps: int, quality: int, preset: str = _PRESET
    ) -> None:
        # Bit-exact and single-threaded, so that the same frames make the same file.
        self._container = av.open(str(path), "w", options={"movflags": "+faststart", "fflags": "+bitexact"})
        codec = "libx264" if "libx264" in av.codecs_available else "mpeg4"
        stream = self._container.add_stream(codec, rate=fps)
        assert isinstance(stream, VideoStream)  # noqa: S101 - narrows the type: both codecs are video codecs
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.codec_context.time_base = Fraction(1, fps)
        stream.codec_context.thread_count = 1
        stream.gop_size = fps
        if codec == "libx264":
            stream.options = {
                "crf": str(quality),
                "preset": preset,
                "x264-params": f"keyint={fps}:min-keyint=1",
            }
        else:
            stream.bit_rate = width * height * fps // 8
        self._stream = stream
        self._count = 0

    def write(self, pixels: NDArray[np.uint8]) -> None:
        """Appends a frame."""
        frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
        frame.pts, frame.time_base = self._count, self._stream.codec_context.time_base
        self._container.mux(self._stream.encode(frame))
        self._count += 1

    def __enter__(self) -> ClipWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._container.mux(self._stream.encode())
        self._container.close()


def write_clip(
    frames: Iterable[NDArray[np.uint8]], path: Path, *, width: int, height: int, fps: int, quality: int
) -> None:
    """Writes all frames as an MP4."""
    with ClipWriter(path, width=width, height=height, fps=fps, quality=quality) as writer:
        for pixels in frames:
            writer.write(pixels)
