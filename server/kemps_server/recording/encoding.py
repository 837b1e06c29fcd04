"""Pictures to H.264 and back: what is watched is what is recorded, so both tell the same game."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import av
import av.error
from av.packet import Packet
from av.video.codeccontext import VideoCodecContext
from av.video.frame import PictureType

from kemps_server.errors import WorkFailedError
from kemps_vision.frame import Image
from kemps_vision.sources.live import Coded
from kemps_vision.sources.stream import Decoded
from kemps_vision.sources.upright import UPRIGHT

ENCODERS: Final = ("libx264", "libopenh264", "h264_videotoolbox", "h264_mf")
"""In the order of trust: wheels from the package index hold the first; the last are of macOS and Windows."""

KEY_MS: Final = 1000  # a key picture at least so often
MILLISECONDS: Final = Fraction(1, 1000)
X264: Final = {
    "preset": "ultrafast",  # 4 ms for 1280x720 on one core; "veryfast" takes 14 for a third less space
    "tune": "zerolatency",  # each picture comes out at once
    "crf": "20",
    "forced-idr": "1",
}


class RoundTrip:
    """Encodes the pictures of one camera and gives each back as a player of the recording will see it.

    Raises:
        WorkFailedError: This PyAV has no encoder for H.264.
    """

    def __init__(self, width: int, height: int, fps: float) -> None:
        self._size = (width, height)
        self._frame_ms = 1000 / fps
        self._encoder = _encoder(width, height, fps)
        self._decoder = VideoCodecContext.create("h264", "r")
        self._decoder.thread_count = 1
        self._key_ms = -KEY_MS

    def through(self, at_ms: int, bgr: Image) -> tuple[list[Coded], Decoded | None]:
        """A picture, BGR uint8 (h, w, 3) with even sides, as it goes into the recording and as it comes out.

        Raises:
            av.error.FFmpegError: The encoder gave up.
        """
        picture = av.VideoFrame.from_ndarray(bgr, format="bgr24").reformat(format="yuv420p")
        picture.pts, picture.time_base = at_ms, MILLISECONDS
        is_due = at_ms - self._key_ms + 1.5 * self._frame_ms > KEY_MS
        picture.pict_type = PictureType.I if is_due else PictureType.NONE
        if is_due:
            self._key_ms = at_ms
        coded, shown = [], None
        for packet in self._encoder.encode(picture):
            coded.append(_coded(packet))
            for frame in self._decoder.decode(packet):
                shown = Decoded(frame, UPRIGHT, self._size)
        return coded, shown


def _coded(packet: Packet) -> Coded:  # type: ignore[type-arg]  # of no stream
    at_ms = packet.pts or 0
    return Coded(bytes(packet), at_ms, at_ms if packet.dts is None else packet.dts, packet.is_keyframe)


def _encoder(width: int, height: int, fps: float) -> VideoCodecContext:
    for name in ENCODERS:
        try:
            encoder = VideoCodecContext.create(name, "w")
            encoder.width, encoder.height, encoder.pix_fmt = width, height, "yuv420p"
            encoder.time_base, encoder.framerate = MILLISECONDS, Fraction(fps).limit_denominator(1001)
            encoder.gop_size = max(1, round(fps * KEY_MS / 1000))
            encoder.max_b_frames = 0
            encoder.thread_count = 1
            encoder.options = dict(X264) if name == "libx264" else {}
            encoder.open()
        except (av.error.FFmpegError, ValueError, OSError):
            continue
        return encoder
    raise WorkFailedError(
        "this PyAV has no H.264 encoder; install the wheel from the package index: pip install --force av"
    )
