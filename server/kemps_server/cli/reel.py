"""``kemps reel``: the best moments of a game as one video."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from kemps_server.analysis.shelf import Told, tell
from kemps_server.errors import KempsServerError
from kemps_server.film.film import Film
from kemps_server.games import KeptGame
from kemps_server.library import blurs_faces, opened_game
from kemps_server.page.words import Words, load_words
from kemps_server.reel.making import MOST_MOMENTS, Made, ReelWish, make_reel
from kemps_server.reel.notes import REEL, note_of, write_note
from kemps_server.settings import DATA_HELP, read_settings

MOST: Final = 50
GENTLY: Final = 10  # added to the process's niceness: a game that is being watched comes first
_EVERY_MS: Final = 500  # of the reel, between two lines of --json


def reel(
    game: str = typer.Argument(
        ..., metavar="GAME", help="A folder that kemps observe wrote, a journal, or a stored game's id."
    ),
    out: Path | None = typer.Option(
        None, metavar="FILE", help="Where the video goes; else reel.mp4 beside the game, with its note."
    ),
    moments: int = typer.Option(MOST_MOMENTS, min=1, max=MOST, help="So many at most, the best ones."),
    blur_faces: bool | None = typer.Option(
        None, "--blur-faces/--no-blur-faces", help="Make faces unrecognisable; else as the owner chose."
    ),
    lang: str = typer.Option("en", metavar="en|ru|pt|fr|es", help="The language of captions."),
    gently: bool = typer.Option(False, "--gently", help="Leave the processor to whoever else wants it."),
    as_json: bool = typer.Option(False, "--json", help="Tell progress and what was made as JSON lines."),
    data: Path | None = typer.Option(None, metavar="DIR", help=DATA_HELP),
) -> None:
    """Make a video of a game's best moments: hand complete, sign, call, verdict."""
    if gently:
        os.nice(GENTLY)
    words = load_words(lang, "analysis")
    settings = read_settings()
    with opened_game(game, settings.folder(data), settings.database_address) as found:
        folder = _folder_of(found)
        told = tell(found)
        if not told.figures.is_closed:
            _warn("this game is not closed: the reel shows signs that may still be in use; keep it back")
        target = out or folder / REEL
        is_blurred = blurs_faces(found, blur_faces)
        wish = ReelWish(title=found.title, words=words, most=moments, blurs_faces=is_blurred)
        with ExitStack() as stack:
            film = stack.enter_context(Film.beside(folder))
            progress = _json_progress() if as_json else _bar(stack)
            made = make_reel(told.highlights, film, target, wish, progress)
    if out is None:
        write_note(folder, note_of(made, language=lang, blurs_faces=is_blurred, lines=told.lines))
    _tell(made, told, target, words, as_json=as_json)


def _folder_of(game: KeptGame) -> Path:
    if game.folder is None:
        raise KempsServerError(f"{game.where}: a journal by itself has no recording; name the game's folder")
    return game.folder


def _warn(text: str) -> None:
    print(f"kemps reel: {text}", file=sys.stderr)  # noqa: T201 - one line for a person


def _bar(stack: ExitStack) -> Callable[[int, int], None]:
    """A bar on a terminal's stderr; nothing elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        return lambda done_ms, of_ms: None  # noqa: ARG005
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    bar = stack.enter_context(Progress(*columns, console=console, transient=True))
    task = bar.add_task("reel", total=None)
    return lambda done_ms, of_ms: bar.update(task, completed=done_ms, total=of_ms)


def _json_progress() -> Callable[[int, int], None]:
    last_ms = -_EVERY_MS

    def tell_progress(done_ms: int, of_ms: int) -> None:
        nonlocal last_ms
        if done_ms - last_ms >= _EVERY_MS or done_ms == of_ms:
            last_ms = done_ms
            typer.echo(json.dumps({"done_ms": done_ms, "of_ms": of_ms}))
            sys.stdout.flush()

    return tell_progress


def _tell(made: Made, told: Told, target: Path, words: Words, *, as_json: bool) -> None:
    by_line = {one.line: one for one in told.highlights}
    if as_json:
        moments = [
            {
                "starts_ms": one.starts_ms,
                "rank": one.rank,
                "deal": one.deal,
                "line": one.line,
                "at_ms": one.at_ms,
                "score": by_line[one.line].score,
                "reasons": [words.say(reason) for reason in by_line[one.line].reasons],
            }
            for one in made.moments
        ]
        answer = {"file": str(target), "length_ms": made.length_ms, "left_out": made.left_out}
        typer.echo(json.dumps(answer | {"moments": moments}, ensure_ascii=False))
        return
    for one in made.moments:
        highlight = by_line[one.line]
        reasons = "; ".join(words.say(reason) for reason in highlight.reasons)
        typer.echo(f"{one.starts_ms / 1000:7.1f} s  {words.say(highlight.title)}: {reasons}")
    typer.echo(target)
