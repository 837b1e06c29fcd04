"""Light on the cards: how bright their paper is, how dark their ink, and how steady it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.frame import Image

BURNT: Final = 250  # grey levels from which a camera tells nothing any more
DARK: Final = 12
_PAPER, _INK = 75.0, 2.0  # percentiles: most of a card is paper, little of it is ink
_SMALL: Final = (160, 90)
_LEAST_PX: Final = 30


@dataclass(frozen=True, slots=True)
class Light:
    """Grey levels, 0..255, of a picture or of the cards in it.

    Attributes:
        burnt: The share of pixels that are as white as can be.
        dark: The share that are as good as black.
        paper: How bright the paper is.
        contrast: Between paper and ink.
    """

    burnt: float
    dark: float
    paper: float
    contrast: float


def measure_light(pixels: Image, quads: Sequence[NDArray[np.float64]]) -> Light | None:
    """The light on the cards with these quads (4, 2) in an RGB picture; None when none of them is in it."""
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8)
    lights = [light for quad in quads if (light := _light_of(grey, quad)) is not None]
    if not lights:
        return None
    return Light(
        burnt=_mean([light.burnt for light in lights]),
        dark=_mean([light.dark for light in lights]),
        paper=float(np.median([light.paper for light in lights])),
        contrast=float(np.median([light.contrast for light in lights])),
    )


def picture_light(pixels: Image) -> Light:
    """The light of the whole picture, where no card is to be found."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    return _from(np.asarray(grey, np.uint8).ravel())


def brightness(pixels: Image) -> float:
    """How bright a picture is as a whole; a median, so that a hand that passes counts for little."""
    small = cv2.resize(pixels, _SMALL, interpolation=cv2.INTER_AREA)
    return float(np.median(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY)))


def flicker(levels: Sequence[float]) -> float:
    """How far the brightness of frames in a row swings, as a share of it; slow changes do not count.

    >>> flicker([100, 100, 100]), flicker([90, 110, 90, 110]), flicker([90, 90, 110, 110, 110, 110])
    (0.0, 0.2, 0.0)
    """
    if len(levels) < 3:
        return 0.0
    steps = np.abs(np.diff(np.asarray(levels, np.float64)))
    # The upper quartile: a lamp switched on is no flicker, and light that beats rests at its turning points.
    return float(np.percentile(steps, 75) / max(1.0, float(np.mean(levels))))


def _light_of(grey: NDArray[np.uint8], quad: NDArray[np.float64]) -> Light | None:
    height, width = grey.shape
    low = np.clip(np.floor(quad.min(axis=0)), 0, (width, height)).astype(int)
    high = np.clip(np.ceil(quad.max(axis=0)), 0, (width, height)).astype(int)
    if (high - low).min() < 2:
        return None
    inside = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
    cv2.fillConvexPoly(inside, np.round(quad - low).astype(np.int32), 1)
    values = grey[low[1] : high[1], low[0] : high[0]][inside > 0]
    return _from(values) if len(values) >= _LEAST_PX else None


def _from(values: NDArray[np.uint8]) -> Light:
    paper, ink = np.percentile(values, [_PAPER, _INK])
    return Light(
        burnt=float((values >= BURNT).mean()),
        dark=float((values <= DARK).mean()),
        paper=float(paper),
        contrast=float(paper - ink),
    )


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))
