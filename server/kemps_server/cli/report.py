"""``kemps report``: the page of a game."""

from __future__ import annotations

from pathlib import Path

import typer

from kemps_server.analysis.telling import figures_of
from kemps_server.errors import WorkFailedError
from kemps_server.library import opened_game
from kemps_server.page.render import render_page
from kemps_server.page.telling import tell_game
from kemps_server.settings import DATA_HELP, read_settings


def report(
    game: str = typer.Argument(
        ..., metavar="GAME", help="A folder that kemps observe wrote, a journal, or a stored game's id."
    ),
    out: Path | None = typer.Option(
        None, metavar="FILE", help="Where the page goes; else page.html in the folder, or beside the journal."
    ),
    lang: str | None = typer.Option(
        None, metavar="en|ru|pt|fr|es", help="The page's language; else the reader's browser chooses."
    ),
    data: Path | None = typer.Option(None, metavar="DIR", help=DATA_HELP),
) -> None:
    """Write a game's page in one file: verdicts, the table by steps, timeline, evidence, figures, flags."""
    settings = read_settings()
    with opened_game(game, settings.folder(data), settings.database_address) as found:
        page = render_page(tell_game(found), lang, figures=figures_of(found))
        path = out or found.page
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise WorkFailedError(f"{path}: cannot be written: {error.strerror or error}") from None
    typer.echo(path)
