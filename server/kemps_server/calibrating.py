"""From sources to a ``table.toml``: looks at the table and at faces, and the draft of the file.

What is found is ``kemps_vision.calibration``'s work; here sources are opened, looked at for some seconds, and
what came of it is put into words.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np

from kemps_rules.seats import TABLE_SIZES, Seat, seats_of
from kemps_server.doctoring.looks import Look, Sighting
from kemps_server.errors import KempsServerError
from kemps_vision.calibration.alignment import Alignment
from kemps_vision.calibration.anchors import find_anchors, small_view
from kemps_vision.calibration.drift import standing
from kemps_vision.calibration.face_places import FacePlace, faces_of_seats, usual_faces
from kemps_vision.calibration.finding import FindsHands, FoundTable, TableLook, find_table, look_for_hands
from kemps_vision.calibration.record import CalibrationRecord, CameraRecord
from kemps_vision.calibration.writing import DraftTable, found_values, kept_values, merge
from kemps_vision.frame import Frame, FrameSource, Image
from kemps_vision.people.face_search import FoundFace
from kemps_vision.people.landmarks import Box
from kemps_vision.zones import Point, Polygon, parse_config

FACE_LOOKS: Final = 5
MOVED_PX: Final = 4.0  # what a person wrote follows a camera that was moved farther
_FACE_EVERY_MS: Final = 800


class FindsFaces(Protocol):
    """A search for faces, such as ``people.face_search.FaceSearch``."""

    def read(self, pixels: Image) -> list[FoundFace]:
        """The faces in the picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a person said about the table.

    Attributes:
        seats: How many; None for as many as there are names, or as the older file has, or four.
        names: The players' names in the order of seats.
        clicks: The corners of the centre in px.
        first: Where seat A is in px.
    """

    seats: int | None = None
    names: tuple[str, ...] = ()
    clicks: Polygon | None = None
    first: Point | None = None

    def count(self, old: Mapping[str, Any]) -> int:
        """How many seats there are.

        Raises:
            KempsServerError: What was said does not fit together.
        """
        count = self.seats or len(self.names) or len(old.get("seat", [])) or 4
        if count not in TABLE_SIZES or (self.names and len(self.names) != count):
            said = f"--names gives {len(self.names)}" if self.names else f"there are {count} seats"
            raise KempsServerError(f"{said}; a table has 4, 6 or 8, and a name for each")
        return count


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeenFaces:
    """A camera that looks at players, looked through.

    Attributes:
        name: The camera's.
        size: Width and height of its pictures.
        boxes: Of the faces that are mostly there, from left to right.
        source: Its number or URL, to stand in the file; None for a recording.
        offset_ms: What to take off its times; 0 for a clock that agrees or is not known.
    """

    name: str
    size: tuple[int, int]
    boxes: tuple[Box, ...]
    source: str | None = None
    offset_ms: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class FaceCamera:
    """A camera that looks at players, and whose faces it sees."""

    seen: SeenFaces
    faces: tuple[FacePlace, ...]

    @property
    def name(self) -> str:
        """The camera's."""
        return self.seen.name


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """All that was found, as it goes into the file.

    Attributes:
        table: The table camera's part.
        faces: Cameras that look at players.
        draft: The tables of the file.
        record: What to keep beside it.
        kept: Names of values that a person wrote and that stay.
        moved_px: By how many px the camera has moved since the older record; None where that is not known.
            Places that a person wrote have moved with it.
    """

    table: FoundTable
    faces: tuple[FaceCamera, ...]
    draft: tuple[DraftTable, ...]
    record: CalibrationRecord
    kept: tuple[str, ...] = ()
    moved_px: float | None = None


def read_old(path: Path) -> dict[str, Any]:
    """The older file as TOML is read; empty when there is none.

    Raises:
        ConfigError: It makes no sense.
    """
    if not path.exists():
        return {}
    text = path.read_text(encoding="utf-8-sig")
    parse_config(text, where=str(path))
    return tomllib.loads(text)


def table_looks(sighting: Sighting, hands: FindsHands | None) -> list[TableLook]:
    """The pictures of a sighting with the hands in them."""
    return [
        TableLook(look.pixels, look.reading, () if hands is None else look_for_hands(look.pixels, hands))
        for look in _pictured(sighting)
    ]


