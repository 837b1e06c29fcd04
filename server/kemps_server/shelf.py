"""The games of a folder as rows of a list, told anew only when a journal has changed."""

from __future__ import annotations

from pathlib import Path

from kemps_rules.errors import KempsRulesError
from kemps_server.errors import KempsServerError
from kemps_server.games import Game, games_in
from kemps_server.page.listing import GameRow, row_of
from kemps_server.page.telling import tell_game


class Shelf:
    """The folder ``data`` and what was told of its games so far."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._rows: dict[str, tuple[tuple[int, int], GameRow]] = {}

    def games(self) -> tuple[Game, ...]:
        """The games that are there now."""
        return games_in(self._data)

    def rows(self) -> list[GameRow]:
        """A row for each game; one that cannot be read says why, and the others are there all the same."""
        games = self.games()
        rows = {game.title: self._row(game) for game in games}
        self._rows = {title: entry for title, entry in self._rows.items() if title in rows}
        return list(rows.values())

    def _row(self, game: Game) -> GameRow:
        title = game.title.encode("utf-8", "replace").decode()
        try:
            status = game.journal.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            kept = self._rows.get(game.title)
            if kept is not None and kept[0] == stamp:
                return kept[1]
            row = row_of(game.title, tell_game(game, with_evidence=False))
        except (KempsRulesError, KempsServerError) as error:
            row = GameRow(title=title, error=str(error))
        except OSError as error:
            return GameRow(title=title, error=error.strerror or str(error))
        if title != game.title:
            row = GameRow(title=title, error="the folder's name is no UTF-8; rename it")
        self._rows[game.title] = (stamp, row)
        return row
