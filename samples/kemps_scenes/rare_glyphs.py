"""Letters that few decks have: capitals of a running hand, and Greek ones; strokes as in ``glyphs``."""

from __future__ import annotations

from typing import Final

import numpy as np

from kemps_scenes.pen import Points, arc


def _path(*points: tuple[float, float]) -> Points:
    return np.asarray(points, np.float64)


def _curl(x: float, y: float, size: float, start_deg: float, turn_deg: float) -> Points:
    """A spiral that winds inwards round (x, y): the flourish at a stroke's end."""
    angles = np.radians(np.linspace(start_deg, start_deg + turn_deg, 26))
    radii = np.linspace(size, 0.35 * size, 26)
    return np.stack([x + radii * np.cos(angles), y + radii * np.sin(angles)], axis=1)


RARE_STROKES: Final[dict[str, tuple[Points, ...]]] = {
    "𝒜": (
        np.vstack([_curl(0.14, 0.84, 0.16, -150, -300)[::-1], _path((0.42, 0.66), (0.72, 0.0))]),
        np.vstack([_path((0.72, 0.0), (0.80, 0.80)), arc((0.98, 0.80), (0.18, 0.20), 180, 20, 14)]),
        arc((0.5, 0.78), (0.42, 0.20), 205, 330, 14),
    ),
    "𝒥": (
        np.vstack(
            [
                _curl(0.30, 0.22, 0.24, 60, 300)[::-1],
                _path((0.66, 0.04), (0.94, 0.02), (0.78, 0.40), (0.62, 0.80)),
                arc((0.34, 0.80), (0.28, 0.20), 0, 230, 20),
                _path((0.40, 0.62), (0.82, 0.52)),
            ]
        ),
    ),
    "𝒬": (
        np.vstack(
            [
                _curl(0.26, 0.34, 0.2, 120, 280)[::-1],
                arc((0.52, 0.32), (0.42, 0.32), 200, 380, 24),
                _path((0.70, 0.70)),
                arc((0.22, 0.86), (0.2, 0.12), 320, 60, 20),
                arc((0.66, 0.72), (0.42, 0.28), 130, 30, 16),
            ]
        ),
    ),
    "𝒦": (
        np.vstack([_curl(0.14, 0.16, 0.16, 100, 260)[::-1], _path((0.36, 0.06), (0.30, 0.60), (0.16, 1.02))]),
        np.vstack([_curl(0.92, 0.14, 0.14, 0, 250)[::-1], arc((0.9, 0.5), (0.58, 0.48), 275, 180, 14)]),
        np.vstack([_path((0.32, 0.5), (0.62, 0.72)), arc((0.92, 0.82), (0.26, 0.2), 190, 20, 14)]),
    ),
    "Φ": (arc((0.5, 0.5), (0.5, 0.30), 0, 360, 48), _path((0.5, -0.15), (0.5, 1.15))),
    "N": (_path((0.0, 1.15), (0.0, -0.1), (1.0, 1.1), (1.0, -0.15)),),
    "P": (
        _path((0.0, 1.15), (0.0, 0.0)),
        np.vstack(
            [_path((0.0, 0.0), (0.5, 0.0)), arc((0.5, 0.28), (0.46, 0.28), -90, 90, 20), _path((0.0, 0.56))]
        ),
    ),
}
"""Upright 1 x 1 boxes; the hand's K, Q, J and A, and the Greek valet (Φ), lady (N) and king (P)."""

RARE_WIDTHS: Final = {"N": 1.05, "Φ": 1.2, "𝒜": 1.3, "𝒥": 1.2, "𝒬": 1.3, "𝒦": 1.35}
