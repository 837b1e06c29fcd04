"""Whether a game is being played right now, so that nothing of it may go."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Final

from kemps_server.games import KeptGame
from kemps_server.library import StoredGame
from kemps_server.recording.status import STATUS

_FRESH_S: Final = 600  # an observer writes its status each second; one that was killed never says it ended


def is_played(game: KeptGame, now_s: float | None = None) -> bool:
    """Whether the game sits at a table, or an observer writes beside it.

    Raises:
        StoreError: The store cannot be read.
    """
    if isinstance(game, StoredGame):
        sitting = game.store.sittings.of_game(game.record.id)
        if sitting is not None and sitting.ended_at is None:
            return True
    return game.folder is not None and _is_watched(game.folder / STATUS, now_s or time.time())


def _is_watched(status: Path, now_s: float) -> bool:
    try:
        is_running = json.loads(status.read_text(encoding="utf-8")).get("is_running") is True
        return is_running and now_s - status.stat().st_mtime < _FRESH_S
    except (OSError, ValueError, AttributeError):
        return False
