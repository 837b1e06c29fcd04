"""Whether a hand lies on a face, from where both are in one picture.

A picture has no depth, so three things must hold: the hand reaches the face's outline, it is about as large
as a hand at the face's distance (one held out to the camera is larger), and its wrist is outside of the face
(a "hand" within a face is a misread nose). Where a hand on the face hides from the landmarker, an
arm that ends at the face stands in for it. All lengths are in face sizes, the square root of the
outline's area, which is about 14 cm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.people.contact.persons import Person
from kemps_vision.people.landmarks import FacePose, FaceSpot, HandPose

REACH: Final = -0.075  # face sizes: half a finger outside of the outline still touches
REACH_SPREAD: Final = 0.02
LARGEST_PALM: Final = 0.64  # face sizes from the wrist to the middle knuckle, 9 cm at the face's distance
# A hand that lies on the face is between it and the camera, and hands are up to 10 cm long: the further it
# reaches onto the face, the less likely it is to be one that only passes there, and the larger it may be.
LARGER_INSIDE: Final = 1.0  # face sizes for each by which it reaches further than it must
LARGEST_INSIDE: Final = 0.78
SMALLEST_PALM: Final = 0.38
PALM_SPREAD: Final = 0.015
WRIST_OUTSIDE: Final = -0.05
TELEPHONE_REACH: Final = -0.27  # a telephone hand's knuckles are off the cheek though its ends are on it
TELEPHONE_ENDS: Final = 0.7  # face sizes from ear and jaw at the most: the mesh ends well before the ear

ARM_REACH: Final = -0.35  # of the middle between wrist and knuckles, as the fingers are not known
ARM_REACH_SPREAD: Final = 0.04
ARM_VISIBLE: Final = 0.8
ARM_VIEWS: Final = 4  # of a body that is surely there
ARM_SPREAD: Final = 0.15  # face sizes by which its views may differ
LEAST_FOREARM: Final = 1.3  # an arm that is not seen is often guessed short
ARM_MOST: Final = 0.75  # a score's upper end, for want of a hand
OWN_HEAD: Final = 0.6  # face sizes from a body's nose to the middle of its face

_THUMB, _LITTLE = 4, 20
_TIPS: Final = (4, 8, 12, 16, 20)
# MediaPipe's face mesh; ears are not part of it, its outermost points lie just before them.
PLACES: Final = MappingProxyType(
    {
        "nose": (1, 4, 5, 195, 98, 327),
        "mouth": (13, 14, 61, 291),
        "chin": (152, 199),
        "cheek": (50, 205, 280, 425),
        "ear": (234, 454),
        "eye": (159, 145, 386, 374, 33, 263),
        "forehead": (10, 151, 67, 297),
    }
)


@dataclass(frozen=True, slots=True)
class FaceTouch:
    """A hand on a face: which of the faces, where on it, how sure, and why in words."""

    face: int
    score: float
    place: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class FaceOutline:
    """A face as a shape: ``hull`` (n, 1, 2) px, ``size`` px, and the points (m, 2) of its places."""

    hull: NDArray[np.float32]
    size: float
    places: dict[str, NDArray[np.float32]]

    @classmethod
    def of_pose(cls, face: FacePose) -> Self:
        """The outline of the mesh."""
        points = np.ascontiguousarray(face.landmarks[:468, :2], np.float32)
        places = {name: points[list(indices)] for name, indices in PLACES.items()}
        return cls._round(points, places)

    @classmethod
    def of_spot(cls, spot: FaceSpot) -> Self:
        """The box of a face without landmarks."""
        left, top, right, bottom = spot.box
        corners = np.array([(left, top), (right, top), (right, bottom), (left, bottom)], np.float32)
        points = spot.points
        places = {"eye": points[:2], "nose": points[2:3], "mouth": points[3:4], "ear": points[4:6]}
        return cls._round(corners, places)

    @classmethod
    def _round(cls, points: NDArray[np.float32], places: dict[str, NDArray[np.float32]]) -> Self:
        hull = np.asarray(cv2.convexHull(points), np.float32)
        return cls(hull, math.sqrt(max(float(cv2.contourArea(hull)), 1.0)), places)

    def depth(self, point: NDArray[np.float32]) -> float:
        """How far a point (2,) or (3,) is within the outline, in face sizes; < 0 outside."""
        return float(cv2.pointPolygonTest(self.hull, (float(point[0]), float(point[1])), True)) / self.size

    def place_of(self, points: NDArray[np.float32]) -> str:
        """The place that one of the points (n, 2) is nearest to."""
        return min(self.places, key=lambda name: _distance(points, self.places[name]))

    def distance_to(self, name: str, point: NDArray[np.float32]) -> float:
        """Face sizes from a point to a place; infinite when this face has no such place."""
        place = self.places.get(name)
        return math.inf if place is None else _distance(point[None, :2], place) / self.size


def touches_of(
    faces: Sequence[FaceOutline], hands: Sequence[HandPose], persons: Sequence[Person] = ()
) -> list[FaceTouch]:
    """The surest touch of each face that a hand may lie on, whosever hand it is."""
    touches = []
    for index, face in enumerate(faces):
        scored = [_hand_touch(index, face, hand) for hand in hands]
        scored += [_arm_touch(index, face, person) for person in persons]
        best = max(scored, key=lambda touch: touch.score, default=None)
        if best is not None and best.score > 0.0:
            touches.append(best)
    return touches


def _hand_touch(index: int, face: FaceOutline, hand: HandPose) -> FaceTouch:
    points = hand.landmarks[:, :2]
    depths = np.array([face.depth(point) for point in points])
    nearest = int(depths.argmax())
    deepest = float(depths[nearest])
    place = face.place_of(points[[nearest]])
    tip = _TIPS[int(depths[list(_TIPS)].argmax())]
    is_telephone = _is_telephone(face, points)
    reach = TELEPHONE_REACH if is_telephone else REACH
    palm = hand.size_px / face.size
    score = _rise(deepest, reach, REACH_SPREAD)
    score *= _rise(palm, SMALLEST_PALM, PALM_SPREAD) * _rise(-palm, -largest_palm(deepest), PALM_SPREAD)
    score = 0.0 if depths[0] > WRIST_OUTSIDE else score
    part = "a fingertip" if nearest == tip else "a hand"
    reason = (
        "thumb and little finger between ear and mouth" if is_telephone else f"{part} reaches the {place}"
    )
    return FaceTouch(index, score, "ear" if is_telephone else place, reason)


def largest_palm(depth: float) -> float:
    """How long a palm may be in a touch that reaches so deep into the outline, in face sizes.

    >>> largest_palm(REACH), largest_palm(0.4)
    (0.64, 0.78)
    """
    return min(LARGEST_INSIDE, LARGEST_PALM + LARGER_INSIDE * max(0.0, depth - REACH))


def _is_telephone(face: FaceOutline, points: NDArray[np.float32]) -> bool:
    """Whether thumb and little finger are stretched between ear and jaw, the other fingers folded."""
    palm = max(float(np.linalg.norm(points[9] - points[0])), 1e-6)
    reaches = [float(np.linalg.norm(points[tip] - points[0])) / palm for tip in _TIPS]
    is_folded = sum(reaches[1:4]) / 3 < min(reaches[0], reaches[4])
    span = float(np.linalg.norm(points[_THUMB] - points[_LITTLE])) / palm
    at_ear = face.distance_to("ear", points[_THUMB])
    at_jaw = -face.depth(points[_LITTLE])
    return is_folded and span > 1.0 and at_ear < TELEPHONE_ENDS and at_jaw < TELEPHONE_ENDS


def _arm_touch(index: int, face: FaceOutline, person: Person) -> FaceTouch:
    best, place = 0.0, ""
    middle = face.hull[:, 0].mean(axis=0)
    is_own = float(np.linalg.norm(person.nose - middle)) <= OWN_HEAD * face.size
    for arm in person.arms if is_own and person.views >= ARM_VIEWS else ():
        is_clear = arm.visible >= ARM_VISIBLE and arm.spread <= ARM_SPREAD * face.size
        if is_clear and arm.length >= LEAST_FOREARM * face.size:
            score = ARM_MOST * _rise(face.depth(arm.hand), ARM_REACH, ARM_REACH_SPREAD)
            if score > best:
                best, place = score, face.place_of(arm.hand[None])
    return FaceTouch(index, best, place, f"the arm ends at the {place}")


def _rise(value: float, middle: float, spread: float) -> float:
    """0..1, a half at ``middle``."""
    return 1.0 / (1.0 + math.exp(min(max((middle - value) / spread, -50.0), 50.0)))


def _distance(points: NDArray[np.float32], place: NDArray[np.float32]) -> float:
    return float(np.linalg.norm(points[:, None, :] - place[None], axis=2).min())
