"""Games from files into the store, with the pictures that lie beside them."""

from __future__ import annotations

import logging
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kemps_rules.errors import JournalError
from kemps_server.errors import KempsServerError
from kemps_server.games import Game, find_game
from kemps_server.keeping import EVIDENCE, RECORDING
from kemps_server.store.games import TakenIn
from kemps_server.store.store import Store

_PICTURES: Final = (".jpg", ".jpeg", ".png", ".json")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Imported:
    """A game that is in the store now, and what of the files beside it could not be copied."""

    taken: TakenIn
    trouble: str = ""


def take_in(store: Store, path: Path) -> Imported:
    """The game in this folder or journal, stored now if it was not, with its evidence.

    The recording stays where it is; ``recording.json`` says where that is.

    Raises:
        KempsServerError: There is no game, or its journal cannot be used; the text names it.
        StoreError: The store refused.
    """
    game = find_game(path)
    try:
        taken = store.games.take_in(game.title, game.content())
    except JournalError as error:
        text = str(error)
        raise KempsServerError(text if game.where in text else f"{game.where}: {text}") from None
    try:
        _copy_what_lies_beside(game, store.folder.beside(taken.game.id))
    except (OSError, shutil.Error) as error:
        reason = getattr(error, "strerror", None) or "a file cannot be read or written"
        return Imported(taken, f"its pictures were not copied ({reason.lower()}); run the same again")
    return Imported(taken)


def _copy_what_lies_beside(game: Game, target: Path) -> None:
    """Pictures with their index, and the note of the recording, all of them or none; links are left out."""
    if game.folder is None or game.folder.resolve() == target.resolve():
        return
    evidence, note = game.folder / EVIDENCE, game.folder / RECORDING
    if not (target / EVIDENCE).exists() and evidence.is_dir() and not evidence.is_symlink():
        half = target / f".{EVIDENCE}.new"
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir(parents=True)
        for file in sorted(evidence.iterdir()):
            if file.is_file() and not file.is_symlink() and file.suffix.lower() in _PICTURES:
                shutil.copyfile(file, half / file.name)
        half.replace(target / EVIDENCE)
    if not (target / RECORDING).exists() and note.is_file() and not note.is_symlink():
        target.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(note, target / RECORDING)
