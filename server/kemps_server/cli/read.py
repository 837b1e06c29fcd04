"""``kemps read``: the face-up cards in stills."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import cv2
import typer
from rich.console import Console
from rich.text import Text

from kemps_server.cli.enrol import DATA_HELP, DECKS_FOLDER
from kemps_server.cli.folders import folder_named
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_vision.cards.alphabets import ANY, INTERNATIONAL, NAMES
from kemps_vision.cards.reader import ANY_DECK, check_deck, default_reader
from kemps_vision.cards.reading import CardReader, Pixels, Reading
from kemps_vision.cards.stills import load_still
from kemps_vision.draw.reading import draw_reading
from kemps_vision.enrolment.reader import deck_reader
from kemps_vision.errors import ImageError

_SURE: Final = 0.95
_JPEG_QUALITY: Final = 90
_INPUT_WRONG: Final = 2
DECK_HELP: Final = f"Whose cards these are: one that kemps enrol learnt, or {ANY_DECK}."
ALPHABET_HELP: Final = f"The letters on the cards: {', '.join(NAMES)}; {ANY} finds it out."


def read(
    images: list[Path] = typer.Argument(
        ..., metavar="IMAGE…", help="Pictures: JPEG, PNG, WebP, TIFF, BMP.", readable=False
    ),
    deck: str = typer.Option(ANY_DECK, metavar="NAME", help=DECK_HELP),
    alphabet: str = typer.Option(ANY, metavar="NAME", help=ALPHABET_HELP),
    as_json: bool = typer.Option(False, "--json", help="One JSON line an image."),
    draw: Path | None = typer.Option(
        None, metavar="DIR", parser=folder_named, help="Also write the pictures with cards marked."
    ),
    data: Path | None = typer.Option(None, metavar="DIR", parser=folder_named, help=DATA_HELP),
) -> int:
    """Say which cards lie face up in pictures.

    Pictures that cannot be read are told on stderr, one line each; the others are still read, and the exit
    code is 2.
    """
    if deck == ANY_DECK:
        check_deck(deck, alphabet)
    elif alphabet != ANY:
        raise KempsServerError(f"{deck} was learnt with the letters that it has; leave --alphabet out")
    if draw is not None:
        _make_folder(draw)
    threads = min(2, os.cpu_count() or 1)
    reader: CardReader = (
        default_reader(threads=threads, alphabet=alphabet)
        if deck == ANY_DECK
        else deck_reader(deck, threads=threads, folder=None if data is None else data / DECKS_FOLDER)
    )
    console = Console(highlight=False, soft_wrap=True)
    done, drawn = 0, _stills_in(draw, images)
    for path, pixels, reading in _readings(images, reader):
        if as_json:
            print(json.dumps(as_line(path, reading)), flush=True)  # noqa: T201 - the answer
        else:
            console.print(_for_people(path, reading))
        if draw is not None:
            _write_sketch(draw, path, pixels, reading, drawn)
        done += 1
    return 0 if done == len(images) else _INPUT_WRONG


def as_line(path: Path, reading: Reading) -> dict[str, Any]:
    """The contract's JSON object for one picture; cards that were not read stand in ``unread`` only.

    ``alphabet`` is null while the picture does not settle it; by which one it was read all the same tells
    ``alphabet_assumed``, which is null otherwise.
    """
    assumed = reading.alphabet if reading.is_alphabet_assumed else None
    return {
        "image": str(path),
        "cards": [
            {
                "card": str(card.card),
                "score": round(card.score, 4),
                "corners": [[round(float(x), 1), round(float(y), 1)] for x, y in card.quad],
            }
            for card in reading.known
        ],
        "unread": reading.unread,
        "face_down": reading.face_down,
        "duplicates": [str(card) for card in reading.duplicates],
        "alphabet": None if assumed else reading.alphabet,
        "alphabet_assumed": assumed,
        "ms": round(reading.ms, 1),
    }


def _readings(images: Sequence[Path], reader: CardReader) -> Iterator[tuple[Path, Pixels, Reading]]:
    for path in images:
        try:
            pixels = load_still(path)
            reading = reader.read(pixels)
        except ImageError as error:
            print(f"kemps read: {error}", file=sys.stderr)  # noqa: T201 - the one line a person gets
        else:
            yield path, pixels, reading


def _for_people(path: Path, reading: Reading) -> Text:
    text = Text()
    text.append(os.fsencode(path).decode(errors="replace"), style="bold")
    text.append("  ")
    for card in reading.known:
        style = "red" if card.card is not None and card.card.suit in "dh" else ""
        text.append(
            f"{card.card.sign if card.card else ''}{'' if card.score >= _SURE else '?'} ", style=style
        )
    notes = [f"{len(reading.known)} cards" if len(reading.known) != 1 else "1 card"]
    notes += [f"{reading.unread} face up but not read"] if reading.unread else []
    notes += [f"{reading.face_down} face down"] if reading.face_down else []
    notes += [f"{reading.alphabet} letters"] if reading.alphabet != INTERNATIONAL else []
    notes += [f"conflict: {card.sign} at more than one place" for card in reading.duplicates]
    text.append(f" ({', '.join(notes)}; {reading.ms:.0f} ms)", style="dim")
    return text


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise KempsServerError(f"{folder}: is a file; --draw needs a folder") from None
    except OSError as error:
        raise KempsServerError(f"{folder}: cannot be made ({error.strerror})") from None


def _stills_in(folder: Path | None, images: Sequence[Path]) -> set[str]:
    """The names of the stills that lie in ``folder``; what is drawn must take others."""
    if folder is None:
        return set()
    real = os.path.realpath(folder)
    return {still.stem for still in images if os.path.realpath(still.parent) == real}


def _write_sketch(folder: Path, still: Path, pixels: Pixels, reading: Reading, drawn: set[str]) -> None:
    """Writes ``NAME-read.jpg``, which overwrites no still even when ``folder`` is where the stills are."""
    name = f"{still.stem}-read"
    name = next(
        free for n in range(1, len(drawn) + 2) if (free := name if n == 1 else f"{name}-{n}") not in drawn
    )
    drawn.add(name)
    path = folder / f"{name}.jpg"
    picture = cv2.cvtColor(draw_reading(pixels, reading), cv2.COLOR_RGB2BGR)
    _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    try:
        path.write_bytes(data.tobytes())
    except OSError as error:
        raise WorkFailedError(f"{path}: cannot be written ({error.strerror})") from None
