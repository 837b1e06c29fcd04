"""``kemps gestures``: what the faces and hands in a video do, with times."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import cv2
import numpy as np
import typer
from rich.console import Console
from rich.progress import Progress
from rich.text import Text

from kemps_rules.seats import Seat, seats_of
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_vision.draw.people import blur_faces
from kemps_vision.draw.video import VideoWriter
from kemps_vision.frame import Frame, FrameSource, Image
from kemps_vision.people.face_search import FaceSearch
from kemps_vision.people.gestures import Episode, Told
from kemps_vision.people.gestures.following import FaceFollower, Seen
from kemps_vision.people.gestures.sketch import draw_gestures
from kemps_vision.people.landmarks import Box, FacePose, HandPose
from kemps_vision.people.tasks import FaceFinder, FaceReader, HandReader
from kemps_vision.sources import kind_of, open_source

LEAST_SIDE: Final = 0.04  # of the picture's shorter side, that a face to follow is large
VIDEO_PX: Final = 1280  # the longer side of what is drawn
MOST_SEATS: Final = 8
HIDDEN_MS: Final = 5000  # from when a face is seen, within which it is blurred where it was while it is not
_MOST_HANDS: Final = 8


def gestures(
    source: str = typer.Argument(..., metavar="SOURCE", help="A video file, camera number or stream URL."),
    as_json: bool = typer.Option(False, "--json", help="One JSON line an episode."),
    seat: list[str] = typer.Option(
        [], metavar="N=SEAT", help="Whose face N is, such as 0=A; the largest one is 0. May be repeated."
    ),
    draw: Path | None = typer.Option(None, metavar="OUT.mp4", help="Also write the video with all drawn on."),
    blur: bool = typer.Option(False, "--blur", help="Blur the faces in the video that is written."),
) -> int:
    """Say what faces and hands in a video do: winks, raised brows, looks, nods, hands to the face and more.

    Each face's ordinary look is learnt from its first 20 seconds, or all of a shorter video; what it did
    meanwhile is told then. Left and right are the person's own. Spans in which a face cannot be measured
    (turned away, covered, too small, not in view) are told too. Nothing is stored unless --draw is given.
    """
    seats = _seats_of(seat)
    if blur and draw is None:
        raise KempsServerError("--blur is for the pictures that --draw writes; give --draw too")
    if draw is not None:
        _check_drawing(source, draw)
    console = Console(highlight=False, soft_wrap=True)
    album: list[_Page] | None = None if draw is None else []
    everything: list[tuple[int, Told]] = []
    for number, told in told_of(source, album):
        everything.append((number, told))
        if as_json:
            print(json.dumps(as_line(number, told, seats)), flush=True)  # noqa: T201 - the answer
        else:
            console.print(_for_people(number, told, seats))
    if draw is not None and album is not None:
        _draw_video(source, draw, album, everything, seats, is_blurred=blur)
    elif not everything and not as_json:
        console.print("no face did anything that is told")
    return 0


def as_line(face: int, told: Told, seats: Mapping[int, Seat]) -> dict[str, Any]:
    """The contract's JSON object of one episode, or of a span that could not be measured."""
    line: dict[str, Any] = {"kind": "gesture", "face": face}
    if face in seats:
        line["seat"] = seats[face]
    times = {"at_ms": told.at_ms, "until_ms": told.until_ms}
    if isinstance(told, Episode):
        strength = {"strength": told.strength, "confidence": told.confidence}
        return {**line, "gesture": told.gesture, **times, **strength}
    return {**line, "kind": "not_measurable", "gesture": "not_measurable", "what": told.what, **times}


class _Page(NamedTuple):
    at_ms: int
    faces: Mapping[int, FacePose]
    hands: Sequence[HandPose]


def told_of(source: str, album: list[_Page] | None = None) -> Iterator[tuple[int, Told]]:
    """What the faces of a source do, each with its number, in the order in which it becomes known.

    ``album`` takes all that was seen, for who draws it.
    """
    with open_source(source, camera="faces") as frames, _follower() as follower:
        last_ms = -1
        for frame in _with_progress(frames):
            if frame.at_ms <= last_ms:
                continue
            last_ms = frame.at_ms
            seen: Seen = follower.step(frame.at_ms, frame.pixels)
            if album is not None:
                album.append(_Page(frame.at_ms, seen.faces, seen.hands))
            yield from seen.told
        yield from sorted(follower.finish(), key=lambda one: (one[1].at_ms, one[0]))


@contextmanager
def _follower() -> Iterator[FaceFollower]:
    """Follows faces with MediaPipe's landmarkers, which are closed at the end."""
    with ExitStack() as stack:
        search = FaceSearch(stack.enter_context(FaceFinder()), stack.enter_context(FaceReader()))
        hands = stack.enter_context(HandReader(most=_MOST_HANDS, is_video=True))

        def boxes(pixels: Image) -> list[Box]:
            least = LEAST_SIDE * min(pixels.shape[:2])
            return [face.box for face in search.read(pixels) if face.box.width >= least]

        def reader() -> FaceReader:
            return stack.enter_context(FaceReader(is_video=True))

        yield FaceFollower(boxes, reader, lambda pixels, at_ms: hands.read(pixels, None, at_ms))


