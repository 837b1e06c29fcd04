"""Stills that were kept of a game: which there are of some lines, and the file of one."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kemps_server.keeping import EVIDENCE, INDEX

TYPES: Final = {".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png"}


@dataclass(frozen=True, slots=True)
class Picture:
    """A still: its file, the line it is of, and when it was taken: before, at or after that."""

    file: str
    line: int
    at_ms: int
    moment: str


def pictures_of(folder: Path, lines: Collection[int]) -> tuple[Picture, ...]:
    """The stills of some lines in the order of time; none when the game has no such folder."""
    found = [picture for picture in _listed(folder) if picture.line in lines]
    return tuple(sorted(found, key=lambda picture: (picture.at_ms, picture.line)))


def picture_file(folder: Path, name: str) -> Path | None:
    """A still's file, when the game's index lists it and it is a picture that lies there itself."""
    place = folder / EVIDENCE
    path = place / name
    is_listed = any(picture.file == name for picture in _listed(folder))
    if not is_listed or path.suffix.lower() not in TYPES:
        return None
    try:
        is_inside = path.resolve().parent == place.resolve()
        return path if is_inside and path.is_file() else None
    except (OSError, ValueError):
        return None


def _listed(folder: Path) -> Iterator[Picture]:
    try:
        index = json.loads((folder / EVIDENCE / INDEX).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    rows: Any = index.get("pictures") if isinstance(index, dict) else None
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, dict):
            continue
        file, line, at_ms = row.get("file"), row.get("line"), row.get("at_ms")
        if isinstance(file, str) and type(line) is int and type(at_ms) is int:
            yield Picture(file, line, at_ms, str(row.get("moment", "at")))
