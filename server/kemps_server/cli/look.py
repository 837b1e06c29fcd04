"""``kemps look``: faces, hands, bodies and contacts in stills and video files."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any, Final

import cv2
import typer
from rich.console import Console
from rich.text import Text

from kemps_server.cli.look_lines import LEAST_TOLD, claims_of, spans_line, still_line
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_vision.cards.stills import load_still
from kemps_vision.draw.people import blur_faces, draw_people
from kemps_vision.errors import ImageError, SourceError
from kemps_vision.frame import Frame, Image
from kemps_vision.people.contact.clips import ClipReader
from kemps_vision.people.contact.spans import ContactSpan
from kemps_vision.people.contact.stills import StillReader, StillReading
from kemps_vision.people.landmarks import Box
from kemps_vision.sources import open_source

VIDEO_SUFFIXES: Final = frozenset(
    {".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".gif", ".mpg", ".mpeg", ".ts", ".mts", ".ogv", ".3gp"}
)
LEAST_SIDE_PX: Final = 32  # a face takes more than that, and the search for small ones needs parts of it
MOST_RATIO: Final = (
    20  # of the longer side to the shorter: the search lays squares of the shorter side along it
)
HIDDEN_MS: Final = 2000  # since a face was seen in a video, within which it is blurred where it was
_JPEG_QUALITY: Final = 90
_INPUT_WRONG: Final = 2


def look(
    sources: list[Path] = typer.Argument(
        ..., metavar="FILE…", help="Pictures (JPEG, PNG, WebP, TIFF, BMP) and video files."
    ),
    as_json: bool = typer.Option(False, "--json", help="One JSON line a picture."),
    everything: bool = typer.Option(False, "--all", help="Also all landmarks in the JSON."),
    frames: bool | None = typer.Option(
        None, "--frames/--no-frames", help="Of videos, tell each picture that was looked at. [--json: yes]"
    ),
    draw: Path | None = typer.Option(None, metavar="DIR", help="Also write the pictures with people marked."),
    blur: bool = typer.Option(False, "--blur", help="Blur the faces in pictures that are written."),
) -> int:
    """Say where faces, hands and bodies are in pictures, and which hands touch a face or each other.

    Of a video also the spans of contact are told, at its end. What cannot be read is told on stderr, one line
    each; the others are still looked at, and the exit code is 2. Nothing is stored unless --draw is given.
    """
    if blur and draw is None:
        raise KempsServerError("--blur is for the pictures that --draw writes; give --draw too")
    if draw is not None:
        _make_folder(draw)
    teller = _Teller(as_json, everything, as_json if frames is None else frames, draw, blur)
    done = 0
    with StillReader() as reader:
        for path in sources:
            try:
                if path.suffix.lower() in VIDEO_SUFFIXES:
                    _look_at_video(path, reader, teller)
                else:
                    _look_at_still(path, reader, teller)
                done += 1
            except (ImageError, SourceError) as error:
                print(f"kemps look: {error}", file=sys.stderr)  # noqa: T201 - the one line a person gets
    return 0 if done == len(sources) else _INPUT_WRONG


def _look_at_still(path: Path, reader: StillReader, teller: _Teller) -> None:
    pixels = load_still(path)
    _check_size(path, pixels.shape[1], pixels.shape[0])
    start = time.perf_counter()
    seen = reader.read(pixels)
    teller.tell(path, pixels, seen, _ms_since(start))


def _look_at_video(path: Path, reader: StillReader, teller: _Teller) -> None:
    clip = ClipReader(reader)
    with open_source(str(path)) as source:
        _check_size(path, source.info.width, source.info.height)
        for frame in source:
            start = time.perf_counter()
            seen = clip.step(frame.at_ms, frame.pixels)
            if seen is not None:
                teller.tell_frame(path, frame, seen.seen, _ms_since(start))
    teller.tell_spans(path, clip.finish())


def _check_size(path: Path, width: int, height: int) -> None:
    if min(width, height) < LEAST_SIDE_PX or max(width, height) > MOST_RATIO * min(width, height):
        raise ImageError(
            f"{path}: {width}x{height} px is too small or too narrow to see people in; at least "
            f"{LEAST_SIDE_PX} px each way and at most {MOST_RATIO} times as long as wide are looked at"
        )


class _Teller:
    """Prints and draws what was seen."""

    def __init__(
        self, as_json: bool, everything: bool, has_frames: bool, folder: Path | None, is_blurred: bool
    ) -> None:
        self._as_json = as_json
        self._everything = everything
        self._has_frames = has_frames
        self._folder = folder
        self._is_blurred = is_blurred
        self._drawn: set[str] = set()
        self._faces: list[tuple[int, Box]] = []  # of the video's last pictures, each with its time
        self._console = Console(highlight=False, soft_wrap=True)

    def tell(self, path: Path, pixels: Image, seen: StillReading, ms: float) -> None:
        """A still."""
        self._faces = []
        if self._as_json:
            _print_line(still_line(path, pixels, seen, ms, everything=self._everything))
        else:
            self._console.print(_for_people(path, "", seen, ms))
        self._draw(f"{path.stem}-look", pixels, seen)

    def tell_frame(self, path: Path, frame: Frame, seen: StillReading, ms: float) -> None:
        """A picture of a video."""
        if self._has_frames and self._as_json:
            line = still_line(path, frame.pixels, seen, ms, everything=self._everything, at_ms=frame.at_ms)
            _print_line(line)
        elif self._has_frames:
            self._console.print(_for_people(path, f" {frame.at_ms / 1000:.2f} s", seen, ms))
        self._faces = [one for one in self._faces if 0 <= frame.at_ms - one[0] <= HIDDEN_MS]
        self._faces += [(frame.at_ms, face.box) for face in seen.faces]
        self._draw(f"{path.stem}-{frame.at_ms:07d}-look", frame.pixels, seen)

    def tell_spans(self, path: Path, spans: list[ContactSpan]) -> None:
        """The contacts of a video, which ends it."""
        self._faces = []
        if self._as_json:
            _print_line(spans_line(path, spans))
            return
        text = Text()
        text.append(os.fsencode(path).decode(errors="replace"), style="bold")
        text.append("  no contacts" if not spans else "")
        for span in spans:
            times = f"{span.at_ms / 1000:.2f}-{span.until_ms / 1000:.2f} s"
            text.append(f"\n  {times}  {span.kind} {span.score:.2f}", style="red")
            text.append(f"  {span.reason}")
        self._console.print(text)

    def _draw(self, name: str, pixels: Image, seen: StillReading) -> None:
        """Writes ``name``.jpg, which overwrites no source even when the folder is where they are."""
        if self._folder is None:
            return
        free, count = name, 1
        while free in self._drawn:
            count += 1
            free = f"{name}-{count}"
        self._drawn.add(free)
        if self._is_blurred:  # also whoever is not found in just this picture
            pixels = blur_faces(pixels, [box for _, box in self._faces])
        picture = draw_people(pixels, seen, is_blurred=self._is_blurred, least_score=LEAST_TOLD)
        _write(self._folder / f"{free}.jpg", picture)


def _print_line(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)  # noqa: T201 - the answer


def _ms_since(start: float) -> float:
    return (time.perf_counter() - start) * 1000


def _for_people(path: Path, when: str, seen: StillReading, ms: float) -> Text:
    text = Text()
    text.append(os.fsencode(path).decode(errors="replace") + when, style="bold")
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


def _write(path: Path, picture: Image) -> None:
    pixels = cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)
    _, data = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    try:
        path.write_bytes(data.tobytes())
    except OSError as error:
        raise WorkFailedError(f"{path}: cannot be written ({error.strerror})") from None
