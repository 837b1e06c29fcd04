"""Which frames a video file has, when each is shown, and where decoding can begin; worked out once."""

from __future__ import annotations

import logging
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, Final

import av
import av.error
import numpy as np
from av.container import InputContainer
from av.video.stream import VideoStream
from numpy.typing import NDArray

from kemps_vision.errors import SourceError
from kemps_vision.sources.files import plausible_fps, reason_of, watched_stream
from kemps_vision.sources.upright import display_axes

VERSION: Final = 1
_FIRST_PACKETS: Final = 500  # without a picture in so many there is none
_COMPARED: Final = 40  # pictures whose stamps must be those of their packets

_log = logging.getLogger(__name__)

Ticks = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameIndex:
    """The frames of a file in the order of their times.

    Attributes:
        pts: The stamp of each; its number when ``is_counted``.
        at_ms: When each is shown, in ms after the first, just as ``VideoFile`` tells it.
        key_pts: Stamps of pictures at which decoding can begin, rising.
        key_dts: Where to seek for each of them.
        size: Width and height of the upright picture.
        coded_size: Of the picture as it is stored.
        axes: How it is turned.
        fps: The nominal frame rate.
        duration_ms: How long the file says it is, or None.
        start_s: The first frame's stamp in seconds, where a player's clock may stand at it.
        codec: FFmpeg's name of it.
        container: FFmpeg's name of the kind of file.
        pixels: FFmpeg's name of the pixel format.
        is_counted: Stamps are missing or stand still: frames are counted from the start.
    """

    pts: Ticks
    at_ms: Ticks
    key_pts: Ticks
    key_dts: Ticks
    size: tuple[int, int]
    coded_size: tuple[int, int]
    axes: tuple[int, int, int, int]
    fps: float
    duration_ms: int | None
    start_s: float
    codec: str
    container: str
    pixels: str
    is_counted: bool

    def place(self, at_ms: int) -> int:
        """The number of the frame on show at a time; -1 before the first."""
        return int(np.searchsorted(self.at_ms, at_ms, side="right")) - 1

    def key_before(self, pts: int) -> int:
        """The number of the last key picture that is not after a stamp; 0 when all are."""
        return max(0, int(np.searchsorted(self.key_pts, pts, side="right")) - 1)


def index_of(path: Path, kept: Path | None = None) -> FrameIndex:
    """The index of a video file.

    Args:
        path: The file.
        kept: Where it is kept for the next time; the file is not read again until it has changed.

    Raises:
        SourceError: There is no such file, or no picture in it.
    """
    stamp = stamp_of(path)
    if kept is not None and (known := _load(kept, stamp)) is not None:
        return known
    found = _scan(path)
    if kept is not None:
        _save(kept, stamp, found)
    return found


def plays_in_browsers(index: FrameIndex) -> bool:
    """Whether every browser plays the pictures of a file, whatever it is packed in."""
    is_plain = index.pixels in {"yuv420p", "yuvj420p"} and not index.is_counted
    return is_plain and index.codec in {"h264", "vp8", "vp9", "libdav1d", "av1"}


def is_web_file(index: FrameIndex) -> bool:
    """Whether every browser plays the file as it is."""
    is_mp4 = "mp4" in index.container and index.codec in {"h264", "vp9", "libdav1d", "av1"}
    is_webm = "webm" in index.container and index.codec in {"vp8", "vp9", "libdav1d", "av1"}
    return plays_in_browsers(index) and (is_mp4 or is_webm)


def opened(path: Path) -> tuple[InputContainer, VideoStream]:
    """A video file and its moving pictures.

    Raises:
        SourceError: It cannot be opened, or there are none.
    """
    try:
        container = av.open(str(path), "r", metadata_errors="replace")
    except (av.error.FFmpegError, OSError) as error:
        raise SourceError(f"{path.name}: the video cannot be opened: {reason_of(error)}") from error
    stream = watched_stream(container)
    if stream is None:
        container.close()
        raise SourceError(f"{path.name}: there is no video in it")
    return container, stream


