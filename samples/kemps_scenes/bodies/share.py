"""How much of the made-up people MediaPipe finds, and how its blendshapes answer to their expressions.

Faces are looked for as the product does, in a crop round the face scaled up; hands in a crop and in the
whole picture.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from kemps_scenes.bodies.expressions import EXPRESSIONS
from kemps_scenes.bodies.figure import Look, figure_of
from kemps_scenes.bodies.grips import GRIPS, grip
from kemps_scenes.bodies.lens import Lamp, Lens
from kemps_scenes.bodies.painter import Painter, Picture
from kemps_scenes.bodies.posture import HandGoal, Posture, Sitter
from kemps_scenes.bodies.scenery import floor, room, table_thing
from kemps_scenes.bodies.skeleton import Array

if TYPE_CHECKING:
    from kemps_vision.people.landmarks import Box

DISTANCES_M: Final = (1.0, 1.5, 2.0, 2.5, 3.0)
_HEAD_M: Final = 0.30  # the crop round a head is this wide
_HAND_M: Final = 0.30
ANSWERS: Final[dict[str, tuple[str, ...]]] = {
    "wink_left": ("eyeBlinkLeft", "eyeBlinkRight"),
    "wink_right": ("eyeBlinkLeft", "eyeBlinkRight"),
    "blink": ("eyeBlinkLeft", "eyeBlinkRight"),
    "look_down": ("eyeBlinkLeft", "eyeLookDownLeft"),
    "look_left": ("eyeLookOutLeft", "eyeLookInRight"),
    "look_right": ("eyeLookInLeft", "eyeLookOutRight"),
    "look_up": ("eyeLookUpLeft", "eyeLookUpRight"),
    "brow_raise": ("browInnerUp", "browOuterUpLeft", "browOuterUpRight"),
    "brow_raise_left": ("browOuterUpLeft", "browOuterUpRight"),
    "brow_raise_right": ("browOuterUpLeft", "browOuterUpRight"),
    "frown": ("browDownLeft", "browDownRight"),
    "mouth_open": ("jawOpen",),
    "pout": ("mouthPucker",),
    "smile": ("mouthSmileLeft", "mouthSmileRight"),
    "cheek_puff": ("cheekPuff",),
    "tongue": ("jawOpen",),
}
"""The blendshapes that should answer to an expression."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a blendshape is at rest and at full strength of an expression: means over the people."""

    expression: str
    blendshape: str
    rest: float
    full: float
    people: int


def face_shares(people: int, seed: int = 0) -> dict[float, float]:
    """The share of faces found, by the distance from a 1280x720 camera of 60 degrees, in metres."""
    from kemps_vision.people.tasks import FaceReader  # noqa: PLC0415 - only this command needs the product

    found: dict[float, list[bool]] = {distance: [] for distance in DISTANCES_M}
    with Painter(1280, 720) as painter, FaceReader() as reader:
        for number in range(people):
            sitter = _facing(seed + number)
            for distance in DISTANCES_M:
                lens = Lens((0.0, -distance, 0.52), (0.0, 0.0, 0.42), fov_deg=60.0)
                pixels = _portrait(painter, lens, sitter, Posture(), seed + number)
                box = _crop(lens, _face_middle(sitter), _HEAD_M)
                found[distance].append(bool(reader.read(pixels, _box(box))))
    return {distance: float(np.mean(values)) for distance, values in found.items()}


def answers(people: int, seed: int = 0) -> list[Answer]:
    """What the blendshapes say of each expression at full strength, 1 m from the camera."""
    from kemps_vision.people.landmarks import BLENDSHAPE_PLACES  # noqa: PLC0415
    from kemps_vision.people.tasks import FaceReader  # noqa: PLC0415

    rows: dict[tuple[str, str], list[tuple[float, float]]] = {}
    lens = Lens((0.0, -1.0, 0.52), (0.0, 0.0, 0.47), fov_deg=40.0)
    with Painter(1280, 720) as painter, FaceReader() as reader:

        def read(sitter: Sitter, name: str, number: int) -> NDArray[np.float32] | None:
            units = EXPRESSIONS[name].units if name else {}
            faces = reader.read(_portrait(painter, lens, sitter, Posture(units), number))
            return faces[0].blendshapes if faces else None

        for number in range(seed, seed + people):
            sitter = _facing(number)
            rest = read(sitter, "", number)
            for name, shapes in ANSWERS.items():
                full = read(sitter, name, number)
                if rest is None or full is None:
                    continue
                for shape in shapes:
                    place = BLENDSHAPE_PLACES[shape]
                    rows.setdefault((name, shape), []).append((float(rest[place]), float(full[place])))
    return [
        Answer(name, shape, _mean(v[0] for v in values), _mean(v[1] for v in values), len(values))
        for (name, shape), values in rows.items()
    ]


