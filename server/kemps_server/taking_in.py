"""Games from files into the store, with the pictures that lie beside them."""

from __future__ import annotations

import json
import logging
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kemps_rules.errors import JournalError
from kemps_server.errors import KempsServerError, StoreError
from kemps_server.film.offsets import OFFSETS
from kemps_server.games import Game, find_game
from kemps_server.keeping import EVIDENCE, RECORDING
from kemps_server.store.games import TakenIn
from kemps_server.store.opinions_file import opinions_in, opinions_path
from kemps_server.store.store import Store
from kemps_server.traces.chunks import TRACES

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
        store.acts.take_in(taken.game.id, opinions_in(opinions_path(game.journal), lines=taken.game.lines))
    except StoreError:
        raise
    except KempsServerError as error:
        return Imported(taken, f"its sealed opinions were left out: {error}")
    try:
        _copy_what_lies_beside(game, store.folder.beside(taken.game.id))
    except (OSError, shutil.Error) as error:
        reason = getattr(error, "strerror", None) or "a file cannot be read or written"
        return Imported(taken, f"its pictures were not copied ({reason.lower()}); run the same again")
    return Imported(taken)


def _copy_what_lies_beside(game: Game, target: Path) -> None:
    """Pictures with their index, traces, notes of the recording and its clocks; links are left out."""
    if game.folder is None or game.folder.resolve() == target.resolve():
        return
    _copy_folder(game.folder / EVIDENCE, target / EVIDENCE, _PICTURES)
    traces = game.folder / TRACES
    for camera in sorted(traces.iterdir()) if traces.is_dir() and not traces.is_symlink() else ():
        _copy_folder(camera, target / TRACES / camera.name, (".npz",))
    for name in (RECORDING, OFFSETS):
        note = game.folder / name
        if not (target / name).exists() and note.is_file() and not note.is_symlink():
            target.mkdir(parents=True, exist_ok=True)
            content = note.read_bytes()
            (target / name).write_bytes(_with_place(content, game.folder) if name == RECORDING else content)


def _copy_folder(source: Path, target: Path, endings: tuple[str, ...]) -> None:
    """The files of a folder, all of them or none."""
    if target.exists() or not source.is_dir() or source.is_symlink():
        return
    half = target.with_name(f".{target.name}.new")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir(parents=True)
    for file in sorted(source.iterdir()):
        if file.is_file() and not file.is_symlink() and file.suffix.lower() in endings:
            shutil.copyfile(file, half / file.name)
    half.replace(target)


def _with_place(content: bytes, folder: Path) -> bytes:
    """The note of a live recording, with the folder that its video stays in."""
    try:
        note = json.loads(content)
    except ValueError:
        return content
    if not isinstance(note, dict) or not note.get("cameras") or "folder" in note:
        return content
    placed = {**note, "folder": str(folder.resolve())}
    return (json.dumps(placed, indent=1, ensure_ascii=False) + "\n").encode()
