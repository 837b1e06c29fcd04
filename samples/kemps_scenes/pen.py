"""A drawing pen in millimetres: everything on a card is drawn with it, large, and then shrunk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

Colour = tuple[int, int, int]
Points = NDArray[np.float64]

_SHIFT: Final = 4  # OpenCV draws with sub-pixel coordinates given as integers times 2**shift


def arc(
    centre: tuple[float, float], radii: tuple[float, float], start_deg: float, end_deg: float, n: int = 28
) -> Points:
    """Points (n, 2) on an ellipse; 0° points to the right and angles grow clockwise (y goes down)."""
    angles = np.radians(np.linspace(start_deg, end_deg, n))
    return np.stack([centre[0] + radii[0] * np.cos(angles), centre[1] + radii[1] * np.sin(angles)], axis=1)


class Pen:
    """Draws on an RGB picture of ``width`` x ``height`` millimetres at ``scale`` pixels a millimetre."""

    def __init__(self, width: float, height: float, scale: float, paper: Colour) -> None:
        self.scale = scale
        self.size = (width, height)
        self.pixels: NDArray[np.uint8] = np.full(
            (round(height * scale), round(width * scale), 3), paper, np.uint8
        )

    def fill(self, points: Points | Sequence[tuple[float, float]], colour: Colour) -> None:
        """Fills a polygon given by its corners in millimetres."""
        cv2.fillPoly(self.pixels, [self._fixed(points)], colour, cv2.LINE_AA, _SHIFT)

    def line(
        self,
        points: Points | Sequence[tuple[float, float]],
        colour: Colour,
        width: float,
        *,
        closed: bool = False,
    ) -> None:
        """Draws a line of ``width`` millimetres through the points."""
        thickness = max(1, round(width * self.scale))
        cv2.polylines(self.pixels, [self._fixed(points)], closed, colour, thickness, cv2.LINE_AA, _SHIFT)

    def shape(
        self,
        points: Points | Sequence[tuple[float, float]],
        colour: Colour,
        edge: Colour,
        width: float = 0.35,
    ) -> None:
        """Fills a polygon and outlines it."""
        self.fill(points, colour)
        self.line(points, edge, width, closed=True)

    def disc(self, centre: tuple[float, float], radius: float, colour: Colour) -> None:
        """Fills a circle."""
        self.fill(arc(centre, (radius, radius), 0, 360), colour)

    def shrunk(self, factor: int) -> NDArray[np.uint8]:
        """The picture, ``factor`` times smaller, each pixel a mean of what it covers."""
        height, width = self.pixels.shape[:2]
        small: Any = cv2.resize(
            self.pixels, (width // factor, height // factor), interpolation=cv2.INTER_AREA
        )
        return np.asarray(small, np.uint8)

    def _fixed(self, points: Points | Sequence[tuple[float, float]]) -> NDArray[np.int32]:
        scaled = np.asarray(points, np.float64) * self.scale * (1 << _SHIFT)
        return np.round(scaled).astype(np.int32)
