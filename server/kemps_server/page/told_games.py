"""What replay pages show of games, told once for each language until the journal changes."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from kemps_rules.errors import JournalError, KempsRulesError
from kemps_rules.journal import Journal, journal_of
from kemps_server.errors import KempsServerError
from kemps_server.games import KeptGame
from kemps_server.page.binding import tell_story
from kemps_server.page.moments import header_of
from kemps_server.page.replay_rows import rows_of
from kemps_server.page.words import load_words

KEPT: Final = 8


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
        if (name, language) not in self._told:
            header_of(_journal(game))
        threading.Thread(target=self._tell_quietly, args=(name, game, language), daemon=True).start()

    def _tell_quietly(self, name: str, game: KeptGame, language: str) -> None:
        with suppress(KempsRulesError, KempsServerError, OSError):  # told to whoever asks for the rows
            self.rows(name, game, language)

    def rows(self, name: str, game: KeptGame, language: str) -> Told:
        """A game's rows in a language.

        Raises:
            KempsRulesError: The journal cannot be read or judged.
            StoreError: The store cannot be read.
            OSError: The journal is gone.
        """
        stamp, key = game.stamp(), (name, language)
        with self._lock:
            kept = self._told.get(key)
            if kept is not None and kept[0] == stamp:
                self._told.move_to_end(key)
                return kept[1]
            rows = _rows(game, language)
            content = json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()
            told = Told(content, f'"{sha256(content).hexdigest()[:20]}"')
            self._told[key] = stamp, told
            while len(self._told) > KEPT:
                self._told.popitem(last=False)
        return told


def _journal(game: KeptGame) -> Journal:
    try:
        return journal_of(game.content())
    except JournalError as error:
        raise JournalError(f"{game.where}: {error}") from None


def _rows(game: KeptGame, language: str) -> dict[str, Any]:
    journal = _journal(game)
    return rows_of(tell_story(journal, title=game.title), journal, load_words(language))
