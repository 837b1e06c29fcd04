"""Tables drawn for calibration: cards seen by a known camera, and a view full of things that stay."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_vision.frame import Image

Floats = NDArray[np.float64]
CARD = np.array([[-31.5, -44.0], [31.5, -44.0], [31.5, 44.0], [-31.5, 44.0]])


@dataclass(frozen=True)
class Pinhole:
    """A camera that looks at the middle of a table from its lower edge; lengths in mm."""

    tilt_deg: float = 30.0
    distance: float = 1300.0
    focal_px: float = 1500.0
    size: tuple[int, int] = (1280, 720)

    def pixels(self, points: Floats) -> Floats:
        """(n, 2) px of points on the table, x to the right and y towards the camera."""
        tilt = np.radians(self.tilt_deg)
        x, y = np.asarray(points, np.float64).T
        depth = self.distance - y * np.sin(tilt)
        flat = np.column_stack([x / depth, y * np.cos(tilt) / depth]) * self.focal_px
        return flat + np.array(self.size) / 2

    def card(self, x: float, y: float, turn_deg: float = 0.0) -> Floats:
        """(4, 2) px: the quad of a card whose middle lies there."""
        c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
        return self.pixels(CARD @ np.array([[c, s], [-s, c]]) + (x, y))

    def row(self, turn_deg: float = 0.0) -> list[Floats]:
        """Four cards side by side, a little askew."""
        c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
        return [
            self.card(c * x, s * x, turn_deg + askew)
            for x, askew in zip((-114, -38, 38, 114), (2, -3, 1, -1), strict=True)
        ]


@pytest.fixture
def pinhole() -> type[Pinhole]:
    """The class of known cameras."""
    return Pinhole


def wide_view(seed: int = 3) -> Image:
    """A picture of 1600 x 900 with things of all sizes all over it, as on a table in use."""
    rng = np.random.default_rng(seed)
    canvas = np.full((900, 1600, 3), (40, 95, 60), np.uint8)
    for _ in range(140):
        x, y = int(rng.integers(1600)), int(rng.integers(900))
        colour = [int(value) for value in rng.integers(20, 235, 3)]
        if rng.random() < 0.5:
            cv2.circle(canvas, (x, y), int(rng.integers(5, 26)), colour, -1, cv2.LINE_AA)
        else:
            w, h = (int(value) for value in rng.integers(10, 60, 2))
            cv2.rectangle(canvas, (x, y), (x + w, y + h), colour, -1)
    return canvas


def seen(
    wide: Image,
    *,
    dx: float = 0.0,
    dy: float = 0.0,
    turn_deg: float = 0.0,
    zoom: float = 1.0,
    gain: float = 1.0,
    noise: int = 0,
) -> Image:
    """The middle 1280 x 720 of a wide view, by a camera that was turned and zoomed, then shifted."""
    crop = np.array([[1, 0, 160], [0, 1, 90], [0, 0, 1.0]])
    picture = cv2.warpPerspective(wide, move(dx, dy, turn_deg, zoom) @ np.linalg.inv(crop), (1280, 720))
    lit = picture.astype(np.float32) * gain
    if noise:
        lit += np.random.default_rng(noise).normal(0, 3, lit.shape)
    return np.asarray(np.clip(lit, 0, 255), np.uint8)


def move(dx: float, dy: float, turn_deg: float, zoom: float) -> Floats:
    """(3, 3) where a px of the first view is after the move."""
    c, s = zoom * np.cos(np.radians(turn_deg)), zoom * np.sin(np.radians(turn_deg))
    middle = np.array([[1, 0, 639.5], [0, 1, 359.5], [0, 0, 1.0]])
    about = np.array([[c, -s, dx], [s, c, dy], [0, 0, 1.0]])
    return np.asarray(middle @ about @ np.linalg.inv(middle), np.float64)


class NudgedView:
    """A wide view, and what a camera sees of it."""

    centre = np.array([[440.0, 260.0], [840.0, 260.0], [840.0, 460.0], [440.0, 460.0]])

    def __init__(self) -> None:
        self.wide = wide_view()

    def seen(
        self,
        dx: float = 0.0,
        dy: float = 0.0,
        turn_deg: float = 0.0,
        zoom: float = 1.0,
        *,
        gain: float = 1.0,
        noise: int = 0,
    ) -> Image:
        """A picture after a move, in some light, with noise by that seed."""
        return seen(self.wide, dx=dx, dy=dy, turn_deg=turn_deg, zoom=zoom, gain=gain, noise=noise)

    def centre_after(self, dx: float, dy: float, turn_deg: float = 0.0, zoom: float = 1.0) -> Floats:
        """(4, 2) where the centre's corners are after the move."""
        return np.asarray(
            cv2.perspectiveTransform(self.centre[None], move(dx, dy, turn_deg, zoom))[0], np.float64
        )


@pytest.fixture(scope="session")
def nudged() -> NudgedView:
    """A view full of things, and moves of its camera."""
    return NudgedView()
