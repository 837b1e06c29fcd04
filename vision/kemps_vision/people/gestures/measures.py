"""What of one face is measured: lengths in the head's own frame and blendshapes; nothing is judged here."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kemps_vision.people.landmarks import FacePose

# Places in MediaPipe's face mesh. "Left" is the person's left; the eyes' outer corners span the scale.
RIGHT_OUTER, RIGHT_INNER, LEFT_INNER, LEFT_OUTER = 33, 133, 362, 263
RIGHT_TEMPLE, LEFT_TEMPLE = 127, 356
_RIGHT_IRIS, _LEFT_IRIS = 468, 473
_RIGHT_LIDS: Final = ((159, 145), (158, 153), (160, 144))  # (upper, lower)
_LEFT_LIDS: Final = ((386, 374), (385, 380), (387, 373))
_RIGHT_BROW: Final = (70, 63, 105, 66, 107, 46, 53, 52, 65, 55)
_LEFT_BROW: Final = (300, 293, 334, 296, 336, 276, 283, 282, 295, 285)
# Blendshapes of brows end near 0 or 1 with many people; their log-odds differ by the same amount when a brow
# is raised, whatever the face at rest. Below this they say nothing.
_FAINTEST: Final = 1e-3
# A raised brow goes up by some 0.06 spans, and its blendshapes by some 3 log-odds. Each alone is fooled by
# something: the first by a nodding head, the second by a face that is partly out of the picture.
_ODDS_PER_SPAN: Final = 50.0
_HEIGHT_SHARE: Final = 0.25


class Measures(NamedTuple):
    """One face at one time.

    Lids and span are measured in the head's own frame, so that a turned or tilted head keeps its measures.
    Gaze is -1..1, other blendshapes 0..1, angles are degrees as in ``HeadAngles``.
    """

    open_left: float  # how far the lids are apart, as a share of the eye's width
    open_right: float
    brow_left: float  # how high: log-odds of the blendshapes, and the height above the eyes in their unit
    brow_right: float
    brow_down: float  # the stronger side
    gaze_left: float
    gaze_up: float
    jaw_open: float
    pucker: float
    smile: float  # the weaker side
    yaw: float
    pitch: float
    roll: float
    span_px: float  # between the outer corners of the eyes
    width_px: float  # between the temples, which stay where they are when eyes close and mouths open
    iris_up: float  # how high the irises stand over the line between the eyes' corners, in widths of an eye


def measures_of(face: FacePose) -> Measures | None:
    """The measures of a face, or None when it is not known how its head is turned."""
    angles = face.angles
    if face.head is None or angles is None:
        return None
    points = _head_frame(face.landmarks, face.head)
    shape = face.shape
    span_px = max(float(np.linalg.norm(points[LEFT_OUTER] - points[RIGHT_OUTER])), 1e-6)
    eyes = float(points[[RIGHT_OUTER, RIGHT_INNER, LEFT_INNER, LEFT_OUTER], 1].mean())
    left, right = (float(points[list(brow), 1].mean() - eyes) / span_px for brow in (_LEFT_BROW, _RIGHT_BROW))
    return Measures(
        open_left=_openness(points, _LEFT_LIDS, (LEFT_OUTER, LEFT_INNER)),
        open_right=_openness(points, _RIGHT_LIDS, (RIGHT_OUTER, RIGHT_INNER)),
        brow_left=_brow(shape("browInnerUp"), shape("browOuterUpLeft"), left),
        brow_right=_brow(shape("browInnerUp"), shape("browOuterUpRight"), right),
        brow_down=max(shape("browDownLeft"), shape("browDownRight")),
        gaze_left=_gaze_left(face),
        gaze_up=_gaze_up(face),
        jaw_open=shape("jawOpen"),
        pucker=shape("mouthPucker"),
        smile=min(shape("mouthSmileLeft"), shape("mouthSmileRight")),
        yaw=angles.yaw,
        pitch=angles.pitch,
        roll=angles.roll,
        span_px=span_px,
        width_px=max(float(np.linalg.norm(points[LEFT_TEMPLE] - points[RIGHT_TEMPLE])), 1e-6),
        iris_up=(
            _iris_up(points, _LEFT_IRIS, (LEFT_OUTER, LEFT_INNER))
            + _iris_up(points, _RIGHT_IRIS, (RIGHT_OUTER, RIGHT_INNER))
        )
        / 2,
    )


def _head_frame(landmarks: NDArray[np.float32], head: NDArray[np.float32]) -> NDArray[np.float64]:
    """The landmarks (478, 3) turned as if the head faced the camera: x right, y up, z to the camera, px."""
    turn = head[:3, :3].astype(np.float64)
    turn /= np.cbrt(max(float(np.linalg.det(turn)), 1e-9))
    return np.asarray(landmarks * np.array([1.0, -1.0, -1.0]) @ turn, np.float64)


def _openness(
    points: NDArray[np.float64], lids: tuple[tuple[int, int], ...], corners: tuple[int, int]
) -> float:
    """The eye aspect ratio of Soukupová and Čech (2016), of three pairs of points in the head's frame."""
    upper, lower = np.array(lids).T
    gap = np.linalg.norm(points[upper, :2] - points[lower, :2], axis=1).mean()
    return float(gap / max(float(np.linalg.norm(points[corners[0]] - points[corners[1]])), 1e-9))


def _iris_up(points: NDArray[np.float64], iris: int, corners: tuple[int, int]) -> float:
    outer, inner = points[list(corners)]
    width = max(float(np.linalg.norm(outer - inner)), 1e-9)
    return float(points[iris, 1] - (outer[1] + inner[1]) / 2) / width


def _brow(inner: float, outer: float, height: float) -> float:
    """How high a brow is, of two blendshapes and its height in spans."""
    odds = (_log_odds(inner) + 2 * _log_odds(outer)) / 3
    return (1 - _HEIGHT_SHARE) * odds + _HEIGHT_SHARE * _ODDS_PER_SPAN * height


def _log_odds(share: float) -> float:
    return math.log((share + _FAINTEST) / (1 - share + _FAINTEST))


def _gaze_left(face: FacePose) -> float:
    """How far both eyes look to the person's left."""
    shape = face.shape
    left = shape("eyeLookOutLeft") + shape("eyeLookInRight")
    return (left - shape("eyeLookInLeft") - shape("eyeLookOutRight")) / 2


def _gaze_up(face: FacePose) -> float:
    shape = face.shape
    up = shape("eyeLookUpLeft") + shape("eyeLookUpRight")
    return (up - shape("eyeLookDownLeft") - shape("eyeLookDownRight")) / 2
