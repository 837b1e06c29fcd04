"""``kemps report``: the page of a game."""

from __future__ import annotations

from pathlib import Path

import typer

from kemps_server.errors import WorkFailedError
from kemps_server.games import find_game
from kemps_server.page.render import render_page
from kemps_server.page.telling import tell_game


def report(
    game: Path = typer.Argument(..., metavar="GAME", help="A folder that kemps observe wrote, or a journal."),
    out: Path | None = typer.Option(
        None, metavar="FILE", help="Where the page goes; else page.html in the folder, or beside the journal."
    ),
    lang: str | None = typer.Option(
        None, metavar="en|ru|pt|fr|es", help="The page's language; else the reader's browser chooses."
    ),
) -> None:
    """Write a game's page: verdicts, the table step by step, timeline, evidence, flags, in one file."""
    found = find_game(game)
    page = render_page(tell_game(found), lang)
    path = out or found.page
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise WorkFailedError(f"{path}: cannot be written: {error.strerror or error}") from None
    typer.echo(path)
