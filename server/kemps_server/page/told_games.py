"""What replay pages show of games, told once for each language until the journal changes."""

from __future__ import annotations

import gc
import json
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, TypeAlias

from kemps_rules.errors import JournalError, KempsRulesError
from kemps_rules.journal import Journal, journal_of
from kemps_server.errors import KempsServerError
from kemps_server.games import KeptGame
from kemps_server.page.binding import tell_story
from kemps_server.page.moments import header_of
from kemps_server.page.replay_rows import rows_of
from kemps_server.page.words import load_words

KEPT: Final = 8

Read: TypeAlias = tuple[tuple[int, int], Journal]
"""A journal, and the stamp its game had when it was read."""


@dataclass(frozen=True, slots=True)
class Told:
    """Rows as JSON, and a tag that is another one when they are others."""

    content: bytes
    tag: str


class ToldGames:
    """The last few games that were told."""

    def __init__(self) -> None:
        self._told: OrderedDict[tuple[str, str], tuple[tuple[int, int], Told]] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self, name: str, game: KeptGame, language: str) -> None:
        """Make sure that there is a game to tell, and tell it beside: a page asks for it in a moment.

        Raises:
            KempsRulesError: The journal cannot be read.
            KempsServerError: It has no header.
            StoreError: The store cannot be read.
        """
        stamp = _stamp(game)
        kept = self._told.get((name, language))
        if kept is not None and kept[0] == stamp:
            return
        journal = _journal(game)
        header_of(journal)
        told = (name, game, language, (stamp, journal))
        threading.Thread(target=self._tell_quietly, args=told, daemon=True).start()

    def _tell_quietly(self, name: str, game: KeptGame, language: str, read: Read) -> None:
        with suppress(KempsRulesError, KempsServerError):  # told to whoever asks for the rows
            self.rows(name, game, language, read)

    def rows(self, name: str, game: KeptGame, language: str, read: Read | None = None) -> Told:
        """A game's rows in a language; ``read`` is its journal, if it was read just now.

        Raises:
            KempsRulesError: The journal cannot be read or judged.
            StoreError: The store cannot be read.
        """
        stamp, key = _stamp(game) if read is None else read[0], (name, language)
        with self._lock:
            kept = self._told.get(key)
            if kept is not None and kept[0] == stamp:
                self._told.move_to_end(key)
                return kept[1]
            content = _content(_journal(game) if read is None else read[1], game.title, language)
            told = Told(content, f'"{sha256(content).hexdigest()[:20]}"')
            self._told[key] = stamp, told
            while len(self._told) > KEPT:
                self._told.popitem(last=False)
        return told


def _stamp(game: KeptGame) -> tuple[int, int]:
    try:
        return game.stamp()
    except OSError as error:
        raise JournalError(f"{game.where}: cannot be read: {error.strerror or error}") from None


def _journal(game: KeptGame) -> Journal:
    try:
        return journal_of(game.content())
    except JournalError as error:
        raise JournalError(f"{game.where}: {error}") from None


def _content(journal: Journal, title: str, language: str) -> bytes:
    """The rows as JSON."""
    # Nothing that is made here is in a circle, and looking for circles among it took a third of the time.
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        rows = rows_of(tell_story(journal, title=title), journal, load_words(language))
        return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()
    finally:
        if is_collecting:
            gc.enable()
