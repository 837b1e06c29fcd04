"""The films that a server keeps open, by the folders they lie in."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Final

from kemps_server.film.film import Film

OPEN_FILMS: Final = 4


class Films:
    """Films, opened when they are wanted; those that nobody asked for of late are closed."""

    def __init__(self) -> None:
        self._films: OrderedDict[Path, Film] = OrderedDict()
        self._lock = threading.Lock()

    def beside(self, folder: Path) -> Film:
        """The film of the game in a folder."""
        with self._lock:
            film = self._films.get(folder) or Film.beside(folder)
            self._films[folder] = film
            self._films.move_to_end(folder)
            while len(self._films) > OPEN_FILMS:
                self._films.popitem(last=False)[1].close()
            return film

    def close(self) -> None:
        """Close them all."""
        with self._lock:
            for film in self._films.values():
                film.close()
            self._films.clear()
