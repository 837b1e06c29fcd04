"""What a game is exported from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from kemps_rules.journal import Journal, journal_of
from kemps_server.games import KeptGame
from kemps_server.keeping import RECORDING
from kemps_server.page.words import Words


@dataclass(frozen=True, slots=True)
class Recording:
    """Where a game's recording was when it was watched, its frames a second and its length if known."""

    path: Path
    fps: float | None = None
    duration_ms: int | None = None


@dataclass(frozen=True)
class Material:
    """A journal as a file holds it, the language of texts for people, and what is known besides.

    Attributes:
        content: The journal.
        words: The language.
        title: What people call the game.
        recording: Its recording, whether it is still there or not.
    """

    content: bytes
    words: Words
    title: str = ""
    recording: Recording | None = None

    @cached_property
    def journal(self) -> Journal:
        """The events.

        Raises:
            JournalError: The journal cannot be read.
        """
        return journal_of(self.content)


def material_of(game: KeptGame, words: Words) -> Material:
    """What a kept game is exported from.

    Raises:
        JournalError: The journal's file cannot be read.
        StoreError: The store cannot be read.
    """
    return Material(game.content(), words, game.title, _recording(game.folder))


def _recording(folder: Path | None) -> Recording | None:
    """The recording that the note in a game's folder tells of."""
    try:
        note = json.loads((folder / RECORDING).read_text(encoding="utf-8")) if folder is not None else None
    except (OSError, ValueError):
        return None
    if not isinstance(note, dict):
        return None
    path = note.get("path")
    if not isinstance(path, str) or not path:
        return None
    fps, duration_ms = _number(note.get("fps")), _number(note.get("duration_ms"))
    return Recording(Path(path), fps, None if duration_ms is None else round(duration_ms))


def _number(value: Any) -> float | None:  # noqa: ANN401 - whatever JSON a file holds
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and value > 0
    return float(value) if is_number else None
