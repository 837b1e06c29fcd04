"""What faces do: the face units and head turns of each gesture, and gestures that come and go in time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from kemps_scenes.bodies.errors import ActError


@dataclass(frozen=True, slots=True)
class Expression:
    """A gesture of face and head at full strength.

    Attributes:
        units: Strengths of face units.
        yaw: The head's turn to the person's left, in degrees.
        pitch: Its nod down, in degrees.
        roll: Its tilt to the left, in degrees.
        lean: The body's lean forward, in degrees.
        waves: How often the head goes to and fro; 0 for a pose that is held.
    """

    units: Mapping[str, float]
    yaw: float = 0.0
    pitch: float = 0.0
    roll: float = 0.0
    lean: float = 0.0
    waves: int = 0


def _both(**units: float) -> dict[str, float]:
    return {f"{name}{side}": value for name, value in units.items() for side in ("Left", "Right")}


def _wink(side: str, other: str) -> Expression:
    return Expression(
        {
            f"eyeBlink{side}": 1.0,
            f"eyeSquint{side}": 0.3,
            f"cheekSquint{side}": 0.6,
            f"browDown{side}": 0.25,
            f"mouthSmile{side}": 0.12,
            f"eyeBlink{other}": 0.05,
        }
    )


_CLOSED: Final = _both(eyeBlink=1.0)

EXPRESSIONS: Final[dict[str, Expression]] = {
    "blink": Expression(_CLOSED),
    "eyes_closed": Expression(_CLOSED),
    "wink_left": _wink("Left", "Right"),
    "wink_right": _wink("Right", "Left"),
    "brow_raise": Expression({"browInnerUp": 1.4, **_both(browOuterUp=1.5, eyeWide=0.3)}),
    "brow_raise_left": Expression(
        {"browOuterUpLeft": 1.6, "browInnerUp": 0.3, "browDownRight": 0.3, "eyeWideLeft": 0.2}
    ),
    "brow_raise_right": Expression(
        {"browOuterUpRight": 1.6, "browInnerUp": 0.3, "browDownLeft": 0.3, "eyeWideRight": 0.2}
    ),
    "frown": Expression(_both(browDown=1.5, eyeSquint=0.3, noseSneer=0.15)),
    "look_left": Expression({"eyeLookOutLeft": 1.0, "eyeLookInRight": 1.0}),
    "look_right": Expression({"eyeLookInLeft": 1.0, "eyeLookOutRight": 1.0}),
    "look_up": Expression(_both(eyeLookUp=1.0)),
    "look_down": Expression(_both(eyeLookDown=1.0)),
    "mouth_open": Expression({"jawOpen": 0.75}),
    "pout": Expression({"mouthPucker": 1.0, "mouthFunnel": 0.25}),
    "smile": Expression(_both(mouthSmile=0.9, cheekSquint=0.4, mouthDimple=0.2)),
    "tongue": Expression({"tongueOut": 1.0, "jawOpen": 0.35, **_both(mouthLowerDown=0.2)}),
    "cheek_puff": Expression({"cheekPuff": 1.0, "mouthPucker": 0.2}),
    "nod": Expression({}, pitch=14.0, waves=2),
    "shake": Expression({}, yaw=16.0, waves=2),
    "tilt_left": Expression({}, roll=22.0),
    "tilt_right": Expression({}, roll=-22.0),
    "lean_forward": Expression({}, lean=16.0),
    "lean_back": Expression({}, lean=-10.0),
}
"""The gestures that faces and heads can make, by the names of the journal."""

_RISE_MS: Final = {"blink": 80, "wink_left": 120, "wink_right": 120, "eyes_closed": 120}
_FALL_MS: Final = {"blink": 130, "wink_left": 180, "wink_right": 180, "eyes_closed": 180}
_USUAL_RISE_MS: Final = 180
_USUAL_FALL_MS: Final = 240


@dataclass(frozen=True, slots=True)
class Gesture:
    """A gesture at a time.

    Attributes:
        kind: One of `EXPRESSIONS`.
        at_ms: When it begins.
        until_ms: When the face is relaxed again.
        strength: 0 to 1.
    """

    kind: str
    at_ms: int
    until_ms: int
    strength: float = 1.0

    def __post_init__(self) -> None:
        if self.kind not in EXPRESSIONS:
            raise ActError(f"no gesture {self.kind!r}; there are {', '.join(EXPRESSIONS)}")
        if self.until_ms <= self.at_ms:
            raise ActError(f"{self.kind} at {self.at_ms} ms must end after it begins")

    def level(self, at_ms: float) -> float:
        """How much of it is to be seen at a time: it rises, holds and falls smoothly."""
        if not self.at_ms < at_ms < self.until_ms:
            return 0.0
        whole = self.until_ms - self.at_ms
        rise, fall = _RISE_MS.get(self.kind, _USUAL_RISE_MS), _FALL_MS.get(self.kind, _USUAL_FALL_MS)
        shrink = min(1.0, 0.9 * whole / (rise + fall))
        up = (at_ms - self.at_ms) / (rise * shrink)
        down = (self.until_ms - at_ms) / (fall * shrink)
        return self.strength * smooth(min(1.0, up)) * smooth(min(1.0, down))


_MOST: Final = {"browIn": 1.5, "browOu": 1.6, "browDo": 1.5}
"""MakeHuman's brow units at 1 move 7 mm, people's brows 10 mm; by the unit's first letters."""


@dataclass(slots=True)
class FaceState:
    """Face units and the head's turns, added up; see `posture.Posture`."""

    units: dict[str, float]
    yaw: float = 0.0
    pitch: float = 0.0
    roll: float = 0.0
    lean: float = 0.0

    def add(self, units: Mapping[str, float], share: float = 1.0) -> None:
        """Adds units; a unit never goes beyond what a face can do."""
        for name, value in units.items():
            self.units[name] = min(_MOST.get(name[:6], 1.0), self.units.get(name, 0.0) + share * value)

    def settled(self) -> dict[str, float]:
        """The units with lids that have less way to close when the eyes look down."""
        units = dict(self.units)
        for side in ("Left", "Right"):
            lowered = units.get(f"eyeLookDown{side}", 0.0)
            units[f"eyeBlink{side}"] = units.get(f"eyeBlink{side}", 0.0) * (1 - 0.35 * lowered)
        return units


def face_state(gestures: Iterable[Gesture], at_ms: float) -> FaceState:
    """What all gestures together do to a face at a time."""
    state = FaceState({})
    for gesture in gestures:
        level = gesture.level(at_ms)
        if not level:
            continue
        made = EXPRESSIONS[gesture.kind]
        state.add(made.units, level)
        part = (at_ms - gesture.at_ms) / (gesture.until_ms - gesture.at_ms)
        swing = float(np.sin(2 * np.pi * made.waves * part)) if made.waves else 1.0
        if gesture.kind == "nod":
            swing = (1 - float(np.cos(2 * np.pi * made.waves * part))) / 2
        state.yaw += level * made.yaw * swing
        state.pitch += level * made.pitch * swing
        state.roll += level * made.roll * swing
        state.lean += level * made.lean * swing
    return state


def smooth(share: float) -> float:
    """0 to 1 with a soft start and end: minimum jerk (Flash and Hogan, J. Neuroscience 1985)."""
    x = min(1.0, max(0.0, share))
    return x * x * x * (10 + x * (6 * x - 15))
