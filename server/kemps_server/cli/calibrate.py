"""``kemps calibrate``: the table found in its pictures and written down as ``table.toml``."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import cv2
import typer
from rich.console import Console

from kemps_models.landmarkers import are_fetched
from kemps_server.calibrating import (
    Calibration,
    SeenFaces,
    Wishes,
    calibrated,
    look_for_faces,
    read_old,
    table_looks,
)
from kemps_server.cli.calibrate_told import Told
from kemps_server.doctoring.looks import see
from kemps_server.doctoring.skew import Clock, measure_skew, told_skew
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_server.sound.clapping import measured_offset
from kemps_vision.calibration.picture import draw_zones
from kemps_vision.calibration.record import load_record, record_path, save_record
from kemps_vision.calibration.writing import DraftTable, toml_text
from kemps_vision.cards.reader import default_reader
from kemps_vision.frame import Image
from kemps_vision.hearing.table_sound import KEY as SOUND
from kemps_vision.people.face_search import FaceSearch
from kemps_vision.people.table_watch import FindsHands
from kemps_vision.people.tasks import FaceFinder, FaceReader, HandReader
from kemps_vision.sources import kind_of, open_source
from kemps_vision.zones import CameraZones, Point, parse_config

_POINT: Final = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*")
_FACES: Final = re.compile(r"([A-Za-z][\w -]*)=(.+)")
PICTURE_SUFFIXES: Final = frozenset({"", ".png", ".jpg", ".jpeg"})  # without one it is a PNG
_LEAST_HAND: Final = 0.3  # a hand at rest at the picture's border is half out of it


def calibrate(  # noqa: PLR0913, PLR0917 - one for each option of the command
    sources: list[str] = typer.Argument(
        ...,
        metavar="SOURCE…",
        help="The table camera's number, a video file, stills or a stream; then cameras on players.",
    ),
    out: Path = typer.Option(..., metavar="FILE", help="The table.toml to write."),
    seats: int | None = typer.Option(None, metavar="4|6|8", help="How many players there are; 4 by default."),
    names: str = typer.Option("", metavar="A,B,…", help="The players' names, in the order of seats."),
    faces: list[str] = typer.Option(
        [], metavar="NAME=SOURCE", help="A camera that looks at players; may be repeated."
    ),
    clicks: tuple[str, str, str, str] | None = typer.Option(
        None, metavar="X,Y X,Y X,Y X,Y", help="The corners of the centre, where it is not found by itself."
    ),
    first: str = typer.Option("", metavar="X,Y", help="Where seat A sits; by default at the lower edge."),
    seconds: float = typer.Option(12.0, min=0.5, max=600.0, metavar="N", help="How long to look."),
    picture: Path | None = typer.Option(None, metavar="PNG", help="Draw what was found into this picture."),
    clap: str = typer.Option(
        "",
        metavar="SOUND",
        help="Clap before the table camera while this runs: how far this sound (mic, mic:NAME or a file) is "
        "from the pictures is measured and written down.",
    ),
    force: bool = typer.Option(False, help="Replace FILE; the old one is kept as FILE.bak."),
    update: bool = typer.Option(
        False, help="Find anew what was found, and keep what a person wrote in FILE."
    ),
    as_json: bool = typer.Option(False, "--json", help="One JSON object with all that was found."),
) -> int:
    """Find centre and seats in the picture, and write them down for kemps observe --config.

    Lay four cards face up side by side in the middle, and let the players sit down with their packets. Seats
    are lettered clockwise as seen from above; A sits at the lower edge of the picture, of two the right one.
    """
    old = _older(out, force=force, update=update)
    _check_picture(picture, out)
    wishes = Wishes(
        seats=seats,
        names=tuple(name.strip() for name in names.split(",")) if names else (),
        clicks=None if clicks is None else tuple(_point("--clicks", text) for text in clicks),
        first=_point("--first", first) if first else None,
    )
    wishes.count(old)  # what does not fit together is told before anybody waits
    record = load_record(record_path(out)) if update else None
    console = Console(stderr=True)
    others = [*_extra(sources[1:]), *(_named(text) for text in faces)]
    with console.status("looking at the table"), ExitStack() as opened:
        readers = _Readers(opened)
        with open_source(sources[0], camera="table") as source:
            sighting = see(source, readers.cards, most_ms=round(seconds * 1000))
        looks = table_looks(sighting, readers.hands)
        if not looks:
            raise KempsServerError(f"{sources[0]}: gives no picture")
        clocks = _clocks(sources[0], others)
        seen = [_faces_of(name, where, readers.faces, clocks.get(name)) for name, where in others]
        found = calibrated(looks, wishes, source=_lasting(sources[0]), faces=seen, old=old, record=record)
        if clap:
            console.print("clap two or three times now, hands in view of the table camera")
            found = _with_clap(found, sources[0], clap, readers.hands)
    config = parse_config(toml_text(found.draft), where=str(out))
    skews = [
        told_skew(CameraZones(name=name, role="faces"), *clock, is_written=True)
        for name, clock in clocks.items()
    ]
    told = Told(found, config, sighting, out, skews)
    _write(out, found, is_there=bool(old) or out.exists())
    if picture is not None:
        _draw(picture, told, looks[0].pixels)
    told.show(picture, as_json=as_json)
    return 0


@dataclass(slots=True)
class _Readers:
    """The networks, each made when it is first wanted, and closed with ``opened``."""

    opened: ExitStack

    @property
    def cards(self) -> Any:  # noqa: ANN401 - a reader of cards
        return default_reader(threads=min(2, os.cpu_count() or 1))

    @property
    def hands(self) -> HandReader | None:
        if not are_fetched():
            _warn("hands are not looked for, as the models for people are not there: run kemps models once")
            return None
        return self.opened.enter_context(HandReader(most=8, least_score=_LEAST_HAND))

    @property
    def faces(self) -> FaceSearch:
        finder = self.opened.enter_context(FaceFinder())
        return FaceSearch(finder, self.opened.enter_context(FaceReader()))


def _older(out: Path, *, force: bool, update: bool) -> dict[str, Any]:
    """The file that is there, to be kept up; empty when there is none or it is to be replaced."""
    if force and update:
        raise KempsServerError("--force replaces the file, --update keeps what was written in it: give one")
    if out.is_dir():
        raise KempsServerError(f"{out}: is a folder; --out names the file to write")
    if out.exists() and not (force or update):
        raise KempsServerError(
            f"{out}: is there already; --update finds anew and keeps what a person wrote, --force replaces it"
        )
    return read_old(out) if update else {}


def _check_picture(picture: Path | None, out: Path) -> None:
    """Nothing, when a picture can be drawn there; told before anybody waits and anything is written."""
    if picture is None:
        return
    if picture.suffix.lower() not in PICTURE_SUFFIXES:
        raise KempsServerError(f"{picture}: --picture names a picture; its ending should be .png or .jpg")
    if picture.is_dir():
        raise KempsServerError(f"{picture}: is a folder; --picture names the picture to write")
    if not picture.parent.is_dir() and picture.parent.resolve() != out.parent.resolve():
        raise KempsServerError(f"{picture.parent}: there is no such folder")


def _point(option: str, text: str) -> Point:
    match = _POINT.fullmatch(text)
    if match is None:
        raise KempsServerError(f"{option} {text!r}: give x,y in px of the picture, as in 500,260")
    return float(match.group(1)), float(match.group(2))


def _extra(sources: Sequence[str]) -> list[tuple[str, str]]:
    """Sources beside the table camera's, as NAME=SOURCE or named faces, faces 2 and so on."""
    told = []
    for n, text in enumerate(sources, 1):
        match = None if Path(text).exists() else _FACES.fullmatch(text)
        name = "faces" if n == 1 else f"faces {n}"
        told.append((match.group(1), match.group(2)) if match is not None else (name, text))
    return told


