"""Figures of a library's games, worked out once and again only when a journal has changed."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Final

from kemps_rules.errors import KempsRulesError
from kemps_server.analysis.game import GameFigures, figures_from
from kemps_server.analysis.highlights import Highlight, highlights_of
from kemps_server.analysis.material import material_of
from kemps_server.analysis.players import PlayerFigures, ToldGame, players_of
from kemps_server.analysis.telling import journal_in, spelled
from kemps_server.errors import KempsServerError, StoreError
from kemps_server.games import KeptGame
from kemps_server.library import Library

KEPT: Final = 200
"""The figures of so many games are kept; those asked for longest ago go first."""


@dataclass(frozen=True, slots=True)
class Told:
    """A game's figures, the word whose letters it gives, its moments, the best first, and how many lines."""

    figures: GameFigures
    word: str
    highlights: tuple[Highlight, ...]
    lines: int


def tell(game: KeptGame) -> Told:
    """A game's figures, worked out now.

    Raises:
        KempsRulesError: Its journal cannot be read or judged.
        StoreError: The store cannot be read.
    """
    journal = journal_in(game)
    material = material_of(journal)
    figures = figures_from(material)
    return Told(figures, spelled(material.house), highlights_of(material, figures), len(journal))


@dataclass(frozen=True, slots=True)
class Everybody:
    """All players, and the games that could not be read."""

    players: tuple[PlayerFigures, ...]
    games: int
    unreadable: tuple[str, ...]


@dataclass(slots=True)
class FigureShelf:
    """What was worked out of games so far."""

    _known: dict[str, tuple[tuple[int, int], Told]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def told(self, name: str, game: KeptGame) -> Told:
        """The figures of the game at an address.

        Raises:
            KempsRulesError: Its journal cannot be read or judged.
            StoreError: The store cannot be read.
        """
        # One at a time: two requests for one long game must not work it out twice at once.
        with self._lock:
            stamp = game.stamp()
            kept = self._known.pop(name, None)
            if kept is None or kept[0] != stamp:
                kept = (stamp, tell(game))
            self._known[name] = kept
            while len(self._known) > KEPT:
                del self._known[next(iter(self._known))]
            return kept[1]

    def everybody(self, library: Library) -> Everybody:
        """The players of all games that can be read.

        Raises:
            StoreError: The store cannot be read.
        """
        games, unreadable = [], []
        for shown in library.shown():
            if shown.problem:
                unreadable.append(shown.game.title)
                continue
            try:
                figures = self.told(shown.name, shown.game).figures
            except StoreError:
                raise
            except (KempsRulesError, KempsServerError, OSError):
                unreadable.append(shown.game.title)
                continue
            games.append(ToldGame(shown.name, shown.game.title, figures))
        return Everybody(players_of(games), len(games), tuple(unreadable))
