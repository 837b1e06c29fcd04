"""What stays beside a journal: the frames round each event, and where the recording is."""

from __future__ import annotations

import json
import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from kemps_rules.events import Called, CardLaid, CardTaken, CentreSwept, Event, HandShown
from kemps_server.people import OtherCamera
from kemps_server.rows import watched_fps
from kemps_vision.frame import Frame, FrameSource, SourceInfo
from kemps_vision.sources.live import LiveSource

EVIDENCE: Final = "evidence"
INDEX: Final = "index.json"
RECORDING: Final = "recording.json"
VIDEO: Final = "video"

KEEP_MS: Final = 12_000  # longer than an event is held back
EVERY_MS: Final = 120  # between two frames kept
BEFORE_MS: Final = 500
AFTER_MS: Final = 500
WIDEST_PX: Final = 1280
JPEG_QUALITY: Final = 85
INDEX_MS: Final = (
    2  # for each picture in the index: after two hours of a game it is written every ten seconds
)
SHOWN: Final = (Called, CardTaken, CardLaid, CentreSwept, HandShown)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Wanted:
    line: int
    event: Event
    moment: str
    at_ms: int


class EvidenceKeeper:
    """Writes the frame before, at and after each call, swap, sweep and shown hand into ``evidence/``.

    The last seconds are kept as JPEG in memory, since events become known late. A frame that cannot
    be written is left out and told once: the journal matters more.
    """

    def __init__(self, folder: Path, *, goes_on: bool = False) -> None:
        """``goes_on``: pictures that an earlier run of the same game listed stay listed."""
        self._folder = folder / EVIDENCE
        self._frames: deque[tuple[int, bytes]] = deque()
        self._wanted: list[_Wanted] = []
        self._index: list[dict[str, Any]] = _listed_in(self._folder) if goes_on else []
        self._listed = len(self._index)
        self._listed_ms = 0
        self._is_told = False

    @property
    def pictures(self) -> int:
        """How many pictures were written."""
        return len(self._index)

    def see(self, frame: Frame) -> None:
        """Keep this frame for a while, and write what waited for it."""
        if not self._frames or frame.at_ms - self._frames[-1][0] >= EVERY_MS:
            self._frames.append((frame.at_ms, _jpeg(frame)))
        while frame.at_ms - self._frames[0][0] > KEEP_MS:
            self._frames.popleft()
        self._write(frame.at_ms)

    def note(self, line: int, event: Event) -> None:
        """Keep the frames round this event, which stands in ``line`` of the journal."""
        if not isinstance(event, SHOWN):
            return
        moments = (("before", -BEFORE_MS), ("at", 0), ("after", AFTER_MS))
        self._wanted += [_Wanted(line, event, name, max(0, event.at_ms + shift)) for name, shift in moments]

    def finish(self) -> None:
        """Write what can still be written."""
        self._write(None)

    def _write(self, now_ms: int | None) -> None:
        ready = [want for want in self._wanted if now_ms is None or want.at_ms + EVERY_MS <= now_ms]
        if not self._frames:
            ready = []
        self._wanted = [want for want in self._wanted if want not in ready]
        try:
            for want in ready:
                self._folder.mkdir(exist_ok=True)
                at_ms, data = min(self._frames, key=lambda kept: abs(kept[0] - want.at_ms))
                name = f"{want.line:05}-{want.moment}.jpg"
                (self._folder / name).write_bytes(data)
                self._index.append(
                    {
                        "file": name,
                        "line": want.line,
                        "kind": want.event.kind,
                        "moment": want.moment,
                        "at_ms": at_ms,
                    }
                )
            self._list(now_ms)
        except OSError as error:
            if not self._is_told:
                self._is_told = True
                _log.warning("evidence is not kept: %s; the journal goes on", error.strerror or error)

    def _list(self, now_ms: int | None) -> None:
        """Write the index if it has grown: a long one more rarely, since it is written as a whole."""
        is_due = now_ms is None or now_ms - self._listed_ms >= len(self._index) * INDEX_MS
        if len(self._index) == self._listed or not is_due:
            return
        self._write_index()
        self._listed, self._listed_ms = len(self._index), now_ms or 0

    def _write_index(self) -> None:
        rows = sorted(self._index, key=lambda row: (row["line"], row["at_ms"]))
        new = self._folder / f".{INDEX}.new"
        new.write_text(json.dumps({"pictures": rows}, indent=1) + "\n", encoding="utf-8")
        new.replace(self._folder / INDEX)


