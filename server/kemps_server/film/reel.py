"""One video file from which any frame can be had: the exact one, whatever the file's rate and order."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import av
import av.error
from av.container import InputContainer
from av.video.stream import VideoStream

from kemps_server.film.index import FrameIndex, index_of, opened, pictures_from, stamp_of
from kemps_vision.errors import SourceError
from kemps_vision.sources.stream import Decoded

KEPT_BYTES: Final = 16_000_000  # of decoded pictures, so that a step back is no decoding
BACK: Final = 10  # frames before the one that is sought that are decoded, too
AHEAD: Final = 40  # frames that are rather decoded through than sought


class Reel:
    """An open video file; threads take turns.

    Raises:
        SourceError: It cannot be opened.
    """

    def __init__(self, path: Path, kept_index: Path | None = None) -> None:
        self.path = path
        self.stamp = stamp_of(path)
        self.index: FrameIndex = index_of(path, kept_index)
        self._lock = threading.Lock()
        self._kept: OrderedDict[int, av.VideoFrame] = OrderedDict()
        self._open: tuple[InputContainer, VideoStream] | None = None
        self._pictures: Iterator[av.VideoFrame] = iter(())
        self._number = 0
        self._last: int | None = None

    def __len__(self) -> int:
        """How many frames there are."""
        return len(self.index.pts)

    @property
    def is_changed(self) -> bool:
        """Whether the file has grown, was replaced, or is gone."""
        try:
            return stamp_of(self.path) != self.stamp
        except SourceError:
            return True

    def picture(self, place: int) -> Decoded:
        """The frame of this number; the last before it that can be decoded, if it is broken.

        Raises:
            SourceError: Neither can be decoded, or the file is gone.
        """
        with self._lock:
            frame = self._frame(int(self.index.pts[place]))
        return Decoded(frame, self.index.axes, self.index.coded_size)

    def place_of(self, picture: Decoded) -> int:
        """The number of a picture that came from here."""
        pts = picture.frame.pts
        return 0 if pts is None else max(0, int(self.index.pts.searchsorted(pts, side="right")) - 1)

    def close(self) -> None:
        """Let the file go; it is opened again when a frame is wanted."""
        with self._lock:
            self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _frame(self, pts: int) -> av.VideoFrame:
        if (known := self._kept.get(pts)) is not None:
            self._kept.move_to_end(pts)
            return known
        before: av.VideoFrame | None = None
        for start in self._starts(pts):
            self._go_to(start, pts)
            for frame in self._pictures:
                stamp = self._take(frame)
                if stamp == pts:
                    return frame
                if stamp > pts:
                    break
                before = frame
        if before is None:
            raise SourceError(f"{self.path.name}: this picture cannot be decoded")
        return before

    def _starts(self, pts: int) -> Iterator[int | None]:
        """Where to try from: going on, the key picture before, earlier ones, the start (None)."""
        index = self.index
        if self._last is not None and self._last < pts:
            is_near = index.pts.searchsorted(pts) - index.pts.searchsorted(self._last) <= AHEAD
            if index.is_counted or is_near:
                yield -1
        if not index.is_counted and len(index.key_pts):
            key = index.key_before(pts)
            yield from dict.fromkeys((key, max(0, key - 1)))
        yield None

    def _go_to(self, start: int | None, pts: int) -> None:
        if start == -1:
            return
        try:
            if start is None or self._open is None:
                self._close()
                self._open = opened(self.path)
            container, stream = self._open
            if start is not None:
                container.seek(int(self.index.key_dts[start]), stream=stream)
            self._pictures = pictures_from(container, stream, self._whole_from(pts))
        except (av.error.FFmpegError, OSError):  # a file that cannot be sought is read from its start
            self._close()
            self._open = opened(self.path)
            self._pictures = pictures_from(*self._open)
        self._number = 0
        self._last = None

    def _whole_from(self, pts: int) -> int | None:
        """From which stamp on every picture is wanted: a few before the one sought, to step back to."""
        if self.index.is_counted:
            return None
        return int(self.index.pts[max(0, int(self.index.pts.searchsorted(pts)) - BACK)])

    def _take(self, frame: av.VideoFrame) -> int:
        """The stamp of a picture that came out; it is kept for a while."""
        if self.index.is_counted:
            frame.pts = self._number
            self._number += 1
        stamp = -(1 << 62) if frame.pts is None else frame.pts
        self._last = stamp
        self._kept[stamp] = frame
        self._kept.move_to_end(stamp)
        size = max(1, frame.width * frame.height * 3 // 2)
        while len(self._kept) > max(2, KEPT_BYTES // size):
            self._kept.popitem(last=False)
        return stamp

    def _close(self) -> None:
        if self._open is not None:
            self._open[0].close()
        self._open, self._pictures, self._last = None, iter(()), None
