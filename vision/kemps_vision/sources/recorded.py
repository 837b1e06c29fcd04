"""A live game watched again from its recording: the frames that were used then, in the order of then.

A game's folder says in ``recording.json`` which cameras there were; ``video/`` holds their pictures
(``segments``), and ``frames.idx`` which of them were used (``frames_index``). Without the latter each camera
is a recording as any other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeAlias

from kemps_vision.errors import SourceError
from kemps_vision.frame import Frame, SourceInfo, SourceState, TimeBasis
from kemps_vision.sources.files import DEFAULT_FPS
from kemps_vision.sources.frames_index import FRAMES_INDEX, End, Gap, Made, Used, Withdrawn, read_frames_index
from kemps_vision.sources.live import LOST_AFTER_MS
from kemps_vision.sources.segments import VIDEO, closed_until, holes_in, pictures_of, segments_in
from kemps_vision.sources.stream import Decoded
from kemps_vision.sources.upright import UPRIGHT

RECORDING: Final = "recording.json"

Item: TypeAlias = Frame | Gap | Made | Withdrawn
"""What a watcher of several cameras meets: frames, spans without any, and calls."""


class RecordedCamera:
    """The frames of one camera of a recorded game."""

    def __init__(self, folder: Path, note: dict[str, Any], *, is_indexed: bool) -> None:
        self.state = SourceState.OPEN
        self.dropped = 0
        self.skipped = 0
        self.notes: tuple[str, ...] = ()
        self.camera: str = note["name"]
        self._segments = segments_in(folder / VIDEO / folder_name(self.camera))
        self._last_ms = -1
        self._index = 0
        self._pictures = self._decoded()
        self._wanted_ms = 0
        self.ahead_ms: int = note.get("ahead_ms", 0)
        self._ahead: tuple[int, Decoded] | None = None
        width, height = note["size"]
        ends = [closed_until(self._segments, place) for place in range(len(self._segments))]
        fps = note.get("watched_fps") if is_indexed else note.get("fps")
        self.info = SourceInfo(
            name=f"{folder.name}: {self.camera}",
            where=str(folder),
            kind="recording",
            width=width,
            height=height,
            fps=float(fps or DEFAULT_FPS),
            duration_ms=max(ends, default=None),
        )

    @property
    def is_empty(self) -> bool:
        """Whether nothing of it is left."""
        return not self._segments

    @property
    def lost_spans(self) -> tuple[tuple[int, int | None], ...]:
        """The spans so far in which nothing was recorded."""
        return tuple(span for span in holes_in(self._segments, LOST_AFTER_MS) if span[1] <= self._last_ms)

    def __iter__(self) -> Iterator[Frame]:
        """All frames that are left."""
        for at_ms, picture in self._pictures:
            if self.state is not SourceState.OPEN:
                return
            yield self._frame(at_ms, picture)
        self.state = SourceState.ENDED

    def at(self, at_ms: int) -> Frame | None:
        """The frame of just this time, or None when it is not there any more; times must rise."""
        self._wanted_ms = at_ms
        while self._ahead is None or self._ahead[0] < at_ms:
            self._ahead = next(self._pictures, None)
            if self._ahead is None:
                return None
        return self._frame(*self._ahead) if self._ahead[0] == at_ms else None

    def close(self) -> None:
        """No more frames; may be called twice."""
        self.state = SourceState.CLOSED

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _frame(self, at_ms: int, picture: Decoded) -> Frame:
        self._last_ms = at_ms
        self._index += 1
        return Frame(self.camera, self._index - 1, at_ms, picture.rgb(), TimeBasis.PTS)

    def _decoded(self) -> Iterator[tuple[int, Decoded]]:
        last_ms = -1
        for segment in self._segments:
            if segment.until_ms is not None and segment.until_ms < self._wanted_ms:
                continue
            for timed in pictures_of(segment):
                if timed.at_ms > last_ms:
                    last_ms = timed.at_ms
                    yield last_ms, Decoded(timed.frame, UPRIGHT, (self.info.width, self.info.height))


class RecordedGame:
    """The cameras of a recorded game, and the row of what a live run made of them.

    Raises:
        SourceError: The folder has no recording, or nothing of the table camera is left.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.index = folder / FRAMES_INDEX
        self.is_indexed = self.index.is_file()
        notes = _cameras_of(folder)
        self.cameras = {
            note["name"]: RecordedCamera(folder, note, is_indexed=self.is_indexed) for note in notes
        }
        self.table = next(
            (self.cameras[note["name"]] for note in notes if note.get("role") == "table"),
            next(iter(self.cameras.values())),
        )
        if self.table.is_empty:
            raise SourceError(f"{folder}: there is no video of its table camera any more")

    def row(self) -> Iterator[Item]:
        """Frames, gaps and calls as the live run met them.

        Frames that are not there any more are left out, and counted in a note of the table camera.

        Raises:
            SourceError: ``frames.idx`` cannot be read.
        """
        used = missing = 0
        for entry in read_frames_index(self.index):
            if isinstance(entry, End):
                continue
            if not isinstance(entry, Used):
                yield entry
                continue
            camera = self.cameras.get(entry.camera)
            frame = None if camera is None else camera.at(entry.at_ms + camera.ahead_ms)
            used += 1
            if frame is None:
                missing += 1
            else:
                yield replace(frame, at_ms=entry.at_ms)
        if missing:
            note = (
                f"{self.folder}: {missing} of the {used} frames that were used are not in the recording: "
                "deleted for space, not recorded on a full disk, or lost when it was killed"
            )
            self.table.notes = (note,)


def is_recorded_game(folder: Path) -> bool:
    """Whether a folder is a game whose cameras were recorded."""
    try:
        return bool(_cameras_of(folder))
    except SourceError:
        return False


def folder_name(camera: str) -> str:
    """What a camera's folder in ``video/`` is called: its name, without what a path cannot hold.

    >>> folder_name("table"), folder_name("left/right"), folder_name("..")
    ('table', 'left_right', '__')
    """
    name = "".join(sign if sign.isalnum() or sign in "-_ " else "_" for sign in camera)
    return name or "_"


def _cameras_of(folder: Path) -> list[dict[str, Any]]:
    path = folder / RECORDING
    try:
        note = json.loads(path.read_text(encoding="utf-8"))
        cameras = note.get("cameras", []) if isinstance(note, dict) else []
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SourceError(f"{path}: cannot be read: {reason}") from None
    found = [one for one in cameras if _is_camera(one)]
    if not found or len(found) < len(cameras):
        raise SourceError(f"{folder}: its cameras were not recorded; give the recording itself")
    return found


def _is_camera(note: object) -> bool:
    if not isinstance(note, dict) or not isinstance(note.get("name"), str):
        return False
    size = note.get("size")
    return isinstance(size, list) and len(size) == 2 and all(isinstance(side, int) for side in size)
