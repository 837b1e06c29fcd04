"""Card backs: bordered patterns, mirrored as on real decks."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from kemps_training.decks import FACE_WIDTH_PX, Image


def draw_back(rng: np.random.Generator, height: int) -> Image:
    """A card back of ``height`` by 240 px."""
    tone = int(rng.uniform(225, 255))
    back = np.full((height, FACE_WIDTH_PX, 3), tone, np.uint8)
    inks = ((150, 20, 30), (25, 50, 130), (20, 90, 50), (30, 30, 35), tuple(rng.integers(0, 200, 3).tolist()))
    ink = inks[int(rng.integers(len(inks)))]
    margin = int(rng.choice([0, 8, 14, 20]))
    inner = back[margin : height - margin, margin : FACE_WIDTH_PX - margin]
    if rng.random() < 0.7:
        inner[:] = ink
        ink = (tone, tone, tone) if rng.random() < 0.7 else tuple(rng.integers(60, 256, 3).tolist())
    draw: Callable[..., None] = (_lattice, _discs, _scribble, _stripes)[int(rng.integers(4))]
    draw(rng, inner, ink)
    half = back[: height // 2]
    back[height - height // 2 :] = half[::-1, ::-1]
    return back


def _lattice(rng: np.random.Generator, part: Image, ink: tuple[int, ...]) -> None:
    step, width = int(rng.integers(10, 40)), int(rng.integers(1, 5))
    reach = max(part.shape[:2])
    for place in range(-reach, 2 * reach, step):
        cv2.line(part, (place, 0), (place + reach, reach), ink, width, cv2.LINE_AA)
        cv2.line(part, (place + reach, 0), (place, reach), ink, width, cv2.LINE_AA)


def _discs(rng: np.random.Generator, part: Image, ink: tuple[int, ...]) -> None:
    step, radius = int(rng.integers(14, 48)), int(rng.integers(3, 18))
    thickness = -1 if rng.random() < 0.5 else 2
    for y in range(step // 2, part.shape[0], step):
        for x in range(step // 2, part.shape[1], step):
            cv2.circle(part, (x, y), radius, ink, thickness, cv2.LINE_AA)


def _scribble(rng: np.random.Generator, part: Image, ink: tuple[int, ...]) -> None:
    """Ornaments: ellipses and arcs, the same left and right."""
    height, width = part.shape[:2]
    for _ in range(int(rng.integers(8, 30))):
        x, y = int(rng.integers(width // 2)), int(rng.integers(height // 2))
        axes = (int(rng.integers(4, 40)), int(rng.integers(4, 40)))
        turn, end = int(rng.integers(180)), int(rng.integers(90, 361))
        line = int(rng.integers(1, 4))
        cv2.ellipse(part, (x, y), axes, turn, 0, end, ink, line, cv2.LINE_AA)
        cv2.ellipse(part, (width - 1 - x, y), axes, 180 - turn, -end, 0, ink, line, cv2.LINE_AA)


def _stripes(rng: np.random.Generator, part: Image, ink: tuple[int, ...]) -> None:
    step = int(rng.integers(6, 30))
    for place in range(0, max(part.shape[:2]), step):
        cv2.rectangle(
            part, (place, place), (part.shape[1] - place, part.shape[0] - place), ink, max(1, step // 4)
        )
