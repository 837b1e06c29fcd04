"""A recording on disk: for each camera a folder of short videos, named by their first and last frames' times.

::

    video/table/000000000000-000000001933.mp4    frames from 0 to 1933 ms
    video/table/000000002000.mp4                 still being written, or its writer was killed

The names are the index: nothing else has to be kept in step with the files, and any of them may be deleted.
Each file is a whole fragmented MP4; its times count from its first frame.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Final

import av
import av.error

VIDEO: Final = "video"
FRAME_MS: Final = 100  # a frame is shown until the next one, which begins another file
_NAME: Final = re.compile(r"(\d{6,})(?:-(\d{6,}))?\.mp4")


@dataclass(frozen=True, slots=True, order=True)
class Segment:
    """One file of a recording; ``until_ms`` is its last frame's time, None when nobody closed it."""

    at_ms: int
    until_ms: int | None
    path: Path

    @property
    def size(self) -> int:
        """Bytes on disk; 0 when it is gone."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0


def segment_name(at_ms: int, until_ms: int | None = None) -> str:
    """What a file of a recording is called.

    >>> segment_name(2000), segment_name(2000, 3933)
    ('000000002000.mp4', '000000002000-000000003933.mp4')
    """
    return f"{at_ms:012}.mp4" if until_ms is None else f"{at_ms:012}-{until_ms:012}.mp4"


def segments_in(folder: Path) -> list[Segment]:
    """The files of one camera, by time; none when there is no such folder."""
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        return []
    found = [(match, name) for name in names if (match := _NAME.fullmatch(name))]
    return sorted(
        Segment(int(match[1]), None if match[2] is None else int(match[2]), folder / name)
        for match, name in found
    )


def closed_until(segments: Sequence[Segment], place: int) -> int:
    """The latest time that a segment may reach: its own end, or the start of the one after it."""
    segment = segments[place]
    if segment.until_ms is not None:
        return segment.until_ms
    return segments[place + 1].at_ms if place + 1 < len(segments) else segment.at_ms


def find_moment(segments: Sequence[Segment], at_ms: int) -> tuple[Segment, float] | None:
    """The file that shows a moment, and the second in it to seek to; None when there is none.

    A player seeks there with ``video.currentTime``.
    """
    for place, segment in enumerate(segments):
        if segment.at_ms <= at_ms <= closed_until(segments, place) + FRAME_MS:
            return segment, (at_ms - segment.at_ms) / 1000
    return None


@dataclass(frozen=True, slots=True)
class Timed:
    """A decoded picture and its time in the game."""

    at_ms: int
    frame: av.VideoFrame


def pictures_of(segment: Segment) -> Iterator[Timed]:
    """The pictures of a file by time, as far as a broken one can be decoded."""
    try:
        with av.open(str(segment.path), "r", metadata_errors="replace") as container:
            stream = container.streams.video[0]
            stream.codec_context.thread_count = 1
            start: int | None = None
            for packet in container.demux(stream):
                if start is None and packet.is_keyframe and packet.pts is not None:
                    start = packet.pts
                for frame in packet.decode():
                    if frame.pts is not None and start is not None and not frame.is_corrupt:
                        yield Timed(segment.at_ms + _ms(frame.pts - start, stream.time_base), frame)
    except (av.error.FFmpegError, OSError, IndexError):
        return


def holes_in(segments: Sequence[Segment], longest_ms: int) -> list[tuple[int, int]]:
    """Spans longer than ``longest_ms`` of which no file is there, recorded or not."""
    return [
        (one.until_ms, other.at_ms)
        for one, other in pairwise(segments)
        if one.until_ms is not None and other.at_ms - one.until_ms > longest_ms
    ]


def _ms(ticks: int, base: Fraction | None) -> int:
    return round(ticks * (base or Fraction(1, 1000)) * 1000)
