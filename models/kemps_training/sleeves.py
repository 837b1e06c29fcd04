"""Clear sleeves about cards: a rim of film, and a streak of light across."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_training.decks import Image

Floats = NDArray[np.float64]
RIM = 1.06
FINENESS_BITS = 4


def lay_sleeve(rng: np.random.Generator, pixels: Image, quad: Floats) -> None:
    """The film that reaches over the edges of the card on ``quad`` (4, 2), before the card is laid."""
    middle = quad.mean(0)
    film = _area(pixels, middle + (quad - middle) * RIM)
    _lighten(pixels, film, rng.uniform(0.1, 0.45))


def lay_gloss(rng: np.random.Generator, pixels: Image, quad: Floats) -> None:
    """A streak of reflected light across the card on ``quad``."""
    start, width = rng.uniform(-0.2, 1.0), rng.uniform(0.05, 0.4)
    top, bottom = quad[1] - quad[0], quad[2] - quad[3]
    slant = rng.uniform(-0.4, 0.4)
    streak = np.array(
        [
            quad[0] + top * start,
            quad[0] + top * (start + width),
            quad[3] + bottom * (start + width + slant),
            quad[3] + bottom * (start + slant),
        ]
    )
    inside = np.minimum(_area(pixels, streak), _area(pixels, quad))
    _lighten(pixels, inside, rng.uniform(0.1, 0.5))


def _area(pixels: Image, quad: Floats) -> NDArray[np.float32]:
    mask = np.zeros(pixels.shape[:2], np.uint8)
    points = np.round(quad.clip(-4000, 4000) * 2**FINENESS_BITS).astype(np.int32)
    cv2.fillConvexPoly(mask, points, 255, cv2.LINE_AA, FINENESS_BITS)
    return np.asarray(mask, np.float32) / np.float32(255)


def _lighten(pixels: Image, area: NDArray[np.float32], share: float) -> None:
    cover = area[..., None] * np.float32(share)
    pixels[:] = (pixels * (1 - cover) + 255 * cover).astype(np.uint8)
