"""How sharp cards are in a picture: the width of the edges between their paper and their ink."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.frame import Image

_REACH_PX: Final = 7  # an edge's two sides are looked for this far round it
_STRONGEST: Final = 96.0  # percentile: edges of index and pips are the steepest there are
_LEAST_STEP: Final = 20.0  # grey levels: less is no edge of ink
_SLOPE: Final = 2.5066  # the square root of two pi: step / steepest slope of an edge blurred by 1 px
_LONGEST_PX: Final = 160.0  # a longer card is halved first: only its blur against its length matters
_LEAST_EDGES: Final = 20
_SAMPLING_PX: Final = 0.8  # what a step between two pixels measures, with the slope taken over three


def blur_of(pixels: Image, quad: NDArray[np.float64]) -> float | None:
    """By how many px a card is blurred: the standard deviation of a Gaussian; None where it has no edges.

    The card with this quad (4, 2) is looked at as it is in the RGB picture. An edge between two flat sides
    that was blurred by s px has its steepest slope of step / (s sqrt(2 pi)) levels a px; what the sampling
    itself adds is taken off.
    """
    length = float(np.linalg.norm(quad[[3, 2]] - quad[[0, 1]], axis=1).mean())
    grey, outline = _around(pixels, quad)
    if grey is None or length < 1:
        return None
    scale = 1.0
    while length * scale > _LONGEST_PX:
        grey = np.asarray(cv2.resize(grey, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.float32)
        scale /= 2
    inside = np.zeros(grey.shape, np.uint8)
    cv2.fillConvexPoly(inside, np.round(outline * scale).astype(np.int32), 1)
    slope = _slope(grey)
    kernel = np.ones((_REACH_PX, _REACH_PX), np.uint8)
    step = cv2.dilate(grey, kernel) - cv2.erode(grey, kernel)
    is_edge = (inside > 0) & (step > _LEAST_STEP)
    if is_edge.sum() < _LEAST_EDGES:
        return None
    is_edge &= slope >= np.percentile(slope[is_edge], _STRONGEST)
    width = float(np.median(step[is_edge] / np.maximum(slope[is_edge], 1e-3))) / _SLOPE
    return float(np.sqrt(max(0.0, width**2 - _SAMPLING_PX**2))) / scale


def median_blur(pixels: Image, quads: Sequence[NDArray[np.float64]]) -> float | None:
    """The median of `blur_of` over cards; None when none of them shows edges."""
    blurs = [blur for quad in quads if (blur := blur_of(pixels, quad)) is not None]
    return float(np.median(blurs)) if blurs else None


def _around(
    pixels: Image, quad: NDArray[np.float64]
) -> tuple[NDArray[np.float32] | None, NDArray[np.float64]]:
    height, width = pixels.shape[:2]
    low = np.clip(np.floor(quad.min(axis=0)) - _REACH_PX, 0, (width, height)).astype(int)
    high = np.clip(np.ceil(quad.max(axis=0)) + _REACH_PX, 0, (width, height)).astype(int)
    if (high - low).min() < 2 * _REACH_PX:
        return None, quad
    part = pixels[low[1] : high[1], low[0] : high[0]]
    return cv2.cvtColor(part, cv2.COLOR_RGB2GRAY).astype(np.float32), quad - low


def _slope(grey: NDArray[np.float32]) -> NDArray[np.float32]:
    """Grey levels a px, in the direction in which they change most."""
    across = cv2.Sobel(grey, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
    down = cv2.Sobel(grey, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)
    return np.asarray(np.hypot(across, down), np.float32)
