"""Games on disk: a folder with ``game.jsonl`` in it, or a journal by itself; and what any kept game gives."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from kemps_rules.errors import JournalError
from kemps_server.errors import KempsServerError

JOURNAL_NAME: Final = "game.jsonl"


class KeptGame(Protocol):
    """A game wherever it is kept: its journal's content, and the folder of what lies beside it."""

    @property
    def title(self) -> str:
        """What people call it."""
        ...

    @property
    def where(self) -> str:
        """What errors call it."""
        ...

    @property
    def folder(self) -> Path | None:
        """What lies beside the journal, if anything."""
        ...

    @property
    def page(self) -> Path:
        """Where its page goes when nothing else is said."""
        ...

    def content(self) -> bytes:
        """Its journal, as a file holds it.

        Raises:
            JournalError: The file cannot be read.
            StoreError: The store cannot be read.
        """
        ...

    def stamp(self) -> tuple[int, int]:
        """Two numbers that are others once the journal has changed.

        Raises:
            OSError: The file is gone.
        """
        ...


@dataclass(frozen=True, slots=True)
class Game:
    """Where a game lies; ``folder`` is None for a journal by itself, with no evidence beside it."""

    title: str
    journal: Path
    folder: Path | None

    @property
    def page(self) -> Path:
        """Where its page goes when nothing else is said."""
        return self.journal.with_suffix(".html") if self.folder is None else self.folder / "page.html"

    @property
    def where(self) -> str:
        """What errors call it."""
        return str(self.journal)

    def content(self) -> bytes:
        """Its journal.

        Raises:
            JournalError: It cannot be read.
        """
        try:
            return self.journal.read_bytes()
        except OSError as error:
            raise JournalError(f"cannot read {self.journal}: {error.strerror or error}") from None

    def stamp(self) -> tuple[int, int]:
        """When it was written last, and how long it is.

        Raises:
            OSError: It is gone.
        """
        status = self.journal.stat()
        return status.st_mtime_ns, status.st_size


def find_game(path: Path) -> Game:
    """The game that a folder or a journal is.

    Raises:
        KempsServerError: There is nothing, or no journal in the folder.
    """
    if path.is_dir():
        journal = path / JOURNAL_NAME
        if not journal.is_file():
            raise KempsServerError(
                f"{path}: no {JOURNAL_NAME} in this folder; kemps observe writes one, or name a journal"
            )
        return Game(path.resolve().name, journal, path)
    if not path.is_file():
        raise KempsServerError(f"{path}: no such game; name a folder that kemps observe wrote, or a journal")
    if path.name == JOURNAL_NAME:
        return Game(path.resolve().parent.name, path, path.parent)
    return Game(path.stem, path, None)


def games_in(data: Path) -> tuple[Game, ...]:
    """The games in the folders right below ``data``, by name; links that lead elsewhere are left out.

    Raises:
        KempsServerError: ``data`` is no folder that can be read.
    """
    try:
        folders = sorted(folder for folder in data.iterdir() if folder.is_dir())
    except OSError as error:
        raise KempsServerError(
            f"{data}: {error.strerror or error}; --data names the folder of games"
        ) from error
    return tuple(game for folder in folders if (game := game_named(data, folder.name)) is not None)


def game_named(data: Path, name: str) -> Game | None:
    """The game in the folder ``name`` right below ``data``, or None when there is none.

    Only a plain name counts: no path, no dots that lead up, no link to a place outside ``data``.
    """
    if not name or name in {".", ".."} or any(sign in name for sign in "/\\\0"):
        return None
    root, folder = data.resolve(), data / name
    journal = folder / JOURNAL_NAME
    try:
        is_inside = folder.resolve().parent == root and journal.resolve().parent == folder.resolve()
        return Game(name, journal, folder) if is_inside and journal.is_file() else None
    except OSError:
        return None
