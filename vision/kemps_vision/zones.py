"""Where things are at the table: ``table.toml``, checked on load and scaled to the pictures.

Everything in it is optional; what is absent is found in the pictures or stays unknown.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.seats import SEATS, TABLE_SIZES, Seat, seats_of
from kemps_vision.cards import alphabets
from kemps_vision.errors import ConfigError
from kemps_vision.hearing.table_sound import KEY as SOUND
from kemps_vision.hearing.table_sound import TableSound, table_sounds
from kemps_vision.settings import Section

Point: TypeAlias = tuple[float, float]
Polygon: TypeAlias = tuple[Point, ...]

CAMERA_ROLES: Final = ("table", "faces")
_ALPHABET_CHOICES: Final = (alphabets.ANY, *alphabets.NAMES)
MOST_OFFSET_MS: Final = 3_600_000
_SHAPE_TOLERANCE: Final = 0.02  # of the ratio width : height, beyond which pixels cannot be scaled


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraZones:
    """One camera: what it looks at, and where the centre lies in its pictures."""

    name: str = "table"
    role: str = "table"
    size: tuple[int, int] | None = None  # width, height of the pictures that the pixels belong to
    source: str | None = None
    offset_ms: int = 0
    centre: Polygon | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatZones:
    """One seat: its player's name and where they sit, seen by the table camera."""

    id: Seat
    name: str
    at: Point | None = None
    face_camera: str | None = None
    face_box: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableConfig:
    """A whole ``table.toml``; the default is a table of which nothing is known."""

    rules: str = "leaflet"
    deck: str = "any"
    alphabet: str = alphabets.ANY
    cameras: tuple[CameraZones, ...] = ()
    seats: tuple[SeatZones, ...] = ()
    sounds: tuple[TableSound, ...] = ()

    @property
    def table_camera(self) -> CameraZones:
        """The first camera that looks at the table."""
        return next((camera for camera in self.cameras if camera.role == "table"), CameraZones())

    @property
    def seat_names(self) -> dict[Seat, str]:
        """Each seat's player; four players without names when no seat is given."""
        if not self.seats:
            return {seat: f"Player {seat}" for seat in seats_of(4)}
        return {seat.id: seat.name for seat in self.seats}

    def face_boxes(
        self, camera: CameraZones, width: int, height: int
    ) -> dict[Seat, tuple[float, float, float, float]]:
        """Where the faces mostly are in pictures of this size of a camera: left, top, right, bottom by seat.

        Raises:
            ConfigError: The pictures have another shape than those the pixels were taken from, or a box lies
                outside them.
        """
        sx, sy = _scale(camera, width, height)
        given = {
            seat.id: seat.face_box
            for seat in self.seats
            if seat.face_camera == camera.name and seat.face_box is not None
        }
        boxes = {seat: (x * sx, y * sy, (x + w) * sx, (y + h) * sy) for seat, (x, y, w, h) in given.items()}
        for seat, (left, top, right, bottom) in boxes.items():
            if not (left < width and top < height and right > 0 and bottom > 0):
                raise ConfigError(
                    f"seat {seat}: its face box lies outside the pictures of camera {camera.name!r} "
                    f"({width}x{height}); mark it again"
                )
        return boxes

    def zones(self, width: int, height: int) -> TableZones:
        """The table camera's zones in pictures of this size.

        Raises:
            ConfigError: The pictures have another shape than those the pixels were taken from.
        """
        camera = self.table_camera
        sx, sy = _scale(camera, width, height)
        centre = tuple((x * sx, y * sy) for x, y in camera.centre) if camera.centre else None
        seats = {seat.id: (seat.at[0] * sx, seat.at[1] * sy) for seat in self.seats if seat.at}
        return TableZones(centre=centre, seats=seats)


@dataclass(frozen=True, slots=True)
class TableZones:
    """The centre's outline and the seats' places, in px of the pictures watched."""

    centre: Polygon | None = None
    seats: dict[Seat, Point] = field(default_factory=dict)

    def is_in_centre(self, point: Sequence[float] | NDArray[np.float64], beside_px: float = 0.0) -> bool:
        """Whether a point lies in the centre, or no farther beside it; false while its place is not known."""
        if self.centre is None:
            return False
        outline = np.asarray(self.centre, np.float32)
        inside = cv2.pointPolygonTest(outline, (float(point[0]), float(point[1])), measureDist=True)
        return inside >= -beside_px

    @property
    def middle(self) -> Point | None:
        """The middle of the centre."""
        if self.centre is None:
            return None
        x, y = np.mean(self.centre, axis=0)
        return float(x), float(y)

    def seat_towards(self, point: Sequence[float] | NDArray[np.float64]) -> Seat | None:
        """The seat in whose direction from the centre a point lies, or None when it is not clear.

        It must be at least 15 degrees nearer in angle than any other.
        """
        if self.middle is None or not self.seats:
            return None
        angles = sorted((_angle(self.middle, at, point), seat) for seat, at in self.seats.items())
        if len(angles) > 1 and angles[1][0] - angles[0][0] < math.radians(15):
            return None
        return angles[0][1] if angles[0][0] < math.radians(75) else None

    def with_centre(self, centre: Polygon) -> TableZones:
        """These zones with a centre that was found."""
        return replace(self, centre=centre)


