"""What a game is exported from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kemps_rules.journal import Journal, journal_of
from kemps_server.games import KeptGame
from kemps_server.keeping import RECORDING
from kemps_server.page.words import Words


@dataclass(frozen=True)
class Material:
    """A journal as a file holds it, the language of texts for people, and where the recording is if known."""

    content: bytes
    words: Words
    recording: Path | None = None

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
    return Material(game.content(), words, _recording(game.folder))


def _recording(folder: Path | None) -> Path | None:
    """The recording that the note in a game's folder names, whether it is still there or not."""
    try:
        note = json.loads((folder / RECORDING).read_text(encoding="utf-8")) if folder is not None else None
    except (OSError, ValueError):
        return None
    path = note.get("path") if isinstance(note, dict) else None
    return Path(path) if isinstance(path, str) and path else None
