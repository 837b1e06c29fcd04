"""A game is deleted with all that belongs to it."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

from kemps_rules.errors import KempsRulesError
from kemps_server.errors import KempsServerError, StoreError
from kemps_server.forgetting.material import Removed, pieces_beside
from kemps_server.forgetting.playing import is_played
from kemps_server.games import Game, KeptGame
from kemps_server.library import Library, StoredGame

_log = logging.getLogger(__name__)


def remove_game(library: Library, name: str, *, with_held: bool) -> Removed:
    """What is gone: the journal with its decisions, and everything beside it. Linked recordings stay.

    Args:
        library: The games.
        name: Of the game.
        with_held: Whether what is held as evidence goes, too.

    Raises:
        KempsServerError: There is no such game, it is played, or something is held.
        StoreError: The store or the disk refused.
    """
    game = library.find(name)
    if game is None:
        raise KempsServerError(f"there is no game {name!r}")
    if is_played(game):
        raise KempsServerError(f"{name} is being played; stop its table first")
    folders = _folders_of(library, game)
    pieces = [piece for folder in folders for piece in pieces_beside(folder)]
    held = [piece for piece in pieces if piece.is_held]
    if held and not with_held:
        raise KempsServerError(f"{len(held)} files of {name} are held as evidence; release them to delete it")
    if isinstance(game, StoredGame):
        library.store.games.remove(game.record.id)
    for folder in folders:
        _remove_folder(folder)
    _log.info("game %s was deleted with %d files beside it, %d of them held", name, len(pieces), len(held))
    return Removed(files=len(pieces), size=sum(piece.size for piece in pieces))


def _folders_of(library: Library, game: KeptGame) -> list[Path]:
    """What lies beside it, and folders with the same journal that it was taken in from."""
    own = [] if game.folder is None else [game.folder]
    if not isinstance(game, StoredGame):
        return own
    content = game.content()
    same = [
        one.folder
        for one in library.kept()
        if isinstance(one, Game) and one.folder is not None and _is_same(one, content)
    ]
    return [*own, *same]


def _is_same(game: Game, content: bytes) -> bool:
    try:
        own = game.content().strip()
        return bool(own) and content.strip().startswith(own)
    except KempsRulesError:
        return False


def _remove_folder(folder: Path) -> None:
    if folder.is_symlink():
        raise KempsServerError(f"{folder.name}: is a link; remove it by hand")
    try:
        if folder.is_dir():
            shutil.rmtree(folder)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be deleted whole: {error.strerror or error}") from error
