"""Recordings that are old enough go: what would, what did, and that evidence stays."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from kemps_server.errors import KempsServerError
from kemps_server.forgetting.material import Piece, Removed, pieces_beside, remove_pieces
from kemps_server.forgetting.playing import is_played
from kemps_server.games import KeptGame
from kemps_server.library import Library, StoredGame
from kemps_server.observers.holding import keep_held

_log = logging.getLogger(__name__)
_ONE_AT_A_TIME: Final = threading.Lock()

KEEP: Final = "keep"
"""In a game's settings: ``{"why", "by", "at"}`` while the owner keeps its recordings whatever their age."""


@dataclass(frozen=True, slots=True)
class Due:
    """A game whose recordings are old enough to go; ``pieces`` are all of them, held ones too."""

    name: str
    title: str
    over_at: datetime
    folder: Path
    pieces: tuple[Piece, ...]

    @property
    def size(self) -> int:
        """Bytes that would go."""
        return sum(piece.size for piece in self.pieces if not piece.is_held)

    @property
    def files(self) -> int:
        """Files that would go."""
        return sum(not piece.is_held for piece in self.pieces)

    @property
    def held_files(self) -> int:
        """Files that stay, because they are evidence."""
        return sum(piece.is_held for piece in self.pieces)


def due_games(library: Library, days: int | None, now: datetime) -> list[Due]:
    """The games whose recordings are older than ``days``; none when there is no limit.

    Games that are played and games that the owner keeps are not among them.

    Raises:
        StoreError: The store cannot be read.
    """
    if days is None:
        return []
    limit = now - timedelta(days=days)
    found = []
    for game in library.kept():
        if game.folder is None or kept_why(game) or is_played(game):
            continue
        over_at = over_since(game)
        if over_at is not None and over_at < limit and _holds_are_known(game):
            pieces = tuple(pieces_beside(game.folder))
            if any(not piece.is_held for piece in pieces):
                name = game.record.id if isinstance(game, StoredGame) else game.title
                found.append(Due(name, game.title, over_at, game.folder, pieces))
    return found


def remove_due(library: Library, days: int | None, now: datetime) -> Removed:
    """Remove the recordings, pictures and traces of games that are old enough; journals stay.

    Raises:
        StoreError: The store cannot be read.
    """
    with _ONE_AT_A_TIME:
        done = Removed()
        for due in due_games(library, days, now):
            removed = remove_pieces(due.folder, due.pieces)
            _log.info(
                "retention: %s: %d files (%d bytes) removed, %d held as evidence",
                due.name,
                removed.files,
                removed.size,
                removed.held_files,
            )
            done += removed
        return done


def kept_why(game: KeptGame) -> str:
    """Why the owner keeps the recordings of a game; empty when they do not."""
    settings: Mapping[str, Any] = game.record.settings if isinstance(game, StoredGame) else {}
    keep = settings.get(KEEP)
    return str(keep.get("why") or "kept") if isinstance(keep, Mapping) else ""


def over_since(game: KeptGame) -> datetime | None:
    """Since when a game is over: its sitting's end, when it was taken in, or its journal's last line."""
    if isinstance(game, StoredGame):
        sitting = game.store.sittings.of_game(game.record.id)
        told = game.record.added_at if sitting is None else sitting.ended_at
        return None if told is None else datetime.fromisoformat(told)
    try:
        return datetime.fromtimestamp(game.stamp()[0] / 1e9, UTC)
    except OSError:
        return None


def _holds_are_known(game: KeptGame) -> bool:
    """Whether each flag that a referee put on hold has its span in the list of what is held."""
    if not isinstance(game, StoredGame):
        return True
    try:
        keep_held(game.store, game.record.id)
    except (KempsServerError, OSError, ValueError, KeyError, TypeError) as error:
        _log.warning(
            "retention: %s: nothing is removed, for what is held is not known: %s", game.title, error
        )
        return False
    return True
