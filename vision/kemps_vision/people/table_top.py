"""Where the table's top lies in the picture, found by its colour round the centre."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.frame import Image
from kemps_vision.zones import Point, Polygon

WIDTH: Final = 320  # px of the small picture looked at
ROUND: Final = (1.1, 2.0)  # the centre's outline, grown: between the two the colour is learnt
LEAST_SPREAD: Final = (5.0, 1.5, 1.5)  # of lightness and the two colour values (CIE L*a*b*, 8 bit)
MOST_SPREAD: Final = (50.0, 25.0, 25.0)  # a checked cloth has less
WITHIN: Final = (4.5, 3.0, 3.0)  # spreads: light falls unevenly, colours change little
OUTLIER: Final = 3.0  # spreads of the middle: cards, cups and hands in the ring
LEAST_FILL: Final = 0.6  # of the outline that has the colour; less, and it is no table of one colour
LEAST_AREA: Final = 0.15  # of the picture


def table_top(pixels: Image, centre: Polygon) -> Polygon | None:
    """The outline of the table's top, convex, in px of the picture; None where no even colour tells.

    Args:
        pixels: (h, w, 3), with as few arms over the table as may be.
        centre: The outline of the centre, in px.
    """
    scale = WIDTH / pixels.shape[1]
    size = (WIDTH, max(1, round(pixels.shape[0] * scale)))
    small = cv2.GaussianBlur(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), (0, 0), 1.5)
    colours = cv2.cvtColor(small, cv2.COLOR_RGB2LAB).astype(np.float32)
    outline = np.asarray(centre, np.float64) * scale
    middle = outline.mean(axis=0)
    ring = _filled(size, middle + ROUND[1] * (outline - middle))
    ring[_filled(size, middle + ROUND[0] * (outline - middle)) > 0] = 0
    alike = _alike(np.asarray(colours, np.float32), ring > 0)
    if alike is None:
        return None
    alike[_filled(size, outline) > 0] = 1
    opened = cv2.morphologyEx(alike, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    closed = cv2.morphologyEx(opened, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    return _outline_of(np.asarray(closed, np.uint8), (float(middle[0]), float(middle[1])), scale)


def _filled(size: tuple[int, int], outline: NDArray[np.float64]) -> NDArray[np.uint8]:
    mask = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillPoly(mask, [np.round(outline).astype(np.int32)], 1)
    return mask


def _alike(colours: NDArray[np.float32], ring: NDArray[np.bool_]) -> NDArray[np.uint8] | None:
    """Where the picture has the colour that most of the ring has."""
    values = colours[ring]
    if len(values) < 50:
        return None
    middle = np.median(values, axis=0)
    usual = np.maximum(1.48 * np.median(np.abs(values - middle), axis=0), np.array(LEAST_SPREAD))
    values = values[(np.abs(values - middle) < OUTLIER * usual).all(axis=1)]
    if len(values) < 50:
        return None
    spread = np.maximum(values.std(axis=0), np.array(LEAST_SPREAD))
    if (spread > np.array(MOST_SPREAD)).any():
        return None
    off = np.abs(colours - np.median(values, axis=0)) / (spread * np.array(WITHIN))
    return np.asarray(off.max(axis=2) < 1.0, np.uint8)


def _outline_of(mask: NDArray[np.uint8], middle: Point, scale: float) -> Polygon | None:
    _, pieces = cv2.connectedComponents(mask)
    x, y = int(np.clip(middle[0], 0, mask.shape[1] - 1)), int(np.clip(middle[1], 0, mask.shape[0] - 1))
    piece = pieces == pieces[y, x]
    if not pieces[y, x]:
        return None
    rows, columns = np.nonzero(piece)
    hull = cv2.convexHull(np.column_stack([columns, rows]).astype(np.float32)).reshape(-1, 2)
    area = float(cv2.contourArea(hull))
    if area < LEAST_AREA * mask.size or piece.sum() < LEAST_FILL * area:
        return None
    return tuple((float(point[0]) / scale, float(point[1]) / scale) for point in hull)