def calibrated(
    looks: Sequence[TableLook],
    wishes: Wishes,
    *,
    source: str | None,
    faces: Sequence[SeenFaces] = (),
    old: Mapping[str, Any] | None = None,
    record: CalibrationRecord | None = None,
) -> Calibration:
    """Where everything is at a table, and the file that says so.

    Args:
        looks: At the table.
        wishes: What a person said.
        source: The table camera's number or URL, to stand in the file; None for a recording.
        faces: The cameras that look at players.
        old: The file that is there, whose person's values stay.
        record: That of the older calibration.

    Raises:
        CalibrationError: Nothing tells where the centre is.
        KempsServerError: The wishes do not fit together.
    """
    before = dict(old or {})
    count = wishes.count(before)
    if "seat" in before:  # those of a larger table are gone
        before["seat"] = [seat for seat in before["seat"] if seat.get("id") in seats_of(count)]
    found = find_table(looks, count, clicks=wishes.clicks, first=wishes.first)
    size = (looks[0].pixels.shape[1], looks[0].pixels.shape[0])
    names = _names(wishes, count, before)
    seats = {place.seat: (names[place.seat], place.at) for place in found.seats}
    cameras = [FaceCamera(one, tuple(faces_of_seats(one.boxes, one.name, seats))) for one in faces]
    draft = _draft(found, cameras, names, size, source)
    if wishes.clicks is not None:
        draft[1].comments["centre"] = "the corners that were given"
    views = [small_view(look.pixels) for look in looks]
    name = str(draft[1].values["name"])
    told = CalibrationRecord(found_values(draft), {name: CameraRecord(size, find_anchors(views))})
    moved = None
    if record is not None and name in record.cameras and record.cameras[name].size == size:
        moved = standing(record.cameras[name].anchors, [look.pixels for look in looks])
    kept = kept_values(before, record.found if record else {}) if before else {}
    if moved is not None and moved.shift_px >= MOVED_PX:
        kept = {path: _followed(path, value, moved, name) for path, value in kept.items()}
    return Calibration(
        table=found,
        faces=tuple(cameras),
        draft=tuple(merge(draft, before, kept) if before else draft),
        record=told,
        kept=tuple(sorted(kept)),
        moved_px=None if moved is None else moved.shift_px,
    )


def look_for_faces(source: FrameSource, search: FindsFaces) -> list[Box]:
    """The boxes of faces that are mostly there, from left to right, after a few looks."""
    looks: list[list[Box]] = []
    next_ms = 0
    frame: Frame
    for frame in source:
        if frame.at_ms >= next_ms:
            looks.append([found.box for found in search.read(frame.pixels)])
            next_ms = frame.at_ms + _FACE_EVERY_MS
        if len(looks) >= FACE_LOOKS:
            break
    return usual_faces(looks)


def _pictured(sighting: Sighting) -> list[Look]:
    with_cards = [look for look in sighting.looks if look.reading.cards]
    return with_cards or list(sighting.looks)


def _names(wishes: Wishes, count: int, old: Mapping[str, Any]) -> dict[Seat, str]:
    before = {str(seat.get("id")): seat.get("name") for seat in old.get("seat", [])}
    given = dict(zip(seats_of(count), wishes.names, strict=False))
    return {seat: given.get(seat) or before.get(seat) or f"Player {seat}" for seat in seats_of(count)}


def _followed(path: str, value: Any, moved: Alignment, camera: str) -> Any:  # noqa: ANN401 - values of TOML
    """A value that a person wrote, moved with the table camera where it is a place in its pictures."""
    if path == f"camera.{camera}.centre":
        return _points([(float(x), float(y)) for x, y in moved.moved(np.asarray(value, np.float64))])
    if path.startswith("seat.") and path.endswith(".at"):
        x, y = moved.moved(np.asarray([value], np.float64))[0]
        return _points([(float(x), float(y))])[0]
    return value


def _draft(
    found: FoundTable,
    cameras: Sequence[FaceCamera],
    names: Mapping[Seat, str],
    size: tuple[int, int],
    source: str | None,
) -> list[DraftTable]:
    tables = [DraftTable("", "", {"rules": "leaflet", "deck": "any"})]
    table = DraftTable("camera", "table", {"name": "table", "role": "table", "size": list(size)})
    if source is not None:
        table.values["source"] = source
    table.values["centre"] = _points(found.centre)
    table.comments["centre"] = _how_sure(found)
    tables.append(table)
    for camera in cameras:
        values: dict[str, object] = {"name": camera.name, "role": "faces", "size": list(camera.seen.size)}
        values |= {"source": camera.seen.source} if camera.seen.source is not None else {}
        values |= {"offset_ms": camera.seen.offset_ms} if camera.seen.offset_ms else {}
        tables.append(DraftTable("camera", camera.name, values))
    for place in found.seats:
        seat = DraftTable("seat", place.seat, {"id": place.seat, "name": names[place.seat]})
        seat.values["at"] = _points([place.at])[0]
        seat.comments["at"] = (
            "hands or cards of the player were seen here"
            if place.is_seen
            else "nothing was seen of the player: put evenly between the others"
        )
        for camera, face in ((one, face) for one in cameras for face in one.faces if face.seat == place.seat):
            left, top, right, bottom = (round(side) for side in face.box)
            seat.values["face"] = {"camera": camera.name, "box": [left, top, right - left, bottom - top]}
            if not face.is_sure:
                seat.comments["face"] = "whose face it is, is a guess by the order from left to right: check"
        tables.append(seat)
    return tables


def _how_sure(found: FoundTable) -> str:
    plane = found.plane
    off = 100 * plane.off_share
    return (
        f"round the {len(found.cards)} cards that lay there, {found.card_px:.0f} px long; camera tilted by "
        f"{plane.tilt_deg:.0f} degrees\ntheir corners fit the table within {off:.1f} % of a card's length"
    )


def _points(points: Sequence[Point]) -> list[list[int]]:
    return [[round(x), round(y)] for x, y in points]
