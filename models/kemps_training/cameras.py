"""A pinhole camera over a table, as the map from table millimetres to picture px."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CARD_MM = (63.0, 88.0)
LARGEST_TILT_DEG = 76.0


def choose_camera(rng: np.random.Generator, side: int, card_length_px: float) -> Floats:
    """A homography (3, 3) from the table to a picture; a card in its middle is about ``card_length_px`` long.

    Tilt 0 is straight from above; four pictures in five are tilted by up to 76 degrees.
    """
    tilt = np.radians(rng.uniform() ** 0.8 * LARGEST_TILT_DEG if rng.random() < 0.8 else rng.uniform(0, 15))
    focal_px = rng.uniform(0.8, 2.5) * 600
    distance = focal_px / (card_length_px / CARD_MM[1])
    rotation = _about_z(rng.normal(0, 0.12)) @ _about_x(tilt) @ _about_z(rng.uniform(0, 2 * np.pi))
    lens = np.array([[focal_px, 0, side / 2], [0, focal_px, side / 2], [0, 0, 1]])
    return np.asarray(lens @ np.column_stack([rotation[:, 0], rotation[:, 1], [0, 0, distance]]))


def project(homography: Floats, points: Floats) -> Floats:
    """``points`` (n, 2) through ``homography``."""
    mapped = points @ homography[:, :2].T + homography[:, 2]
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def _about_z(angle: float) -> Floats:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])


def _about_x(angle: float) -> Floats:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, cosine, -sine], [0, sine, cosine]])