def _with_progress(frames: FrameSource) -> Iterator[Frame]:
    """The frames, with a bar on a terminal's stderr."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task(frames.info.name, total=frames.info.duration_ms)
        for frame in frames:
            progress.update(bar, completed=frame.at_ms)
            yield frame


def _seats_of(words: Sequence[str]) -> dict[int, Seat]:
    seats: dict[int, Seat] = {}
    for word in words:
        number, _, name = word.partition("=")
        if not number.isdecimal() or name not in seats_of(MOST_SEATS):
            raise KempsServerError(f"--seat {word}: give a face's number and a seat, such as 0=A")
        if int(number) in seats or name in seats.values():
            raise KempsServerError(f"--seat {word}: a face has one seat and a seat one face; give each once")
        seats[int(number)] = name
    return seats


def _check_drawing(source: str, draw: Path) -> None:
    if kind_of(source) not in ("file", "stills"):
        raise KempsServerError(f"{source}: --draw needs a video file, which can be watched twice")
    if draw.suffix.lower() != ".mp4":
        raise KempsServerError(f"{draw}: --draw writes MP4; give a name that ends in .mp4")
    if draw.exists() and Path(source).exists() and draw.samefile(source):
        raise KempsServerError(f"{draw}: is the video itself; give another name")
    if not draw.parent.is_dir():
        raise KempsServerError(f"{draw.parent}: there is no such folder")


def _draw_video(
    source: str,
    path: Path,
    album: Sequence[_Page],
    told: Sequence[tuple[int, Told]],
    seats: Mapping[int, str],
    *,
    is_blurred: bool,
) -> None:
    pages = {page.at_ms: page for page in album}
    hidden = _hidden(album) if is_blurred else {}
    try:
        with open_source(source, camera="faces") as frames, VideoWriter(path, fps=frames.info.fps) as video:
            for frame in frames:
                page = pages.pop(frame.at_ms, None)
                if page is None:
                    continue
                doing = _doing(told, frame.at_ms)
                shown = blur_faces(frame.pixels, hidden.get(frame.at_ms, ()))
                drawn = draw_gestures(
                    shown, page.faces, page.hands, doing, seats=seats, is_blurred=is_blurred
                )
                video.add(_for_video(drawn), frame.at_ms)
    except OSError as error:
        raise WorkFailedError(f"{path}: cannot be written ({error.strerror or error})") from None


def _hidden(album: Sequence[_Page]) -> dict[int, list[Box]]:
    """Where faces were just before, or will be just after, that are lost in a picture; by its time.

    A half covered face has no landmarks, and one that comes is found within a second: both can be recognised.
    """
    hidden: dict[int, list[Box]] = {}
    for pages in (album, album[::-1]):
        last: dict[int, tuple[int, Box]] = {}
        for page in pages:
            last |= {number: (page.at_ms, face.box) for number, face in page.faces.items()}
            lost = [
                box
                for number, (at_ms, box) in last.items()
                if number not in page.faces and abs(page.at_ms - at_ms) <= HIDDEN_MS
            ]
            hidden.setdefault(page.at_ms, []).extend(lost)
    return hidden


def _doing(told: Sequence[tuple[int, Told]], at_ms: int) -> dict[int, list[str]]:
    """What each face does at a time, for its label."""
    doing: dict[int, list[str]] = {}
    for number, one in told:
        if one.at_ms <= at_ms <= one.until_ms:
            name = one.gesture if isinstance(one, Episode) else one.what
            doing.setdefault(number, []).append(name.replace("_", " "))
    return doing


def _for_video(pixels: Image) -> Image:
    """The picture with even sides, and made smaller when it is large."""
    scale = min(1.0, VIDEO_PX / max(pixels.shape[:2]))
    width, height = (max(2, round(side * scale) // 2 * 2) for side in (pixels.shape[1], pixels.shape[0]))
    return np.asarray(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _for_people(face: int, told: Told, seats: Mapping[int, Seat]) -> Text:
    text = Text(f"{_clock(told.at_ms)} – {_clock(told.until_ms)}  ")
    text.append(f"face {face}" if face not in seats else f"seat {seats[face]}", style="bold")
    if isinstance(told, Episode):
        text.append(
            f"  {told.gesture.replace('_', ' ')}", style="cyan" if told.gesture == "blink" else "yellow"
        )
        text.append(f"  strength {told.strength:.2f}, confidence {told.confidence:.2f}", style="dim")
    else:
        text.append(f"  not measurable: {told.what.replace('_', ' ')}", style="dim")
    return text


def _clock(at_ms: int) -> str:
    """A time for people.

    >>> _clock(83_250)
    '1:23.2'
    """
    tenths = at_ms // 100
    return f"{tenths // 600}:{tenths // 10 % 60:02}.{tenths % 10}"