def pictures_from(
    container: InputContainer, stream: VideoStream, whole_from: int | None = None
) -> Iterator[av.VideoFrame]:
    """The whole pictures from where the container stands; a broken packet is passed over.

    Before the stamp ``whole_from`` pictures on which no other leans are left out, since they take time.
    """
    errors = 0
    packets = container.demux(stream)
    while errors < _FIRST_PACKETS:
        try:
            packet = next(packets, None)
            if packet is None:
                return
            if whole_from is not None:
                is_early = packet.pts is not None and packet.pts < whole_from
                stream.codec_context.skip_frame = "NONREF" if is_early else "DEFAULT"
            frames = packet.decode()
        except av.error.EOFError:
            return
        except (av.error.FFmpegError, OSError):
            errors += 1
            continue
        yield from (frame for frame in frames if not frame.is_corrupt)


def media_times(stamps: Iterable[int | None], time_base: Fraction, fps: float) -> Ticks:
    """When each frame is shown, in ms after the first: by its stamp, counted on where that makes no sense.

    >>> media_times([90, 93, 93, None], Fraction(1, 30), 10).tolist()
    [0, 100, 200, 300]
    """
    step = max(1, round(1000 / fps))
    start: int | None = None
    last = -1
    times = []
    for pts in stamps:
        following = 0 if last < 0 else last + step
        at_ms = -1
        if pts is not None:
            if start is None:
                start = pts if last < 0 else pts - round(following / 1000 / time_base)
            at_ms = round((pts - start) * time_base * 1000)
        last = at_ms if at_ms > last else following
        times.append(last)
    return np.asarray(times, np.int64)


def _scan(path: Path) -> FrameIndex:
    container, stream = opened(path)
    with container:
        first, begin = _beginning(pictures_from(container, stream))
        if first is None:
            raise SourceError(f"{path.name}: not one picture in it can be decoded")
        fps = plausible_fps(stream.average_rate or stream.guessed_rate)
        base = stream.time_base or Fraction(1, 1000)
        duration_ms = _duration_ms(container, stream)
        codec, pixels = stream.codec_context.name, stream.codec_context.pix_fmt or ""
        kind = container.format.name
    stamps, keys = _stamps(path)
    sought = _sought(stamps, begin)
    is_counted = sought is None
    shown: list[int | None] = list(_decoded_stamps(path)) if sought is None else list(sought)
    axes = display_axes(first)
    coded = (first.width, first.height)
    keys = [] if is_counted else sorted(keys)
    return FrameIndex(
        pts=np.arange(len(shown), dtype=np.int64) if sought is None else np.asarray(sought, np.int64),
        at_ms=media_times(shown, base, fps),
        key_pts=np.asarray([pts for pts, _ in keys], np.int64),
        key_dts=np.asarray([dts for _, dts in keys], np.int64),
        size=coded if axes[0] else (coded[1], coded[0]),
        coded_size=coded,
        axes=axes,
        fps=fps,
        duration_ms=duration_ms,
        start_s=float((begin[0] or 0) * base),
        codec=codec,
        container=kind,
        pixels=pixels,
        is_counted=is_counted,
    )


def _duration_ms(container: InputContainer, stream: VideoStream) -> int | None:
    """As ``VideoFile`` tells it."""
    if stream.duration and stream.time_base:
        return round(stream.duration * stream.time_base * 1000)
    return round(container.duration / 1000) if container.duration else None


