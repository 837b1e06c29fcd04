"""Whether whoever watches a table is still there: the note that a running game writes each second."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from kemps_server.recording.status import EVERY_MS, STATUS

LATE_MS: Final = 5 * EVERY_MS
OBSERVER: Final = "observer"


def stale_reason(folder: Path, now_ms: int, *, is_played: bool, is_watched: bool = False) -> str:
    """Why what is known of a game is old: ``observer`` when it is played and nobody watches; else empty.

    A game beside which no such note lies is told by somebody else, of whom nothing is known; unless an
    observer of this server is to watch it, which then has not begun.
    """
    note = folder / STATUS
    try:
        age_ms = now_ms - note.stat().st_mtime_ns // 1_000_000
        is_running = bool(json.loads(note.read_text(encoding="utf-8")).get("is_running", True))
    except (OSError, ValueError, AttributeError):
        return OBSERVER if is_played and is_watched else ""
    return OBSERVER if is_played and (age_ms > LATE_MS or not is_running) else ""
