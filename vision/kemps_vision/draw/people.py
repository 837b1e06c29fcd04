"""Faces, hands, bodies and contacts drawn on a picture; faces may be blurred."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.draw.text import Colour
from kemps_vision.frame import Image
from kemps_vision.people.contact.stills import StillReading
from kemps_vision.people.landmarks import BodyPose, Box, HandPose

FACE: Final[Colour] = (60, 220, 120)
DOUBTFUL_FACE: Final[Colour] = (240, 200, 60)  # without landmarks
HAND: Final[Colour] = (250, 250, 250)
BODY: Final[Colour] = (70, 150, 250)
CONTACT: Final[Colour] = (250, 60, 60)
LEAST_PX: Final = 720  # the longer side of what is drawn on: less is enlarged
BLUR_SHARE: Final = 0.35  # of the face's width: nobody is recognised
HEAD: Final = 0.35  # of the box, by which the blurred part is larger
SEEN: Final = 0.3  # visibility of what is drawn of a body

HAND_BONES: Final = (
    *((0, 1), (1, 2), (2, 3), (3, 4), (0, 5), (5, 6), (6, 7), (7, 8), (5, 9), (9, 10), (10, 11)),
    *((11, 12), (9, 13), (13, 14), (14, 15), (15, 16), (13, 17), (0, 17), (17, 18), (18, 19), (19, 20)),
)
BODY_BONES: Final = (
    *((11, 12), (11, 13), (13, 15), (12, 14), (14, 16), (15, 19), (16, 20), (11, 23), (12, 24), (23, 24)),
)


def draw_people(pixels: Image, seen: StillReading, *, is_blurred: bool = False, least_score: float) -> Image:
    """The picture (h, w, 3) with all that was seen on it, enlarged when it is small."""
    shown = blur_faces(pixels, [face.box for face in seen.faces]) if is_blurred else pixels
    scale = max(1.0, LEAST_PX / max(pixels.shape[:2]))
    shown = np.asarray(cv2.resize(shown, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC), np.uint8)
    line = max(1, round(max(shown.shape[:2]) / 500))
    for body in seen.bodies:
        _draw_body(shown, body, scale, line)
    for hand in seen.hands:
        _draw_hand(shown, hand, scale, line)
    for face in seen.faces:
        _draw_box(shown, face.box, scale, line, DOUBTFUL_FACE if face.pose is None else FACE)
    touched = {touch.face for touch in seen.face_touches if touch.score >= least_score}
    for index in touched:
        _draw_box(shown, seen.faces[index].box, scale, 2 * line, CONTACT)
    radius = round(max(shown.shape[:2]) / 30)
    for touch in seen.touches:
        if touch.score >= least_score:
            cv2.circle(shown, _px(touch.at, scale), radius, CONTACT, 2 * line, cv2.LINE_AA)
    return shown


def blur_faces(pixels: Image, boxes: Iterable[Box]) -> Image:
    """A copy of the picture (h, w, 3) in which the heads round the boxes cannot be recognised."""
    shown = pixels.copy()
    height, width = pixels.shape[:2]
    for box in boxes:
        aside, above = HEAD * box.width, HEAD * box.height
        left, right = max(0, int(box.left - aside)), min(width, int(box.right + aside))
        top, bottom = max(0, int(box.top - above)), min(height, int(box.bottom + above))
        if left < right and top < bottom:
            part = shown[top:bottom, left:right]
            cells = max(1, round(part.shape[1] / max(1.0, BLUR_SHARE * box.width)))
            size = cells, max(1, round(cells * part.shape[0] / part.shape[1]))
            coarse = cv2.resize(part, size, interpolation=cv2.INTER_AREA)
            smooth = cv2.resize(coarse, part.shape[1::-1], interpolation=cv2.INTER_LINEAR)
            shown[top:bottom, left:right] = smooth
    return shown


def _draw_body(shown: Image, body: BodyPose, scale: float, line: int) -> None:
    for one, other in BODY_BONES:
        if min(body.visibility[[one, other]]) >= SEEN:
            ends = [_px(body.landmarks[point], scale) for point in (one, other)]
            cv2.line(shown, ends[0], ends[1], BODY, line, cv2.LINE_AA)


def _draw_hand(shown: Image, hand: HandPose, scale: float, line: int) -> None:
    for one, other in HAND_BONES:
        ends = [_px(hand.landmarks[point], scale) for point in (one, other)]
        cv2.line(shown, ends[0], ends[1], HAND, line, cv2.LINE_AA)


def _draw_box(shown: Image, box: Box, scale: float, line: int, colour: Colour) -> None:
    cv2.rectangle(shown, _px(box[:2], scale), _px(box[2:], scale), colour, line, cv2.LINE_AA)


def _px(point: Sequence[float] | NDArray[np.float32], scale: float) -> tuple[int, int]:
    return round(float(point[0]) * scale), round(float(point[1]) * scale)
