"""What is seen of a person in one picture: a face, a hand, a body; in pixels of the whole picture."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Landmarks: TypeAlias = NDArray[np.float32]
"""(n, 3): x and y in px of the whole picture, and a depth in px, nearer to the camera is less."""

# The order in which MediaPipe gives them; "Left" is the person's left.
BLENDSHAPES: Final = (
    "_neutral",
    "browDownLeft",
    "browDownRight",
    "browInnerUp",
    "browOuterUpLeft",
    "browOuterUpRight",
    "cheekPuff",
    "cheekSquintLeft",
    "cheekSquintRight",
    "eyeBlinkLeft",
    "eyeBlinkRight",
    "eyeLookDownLeft",
    "eyeLookDownRight",
    "eyeLookInLeft",
    "eyeLookInRight",
    "eyeLookOutLeft",
    "eyeLookOutRight",
    "eyeLookUpLeft",
    "eyeLookUpRight",
    "eyeSquintLeft",
    "eyeSquintRight",
    "eyeWideLeft",
    "eyeWideRight",
    "jawForward",
    "jawLeft",
    "jawOpen",
    "jawRight",
    "mouthClose",
    "mouthDimpleLeft",
    "mouthDimpleRight",
    "mouthFrownLeft",
    "mouthFrownRight",
    "mouthFunnel",
    "mouthLeft",
    "mouthLowerDownLeft",
    "mouthLowerDownRight",
    "mouthPressLeft",
    "mouthPressRight",
    "mouthPucker",
    "mouthRight",
    "mouthRollLower",
    "mouthRollUpper",
    "mouthShrugLower",
    "mouthShrugUpper",
    "mouthSmileLeft",
    "mouthSmileRight",
    "mouthStretchLeft",
    "mouthStretchRight",
    "mouthUpperUpLeft",
    "mouthUpperUpRight",
    "noseSneerLeft",
    "noseSneerRight",
)
BLENDSHAPE_PLACES: Final = MappingProxyType({name: place for place, name in enumerate(BLENDSHAPES)})

FACE_POINTS, HAND_POINTS, BODY_POINTS = 478, 21, 33


class HeadAngles(NamedTuple):
    """How a head is turned, in degrees; all 0 when it faces the camera upright.

    ``yaw`` > 0 is turned to the person's left, ``pitch`` > 0 looks up, ``roll`` > 0 is tilted to the
    person's left.
    """

    yaw: float
    pitch: float
    roll: float


class Box(NamedTuple):
    """A rectangle in px of the whole picture; right and bottom are just outside."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.bottom - self.top

    @property
    def centre(self) -> tuple[float, float]:
        """Its middle (x, y)."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def overlap(self, other: Box) -> float:
        """Intersection over union, 0..1."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        both = max(0.0, width) * max(0.0, height)
        return both / max(self.width * self.height + other.width * other.height - both, 1e-9)


@dataclass(frozen=True, slots=True, eq=False)
class FaceSpot:
    """Where a face is, before its landmarks are known.

    Attributes:
        box: From the brows to the chin, square.
        score: 0..1 how much it looks like a face.
        points: (6, 2) px: the person's right eye, left eye, nose tip, mouth, right ear, left ear.
    """

    box: Box
    score: float
    points: NDArray[np.float32]


@dataclass(frozen=True, eq=False)  # no slots: what is worked out of the landmarks is kept
class FacePose:
    """A face.

    Attributes:
        landmarks: (478, 3), MediaPipe's face mesh with irises.
        blendshapes: (52,) 0..1, in the order of ``BLENDSHAPES``.
        head: (4, 4) the metric face model to the camera, lengths in cm, or None when it is not known.
    """

    landmarks: Landmarks
    blendshapes: NDArray[np.float32]
    head: NDArray[np.float32] | None = None

    @cached_property
    def box(self) -> Box:
        """Round all landmarks."""
        return box_of(self.landmarks)

    def shape(self, name: str) -> float:
        """A blendshape by its name, such as ``eyeBlinkLeft``; KeyError when there is none."""
        return float(self.blendshapes[BLENDSHAPE_PLACES[name]])

    @cached_property
    def angles(self) -> HeadAngles | None:
        """How the head is turned towards the camera."""
        return None if self.head is None else _angles_of(self.head[:3, :3])


@dataclass(frozen=True, eq=False)  # no slots: what is worked out of the landmarks is kept
class HandPose:
    """A hand of the body.

    Attributes:
        landmarks: (21, 3), MediaPipe's: 0 the wrist, 4, 8, 12, 16, 20 the finger tips.
        score: 0..1 how sure the handedness is; it is often wrong, so seats never rest on it.
        is_left: Whether it looks like a left hand.
    """

    landmarks: Landmarks
    score: float
    is_left: bool

    @cached_property
    def box(self) -> Box:
        """Round all landmarks."""
        return box_of(self.landmarks)

    @cached_property
    def size_px(self) -> float:
        """The length of the palm: from the wrist to the knuckle of the middle finger."""
        return float(np.linalg.norm(self.landmarks[9, :2] - self.landmarks[0, :2]))

    @cached_property
    def palm(self) -> NDArray[np.float32]:
        """(2,) px: the middle of wrist and knuckles."""
        return np.asarray(self.landmarks[[0, 5, 9, 13, 17], :2].mean(axis=0), np.float32)


@dataclass(frozen=True, eq=False)  # no slots: what is worked out of the landmarks is kept
class BodyPose:
    """A body.

    Attributes:
        landmarks: (33, 3), MediaPipe's: 11, 12 shoulders, 13, 14 elbows, 15, 16 wrists, the left one first.
        visibility: (33,) 0..1.
    """

    landmarks: Landmarks
    visibility: NDArray[np.float32]

    @cached_property
    def box(self) -> Box:
        """Round all landmarks."""
        return box_of(self.landmarks)


def box_of(landmarks: Landmarks) -> Box:
    """The rectangle round landmarks (n, 2 or 3)."""
    low, high = landmarks[:, :2].min(axis=0), landmarks[:, :2].max(axis=0)
    return Box(float(low[0]), float(low[1]), float(high[0]), float(high[1]))


def _angles_of(turn: NDArray[np.float32]) -> HeadAngles:
    """Angles of a rotation (3, 3): x to the right of the picture, y up, z towards the camera."""
    scale = np.cbrt(max(float(np.linalg.det(turn)), 1e-9))
    ahead, up = turn[:, 2] / scale, turn[:, 1] / scale
    yaw = np.degrees(np.arctan2(ahead[0], ahead[2]))
    pitch = np.degrees(np.arcsin(np.clip(ahead[1], -1.0, 1.0)))
    # Free of yaw and pitch: how far "up" leans over within the plane across the line of sight.
    level = np.array([ahead[2], 0.0, -ahead[0]]) / max(float(np.hypot(ahead[0], ahead[2])), 1e-9)
    upright = np.cross(ahead, level)
    roll = np.degrees(np.arctan2(float(up @ level), float(up @ upright)))
    return HeadAngles(float(yaw), float(pitch), float(roll))
