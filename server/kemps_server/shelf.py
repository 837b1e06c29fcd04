"""The games of a library as rows of a list, told anew only when a journal has changed."""

from __future__ import annotations

from kemps_rules.errors import KempsRulesError
from kemps_server.errors import KempsServerError
from kemps_server.library import Library, Shown
from kemps_server.page.listing import GameRow, row_of
from kemps_server.page.telling import tell_game


class Shelf:
    """What was told of a library's games so far."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._rows: dict[str, tuple[tuple[int, int], GameRow]] = {}

    def rows(self) -> list[GameRow]:
        """A row for each game; one that cannot be read says why, and the others are there all the same."""
        shown = self._library.shown()
        rows = [self._row(one) for one in shown]
        names = {one.name for one in shown}
        self._rows = {name: entry for name, entry in self._rows.items() if name in names}
        return rows

    def _row(self, shown: Shown) -> GameRow:
        title = shown.game.title.encode("utf-8", "replace").decode()
        if shown.problem:
            return GameRow(title=title, error=shown.problem)
        try:
            stamp = shown.game.stamp()
            kept = self._rows.get(shown.name)
            if kept is not None and kept[0] == stamp:
                return kept[1]
            row = row_of(shown.name, tell_game(shown.game, with_evidence=False))
        except (KempsRulesError, KempsServerError) as error:
            row = GameRow(title=title, error=str(error))
        except OSError as error:
            return GameRow(title=title, error=error.strerror or str(error))
        if title != shown.game.title:
            row = GameRow(title=title, error="the folder's name is no UTF-8; rename it")
        self._rows[shown.name] = (stamp, row)
        return row