def _named(text: str) -> tuple[str, str]:
    match = _FACES.fullmatch(text)
    if match is None:
        raise KempsServerError(f"--faces {text!r}: give NAME=SOURCE, as in faces=1")
    return match.group(1), match.group(2)


def _clocks(table: str, others: Sequence[tuple[str, str]]) -> dict[str, Clock]:
    """How far each other camera is behind the table's, of those that move."""
    moving = [
        (CameraZones(name=name, role="faces"), where) for name, where in others if kind_of(where) != "stills"
    ]
    if not moving or kind_of(table) == "stills":
        return {}
    cameras = [(CameraZones(name="table"), table), *moving]
    return measure_skew(cameras, lambda where, name: open_source(where, camera=name))


def _faces_of(name: str, where: str, search: FaceSearch, clock: Clock | None) -> SeenFaces:
    behind_ms, frame_ms = clock or (None, 0.0)
    with open_source(where, camera=name) as source:
        boxes = look_for_faces(source, search)
        if not boxes:
            _warn(f"camera {name}: no face is there for most of the time; players should look at it")
        return SeenFaces(
            name=name,
            size=(source.info.width, source.info.height),
            boxes=tuple(boxes),
            source=_lasting(where),
            offset_ms=behind_ms if behind_ms is not None and abs(behind_ms) > frame_ms else 0,
        )


