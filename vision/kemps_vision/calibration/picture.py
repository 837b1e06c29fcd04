"""The zones of a table drawn over its picture, with room round it for players who sit outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import cv2
import numpy as np

from kemps_vision.draw.text import INK, WHITE, Colour, draw_plate, draw_text, shorten, text_width
from kemps_vision.frame import Image
from kemps_vision.zones import Point, Polygon

_LONGEST_PX: Final = 1280
_ROOM: Final = 0.16  # of the picture's width and height, on each side
_GROUND: Final[Colour] = (16, 21, 18)
_CENTRE: Final[Colour] = (240, 195, 78)
_EDGE: Final[Colour] = (120, 200, 220)
_PLATE: Final[Colour] = (22, 28, 25)


def draw_zones(
    pixels: Image,
    centre: Polygon,
    seats: Mapping[str, tuple[str, Point]],
    *,
    edge: Polygon | None = None,
    lines: Sequence[str] = (),
) -> Image:
    """A picture to check a calibration by.

    Args:
        pixels: RGB uint8 (h, w, 3).
        centre: The outline of the centre.
        seats: Each seat's name and place, in px; one that is far away is drawn at the border.
        edge: The outline of the table's top.
        lines: What is written below.

    Returns:
        RGB uint8 (h', w', 3), larger than the picture by the room round it.
    """
    scale = min(1.0, _LONGEST_PX / max(pixels.shape[:2]))
    small = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    room_y, room_x = (round(side * _ROOM) for side in small.shape[:2])
    canvas = np.asarray(
        cv2.copyMakeBorder(small, room_y, room_y, room_x, room_x, cv2.BORDER_CONSTANT, value=(*_GROUND, 0)),
        np.uint8,
    )
    shift = np.array([room_x, room_y])
    if edge is not None:
        _outline(canvas, np.asarray(edge) * scale + shift, _EDGE, 2)
    _outline(canvas, np.asarray(centre) * scale + shift, _CENTRE, 3)
    middle = np.mean(centre, axis=0) * scale + shift
    for seat, (name, at) in seats.items():
        _seat(canvas, seat, name, np.asarray(at) * scale + shift, middle)
    return _with_lines(canvas, lines)


def _outline(
    canvas: Image, points: np.ndarray[tuple[int, ...], np.dtype[np.float64]], colour: Colour, thick: int
) -> None:
    corners = [np.round(points).astype(np.int32)]
    cv2.polylines(canvas, corners, True, INK, thick + 2, cv2.LINE_AA)
    cv2.polylines(canvas, corners, True, colour, thick, cv2.LINE_AA)


def _seat(
    canvas: Image,
    seat: str,
    name: str,
    at: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    middle: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> None:
    height, width = canvas.shape[:2]
    size = 22
    text = f"{seat}  {shorten(name, width / 4, size)}"
    half = np.array([text_width(text, size, 600) / 2 + 12, size])
    low, high = half + 4, np.array([width, height]) - half - 4
    x, y = np.clip(at, low, high)
    towards = (int(middle[0] + 0.75 * (x - middle[0])), int(middle[1] + 0.75 * (y - middle[1])))
    cv2.line(canvas, (int(x), int(y)), towards, INK, 5, cv2.LINE_AA)
    cv2.line(canvas, (int(x), int(y)), towards, _CENTRE, 2, cv2.LINE_AA)
    draw_plate(canvas, (x - half[0], y - half[1] * 0.9, x + half[0], y + half[1] * 0.9), _PLATE, radius=8)
    draw_text(canvas, text, (x - half[0] + 12, y + size * 0.36), size=size, weight=600, colour=WHITE)


def _with_lines(canvas: Image, lines: Sequence[str]) -> Image:
    size, width = 20, canvas.shape[1]
    strip = np.full((round((len(lines) + 0.6) * size * 1.5) if lines else 0, width, 3), _GROUND, np.uint8)
    for n, line in enumerate(lines):
        draw_text(strip, shorten(line, width - 2 * size, size), (size, size * 1.5 * (n + 1)), size=size)
    return np.vstack([canvas, strip])
