"""The part of a picture that is shown to a landmarker, and the way back to px of the whole picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from kemps_vision.frame import Image
from kemps_vision.people.landmarks import Box, Landmarks

LARGEST: Final = 4.0  # times enlarged: more shows nothing new


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Pixels that were cut out at ``left``, ``top`` and enlarged by ``scale``."""

    pixels: Image
    left: int
    top: int
    scale: float

    def back(self, normalised: Landmarks) -> Landmarks:
        """Landmarks (n, 3) in shares of the view, as px of the whole picture; depth is scaled like x."""
        height, width = self.pixels.shape[:2]
        size = np.array([width, height, width], np.float32) / np.float32(self.scale)
        return np.asarray(normalised * size + np.array([self.left, self.top, 0.0], np.float32), np.float32)


def view_of(pixels: Image, box: Box | None = None, least_px: int = 0) -> View:
    """The picture, or the part of it in ``box``, enlarged to a shorter side of ``least_px``."""
    height, width = pixels.shape[:2]
    left, top, right, bottom = 0, 0, width, height
    if box is not None:
        # A box that lies outside keeps a pixel of the edge: nothing is found in it.
        left = min(max(0, math.floor(box.left)), width - 1)
        top = min(max(0, math.floor(box.top)), height - 1)
        right = max(left + 1, min(width, math.ceil(box.right)))
        bottom = max(top + 1, min(height, math.ceil(box.bottom)))
    part = pixels[top:bottom, left:right]
    scale = min(LARGEST, max(1.0, least_px / max(1, min(part.shape[:2]))))
    if scale > 1.0:
        part = np.asarray(cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC), np.uint8)
    return View(np.ascontiguousarray(part), left, top, scale)
