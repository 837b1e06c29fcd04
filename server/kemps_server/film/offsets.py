"""What people said of a camera's clock: lines in ``offsets.jsonl`` beside the journal; the last counts.

::

    {"camera": "faces", "offset_ms": 33, "by": "ref", "why": "the lamp", "written_ms": 1760000000000}

Like the film itself it is never an input to rules; a new line takes nothing away.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from kemps_server.errors import KempsServerError

OFFSETS: Final = "offsets.jsonl"
MOST_MS: Final = 600_000  # more is another recording, not another clock


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidOffset:
    """By how much somebody found the times of a camera to be ahead of the game's."""

    camera: str
    offset_ms: int
    by: str
    why: str = ""
    written_ms: int = 0


def said_offsets(folder: Path) -> dict[str, SaidOffset]:
    """The last word on each camera; a line that makes no sense says nothing."""
    try:
        rows = (folder / OFFSETS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    return {said.camera: said for row in rows if (said := _said(row)) is not None}


def say_offset(folder: Path, said: SaidOffset) -> None:
    """One more line.

    Raises:
        KempsServerError: The offset makes no sense, or the line cannot be written.
    """
    if abs(said.offset_ms) > MOST_MS:
        raise KempsServerError(f"{said.offset_ms} ms is more than a clock can be off; it stays as it was")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / OFFSETS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(said), ensure_ascii=False) + "\n")
    except OSError as error:
        raise KempsServerError(
            f"{folder.name}: the offset cannot be written: {(error.strerror or str(error)).lower()}"
        ) from None


def _said(row: str) -> SaidOffset | None:
    try:
        data = json.loads(row)
        offset_ms = data["offset_ms"]
        if not isinstance(offset_ms, int) or isinstance(offset_ms, bool) or abs(offset_ms) > MOST_MS:
            return None
        return SaidOffset(
            camera=str(data["camera"]),
            offset_ms=offset_ms,
            by=str(data.get("by", "")),
            why=str(data.get("why", "")),
            written_ms=int(data.get("written_ms", 0)),
        )
    except (ValueError, KeyError, TypeError):
        return None
