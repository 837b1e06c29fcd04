"""Rectified index crops: what the classifier sees."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_training.decks import Image

WIDTH_PX, HEIGHT_PX = 40, 64
# The crop reaches this many up and right vectors from the index centre.
REACH_UP, REACH_RIGHT = 1.3, 0.82
# An up vector of so many px is one crop px a picture px; beyond 1.5 of it the picture is halved first.
EVEN_UP_PX = HEIGHT_PX / 2 / REACH_UP

Vector = NDArray[np.floating]


def cut_index(picture: Image, centre: Vector, up: Vector, right: Vector) -> Image:
    """The crop (64, 40, 3) that shows the index at ``centre`` upright and undistorted."""
    while float(np.hypot(up[0], up[1])) > 1.5 * EVEN_UP_PX and min(picture.shape[:2]) > 8:
        picture = np.asarray(
            cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8
        )
        centre, up, right = (centre - 0.5) / 2, up / 2, right / 2
    source = np.array([centre, centre + REACH_UP * up, centre + REACH_RIGHT * right], np.float32)
    target = np.array([[20, 32], [20, 0], [40, 32]], np.float32)
    affine = cv2.getAffineTransform(source, target)
    size = (WIDTH_PX, HEIGHT_PX)
    crop = cv2.warpAffine(picture, affine, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(crop, np.uint8)
