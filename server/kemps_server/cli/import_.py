"""``kemps import``: finished games into the store."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from kemps_server.cli.app import DONE, INPUT_WRONG, WORK_FAILED
from kemps_server.errors import KempsServerError, StoreError
from kemps_server.settings import DATA_HELP, read_settings
from kemps_server.store.games import Novelty, TakenIn
from kemps_server.store.store import Store
from kemps_server.taking_in import take_in


def import_(
    journals: list[Path] = typer.Argument(
        ..., metavar="JOURNAL…", help="Journals, or folders that kemps observe wrote."
    ),
    data: Path | None = typer.Option(None, metavar="DIR", help=DATA_HELP),
) -> None:
    """Take games into the store, with their pictures; recordings stay where they are.

    The same file twice is one game, and a file that has grown since is the same game with its new lines. A
    file that cannot be used is told in a line of its own, and the others are taken in all the same.
    """
    settings = read_settings()
    code = DONE
    with Store.open(settings.folder(data), settings.database_address) as store:
        for path in journals:
            try:
                imported = take_in(store, path)
            except StoreError:
                raise  # the next would fare no better
            except KempsServerError as error:
                code = INPUT_WRONG
                _warn(str(error))
                continue
            for warning in imported.taken.warnings:
                _warn(f"{path}: {warning}")
            typer.echo(_told(path, imported.taken))
            if imported.trouble:
                code = code or WORK_FAILED
                _warn(f"{path}: {imported.trouble}")
    raise typer.Exit(code)


def _told(path: Path, taken: TakenIn) -> str:
    game = taken.game
    match taken.novelty:
        case Novelty.NEW:
            return f"{path}: stored as {game.id}, {game.lines} lines"
        case Novelty.GROWN:
            new = f"{taken.new_lines} new line{'' if taken.new_lines == 1 else 's'}"
            return f"{path}: {new} for {game.id}, {game.lines} in all"
        case Novelty.KNOWN:
            return f"{path}: is stored already, as {game.id}"


def _warn(text: str) -> None:
    print(f"kemps import: {' '.join(text.split())}", file=sys.stderr)  # noqa: T201 - for people
