"""A span of one camera as a video that browsers play: its own pictures if they are H.264, else new ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Final

import av
import av.error
import cv2
import numpy as np
from av.container import OutputContainer
from av.packet import Packet
from av.video.stream import VideoStream

from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_server.film.footage import Footage, NoPictureError, Shot
from kemps_server.film.index import opened, plays_in_browsers
from kemps_server.film.pieces import Piece
from kemps_server.recording.encoding import ENCODERS, MILLISECONDS
from kemps_vision.frame import Frame, Image
from kemps_vision.sources.upright import UPRIGHT

Target = Path | BytesIO
Draw = Callable[[Frame], Image]

LONGEST_COPIED_MS: Final = 30 * 60_000
LONGEST_MADE_MS: Final = 5 * 60_000
_X264: Final = {"preset": "veryfast", "crf": "20"}
_WHOLE: Final = "faststart"
_IN_PARTS: Final = "frag_keyframe+empty_moov+default_base_moof"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """What was written.

    Attributes:
        from_ms: The game's time at which the clip begins: its second 0.
        until_ms: When the last of its frames is shown.
        frames: How many there are.
        is_copied: Whether its pictures are those of the recording, bit for bit.
    """

    from_ms: int
    until_ms: int
    frames: int
    is_copied: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How a clip is wanted.

    Attributes:
        may_copy: The recording's own pictures, from the last key picture before the span on.
        draw: What is drawn on each picture; none is copied then.
        widest_px: Larger pictures are made smaller.
        is_part: Made to be played on from the part before it.
    """

    may_copy: bool = False
    draw: Draw | None = None
    widest_px: int = 1920
    is_part: bool = False


def write_clip(
    film: Footage, camera: str, from_ms: int, until_ms: int, target: Target, wish: Wish | None = None
) -> Clip:
    """Write a span as H.264 in MP4; a made clip begins at ``from_ms`` sharp, in each camera.

    Raises:
        NoPictureError: The camera has no picture in it.
        KempsServerError: The span ends before it begins, or is too long.
        WorkFailedError: It cannot be written.
    """
    wanted = wish or Wish()
    if until_ms <= from_ms:
        raise KempsServerError(f"a clip from {from_ms} to {until_ms} ms has no length")
    shots = list(_shots(film, camera, from_ms, until_ms))
    if not shots:
        raise NoPictureError(f"camera {camera} has no picture between {from_ms} and {until_ms} ms")
    can_copy = wanted.may_copy and wanted.draw is None and _is_one_stream(film, shots)
    most_ms = LONGEST_COPIED_MS if can_copy else LONGEST_MADE_MS
    if until_ms - from_ms > most_ms:
        raise KempsServerError(f"a clip is at most {most_ms // 60_000} minutes long; ask for a shorter one")
    try:
        if can_copy:
            return _copy(film, shots, until_ms, target)
        return _make(film, camera, shots, (from_ms, until_ms), target, wanted)
    except (OSError, av.error.FFmpegError) as error:
        raise WorkFailedError(f"the clip cannot be written: {getattr(error, 'strerror', error)}") from error


def _shots(film: Footage, camera: str, from_ms: int, until_ms: int) -> Iterator[Shot]:
    """The frame on show when the span begins, and those shown in it."""
    within = film.shots(camera, from_ms, until_ms)
    first = next(within, None)
    if first is None or first.at_ms > from_ms:
        try:
            yield film.shot_at(camera, from_ms)
        except NoPictureError:
            if first is None:
                raise
    if first is not None:
        yield first
    yield from within


def _pieces(shots: list[Shot]) -> list[Piece]:
    return list(dict.fromkeys(shot.piece for shot in shots))


def _is_one_stream(film: Footage, shots: list[Shot]) -> bool:
    """Whether the pictures are H.264 of one and the same form, so that they may stand in one file."""
    heads = set()
    for piece in _pieces(shots):
        index = film.reel(piece).index
        if not plays_in_browsers(index) or index.codec != "h264" or index.axes != UPRIGHT:
            return False
        container, stream = opened(piece.path)
        with container:
            heads.add((bytes(stream.codec_context.extradata or b""), stream.time_base))
    return len(heads) == 1


