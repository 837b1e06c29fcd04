"""A person is forgotten: their name gives way in everything that is kept, and recordings of them go.

Journals are never changed but here. What a person did in a game stays, under a pseudonym; what shows them
does not: recordings, traces and pictures of the games they sat in. What is held as evidence stays until it is
released. Copies that were taken before (``backups/``, files of ``kemps backup``,
exports) are not looked into.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from kemps_rules.errors import KempsRulesError
from kemps_rules.events import Event, GameOpened, SeatChanged
from kemps_rules.journal import journal_of
from kemps_server.errors import KempsServerError, StoreError
from kemps_server.forgetting.material import (
    SIGNED,
    Removed,
    linked_recordings,
    pieces_beside,
    remove_pieces,
)
from kemps_server.forgetting.playing import is_played
from kemps_server.forgetting.rewriting import Renaming
from kemps_server.games import Game, KeptGame
from kemps_server.library import Library, StoredGame
from kemps_server.store.erasure import Replacement, compact, find_within, replace_within
from kemps_server.store.upgrading import copy_database

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class GameOfPerson:
    """A game in which the name stands: on how many lines, whether they sat in it, and what shows them."""

    game: KeptGame
    lines: int
    sat_in: bool
    is_played: bool
    files: int = 0
    size: int = 0
    held_files: int = 0
    linked: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The last part of its address."""
        return self.game.record.id if isinstance(self.game, StoredGame) else self.game.title


@dataclass(slots=True)
class Traces:
    """Where a person is found, or was: games, tables, links, desk notes, an account, copies from before."""

    name: str
    games: list[GameOfPerson] = field(default_factory=list)
    titles: int = 0
    acts: int = 0
    tables: list[str] = field(default_factory=list)
    links: int = 0
    has_account: bool = False
    copies: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How a person is to be forgotten.

    Attributes:
        pseudonym: What stands for them from now on.
        with_held: Whether what is held as evidence goes, too.
        with_account: Whether their account goes, if they have one.
        with_copies: Whether the copies of the database in ``backups/`` go.
        keep_copy: Whether a copy of the database as it is now is put there first.
    """

    pseudonym: str
    with_held: bool = False
    with_account: bool = True
    with_copies: bool = False
    keep_copy: bool = False


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was done: where the name stood, what was removed, the copy, and whether old bytes are gone."""

    traces: Traces
    removed: Removed
    copy: str
    is_compacted: bool


def people_in(library: Library) -> dict[str, int]:
    """Everybody who sits or sat in a game, and in how many."""
    counts: dict[str, int] = {}
    for game in library.kept():
        for name in _sitters(game):
            counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items(), key=lambda row: row[0].casefold()))


def traces_of(library: Library, name: str) -> Traces:
    """Where the name stands, with nothing changed.

    Raises:
        KempsServerError: It is no name.
        StoreError: The store cannot be read.
    """
    renaming = _renaming(name, "x")
    store = library.store
    with store.database.reading() as connection:
        found = find_within(connection, _replacement(renaming))
    traces = Traces(
        name,
        titles=found.titles,
        acts=found.acts,
        tables=found.tables,
        links=found.links,
        has_account=any(renaming.is_name(user.name) for user in store.users.all()),
        copies=[path.name for path in _copies(library)],
    )
    for game in library.kept():
        if lines := _lines_of(game, found.lines, renaming):
            traces.games.append(_game_of(game, lines, renaming))
    return traces


def forget(library: Library, name: str, wish: Wish) -> Forgotten:
    """Forget a person as it was wished.

    Raises:
        KempsServerError: It is no name, nothing is known of it, or one of their games is being played.
        StoreError: The store or the disk refused; the database is as it was, or has the pseudonym throughout.
    """
    traces, renaming, store = traces_of(library, name), _renaming(name, wish.pseudonym), library.store
    if not (traces.games or traces.titles or traces.acts or traces.tables or traces.links):
        raise KempsServerError(
            f"nothing is kept under the name {name!r}; look at how it is written in the games"
        )
    if played := [game.name for game in traces.games if game.is_played]:
        raise KempsServerError(f"{played[0]} is being played; stop its table first")
    if wish.with_copies:
        _remove_all(_copies(library))
    copy = _copied(library) if wish.keep_copy else ""
    with store.database.writing() as connection:
        replace_within(connection, _replacement(renaming))
    removed = Removed()
    for theirs in traces.games:
        removed += _forget_in(theirs, renaming, with_held=wish.with_held)
    if wish.with_account:
        for user in store.users.all():
            if renaming.is_name(user.name):
                store.users.remove(user.name)
    _log.info("a person was forgotten in %d games; %d files removed", len(traces.games), removed.files)
    return Forgotten(traces, removed, copy, compact(store.database))


