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

import cv2
import numpy as np

FOLDER: Final = "evidence"
INDEX: Final = "index.json"
RECORDING: Final = "recording.json"
MOMENTS: Final = ("before", "at", "after")
MOST_PICTURES: Final = 120
WIDEST_PX: Final = 800
JPEG_QUALITY: Final = 78
_FIRST_KINDS: Final = frozenset({"called", "hand_shown"})
_MOST_BYTES: Final = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A picture, as a data URI, of the event in line ``line``: taken ``moment`` (before, at, after) it."""

    line: int
    at_ms: int
    moment: str
    source: str


@dataclass(frozen=True, slots=True)
class Gallery:
    """The pictures a page shows, and how many more lie in the folder."""

    pictures: tuple[Evidence, ...] = ()
    left_out: int = 0


NO_PICTURES: Final = Gallery()


def load_evidence(folder: Path) -> Gallery:
    """The pictures that the index of a game's folder lists; what is missing or no picture is passed over.

    A long game has more than a page should hold: calls and shown hands come first, then one picture of each
    other event, then those before and after.
    """
    place = folder / FOLDER
    try:
        index = json.loads((place / INDEX).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return NO_PICTURES
    entries = [entry for entry in _entries(index) if _is_usable(entry)]
    chosen = sorted(entries, key=_rank)[:MOST_PICTURES]
    chosen.sort(key=lambda entry: (entry["line"], entry["at_ms"]))
    found = tuple(one for one in (_evidence(place, entry) for entry in chosen) if one is not None)
    return Gallery(found, len(entries) - len(chosen))


def recording_of(folder: Path) -> str:
    """What the recording of a game is called, or nothing when that is not noted."""
    try:
        note = json.loads((folder / RECORDING).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    name = note.get("name") if isinstance(note, dict) else None
    return name if isinstance(name, str) else ""


def _rank(entry: dict[str, Any]) -> tuple[int, int]:
    if entry.get("kind") in _FIRST_KINDS:
        return (0, entry["line"])
    return (1 if entry.get("moment") == "at" else 2, entry["line"])


def _entries(index: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - whatever JSON a file holds
    rows = index.get("pictures") if isinstance(index, dict) else index
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict):
            yield row


def _is_usable(entry: dict[str, Any]) -> bool:
    numbers = [entry.get("line"), entry.get("at_ms")]
    return isinstance(entry.get("file"), str) and all(
        isinstance(number, int) and not isinstance(number, bool) and number >= 0 for number in numbers
    )


def _evidence(place: Path, entry: dict[str, Any]) -> Evidence | None:
    source = _data_uri(place, entry["file"])
    if source is None:
        return None
    moment = entry["moment"] if entry.get("moment") in MOMENTS else "at"
    return Evidence(line=entry["line"], at_ms=entry["at_ms"], moment=moment, source=source)


def _data_uri(place: Path, name: str) -> str | None:
    """The picture, made small enough for a page, as a data URI; None when it is no picture of this folder."""
    path = place / name
    try:
        if path.resolve().parent != place.resolve() or path.stat().st_size > _MOST_BYTES:
            return None
        data = path.read_bytes()
    except (OSError, ValueError):
        return None
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    if pixels is None:
        return None
    factor = min(1.0, WIDEST_PX / pixels.shape[1])
    size = (max(1, round(pixels.shape[1] * factor)), max(1, round(pixels.shape[0] * factor)))
    small = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    _, encoded = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return f"data:image/jpeg;base64,{b64encode(encoded.tobytes()).decode()}"
