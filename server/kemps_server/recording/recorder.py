"""The recording of a table: a tap for each camera, the list of used frames, and what is held."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

import av.error

from kemps_rules.events import Called, Event
from kemps_server.errors import WorkFailedError
from kemps_server.recording.disk import Disk, HeldSpan, RecordingState, Tell, free_bytes, hold
from kemps_server.recording.encoding import RoundTrip
from kemps_server.recording.segments import BINARY, SegmentWriter
from kemps_vision.frame import Image, SourceInfo
from kemps_vision.sources.frames_index import FRAMES_INDEX, HEADER, Entry
from kemps_vision.sources.live import Coded, Picture, Raw
from kemps_vision.sources.recorded import folder_name
from kemps_vision.sources.segments import VIDEO

BEFORE_CALL_MS: Final = 30_000
AFTER_CALL_MS: Final = 60_000  # hands are shown and argued about

_log = logging.getLogger(__name__)


class Recorder:
    """Records the cameras of a table into a game's folder; use it as a context manager.

    Whatever goes wrong is a state and a line for people; nothing of it stops a game.

    Args:
        folder: The game's.
        budget: Bytes that its video may take; the oldest that nobody holds goes first.
        tell: Hears what people must know, a line each.
        free: Bytes that the disk has left; tests inject their own.
        goes_on: An earlier run of the same game recorded into the folder; what it left stays.
    """

    def __init__(
        self,
        folder: Path,
        budget: int,
        tell: Tell,
        *,
        free: Callable[[Path], int] = free_bytes,
        goes_on: bool = False,
    ) -> None:
        self.disk = Disk(folder, budget, tell, free=free)
        self._folder = folder
        self._taps: list[CameraTap] = []
        self._index: int | None = None
        self._is_held_told = False
        try:
            self._index = _index_of(folder / FRAMES_INDEX, goes_on=goes_on)
        except OSError as error:
            self._drop_index(error)

    @property
    def state(self) -> RecordingState:
        """What the recording does now."""
        return self.disk.state

    def tap(self, camera: str, info: SourceInfo) -> CameraTap:
        """What the pictures of a camera are to go through."""
        folder = self._folder / VIDEO / folder_name(camera)
        tap = CameraTap(folder, info, self.disk)
        self._taps.append(tap)
        return tap

    def note(self, entry: Entry) -> None:
        """This frame is used now, or this became known."""
        if self._index is None:
            return
        row = f"{entry.line()}\n".encode()
        try:
            if os.write(self._index, row) < len(row):
                raise OSError(28, "No space left on device")
        except OSError as error:
            self._drop_index(error)

    def heed(self, event: Event) -> None:
        """Hold the recording round a call: it is what people will want to see."""
        if not isinstance(event, Called):
            return
        span = HeldSpan(max(0, event.at_ms - BEFORE_CALL_MS), event.at_ms + AFTER_CALL_MS, "call")
        try:
            hold(self._folder, span)
        except OSError as error:
            if not self._is_held_told:
                self._is_held_told = True
                _log.warning("the recording of a call cannot be held: %s", error.strerror or error)

    def close(self) -> None:
        """Finish all files; may be called twice."""
        for tap in self._taps:
            tap.close()
        if self._index is not None:
            os.close(self._index)
            self._index = None

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _drop_index(self, error: OSError) -> None:
        """A list with holes would tell another game: it ends where it could not be written."""
        if self._index is not None:
            os.close(self._index)
            self._index = None
        _log.warning(
            "frames.idx ends here: %s; the recording, watched again, may tell another game from here on",
            error.strerror or error,
        )


def _index_of(path: Path, *, goes_on: bool) -> int:
    """The list of used frames, to be written at its end; a line that a killed run left is cut off."""
    index = os.open(path, os.O_RDWR | os.O_CREAT | (0 if goes_on else os.O_TRUNC) | BINARY, 0o644)
    size = len(path.read_bytes().rpartition(b"\n")[0])
    if size == 0:
        os.write(index, f"{HEADER}\n".encode())
    else:
        os.ftruncate(index, size + 1)
        os.lseek(index, 0, os.SEEK_END)
    return index


class CameraTap:
    """Where the pictures of one camera are recorded; called by that camera's thread."""

    def __init__(self, folder: Path, info: SourceInfo, disk: Disk) -> None:
        self._writer = SegmentWriter(folder, (info.width, info.height), info.fps, disk)
        self._info = info
        self._disk = disk
        self._trip: RoundTrip | None = None
        self._is_closed = False
        self._lock = threading.Lock()

    def encode(self, at_ms: int, bgr: Image) -> Picture | None:
        """The picture as it is recorded; as it came, when nothing can be encoded here."""
        if self._disk.state is RecordingState.FAILED:
            return Raw(bgr)
        try:
            if self._trip is None:
                self._trip = RoundTrip(self._info.width, self._info.height, self._info.fps)
            coded, shown = self._trip.through(at_ms, bgr)
        except (av.error.FFmpegError, ValueError, WorkFailedError) as error:
            self._disk.fail(str(error))
            return Raw(bgr)
        for one in coded:
            self.copy(one)
        return shown

    def copy(self, coded: Coded) -> None:
        """Write a picture that is H.264 already."""
        with self._lock:
            if not self._is_closed:
                self._writer.add(coded)

    def close(self) -> None:
        """Finish the file that is open."""
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                self._writer.close()
