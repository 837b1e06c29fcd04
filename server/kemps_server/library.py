"""The games that a server shows: those in the store, and folders with a journal in the data folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kemps_server.data_folder import DataFolder
from kemps_server.errors import KempsServerError
from kemps_server.games import Game, KeptGame, find_game, game_named, games_in
from kemps_server.store.games import GameRecord
from kemps_server.store.journals import content_of
from kemps_server.store.store import Store

_SAME_NAME: Final = (
    "the store has another game of this name; rename the folder, or take it in with kemps import"
)


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game in the store; what lies beside it is in a folder of the data folder."""

    record: GameRecord
    store: Store

    @property
    def title(self) -> str:
        """What people call it."""
        return self.record.title

    @property
    def where(self) -> str:
        """What errors call it."""
        return f"stored game {self.record.id}"

    @property
    def folder(self) -> Path:
        """What lies beside its journal; it need not be there."""
        return self.store.folder.beside(self.record.id)

    @property
    def page(self) -> Path:
        """Where its page goes when nothing else is said."""
        return self.folder / "page.html"

    def content(self) -> bytes:
        """Its journal, as a file holds it.

        Raises:
            StoreError: The store cannot be read.
        """
        return content_of(self.store.games.journal(self.record.id).read())

    def stamp(self) -> tuple[int, int]:
        """How many lines it had when it was listed, which are only added, and how often it was rewritten."""
        return self.record.lines, self.record.revision


@dataclass(frozen=True, slots=True)
class Shown:
    """A game in the list: the last part of its address, and why it cannot be shown if so."""

    name: str
    game: KeptGame
    problem: str = ""


class Library:
    """All games of a data folder."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, tuple[tuple[int, int], int, bool]] = {}

    @property
    def store(self) -> Store:
        """The store."""
        return self._store

    @property
    def root(self) -> Path:
        """The data folder."""
        return self._store.folder.root

    def shown(self) -> tuple[Shown, ...]:
        """The games that are there now, by title; a folder whose journal is in the store is left out.

        Raises:
            KempsServerError: The data folder cannot be read.
            StoreError: The store cannot be read.
        """
        stored = {record.id: StoredGame(record, self._store) for record in self._store.games.all()}
        rows = [Shown(name, game) for name, game in stored.items()]
        taken = set(stored)
        for game in self._on_disk():
            if self._is_stored(game, len(stored)):
                continue
            rows.append(Shown(game.title, game, _SAME_NAME if game.title in taken else ""))
            taken.add(game.title)
        return tuple(sorted(rows, key=lambda row: (row.game.title.casefold(), row.name)))

    def kept(self) -> tuple[KeptGame, ...]:
        """All that is kept: the stored games, and each folder, also of a journal that is in the store too.

        Raises:
            KempsServerError: The data folder cannot be read.
            StoreError: The store cannot be read.
        """
        stored = (StoredGame(record, self._store) for record in self._store.games.all())
        return (*stored, *self._on_disk())

    def find(self, name: str) -> KeptGame | None:
        """The game at this address, or None."""
        if (record := self._store.games.find(name)) is not None:
            return StoredGame(record, self._store)
        for place in self._places():
            if (game := game_named(place, name)) is not None:
                return game
        return None

    def _on_disk(self) -> list[Game]:
        return [game for place in self._places() for game in games_in(place)]

    def _places(self) -> tuple[Path, ...]:
        return self.root, self._store.folder.games

    def _is_stored(self, game: Game, stored: int) -> bool:
        """Whether the store has all lines of this game; asked anew when either has changed."""
        try:
            stamp = game.stamp()
            key = str(game.journal)
            kept = self._known.get(key)
            if kept is None or kept[:2] != (stamp, stored):
                kept = (stamp, stored, stored > 0 and self._store.games.knows(game.content()))
                self._known[key] = kept
        except (OSError, ValueError):  # its row says what is wrong with it
            return False
        return kept[2]


@contextmanager
def opened_game(name: str, folder: DataFolder, address: str | None = None) -> Iterator[KeptGame]:
    """The game that a command names: a folder, a journal, or the id of a stored game.

    Args:
        name: What was named; where there is such a file or folder, it is meant.
        folder: The data folder, which is not made for this.
        address: Of a PostgreSQL database.

    Raises:
        KempsServerError: There is no such game.
        StoreError: The store cannot be read.
    """
    path = Path(name)
    if path.exists() or (address is None and not folder.database.exists()):
        yield find_game(path)
        return
    with Store.open(folder, address) as store:
        record = store.games.find(name)
        if record is None:
            raise KempsServerError(
                f"{name}: no such game; name a folder that kemps observe wrote, a journal, "
                f"or the id of a game stored in {folder.root}"
            )
        yield StoredGame(record, store)


def blurs_faces(game: KeptGame, asked: bool | None) -> bool:
    """Whether faces are blurred in what is made of a game: as asked, else as its store's owner chose.

    Raises:
        StoreError: The store cannot be read.
    """
    if asked is not None:
        return asked
    return isinstance(game, StoredGame) and game.store.choices.read().blur_faces