def _copy(film: Footage, shots: list[Shot], until_ms: int, target: Target) -> Clip:
    pieces = _pieces(shots)
    first = shots[0]
    index = film.reel(first.piece).index
    key = int(index.key_pts[index.key_before(int(index.pts[first.place]))])
    start_ms = first.at_ms - int(index.at_ms[first.place] - index.at_ms[index.pts.searchsorted(key)])
    shift_ms = (
        first.at_ms - int(index.at_ms[first.place]) - first.piece.from_ms
    )  # from its clock to the game's
    frames, last_ms = 0, start_ms
    source, stream = opened(first.piece.path)
    with source, _output(target, _WHOLE) as output:
        made = output.add_stream_from_template(stream)
        base = stream.time_base or MILLISECONDS
        for piece in pieces:
            zero = round(Fraction(piece.from_ms + shift_ms - start_ms, 1000) / base)
            ticks = -key if piece is first.piece else zero - int(film.reel(piece).index.pts[0])
            begin = key if piece is first.piece else None
            for packet, at_ms in _packets(film, piece, begin, until_ms - shift_ms):
                packet.pts = (packet.pts or 0) + ticks
                packet.dts = packet.pts if packet.dts is None else packet.dts + ticks
                packet.stream = made
                output.mux(packet)
                frames, last_ms = frames + 1, max(last_ms, at_ms + shift_ms)
    return Clip(from_ms=start_ms, until_ms=last_ms, frames=frames, is_copied=True)


def _packets(
    film: Footage, piece: Piece, key: int | None, until_ms: int
) -> Iterator[tuple[Packet[VideoStream], int]]:
    """The packets of a piece from a key picture on, with their pictures' times on its camera's clock."""
    index = film.reel(piece).index
    container, stream = opened(piece.path)
    with container:
        if key is not None:
            container.seek(int(index.key_dts[index.key_before(key)]), stream=stream)
        last = int(index.pts[max(0, index.place(until_ms - piece.from_ms))])
        first = int(index.pts[0]) if key is None else key
        start, count, reached = int(index.pts.searchsorted(first)), 0, first
        for packet in container.demux(stream):
            if packet.pts is None or packet.pts < first:
                continue
            # Pictures that later ones lean on come before them: it ends where none is missing in between.
            is_whole = count == int(index.pts.searchsorted(reached, "right")) - start
            if is_whole and packet.dts is not None and packet.dts > last:
                return
            count, reached = count + 1, max(reached, packet.pts)
            place = max(0, int(index.pts.searchsorted(packet.pts, "right")) - 1)
            yield packet, piece.from_ms + int(index.at_ms[place])


def _make(
    film: Footage, camera: str, shots: list[Shot], span: tuple[int, int], target: Target, wish: Wish
) -> Clip:
    stream: VideoStream | None = None
    from_ms, until_ms = span
    with _output(target, _IN_PARTS if wish.is_part else _WHOLE) as output:
        ends = [following.at_ms for _, following in pairwise(shots)] + [until_ms]
        for shot, end_ms in zip(shots, ends, strict=True):
            picture = _fitted(_drawn(film, camera, shot, wish.draw), wish.widest_px)
            if stream is None:
                stream = _stream(output, picture.shape[1], picture.shape[0], film.camera(camera).fps)
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(format="yuv420p")
            frame.pts = max(shot.at_ms, from_ms) - from_ms
            frame.time_base, frame.duration = MILLISECONDS, max(1, end_ms - max(shot.at_ms, from_ms))
            output.mux(stream.encode(frame))
        if stream is not None:
            output.mux(stream.encode())
    return Clip(from_ms=from_ms, until_ms=shots[-1].at_ms, frames=len(shots), is_copied=False)


def _drawn(film: Footage, camera: str, shot: Shot, draw: Draw | None) -> Image:
    frame = film.frame(camera, shot)
    return frame.pixels if draw is None else draw(frame)


def _fitted(pixels: Image, widest_px: int) -> Image:
    """The picture, no wider than that, with even sides."""
    height, width = pixels.shape[:2]
    if width > widest_px:
        size = widest_px // 2 * 2, max(2, round(height * widest_px / width / 2) * 2)
        return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
    return np.ascontiguousarray(pixels[: height // 2 * 2, : width // 2 * 2])


def _output(target: Target, movflags: str) -> OutputContainer:
    place = str(target) if isinstance(target, Path) else target
    return av.open(place, "w", format="mp4", options={"movflags": movflags})


def _stream(output: OutputContainer, width: int, height: int, fps: float) -> VideoStream:
    rate = Fraction(fps).limit_denominator(1001)
    name = next((name for name in ENCODERS if name in av.codec.codecs_available), None)
    if name is None:
        raise WorkFailedError("this PyAV has no H.264 encoder; install the wheel from the package index")
    stream: VideoStream = output.add_stream(name, rate=rate, options=dict(_X264) if name == "libx264" else {})
    stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
    stream.codec_context.time_base = MILLISECONDS
    stream.codec_context.gop_size, stream.codec_context.max_b_frames = max(1, round(fps)), 0
    return stream


__all__: Final = ["Clip", "Draw", "Wish", "write_clip"]
