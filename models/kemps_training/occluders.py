"""Fingers, hands, sleeves and small things that lie over cards."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_training.decks import Image


def cover_with_things(
    rng: np.random.Generator, pixels: Image, covered: NDArray[np.int16], card_length_px: float
) -> None:
    """Draws by chance over ``pixels`` and marks what is covered as -1 in ``covered``."""
    for _ in range(int(rng.poisson(0.8))):
        if rng.random() < 0.8:
            shape, width = _hand(rng, pixels.shape[0], card_length_px)
            colour = rng.uniform([130, 85, 60], [240, 190, 165]) * rng.uniform(0.45, 1.0)
        else:
            shape, width = _thing(rng, pixels.shape[0], card_length_px)
            colour = rng.uniform(0, 255, 3)
        _lay(rng, pixels, shape, width, colour)
        covered[shape > 127] = -1


def _lay(
    rng: np.random.Generator, pixels: Image, shape: NDArray[np.uint8], width: int, colour: NDArray[np.float64]
) -> None:
    soft = cv2.GaussianBlur(shape, (0, 0), max(1.0, width * 0.3)).astype(np.float32)[..., None] / 255
    cover = shape.astype(np.float32)[..., None] / 255
    darkened = pixels * (1 - rng.uniform(0.1, 0.5) * soft)
    shaded = colour.astype(np.float32) * (0.6 + 0.4 * soft)
    pixels[:] = (darkened * (1 - cover) + shaded * cover).clip(0, 255).astype(np.uint8)


def _hand(rng: np.random.Generator, side: int, card_length_px: float) -> tuple[NDArray[np.uint8], int]:
    """One to four fingers side by side, mostly with the palm and wrist behind them."""
    shape = np.zeros((side, side), np.uint8)
    tip, angle = rng.uniform(0, side, 2), rng.uniform(0, 2 * np.pi)
    width = max(3, int(card_length_px * rng.uniform(0.14, 0.3)))
    fingers = int(rng.integers(1, 5))
    across = np.array([-np.sin(angle), np.cos(angle)])
    for number in range(fingers):
        bend = angle + rng.normal(0, 0.12)
        start = tip + across * width * 1.05 * number
        end = start + np.array([np.cos(bend), np.sin(bend)]) * card_length_px * rng.uniform(0.3, 1.1)
        _stroke(shape, start, end, width)
    if rng.random() < 0.7:
        palm = tip + across * width * fingers / 2
        wrist = palm - np.array([np.cos(angle), np.sin(angle)]) * card_length_px * 1.2
        _stroke(shape, palm, wrist, max(3, int(width * fingers * 0.9)))
    return shape, width


def _thing(rng: np.random.Generator, side: int, card_length_px: float) -> tuple[NDArray[np.uint8], int]:
    """A chip, a pen or another strip."""
    shape = np.zeros((side, side), np.uint8)
    place = rng.uniform(0, side, 2)
    width = max(3, int(card_length_px * rng.uniform(0.05, 0.35)))
    if rng.random() < 0.5:
        cv2.circle(shape, (int(place[0]), int(place[1])), width, 255, -1, cv2.LINE_AA)
    else:
        _stroke(shape, place, place + rng.normal(0, card_length_px, 2), width)
    return shape, width


def _stroke(
    shape: NDArray[np.uint8], start: NDArray[np.float64], end: NDArray[np.float64], width: int
) -> None:
    first, last = (int(start[0]), int(start[1])), (int(end[0]), int(end[1]))
    cv2.line(shape, first, last, 255, width, cv2.LINE_AA)