def _with_clap(found: Calibration, pictures: str, sound: str, hands: FindsHands | None) -> Calibration:
    """The calibration with the offset between the table camera's pictures and a sound.

    Raises:
        CalibrationError: No clap was both heard and seen.
        KempsServerError: Hands cannot be found here.
    """
    if hands is None:
        raise KempsServerError("--clap needs the models for people; run kemps models once")
    with open_source(pictures, camera="table") as source:
        offset = measured_offset(source, sound, hands)
    name = "" if sound == pictures else sound
    values = ({"source": name} if name else {}) | {"offset_ms": offset}
    others = [table for table in found.draft if (table.kind, table.name) != (SOUND, name)]
    known = next((table for table in found.draft if (table.kind, table.name) == (SOUND, name)), None)
    kept = {} if known is None else known.values
    told = DraftTable(SOUND, name, kept | values, {"offset_ms": "measured by a clap"})
    return replace(found, draft=(*others, told))


def _lasting(where: str) -> str | None:
    """A source that is there next time too: a camera's number or URL, no recording."""
    return where if kind_of(where) in {"webcam", "stream"} else None


def _write(out: Path, found: Calibration, *, is_there: bool) -> None:
    """Writes the file and its record; an older file becomes FILE.bak."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        if is_there:
            shutil.copyfile(out, out.with_name(f"{out.name}.bak"))
        fresh = out.with_name(f"{out.name}.part")
        fresh.write_text(toml_text(found.draft), encoding="utf-8")
        fresh.replace(out)
        save_record(record_path(out), found.record)
    except OSError as error:
        raise WorkFailedError(
            f"{error.filename or out}: cannot be written: {error.strerror or error}"
        ) from None


def _draw(path: Path, told: Told, pixels: Image) -> None:
    names = told.config.seat_names
    zones = told.config.zones(pixels.shape[1], pixels.shape[0])
    seats = {seat: (names[seat], at) for seat, at in zones.seats.items()}
    drawn = draw_zones(
        pixels, zones.centre or told.found.table.centre, seats, edge=told.found.table.edge, lines=told.lines()
    )
    _, data = cv2.imencode(path.suffix or ".png", cv2.cvtColor(drawn, cv2.COLOR_RGB2BGR))
    try:
        path.write_bytes(data.tobytes())
    except OSError as error:
        raise WorkFailedError(f"{path}: cannot be written: {error.strerror or error}") from None


def _warn(text: str) -> None:
    print(f"kemps calibrate: {text}", file=sys.stderr)  # noqa: T201 - for people, beside the answer
