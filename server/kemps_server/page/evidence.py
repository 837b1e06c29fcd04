"""Pictures that lie beside a journal, embedded so that a page needs no other file.

``evidence/index.json`` lists them; a file is taken from that folder only, and only when it is a picture.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

FOLDER: Final = "evidence"
INDEX: Final = "index.json"
MOMENTS: Final = ("before", "at", "after")
_MOST_BYTES: Final = 2_000_000
_TYPES: Final = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG": "image/png"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A picture, as a data URI, of the event in line ``line``: taken ``moment`` (before, at, after) it."""

    line: int
    at_ms: int
    moment: str
    source: str


def load_evidence(folder: Path) -> tuple[Evidence, ...]:
    """The pictures that the index of a game's folder lists; what is missing or no picture is left out."""
    place = folder / FOLDER
    try:
        index = json.loads((place / INDEX).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ()
    found = (_evidence(place, entry) for entry in _entries(index))
    return tuple(one for one in found if one is not None)


def _entries(index: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - whatever JSON a file holds
    rows = index.get("pictures") if isinstance(index, dict) else index
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict):
            yield row


def _evidence(place: Path, entry: dict[str, Any]) -> Evidence | None:
    name, line, at_ms, moment = (entry.get(key) for key in ("file", "line", "at_ms", "moment"))
    if not isinstance(name, str) or not isinstance(line, int) or not isinstance(at_ms, int):
        return None
    source = _data_uri(place, name)
    if source is None or at_ms < 0:
        return None
    return Evidence(line=line, at_ms=at_ms, moment=moment if moment in MOMENTS else "at", source=source)


def _data_uri(place: Path, name: str) -> str | None:
    path = place / name
    try:
        if path.resolve().parent != place.resolve() or path.stat().st_size > _MOST_BYTES:
            return None
        data = path.read_bytes()
    except (OSError, ValueError):
        return None
    kind = next((kind for start, kind in _TYPES.items() if data.startswith(start)), None)
    return None if kind is None else f"data:{kind};base64,{b64encode(data).decode()}"
