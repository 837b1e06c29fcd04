"""Pictures side by side, such as before, at and after a call, each with a line of text below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from kemps_vision.draw.text import WHITE, Colour, draw_text, shorten
from kemps_vision.errors import ImageError
from kemps_vision.frame import Image

_GROUND: Final[Colour] = (16, 21, 18)
_GAP: Final = 8
_FRAME_WIDTH: Final = 480


def draw_strip(pictures: Sequence[tuple[Image, str]], *, frame_width: int = _FRAME_WIDTH) -> Image:
    """The pictures in a row, all scaled to one width, the text of each under it.

    Args:
        pictures: RGB uint8 pictures with their texts; suit signs are drawn as shapes.
        frame_width: How many px wide each becomes.

    Raises:
        ImageError: There is no picture.
    """
    if not pictures:
        raise ImageError("a strip needs one picture or more")
    frames = [_to_width(pixels, frame_width) for pixels, _ in pictures]
    size = max(13, round(frame_width / 26))
    height, line = max(frame.shape[0] for frame in frames), round(size * 2.2)
    shape = (height + line + 2 * _GAP, len(frames) * (frame_width + _GAP) + _GAP, 3)
    canvas = np.full(shape, _GROUND, dtype=np.uint8)
    for number, (frame, (_, text)) in enumerate(zip(frames, pictures, strict=True)):
        left = _GAP + number * (frame_width + _GAP)
        canvas[_GAP : _GAP + frame.shape[0], left : left + frame_width] = frame
        words = shorten(text, frame_width - size, size)
        draw_text(canvas, words, (left + size * 0.3, _GAP + height + size * 1.55), size=size, colour=WHITE)
    return canvas


def _to_width(pixels: Image, width: int) -> Image:
    height = max(1, round(pixels.shape[0] * width / pixels.shape[1]))
    way = cv2.INTER_AREA if width <= pixels.shape[1] else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(pixels, (width, height), interpolation=way), dtype=np.uint8)
