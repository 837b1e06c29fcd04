"""What a hand's fingers show: a fist, an open hand, a pointing finger, a thumb, or two to four fingers."""

from __future__ import annotations

from typing import Final

import numpy as np

from kemps_vision.people.landmarks import HandPose, Landmarks

STRAIGHT: Final = 0.92  # of a finger's length from knuckle to tip as the crow flies: stretched
FOLDED: Final = 0.75  # less than this: folded; in between it is neither, and no shape is told
THUMB_OUT: Final = (
    1.15  # the thumb's tip is so many times as far from the little finger's knuckle as its joint
)

_FINGERS: Final = ((5, 6, 7, 8), (9, 10, 11, 12), (13, 14, 15, 16), (17, 18, 19, 20))
_SHAPES: Final[dict[tuple[bool, ...], str]] = {
    (False, False, False, False, False): "hand_fist",
    (True, False, False, False, False): "hand_thumb",
    (False, True, False, False, False): "hand_point",
    (True, True, False, False, False): "fingers_2",  # thumb and index, as some count
    (False, True, True, False, False): "fingers_2",
    (True, True, True, False, False): "fingers_3",
    (False, True, True, True, False): "fingers_3",
    (False, True, True, True, True): "fingers_4",
    (True, True, True, True, True): "hand_open",
}


def shape_of(hand: HandPose) -> str | None:
    """The shape's name among ``SHAPES``; None for any other, or when a finger is half bent.

    Lengths are taken in space: MediaPipe's depth of a hand is rough, but a finger that points at the camera
    would look folded without it.
    """
    points = hand.landmarks
    stretched = []
    for finger in _FINGERS:
        share = _straightness(points, finger)
        if FOLDED <= share < STRAIGHT:
            return None
        stretched.append(share >= STRAIGHT)
    return _SHAPES.get((_is_thumb_out(points), *stretched))


def _straightness(points: Landmarks, finger: tuple[int, int, int, int]) -> float:
    joints = points[list(finger)]
    along = float(np.linalg.norm(np.diff(joints, axis=0), axis=1).sum())
    return float(np.linalg.norm(joints[-1] - joints[0])) / max(along, 1e-6)


def _is_thumb_out(points: Landmarks) -> bool:
    tip, joint = (float(np.linalg.norm(points[place] - points[17])) for place in (4, 2))
    return tip > THUMB_OUT * joint
