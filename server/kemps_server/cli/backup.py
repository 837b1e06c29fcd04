"""``kemps backup`` and ``kemps restore``: the data folder in one file, and back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import typer

from kemps_server.errors import KempsServerError
from kemps_server.settings import DATA_HELP, read_settings
from kemps_server.store.archive import back_up
from kemps_server.store.archive import restore as put_back
from kemps_server.store.clock import utc_now

_MOST_NAMED: Final = 3


def backup(
    file: Path = typer.Argument(..., metavar="FILE", help="Where the backup goes, as in kemps-monday.zip."),
    data: Path | None = typer.Option(None, metavar="DIR", help=DATA_HELP),
    video: bool = typer.Option(True, help="Whether recordings in video folders go into it."),
) -> None:
    """Copy the data folder into one file: games, tables, users, decks, pictures, recordings.

    The server may go on meanwhile. Logs are left out, and so are recordings that are only linked.
    """
    settings = read_settings()
    if settings.database is not None:
        raise KempsServerError(
            "the games are in PostgreSQL (KEMPS_DATABASE); back it up with pg_dump, and copy the data folder"
        )
    done = back_up(settings.folder(data), file, utc_now, with_video=video)
    typer.echo(f"{file}: {_games(done.games)}, {done.files} files, {file.stat().st_size / 1e6:.1f} MB")
    if done.left_out:
        names = ", ".join(done.left_out[:_MOST_NAMED]) + (" …" if len(done.left_out) > _MOST_NAMED else "")
        count = len(done.left_out)
        links = "1 link is" if count == 1 else f"{count} links are"
        text = f"{links} not in it, for what they lead to lies elsewhere: {names}"
        print(f"kemps backup: {text}", file=sys.stderr)  # noqa: T201 - for people


def restore(
    file: Path = typer.Argument(..., metavar="FILE", help="What kemps backup wrote."),
    data: Path | None = typer.Option(None, metavar="DIR", help=f"{DATA_HELP} It must be empty or not there."),
) -> None:
    """Put a backup into a new data folder; every file is checked before the folder is there."""
    folder = read_settings().folder(data)
    done = put_back(file, folder)
    typer.echo(f"{folder.root}: {_games(done.games)}, {done.files} files; see them with kemps serve --data")


def _games(count: int) -> str:
    return f"{count} game{'' if count == 1 else 's'}"