def hand_shares(people: int, seed: int = 0) -> dict[str, tuple[float, float]]:
    """The shares of hands over the table found by grip: in a crop, and in the whole 1280x720 picture."""
    from kemps_vision.people.tasks import HandReader  # noqa: PLC0415

    found: dict[str, list[tuple[bool, bool]]] = {name: [] for name in GRIPS}
    lens = Lens((0.0, -0.75, 1.15), (0.0, -0.05, 0.0), fov_deg=58.0)
    table = table_thing("felt", 1)
    with Painter(1280, 720) as painter, HandReader(most=1) as close, HandReader(most=4) as whole:
        for number in range(seed, seed + people):
            side = number % 2
            at, facing = (((0.0, -0.63), 90.0), ((0.63, 0.0), 180.0))[side]
            sitter = Sitter(figure_of(Look.random(number)), at, facing)
            for name in GRIPS:
                posture = _reaching(sitter, name)
                placed = [sitter.placed(posture)]
                pixels = painter.draw(lens, Lamp(), placed, table, floor(1280, 720, 1))
                middles = sitter.joints(posture, ("finger3-1.L", "finger3-1.R"))
                seen = [hand.landmarks[:, :2].mean(axis=0) for hand in whole.read(pixels)]
                for middle in middles:
                    x, y = lens.project(middle)[:2]
                    near = any(np.hypot(sx - x, sy - y) < 60 for sx, sy in seen)
                    crop = close.read(pixels, _box(_crop(lens, middle, _HAND_M)), least_px=320)
                    found[name].append((bool(crop), near))
    return {name: (_mean(v[0] for v in rows), _mean(v[1] for v in rows)) for name, rows in found.items()}


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def _face_middle(sitter: Sitter) -> Array:
    return np.asarray(sitter.to_world(sitter.figure.skeleton.head("head")) + np.array([0, 0, 0.05]))


def _facing(number: int) -> Sitter:
    return Sitter(figure_of(Look.random(number)), (0.0, 0.0), -90.0)


def _portrait(painter: Painter, lens: Lens, sitter: Sitter, posture: Posture, number: int) -> Picture:
    rng = np.random.default_rng([number, 91])
    lamp = Lamp(way=(float(rng.uniform(-1, 1)), -1.0, 0.9), middle=(0.0, 0.0, 0.3))
    return painter.draw(
        lens, lamp, [sitter.placed(posture)], backdrop=room(lens.width, lens.height, number % 8)
    )


def _reaching(sitter: Sitter, name: str) -> Posture:
    left, up, forward = sitter.axes.T
    middle = np.mean([sitter.figure.skeleton.head(f"upperarm01.{s}") for s in "LR"], axis=0)
    base = sitter.to_world(middle) * [1, 1, 0]
    is_upright = name in ("fan", "pinch", "clasp", "thumb")
    hands = {}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        palm = -sign * left * 0.8 - 0.5 * up if is_upright else -up - 0.2 * sign * left
        wrist = base + forward * 0.42 + left * 0.16 * sign + up * 0.05
        hands[side] = HandGoal(wrist, forward - 0.3 * sign * left, palm, grip(name))
    return Posture(pitch=12.0, hands=hands)


def _crop(lens: Lens, middle: Array, size_m: float) -> tuple[float, float, float, float]:
    x, y, depth = (float(v) for v in lens.project(middle))
    half = size_m / 2 * lens.focal_px / depth
    return (
        max(0.0, x - half),
        max(0.0, y - half),
        min(float(lens.width), x + half),
        min(float(lens.height), y + half),
    )


def _box(corners: tuple[float, float, float, float]) -> Box:
    from kemps_vision.people.landmarks import Box  # noqa: PLC0415

    return Box(*corners)
