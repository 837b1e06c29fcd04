"""A person's face and hands drawn on a picture, with what they are doing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import cv2
import numpy as np

from kemps_vision.draw.people import HAND_BONES, blur_faces
from kemps_vision.draw.text import INK, WHITE, Colour, draw_plate, draw_text, text_width
from kemps_vision.frame import Image
from kemps_vision.people.landmarks import Box, FacePose, HandPose

_FACE_COLOUR: Final[Colour] = (120, 220, 190)
_HAND_COLOUR: Final[Colour] = (255, 200, 90)
# Closed lines of MediaPipe's face mesh: right eye, left eye, lips; and both brows.
_RINGS: Final = (
    (33, 160, 158, 133, 153, 144),
    (263, 387, 385, 362, 380, 373),
    (61, 40, 37, 0, 267, 270, 291, 321, 314, 17, 84, 91),
)
_BROWS: Final = ((70, 63, 105, 66, 107), (300, 293, 334, 296, 336))


def draw_gestures(
    pixels: Image,
    faces: Mapping[int, FacePose],
    hands: Sequence[HandPose],
    doing: Mapping[int, Sequence[str]],
    *,
    seats: Mapping[int, str] | None = None,
    is_blurred: bool = False,
) -> Image:
    """A copy of the picture (h, w, 3) with landmarks, and by each face its seat or number and its doings."""
    names = {number: f"seat {seat}" for number, seat in (seats or {}).items()}
    canvas = blur_faces(pixels, [face.box for face in faces.values()]) if is_blurred else pixels.copy()
    width = max(1, round(min(pixels.shape[:2]) / 360))
    for hand in hands:
        bones = [np.round(hand.landmarks[list(bone), :2]).astype(np.int32) for bone in HAND_BONES]
        cv2.polylines(canvas, bones, False, _HAND_COLOUR, width, cv2.LINE_AA)
    for number, face in sorted(faces.items()):
        for lines, is_closed in ((_RINGS, True), (_BROWS, False)):
            points = [np.round(face.landmarks[list(line), :2]).astype(np.int32) for line in lines]
            cv2.polylines(canvas, points, is_closed, _FACE_COLOUR, width, cv2.LINE_AA)
        _label(canvas, face.box, [names.get(number, f"face {number}"), *doing.get(number, ())])
    return canvas


def _label(canvas: Image, box: Box, lines: Sequence[str]) -> None:
    """A plate to the right of the face, or to its left where there is more room."""
    size = max(12, round(min(canvas.shape[:2]) / 26))
    wide = max(text_width(line, size) for line in lines) + size
    high = len(lines) * size * 1.25 + size * 0.5
    is_right = canvas.shape[1] - box.right >= min(wide, box.left)
    left = min(box.right + size / 2, canvas.shape[1] - wide) if is_right else max(0.0, box.left - wide)
    top = min(max(0.0, box.top), max(0.0, canvas.shape[0] - high))
    draw_plate(canvas, (left, top, left + wide, top + high), INK, opacity=0.72)
    for row, line in enumerate(lines):
        draw_text(canvas, line, (left + size / 2, top + (row + 1) * size * 1.25), size=size, colour=WHITE)