def _renaming(name: str, pseudonym: str) -> Renaming:
    plain = name.strip()
    if not plain or len(plain) > 200 or not any(sign.isalnum() for sign in plain):
        raise KempsServerError(f"{name!r} is no name")
    if re.fullmatch(r"[A-H]", plain):
        raise KempsServerError(f"{plain} is a seat; seats are no people")
    return Renaming(plain, pseudonym)


def _replacement(renaming: Renaming) -> Replacement:
    return Replacement(renaming.in_line, renaming.in_text, lambda text: _in_config(renaming, text))


def _in_config(renaming: Renaming, config: str) -> str:
    """A ``table.toml`` in which a seat's name that is the person's is the pseudonym."""
    return re.sub(
        r"(\bname\s*=\s*)(\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*')",
        lambda found: f'{found[1]}"{renaming.pseudonym}"' if renaming.is_name(found[2][1:-1]) else found[0],
        config,
    )


def _sitters(game: KeptGame) -> set[str]:
    names: set[str] = set()
    for event in _moves(game):
        if isinstance(event, GameOpened):
            names |= set(event.seats.values())
        elif isinstance(event, SeatChanged) and len(event.to) > 1:
            names.add(event.to)
    return names


def _moves(game: KeptGame) -> list[Event]:
    """Who sits where at first, and who came later; nothing of a journal that cannot be read."""
    try:
        if isinstance(game, StoredGame):
            kinds = (GameOpened.kind, SeatChanged.kind)
            return [line.event for line in game.store.games.journal(game.record.id).read_kinds(kinds)]
        return [event for _, event in journal_of(game.content()).numbered]
    except (KempsRulesError, KempsServerError):
        return []


def _lines_of(game: KeptGame, stored: dict[str, int], renaming: Renaming) -> int:
    if isinstance(game, StoredGame):
        return stored.get(game.record.id, 0)
    try:
        texts = game.content().decode("utf-8", "replace").splitlines(keepends=True)
    except (KempsRulesError, KempsServerError):
        return 0
    return sum(renaming.in_line(text) != text for text in texts)


def _game_of(game: KeptGame, lines: int, renaming: Renaming) -> GameOfPerson:
    sat_in = any(renaming.is_name(sitter) for sitter in _sitters(game))
    theirs = GameOfPerson(game, lines, sat_in, is_played(game))
    if sat_in and game.folder is not None:
        pieces = pieces_beside(game.folder)
        theirs.files = sum(not piece.is_held for piece in pieces)
        theirs.size = sum(piece.size for piece in pieces if not piece.is_held)
        theirs.held_files = sum(piece.is_held for piece in pieces)
        theirs.linked = [str(path) for path in linked_recordings(game.folder)]
    return theirs


def _forget_in(theirs: GameOfPerson, renaming: Renaming, *, with_held: bool) -> Removed:
    game = theirs.game
    if game.folder is None:
        return Removed()
    for note in SIGNED:
        _rewrite(game.folder / note, renaming)
    if isinstance(game, Game):
        _rewrite(game.journal, renaming)
    remove_pieces(game.folder, [piece for piece in pieces_beside(game.folder) if piece.is_made_anew])
    if not theirs.sat_in:
        return Removed()
    return remove_pieces(game.folder, pieces_beside(game.folder), with_held=with_held)


def _rewrite(journal: Path, renaming: Renaming) -> None:
    """Put the pseudonym into a file of lines of JSON, if there is one."""
    new = journal.with_name(f".{journal.name}.new")
    try:
        if not journal.is_file():
            return
        texts = journal.read_text(encoding="utf-8").splitlines(keepends=True)
        with new.open("w", encoding="utf-8") as file:
            file.writelines(renaming.in_line(text) for text in texts)
            file.flush()
            os.fsync(file.fileno())
        new.replace(journal)
    except (OSError, ValueError) as error:
        raise StoreError(f"{journal}: cannot be rewritten: {error}") from error


def _copies(library: Library) -> list[Path]:
    folder = library.store.folder.backups
    return sorted(folder.glob("*.sqlite")) if folder.is_dir() else []


def _remove_all(paths: Iterable[Path]) -> None:
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{path}: cannot be deleted: {error.strerror or error}") from error


def _copied(library: Library) -> str:
    store = library.store
    if not store.database.is_sqlite:
        raise KempsServerError("the games are in PostgreSQL; take a copy with pg_dump first")
    copy = store.folder.backups / f"kemps-before-forgetting-{store.clock():%Y%m%dT%H%M%S}.sqlite"
    copy_database(Path(store.database.where), copy)
    return copy.name