def note_recording(
    folder: Path,
    info: SourceInfo,
    cameras: Sequence[dict[str, Any]] = (),
    files: Sequence[dict[str, Any]] = (),
) -> None:
    """Write what was watched into ``recording.json``; a file is also linked in ``video/``.

    Args:
        folder: The game's.
        info: Of the table camera.
        cameras: Those that are recorded, as ``kemps_vision.sources.recorded`` reads them.
        files: Recordings that were watched, one for each camera, as the film of the game reads them.

    Raises:
        OSError: The note cannot be written; a link that cannot be made is left out.
    """
    note: dict[str, Any] = {
        "kind": info.kind,
        "name": info.name,
        "size": [info.width, info.height],
        "fps": round(info.fps, 3),
        "duration_ms": info.duration_ms,
    }
    if cameras:
        note["cameras"] = list(cameras)
    if files:
        note["files"] = list(files)
    if info.kind in {"file", "stills", "recording"}:
        path = Path(info.where).resolve()
        note["path"] = str(path)
        _link(folder / VIDEO, path)
    (folder / RECORDING).write_text(json.dumps(note, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def cameras_note(source: FrameSource, others: Sequence[OtherCamera]) -> list[dict[str, Any]]:
    """The cameras of a live game as ``recording.json`` lists them; passwords are not among it."""
    cameras = [("table", source, 0), *(("faces", other.source, other.ahead_ms) for other in others)]
    return [
        {
            "name": camera.camera,
            "role": role,
            "source": camera.info.name,
            "size": [camera.info.width, camera.info.height],
            "fps": round(camera.info.fps, 3),
            "watched_fps": watched_fps(camera.info.fps),
            "ahead_ms": ahead_ms,
        }
        for role, camera, ahead_ms in cameras
        if isinstance(camera, LiveSource)
    ]


def files_note(camera: str, source: FrameSource, others: Sequence[OtherCamera]) -> list[dict[str, Any]]:
    """The recordings of a game that is watched from files, the table's first."""
    sources = [
        ("table", camera, source, 0),
        *(("faces", one.name, one.source, one.ahead_ms) for one in others),
    ]
    return [
        {
            "name": name,
            "role": role,
            "path": str(Path(one.info.where).resolve()),
            "size": [one.info.width, one.info.height],
            "fps": round(one.info.fps, 3),
            "duration_ms": one.info.duration_ms,
            "ahead_ms": ahead_ms,
        }
        for role, name, one, ahead_ms in sources
        if one.info.kind == "file"
    ]


def _listed_in(folder: Path) -> list[dict[str, Any]]:
    """The pictures that are listed already; none where the list is not there or cannot be read."""
    try:
        rows = json.loads((folder / INDEX).read_text(encoding="utf-8"))["pictures"]
        return [row for row in rows if isinstance(row["line"], int) and isinstance(row["at_ms"], int)]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as error:
        _log.warning("%s: cannot be read (%s); it is begun anew", folder / INDEX, error)
        return []


def _link(place: Path, path: Path) -> None:
    try:
        place.mkdir(exist_ok=True)
        link = place / path.name
        if link.is_symlink():
            link.unlink()
        link.symlink_to(path)
    except OSError as error:  # Windows without the right to link, or a disk that knows no links
        _log.info("no link to the recording: %s", error)


def _jpeg(frame: Frame) -> bytes:
    picture = frame.pixels
    if picture.shape[1] > WIDEST_PX:
        factor = WIDEST_PX / picture.shape[1]
        picture = np.asarray(
            cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8
        )
    bgr = cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)
    _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return data.tobytes()
