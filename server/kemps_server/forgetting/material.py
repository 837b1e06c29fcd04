"""What lies beside a game's journal: recordings, pictures, traces; and what of it is held as evidence."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kemps_server.film.footage import FILM
from kemps_server.film.offsets import OFFSETS
from kemps_server.games import JOURNAL_NAME
from kemps_server.keeping import EVIDENCE, RECORDING
from kemps_server.observers.clock import CLOCK
from kemps_server.observers.lifeline import LOCK
from kemps_server.observers.pictures import PICTURES
from kemps_server.recording.disk import HELD, Held
from kemps_server.recording.status import STATUS
from kemps_server.reel.notes import NOTE as REEL_NOTE
from kemps_server.reel.notes import REEL
from kemps_server.sound.clips import KEPT_MS, kept_sounds
from kemps_server.traces.chunks import CHUNK_MS, TRACES, chunks_in
from kemps_vision.sources.segments import VIDEO, closed_until, segments_in

_log = logging.getLogger(__name__)

INDEX: Final = f"{EVIDENCE}/index.json"
CASES: Final = "cases"
PAGE: Final = "page.html"
SIGNED: Final = (OFFSETS, HELD)
"""Notes of people, a line each, with who and why."""
_NOTES: Final = frozenset({JOURNAL_NAME, RECORDING, STATUS, CLOCK, LOCK, *SIGNED})
_MADE_ANEW: Final = frozenset({PAGE, REEL, REEL_NOTE})
_ALWAYS: Final = 1 << 60  # later than any moment of a game


@dataclass(frozen=True, slots=True)
class Piece:
    """A file beside a game: how large it is, and whether it is held as evidence or made from others."""

    path: Path
    size: int
    is_held: bool
    is_made_anew: bool = False


@dataclass(frozen=True, slots=True)
class Removed:
    """What is gone, and what had to stay."""

    files: int = 0
    size: int = 0
    held_files: int = 0
    held_size: int = 0
    failed: int = 0

    def __add__(self, other: Removed) -> Removed:
        return Removed(
            self.files + other.files,
            self.size + other.size,
            self.held_files + other.held_files,
            self.held_size + other.held_size,
            self.failed + other.failed,
        )


def pieces_beside(folder: Path) -> list[Piece]:
    """All files beside a game but its notes; links are pieces of their own and not followed.

    A file is held when something in its span is; one whose span nobody knows, when anything at all is. Cases
    that were put together are evidence, always.
    """
    held = Held(folder)
    spans = dict((*_segments(folder), *_pictures(folder), *_sounds(folder), *_chunks(folder)))
    found = []
    for path in _files(folder):
        name = path.relative_to(folder).as_posix()
        if _is_note(name):
            continue
        from_ms, until_ms = spans.get(path, (0, _ALWAYS))
        is_anew = _is_made_anew(name)
        is_held = name.startswith(f"{CASES}/") or held.covers(from_ms, until_ms)
        found.append(Piece(path, _size(path), is_held and not is_anew, is_anew))
    return found


def remove_pieces(folder: Path, pieces: Iterable[Piece], *, with_held: bool = False) -> Removed:
    """What became of the pieces; held ones stay unless they were released."""
    done = Removed()
    for piece in pieces:
        if piece.is_held and not with_held:
            done += Removed(held_files=1, held_size=piece.size)
            continue
        try:
            piece.path.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("a file beside a game cannot be deleted: %s", error.strerror or error)
            done += Removed(failed=1)
        else:
            done += Removed(files=1, size=piece.size)
    _forget_pictures(folder)
    _remove_empty(folder)
    return done


def linked_recordings(folder: Path) -> list[Path]:
    """Recordings that lie elsewhere, which nobody but their owner removes."""
    return sorted(
        path.resolve() for path in _files(folder) if path.is_symlink() and path.parent.name == VIDEO
    )


def _files(folder: Path) -> Iterator[Path]:
    if not folder.is_dir() or folder.is_symlink():
        return
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.is_symlink():
            yield from _files(path)
        else:
            yield path


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def _segments(folder: Path) -> Iterator[tuple[Path, tuple[int, int]]]:
    video = folder / VIDEO
    cameras = [path for path in video.iterdir() if path.is_dir()] if video.is_dir() else []
    for camera in cameras:
        found = segments_in(camera)
        for place, segment in enumerate(found):
            yield segment.path, (segment.at_ms, closed_until(found, place))


def _chunks(folder: Path) -> Iterator[tuple[Path, tuple[int, int]]]:
    traces = folder / TRACES
    cameras = [path for path in traces.iterdir() if path.is_dir()] if traces.is_dir() else []
    for camera in cameras:
        for from_ms, path in chunks_in(camera):
            yield path, (from_ms, from_ms + CHUNK_MS)


def _is_note(name: str) -> bool:
    """Whether a file only says what was recorded, and shows nobody."""
    return name in _NOTES or name == INDEX


def _is_made_anew(name: str) -> bool:
    """Whether a file is made from the others whenever somebody asks for it."""
    return name in _MADE_ANEW or name.startswith((f"{FILM}/", f"{PICTURES}/"))


def _rows(folder: Path) -> list[dict[str, object]]:
    try:
        rows = json.loads((folder / INDEX).read_text(encoding="utf-8"))["pictures"]
        return [row for row in rows if isinstance(row, dict)]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _pictures(folder: Path) -> Iterator[tuple[Path, tuple[int, int]]]:
    for row in _rows(folder):
        file, at_ms = row.get("file"), row.get("at_ms")
        if isinstance(file, str) and type(at_ms) is int:
            yield folder / EVIDENCE / file, (at_ms, at_ms)


def _sounds(folder: Path) -> Iterator[tuple[Path, tuple[int, int]]]:
    """The sounds round heard calls, each with the note of when it began."""
    for sound in kept_sounds(folder).values():
        path = folder / EVIDENCE / sound.file
        for one in (path, path.with_suffix(".json")):
            yield one, (sound.at_ms, sound.at_ms + KEPT_MS)


def _forget_pictures(folder: Path) -> None:
    """The list of pictures names those that are there."""
    rows = _rows(folder)
    left = [row for row in rows if (folder / EVIDENCE / str(row.get("file"))).is_file()]
    if left == rows:
        return
    new = folder / f"{INDEX}.new"
    try:
        new.write_text(json.dumps({"pictures": left}, indent=1) + "\n", encoding="utf-8")
        new.replace(folder / INDEX)
    except OSError as error:
        _log.warning("a list of pictures cannot be written: %s", error.strerror or error)


def _remove_empty(folder: Path) -> None:
    if not folder.is_dir():
        return
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink() and not any(path.iterdir()):
            path.rmdir()
