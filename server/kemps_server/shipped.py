"""The clip that is shipped with the package, and what lies beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final

CLIP: Final = "demo.mp4"


@dataclass(frozen=True, slots=True)
class ShippedClip:
    """The recording, where the centre and the seats are, who called when, and what truly happened."""

    video: Path
    table: Path
    calls: Path
    truth: dict[str, Any]


@contextmanager
def shipped_clip() -> Iterator[ShippedClip]:
    """The clip as files, also when the package is a zip archive."""
    with as_file(files("kemps_server") / "demo") as folder:
        yield ShippedClip(
            video=folder / CLIP,
            table=folder / "demo.table.toml",
            calls=folder / "demo.calls.jsonl",
            truth=json.loads((folder / "demo.json").read_text(encoding="utf-8")),
        )
