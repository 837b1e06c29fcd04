"""``kemps look``: faces, hands, bodies and contacts in stills and video files."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import cv2
import typer
from rich.console import Console
from rich.text import Text

from kemps_server.cli.look_lines import LEAST_TOLD, claims_of, still_line
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_vision.cards.stills import load_still
from kemps_vision.draw.people import draw_people
from kemps_vision.errors import ImageError
from kemps_vision.frame import Image
from kemps_vision.people.contact.stills import StillReader, StillReading

_JPEG_QUALITY: Final = 90
_INPUT_WRONG: Final = 2


def look(
    sources: list[Path] = typer.Argument(..., metavar="FILE…", help="Pictures: JPEG, PNG, WebP, TIFF, BMP."),
    as_json: bool = typer.Option(False, "--json", help="One JSON line a picture."),
    everything: bool = typer.Option(False, "--all", help="Also all landmarks in the JSON."),
    draw: Path | None = typer.Option(None, metavar="DIR", help="Also write the pictures with people marked."),
    blur: bool = typer.Option(False, "--blur", help="Blur the faces in pictures that are written."),
) -> int:
    """Say where faces, hands and bodies are in pictures, and which hands touch a face or each other.

    Pictures that cannot be read are told on stderr, one line each; the others are still looked at, and the
    exit code is 2. Nothing is stored unless --draw is given.
    """
    if draw is not None:
        _make_folder(draw)
    console = Console(highlight=False, soft_wrap=True)
    done, drawn = 0, set[str]()
    with StillReader() as reader:
        for path, pixels, seen, ms in _seen_in(sources, reader):
            if as_json:
                line = still_line(path, pixels, seen, ms, everything=everything)
                print(json.dumps(line), flush=True)  # noqa: T201 - the answer
            else:
                console.print(_for_people(path, seen, ms))
            if draw is not None:
                picture = draw_people(pixels, seen, is_blurred=blur, least_score=LEAST_TOLD)
                _write(draw, path, picture, drawn)
            done += 1
    return 0 if done == len(sources) else _INPUT_WRONG


def _seen_in(
    sources: Sequence[Path], reader: StillReader
) -> Iterator[tuple[Path, Image, StillReading, float]]:
    for path in sources:
        try:
            pixels = load_still(path)
        except ImageError as error:
            print(f"kemps look: {error}", file=sys.stderr)  # noqa: T201 - the one line a person gets
            continue
        start = time.perf_counter()
        seen = reader.read(pixels)
        yield path, pixels, seen, (time.perf_counter() - start) * 1000


def _for_people(path: Path, seen: StillReading, ms: float) -> Text:
    text = Text()
    text.append(os.fsencode(path).decode(errors="replace"), style="bold")
    counts = ((len(seen.faces), "face"), (len(seen.hands), "hand"), (len(seen.bodies), "body"))
    text.append("  " + ", ".join(_counted(count, word) for count, word in counts))
    for claim in claims_of(seen):
        text.append(f"\n  {claim['kind']} {claim['score']:.2f}", style="red")
        text.append(f"  {claim['reason']}")
    text.append(f"  ({ms:.0f} ms)", style="dim")
    return text


def _counted(count: int, word: str) -> str:
    plural = "bodies" if word == "body" else f"{word}s"
    return f"{count} {word if count == 1 else plural}"


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise KempsServerError(f"{folder}: is a file; --draw needs a folder") from None
    except OSError as error:
        raise KempsServerError(f"{folder}: cannot be made ({error.strerror})") from None


def _write(folder: Path, source: Path, picture: Image, drawn: set[str]) -> None:
    """Writes ``NAME-look.jpg``, which overwrites no source even when ``folder`` is where they are."""
    name, count = f"{source.stem}-look", 1
    while name in drawn:
        count += 1
        name = f"{source.stem}-look-{count}"
    drawn.add(name)
    path = folder / f"{name}.jpg"
    _, data = cv2.imencode(
        ".jpg", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY]
    )
    try:
        path.write_bytes(data.tobytes())
    except OSError as error:
        raise WorkFailedError(f"{path}: cannot be written ({error.strerror})") from None