def load_config(path: Path) -> TableConfig:
    """The ``table.toml`` at this path.

    Raises:
        ConfigError: It cannot be read, or a part of it makes no sense; the text names the part.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is no UTF-8 text") from error
    return parse_config(text, where=str(path))


def parse_config(text: str, *, where: str = "table.toml") -> TableConfig:
    """The configuration in a TOML text; ``where`` names it in errors.

    Raises:
        ConfigError: A part of it is unknown or makes no sense.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: is no TOML: {error}") from error
    top = Section(data, where, f"rules deck alphabet camera seat {SOUND}")
    cameras = tuple(_camera(section) for section in top.sections("camera", _CAMERA_KEYS))
    seats = tuple(_seat(section) for section in top.sections("seat", "id name at face"))
    _check_cameras(cameras, where)
    _check_seats(seats, cameras, where)
    return TableConfig(
        rules=top.text("rules", "leaflet"),
        deck=top.text("deck", "any"),
        alphabet=top.choice("alphabet", _ALPHABET_CHOICES),
        cameras=cameras,
        seats=seats,
        sounds=table_sounds(data, [seat.id for seat in seats], where),
    )


_CAMERA_KEYS: Final = "name role size source offset_ms centre"


def _camera(section: Section) -> CameraZones:
    size = section.numbers("size", 2)
    if size and not all(value == int(value) and value > 0 for value in size):
        raise section.error("size", "is the pictures' width and height, as in [1280, 720]")
    return CameraZones(
        name=section.text("name", "table"),
        role=section.choice("role", CAMERA_ROLES),
        size=(int(size[0]), int(size[1])) if size else None,
        source=section.text("source", "") or None,
        offset_ms=_offset_ms(section),
        centre=_polygon(section),
    )


def _offset_ms(section: Section) -> int:
    offset_ms = section.integer("offset_ms", 0)
    if abs(offset_ms) > MOST_OFFSET_MS:
        raise section.error(
            "offset_ms", f"is by how many ms the camera is behind, at most {MOST_OFFSET_MS} (an hour)"
        )
    return offset_ms


def _polygon(section: Section) -> Polygon | None:
    points = section.points("centre")
    if points is None:
        return None
    outline = np.asarray(points, np.float32)
    if len(points) < 3 or cv2.contourArea(outline) < 100:
        raise section.error("centre", "is no area; give the corners in order, as [[x, y], …], at least three")
    if _crosses_itself(points):
        raise section.error("centre", "crosses itself; give the corners in the order round the centre")
    return points


def _seat(section: Section) -> SeatZones:
    seat = section.text("id", "")
    if len(seat) != 1 or seat not in SEATS:
        raise section.error("id", f"is one letter from A to {SEATS[-1]}, not {seat!r}")
    at = section.numbers("at", 2)
    face = section.section("face", "camera box")
    box = face.numbers("box", 4) if face else None
    if face is not None and box is not None and not (box[2] > 0 and box[3] > 0):
        raise face.error("box", "is x, y, width and height of where the face mostly is")
    return SeatZones(
        id=seat,
        name=section.text("name", f"Player {seat}"),
        at=(at[0], at[1]) if at else None,
        face_camera=face.text("camera", "") or None if face else None,
        face_box=(box[0], box[1], box[2], box[3]) if box else None,
    )


def _check_cameras(cameras: Sequence[CameraZones], where: str) -> None:
    names = [camera.name for camera in cameras]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{where}: camera {name!r} is given twice; each needs a name of its own")


def _check_seats(seats: Sequence[SeatZones], cameras: Sequence[CameraZones], where: str) -> None:
    ids = [seat.id for seat in seats]
    for seat in ids:
        if ids.count(seat) > 1:
            raise ConfigError(f"{where}: seat {seat} is given twice")
    if ids and (len(ids) not in TABLE_SIZES or sorted(ids) != list(SEATS[: len(ids)])):
        raise ConfigError(
            f"{where}: seats {' '.join(sorted(ids))}; give 4, 6 or 8, lettered from A in seating order"
        )
    known = {camera.name for camera in cameras}
    for given in seats:
        if given.face_camera is not None and given.face_camera not in known:
            raise ConfigError(f"{where}: seat {given.id}: there is no camera {given.face_camera!r}")


def _scale(camera: CameraZones, width: int, height: int) -> tuple[float, float]:
    if camera.size is None:
        return 1.0, 1.0
    sx, sy = width / camera.size[0], height / camera.size[1]
    if abs(sx / sy - 1) > _SHAPE_TOLERANCE:
        raise ConfigError(
            f"camera {camera.name!r}: the zones are for pictures of {camera.size[0]}x{camera.size[1]}, "
            f"but these are {width}x{height}: another shape; mark the zones again"
        )
    return sx, sy


def _crosses_itself(points: Polygon) -> bool:
    count = len(points)
    sides = [(points[i], points[(i + 1) % count]) for i in range(count)]
    pairs = ((i, j) for i in range(count) for j in range(i + 2, count) if (i, j) != (0, count - 1))
    return any(_cross(*sides[i], *sides[j]) for i, j in pairs)


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    def side(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def _angle(middle: Point, at: Point, point: Sequence[float] | NDArray[np.float64]) -> float:
    first = math.atan2(at[1] - middle[1], at[0] - middle[0])
    second = math.atan2(float(point[1]) - middle[1], float(point[0]) - middle[0])
    return abs((first - second + math.pi) % (2 * math.pi) - math.pi)