def _stamps(path: Path) -> tuple[list[int | None], list[tuple[int, int]]]:
    """The stamps of all packets that hold a picture to show; (pts, dts) of the key pictures among them."""
    stamps: list[int | None] = []
    keys: list[tuple[int, int]] = []
    container, stream = opened(path)
    with container:
        packets = container.demux(stream)
        while True:
            try:
                packet = next(packets, None)
            except (av.error.FFmpegError, OSError):  # cut off: what came before counts
                break
            if packet is None:
                break
            if packet.size == 0 or packet.is_discard:
                continue
            stamps.append(packet.pts)
            if packet.is_keyframe and packet.pts is not None:
                keys.append((packet.pts, packet.pts if packet.dts is None else packet.dts))
    return stamps, keys


def _beginning(pictures: Iterator[av.VideoFrame]) -> tuple[av.VideoFrame | None, list[int | None]]:
    """The first picture, and the stamps of the first few."""
    few = list(islice(pictures, _COMPARED))
    return (few[0] if few else None), [frame.pts for frame in few]


def _sought(stamps: list[int | None], begin: list[int | None]) -> list[int] | None:
    """The stamps from the first picture on, rising; None when frames cannot be told apart by them.

    Some files (AVI) have none, and those that are made up for their packets are not those of the pictures
    that come out: so the first few are compared.
    """
    first = begin[0]
    if first is None or any(pts is None for pts in stamps):
        return None
    rising = sorted(pts for pts in stamps if pts is not None and pts >= first)
    is_clear = rising[: len(begin)] == begin and all(a < b for a, b in pairwise(rising))
    return rising if is_clear else None


def _decoded_stamps(path: Path) -> Iterator[int | None]:
    container, stream = opened(path)
    with container:
        for frame in pictures_from(container, stream):
            yield frame.pts


def stamp_of(path: Path) -> tuple[int, int]:
    """Size and time of a file: others, when it was changed.

    Raises:
        SourceError: There is none.
    """
    try:
        status = path.stat()
    except OSError as error:
        raise SourceError(
            f"{path.name}: the recording is not there ({reason_of(error)}); "
            "put the file back, or into the game's folder video/"
        ) from None
    return status.st_size, status.st_mtime_ns


def _load(kept: Path, stamp: tuple[int, int]) -> FrameIndex | None:
    try:
        with np.load(kept, allow_pickle=False) as data:
            head = data["head"].tolist()
            if head != [VERSION, *stamp]:
                return None
            numbers = [int(one) for one in data["numbers"]]
            codec, kind, pixels = (str(one) for one in data["names"])
            return FrameIndex(
                pts=data["pts"],
                at_ms=data["at_ms"],
                key_pts=data["key_pts"],
                key_dts=data["key_dts"],
                size=(numbers[0], numbers[1]),
                coded_size=(numbers[2], numbers[3]),
                axes=(numbers[4], numbers[5], numbers[6], numbers[7]),
                fps=float(data["fps"][0]),
                duration_ms=None if numbers[9] < 0 else numbers[9],
                start_s=float(data["fps"][1]),
                codec=codec,
                container=kind,
                pixels=pixels,
                is_counted=bool(numbers[8]),
            )
    except (OSError, ValueError, KeyError, IndexError, EOFError, zipfile.BadZipFile):
        return None


def _save(kept: Path, stamp: tuple[int, int], index: FrameIndex) -> None:
    arrays: dict[str, Any] = {
        "head": np.asarray([VERSION, *stamp], np.int64),
        "numbers": np.asarray(
            [
                *(*index.size, *index.coded_size, *index.axes, index.is_counted),
                -1 if index.duration_ms is None else index.duration_ms,
            ],
            np.int64,
        ),
        "names": np.asarray([index.codec, index.container, index.pixels]),
        "fps": np.asarray([index.fps, index.start_s]),
        **{name: getattr(index, name) for name in ("pts", "at_ms", "key_pts", "key_dts")},
    }
    new = kept.with_name(f".{kept.name}.new.npz")
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(new, **arrays)
        new.replace(kept)
    except OSError as error:  # a folder that may not be written: it is worked out again next time
        _log.info("%s: the index is not kept: %s", kept, error.strerror or error)
