"""The cameras of a recorded game and the files that hold what they saw, as ``recording.json`` tells."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kemps_vision.sources.files import DEFAULT_FPS
from kemps_vision.sources.recorded import RECORDING, folder_name
from kemps_vision.sources.segments import VIDEO, closed_until, segments_in


@dataclass(frozen=True, slots=True)
class Piece:
    """A file, and the span it shows on its camera's own clock; ``until_ms`` is the last frame's, if known."""

    path: Path
    from_ms: int
    until_ms: int | None
    is_growing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraNote:
    """A camera as it was noted when the game was watched.

    Attributes:
        name: Its name.
        role: ``table`` or ``faces``.
        size: Width and height of its pictures.
        fps: Its frame rate.
        ahead_ms: By how much its times are ahead of the game's.
        pieces: Its files, by time; one, when it is a video file.
        duration_ms: How long the file was that was watched.
        is_segmented: Whether its files are those of a live recording.
    """

    name: str
    role: str
    size: tuple[int, int]
    fps: float
    ahead_ms: int
    pieces: tuple[Piece, ...]
    duration_ms: int | None = None
    is_segmented: bool = False


def cameras_beside(folder: Path) -> tuple[tuple[CameraNote, ...], str]:
    """The cameras of the game in a folder; when there are none, one line that says why."""
    note = _note(folder)
    if note is None:
        return (), "nothing says where the recording of this game is"
    if note.get("kind") == "recording" and not note.get("cameras"):
        watched = Path(str(note.get("path", "")))
        again = _note(watched)
        if again is None or (again.get("kind") == "recording" and not again.get("cameras")):
            return (), f"the recorded game that was watched is not there any more: {watched.name}"
        return _cameras(watched, again)
    return _cameras(folder, note)


def _cameras(folder: Path, note: dict[str, Any]) -> tuple[tuple[CameraNote, ...], str]:
    if recorded := [one for one in _rows(note, "cameras") if _is_camera(one)]:
        return tuple(_segmented(_place_of(folder, note), one) for one in recorded), ""
    files = [one for one in _rows(note, "files") if _is_camera(one) and isinstance(one.get("path"), str)]
    if not files and note.get("kind") == "file" and isinstance(note.get("path"), str):
        files = [{"role": "table", **note, "name": "table"}]
    linked = tuple(_linked(folder, one) for one in files if _is_camera(one))
    return linked, "" if linked else "this game was watched without being recorded"


def _place_of(folder: Path, note: dict[str, Any]) -> Path:
    """Where the video of a live game lies: here, or where it stayed when the game was taken in."""
    elsewhere = note.get("folder")
    is_here = (folder / VIDEO).is_dir() or not isinstance(elsewhere, str)
    return folder if is_here else Path(str(elsewhere))


def _segmented(folder: Path, note: dict[str, Any]) -> CameraNote:
    segments = segments_in(folder / VIDEO / folder_name(note["name"]))
    pieces = tuple(
        Piece(
            segment.path,
            segment.at_ms,
            closed_until(segments, place) if segment.until_ms is None else segment.until_ms,
            is_growing=segment.until_ms is None,
        )
        for place, segment in enumerate(segments)
    )
    return _camera(note, pieces, is_segmented=True)


def _linked(folder: Path, note: dict[str, Any]) -> CameraNote:
    path = Path(note["path"])
    beside = folder / VIDEO / path.name
    if not path.exists() and beside.exists():  # the game was moved along with its recording
        path = beside
    duration = note.get("duration_ms")
    is_known = isinstance(duration, int) and not isinstance(duration, bool)
    return _camera(note, (Piece(path, 0, None),), duration_ms=duration if is_known else None)


def _camera(
    note: dict[str, Any],
    pieces: tuple[Piece, ...],
    *,
    duration_ms: int | None = None,
    is_segmented: bool = False,
) -> CameraNote:
    fps, ahead = note.get("fps"), note.get("ahead_ms")
    return CameraNote(
        name=note["name"],
        role="table" if note.get("role") == "table" else "faces",
        size=(note["size"][0], note["size"][1]),
        fps=float(fps) if isinstance(fps, int | float) and 0 < fps <= 1000 else DEFAULT_FPS,
        ahead_ms=ahead if isinstance(ahead, int) else 0,
        pieces=pieces,
        duration_ms=duration_ms,
        is_segmented=is_segmented,
    )


def _note(folder: Path) -> dict[str, Any] | None:
    try:
        note = json.loads((folder / RECORDING).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return note if isinstance(note, dict) else None


def _rows(note: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
    rows = note.get(name)
    yield from (row for row in (rows if isinstance(rows, list) else ()) if isinstance(row, dict))


def _is_camera(note: dict[str, Any]) -> bool:
    size = note.get("size")
    return (
        isinstance(note.get("name"), str)
        and isinstance(size, list)
        and len(size) == 2
        and all(isinstance(side, int) and side > 0 for side in size)
    )
