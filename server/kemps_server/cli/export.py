"""``kemps export``: a game in the format of another program."""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

import typer

from kemps_rules.errors import KempsRulesError
from kemps_server.cases.case import CaseWish, write_case
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_server.exports.formats import FORMATS, exported
from kemps_server.exports.material import material_of
from kemps_server.film.film import Film
from kemps_server.games import KeptGame
from kemps_server.library import StoredGame, blurs_faces, opened_game
from kemps_server.page.words import load_words
from kemps_server.settings import DATA_HELP, read_settings
from kemps_server.store.opinions_file import opinions_path, opinions_text

CASE: Final = "case"
JOURNAL: Final = "jsonl"


def export(
    game: str = typer.Argument(
        ..., metavar="GAME", help="A folder that kemps observe wrote, a journal, or a stored game's id."
    ),
    to: str = typer.Option(..., metavar="|".join((*FORMATS, CASE)), help="The format."),
    out: Path | None = typer.Option(
        None, metavar="FILE", help="Where it goes; else to standard output. A file that is there is replaced."
    ),
    data: Path | None = typer.Option(None, metavar="DIR", help=DATA_HELP),
    lang: str = typer.Option("en", metavar="en|ru|pt|fr|es", help="The language of captions."),
    start: str = typer.Option("", "--from", metavar="TIME", help="Of a case: its beginning, as in 41:12.5."),
    until: str = typer.Option("", metavar="TIME", help="Of a case: its end."),
    blur_faces: bool | None = typer.Option(
        None,
        "--blur-faces/--no-blur-faces",
        help="Of a case: make faces unrecognisable; else as the owner chose.",
    ),
) -> None:
    """Write a game for another program.

    jsonl is the journal byte for byte, csv and parquet are tables of events, eaf is for ELAN, boris for
    BORIS, vtt are captions; figures and figures-parquet are what the game comes to, a figure a row;
    case is a zip file with the film, the journal and the judgement of a span, and the hash of each file.
    """
    settings = read_settings()
    if to == CASE:
        if out is None:
            raise KempsServerError("--to case writes a zip file; name it with --out")
        span = _time_ms("--from", start), _time_ms("--until", until)
        with opened_game(game, settings.folder(data), settings.database_address) as found:
            is_blurred = blurs_faces(found, blur_faces)
            _write_case(found, span, out, is_blurred=is_blurred)
        return
    words = load_words(lang)
    with opened_game(game, settings.folder(data), settings.database_address) as found:
        try:
            content = exported(material_of(found, words), to)
            sealed = _sealed(found) if to == JOURNAL else ""
        except KempsRulesError as error:
            text = str(error)
            raise KempsServerError(text if found.where in text else f"{found.where}: {text}") from None
    if out is None:
        if b"\0" in content and sys.stdout.isatty():
            raise KempsServerError(f"--to {to} is nothing to read on a terminal; name a file with --out")
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        if sealed:
            _warn(f"not in it: {_counted(sealed)}; with --out FILE they go along")
        return
    _write(out, content)
    if sealed:
        _write(opinions_path(out), sealed.encode())
        _warn(f"{opinions_path(out)}: {_counted(sealed)}; keep it from whoever is to give the second")


def _sealed(game: KeptGame) -> str:
    """The sealed opinions about a stored game, as the file beside its journal has them."""
    return opinions_text(game.store.acts.of(game.record.id)) if isinstance(game, StoredGame) else ""


def _counted(sealed: str) -> str:
    count = sealed.count("\n")
    return f"{count} sealed opinion{'s' if count > 1 else ''} of referees"


def _warn(text: str) -> None:
    print(f"kemps export: {text}", file=sys.stderr)  # noqa: T201 - one line for a person


def _write_case(game: KeptGame, span: tuple[int, int], out: Path, *, is_blurred: bool) -> None:
    if game.folder is None:
        raise KempsServerError(f"{game.where}: nothing lies beside this journal; name the game's folder")
    wish = CaseWish(from_ms=span[0], until_ms=span[1], by="the command line", is_blurred=is_blurred)
    new = out.with_name(f".{out.name}.new")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with Film.beside(game.folder) as film:
            write_case(game, film, wish, new)
        new.replace(out)
    except OSError as error:
        raise WorkFailedError(f"{out}: cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            new.unlink(missing_ok=True)


def _time_ms(option: str, text: str) -> int:
    """The time that a person wrote: seconds, or minutes and seconds, or hours too.

    >>> _time_ms("--from", "41:12.5"), _time_ms("--from", "1:00:00"), _time_ms("--from", "7")
    (2472500, 3600000, 7000)
    """
    match = re.fullmatch(r"(?:(?:(\d+):)?(\d+):)?(\d+(?:\.\d{1,3})?)", text.strip())
    if match is None:
        raise KempsServerError(f"{option} {text!r}: write a time as in 41:12.5")
    hours, minutes, seconds = match.groups()
    return round(1000 * (3600 * int(hours or 0) + 60 * int(minutes or 0) + float(seconds)))


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
