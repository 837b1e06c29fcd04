"""From a clean picture to a camera's: light, shadow, glare, colour, blur, motion, noise, JPEG."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_training.decks import Image

Floats = NDArray[np.float32]


def photograph(
    rng: np.random.Generator, pixels: Image, card_length_px: float, sensor_share: float = 1.0
) -> Image:
    """``pixels`` as a camera would show them; blur grows with the card's length in px.

    A camera that shows the scene at ``sensor_share`` of its size has its blur, noise and compression there;
    its picture is then enlarged, as a reader enlarges far cards.
    """
    seen = pixels.astype(np.float32)
    _light(rng, seen, card_length_px)
    seen = _colour(rng, seen)
    if sensor_share == 1.0:
        return _recorded(rng, seen, card_length_px)
    small = cv2.resize(seen, None, fx=sensor_share, fy=sensor_share, interpolation=cv2.INTER_AREA)
    shown = _recorded(rng, np.asarray(small, np.float32), card_length_px * sensor_share)
    way = cv2.INTER_LINEAR if rng.random() < 0.75 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(shown, pixels.shape[1::-1], interpolation=way), np.uint8)


def _recorded(rng: np.random.Generator, seen: Floats, card_length_px: float) -> Image:
    """Blur, noise and compression at the size of the sensor."""
    seen = _sharpness(rng, seen, card_length_px)
    if rng.random() < 0.7:
        seen = seen + rng.standard_normal(seen.shape, np.float32) * np.float32(rng.uniform(1, 10))
    shown = seen.clip(0, 255).astype(np.uint8)
    if rng.random() < 0.6:
        shown = _compressed(shown, int(rng.integers(14, 95)))
    return shown


def _light(rng: np.random.Generator, seen: Floats, card_length_px: float) -> None:
    side = seen.shape[0]
    if rng.random() < 0.6:
        slope = np.linspace(rng.uniform(0.6, 1.1), rng.uniform(0.6, 1.1), side, dtype=np.float32)
        seen *= (slope[None, :] if rng.random() < 0.5 else slope[:, None])[..., None]
    if rng.random() < 0.25:
        shadow = np.zeros((side, side), np.float32)
        cv2.fillPoly(shadow, [rng.integers(-50, side + 50, (4, 2)).astype(np.int32)], 1.0)
        shadow = np.asarray(cv2.GaussianBlur(shadow, (0, 0), rng.uniform(0.6, 15)), np.float32)
        seen *= (1 - np.float32(rng.uniform(0.2, 0.5)) * shadow)[..., None]
    if rng.random() < 0.25:
        glare = np.zeros((side, side), np.float32)
        axes = (
            int(rng.uniform(0.1, 0.6) * card_length_px) + 2,
            int(rng.uniform(0.1, 0.4) * card_length_px) + 2,
        )
        place = (int(rng.integers(side)), int(rng.integers(side)))
        cv2.ellipse(glare, place, axes, float(rng.uniform(0, 180)), 0, 360, 1.0, -1)
        glare = np.asarray(cv2.GaussianBlur(glare, (0, 0), rng.uniform(3, 20)), np.float32)
        seen += (np.float32(rng.uniform(20, 130)) * glare)[..., None]


def _colour(rng: np.random.Generator, seen: Floats) -> Floats:
    exposure = rng.uniform(0.25, 0.7) if rng.random() < 0.15 else rng.uniform(0.7, 1.2)
    spread = (0.86, 1.14) if rng.random() < 0.75 else (0.5, 1.5)
    seen = seen * rng.uniform(*spread, 3).astype(np.float32) * np.float32(exposure)
    if rng.random() < 0.5:
        seen = 255 * np.power((seen / 255).clip(0, 1.2), np.float32(rng.uniform(0.6, 1.5)))
    if rng.random() < 0.3:
        grey = seen.mean(2, keepdims=True)
        seen = grey + (seen - grey) * np.float32(rng.uniform(0.35, 1.4))
    if rng.random() < 0.4:
        seen = (seen - seen.mean()) * np.float32(rng.uniform(0.5, 1.2)) + seen.mean()
    return np.asarray(seen, np.float32)


def _sharpness(rng: np.random.Generator, seen: Floats, card_length_px: float) -> Floats:
    """Out of focus, moved, resampled, sharpened as phones do, or as it is."""
    side = seen.shape[0]
    kind = rng.choice(["soft", "moved", "resampled", "sharpened", "clean"], p=[0.4, 0.18, 0.17, 0.1, 0.15])
    if kind == "soft":
        return np.asarray(
            cv2.GaussianBlur(seen, (0, 0), rng.uniform(0.4, 1.1) * (card_length_px / 100) ** 0.6)
        )
    if kind == "moved":
        return np.asarray(
            cv2.filter2D(seen, -1, _motion(rng, int(rng.integers(2, 3 + max(1, int(card_length_px * 0.08))))))
        )
    if kind == "resampled":
        factor = rng.uniform(0.5, 0.9)
        small = cv2.resize(seen, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        way = cv2.INTER_LINEAR if rng.random() < 0.5 else cv2.INTER_CUBIC
        return np.asarray(cv2.resize(small, (side, side), interpolation=way))
    if kind == "sharpened":
        return np.asarray(
            seen + (seen - cv2.GaussianBlur(seen, (0, 0), 1.2)) * np.float32(rng.uniform(0.3, 1.2))
        )
    return seen


def _motion(rng: np.random.Generator, length: int) -> Floats:
    """The kernel of a straight movement of ``length`` px in any direction."""
    kernel = np.zeros((length, length), np.float32)
    angle, middle = rng.uniform(0, np.pi), (length - 1) / 2
    x, y = middle * np.cos(angle), middle * np.sin(angle)
    first, last = (round(middle - x), round(middle - y)), (round(middle + x), round(middle + y))
    cv2.line(kernel, first, last, 1.0, 1)
    return np.asarray(kernel / kernel.sum(), np.float32)


def _compressed(pixels: Image, quality: int) -> Image:
    _, data = cv2.imencode(".jpg", pixels[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    decoded = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return np.ascontiguousarray(decoded[..., ::-1])
