"""``kemps export``: a game in the format of another program."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import typer

from kemps_rules.errors import KempsRulesError
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_server.exports.formats import FORMATS, exported
from kemps_server.exports.material import material_of
from kemps_server.library import opened_game
from kemps_server.page.words import load_words
from kemps_server.settings import DATA_HELP, read_settings


def export(
    game: str = typer.Argument(
        ..., metavar="GAME", help="A folder that kemps observe wrote, a journal, or a stored game's id."
    ),
    to: str = typer.Option(..., metavar="|".join(FORMATS), help="The format."),
    out: Path | None = typer.Option(
        None, metavar="FILE", help="Where it goes; else to standard output. A file that is there is replaced."
    ),
    data: Path | None = typer.Option(None, metavar="DIR", help=DATA_HELP),
    lang: str = typer.Option("en", metavar="en|ru|pt|fr|es", help="The language of captions."),
) -> None:
    """Write a game for another program.

    jsonl is the journal byte for byte, csv and parquet are tables of events, eaf is for ELAN, boris for
    BORIS, vtt are captions; figures and figures-parquet are what the game comes to, a figure a row.
    """
    settings = read_settings()
    words = load_words(lang)
    with opened_game(game, settings.folder(data), settings.database_address) as found:
        try:
            content = exported(material_of(found, words), to)
        except KempsRulesError as error:
            text = str(error)
            raise KempsServerError(text if found.where in text else f"{found.where}: {text}") from None
    if out is None:
        if b"\0" in content and sys.stdout.isatty():
            raise KempsServerError(f"--to {to} is nothing to read on a terminal; name a file with --out")
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    _write(out, content)


def _write(path: Path, content: bytes) -> None:
    """The file, all of it or as it was."""
    new = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(content)
        new.replace(path)
    except OSError as error:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        raise WorkFailedError(f"{path}: cannot be written: {error.strerror or error}") from None
