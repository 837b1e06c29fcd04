"""A camera and a lamp in the world of the made-up table, as matrices.

World: metres, x east, y north, z up, the origin in the middle of the table top.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Point = tuple[float, float, float]

NEAR_M: Final = 0.1
FAR_M: Final = 12.0


@dataclass(frozen=True, slots=True)
class Lens:
    """A pinhole camera.

    Attributes:
        eye: Where it is.
        target: The point in the middle of its picture.
        fov_deg: How much its picture is wide.
        width: Of the picture, in pixels.
        height: Of the picture, in pixels.
    """

    eye: Point
    target: Point
    fov_deg: float = 60.0
    width: int = 1280
    height: int = 720

    @property
    def focal_px(self) -> float:
        """The focal length in pixels."""
        return float(self.width / 2 / np.tan(np.radians(self.fov_deg) / 2))

    @property
    def axes(self) -> Array:
        """Right, down and forward as rows (3, 3)."""
        forward = np.subtract(self.target, self.eye)
        forward /= np.linalg.norm(forward)
        up = np.array([0.0, 0.0, 1.0]) if abs(forward[2]) < 0.995 else np.array([0.0, 1.0, 0.0])
        right = np.cross(forward, up)
        right /= np.linalg.norm(right)
        return np.stack([right, np.cross(forward, right), forward])

    def project(self, points: Array) -> Array:
        """Pixels and depth in metres (..., 3) of world points (..., 3)."""
        seen = (np.asarray(points, np.float64) - self.eye) @ self.axes.T
        depth = np.maximum(seen[..., 2:], 1e-3)
        middle = np.array([(self.width - 1) / 2, (self.height - 1) / 2])
        return np.concatenate([seen[..., :2] / depth * self.focal_px + middle, seen[..., 2:]], axis=-1)

    @property
    def matrix(self) -> Array:
        """World to clip space (4, 4), for column vectors."""
        axes = self.axes * np.array([[1], [-1], [-1]])
        view = np.eye(4)
        view[:3, :3], view[:3, 3] = axes, -axes @ np.asarray(self.eye)
        fx, fy = 2 * self.focal_px / self.width, 2 * self.focal_px / self.height
        a = -(FAR_M + NEAR_M) / (FAR_M - NEAR_M)
        b = -2 * FAR_M * NEAR_M / (FAR_M - NEAR_M)
        projection = np.array([[fx, 0, 0, 0], [0, fy, 0, 0], [0, 0, a, b], [0, 0, -1, 0]])
        return np.asarray(projection @ view)


@dataclass(frozen=True, slots=True)
class Lamp:
    """The light: one key light far away and a soft sky.

    Attributes:
        way: Towards the key light; any length.
        key: Its brightness, RGB, 1 being usual.
        sky: Brightness from above, RGB.
        ground: Brightness from below, RGB.
        reach_m: Half the side of the square of the scene that throws shadows.
        middle: The middle of that square.
    """

    way: Point = (-0.5, -0.8, 1.1)
    key: Point = (0.62, 0.60, 0.56)
    sky: Point = (0.42, 0.43, 0.46)
    ground: Point = (0.24, 0.22, 0.20)
    reach_m: float = 1.3
    middle: Point = (0.0, 0.0, 0.2)

    @property
    def unit(self) -> Array:
        """The way to the key light, of length 1."""
        way = np.asarray(self.way, np.float64)
        return way / np.linalg.norm(way)

    @property
    def matrix(self) -> Array:
        """World to the shadow map's clip space (4, 4), for column vectors."""
        back = self.unit
        right = np.cross([0.0, 1.0, 0.0] if abs(back[1]) < 0.9 else [1.0, 0.0, 0.0], back)
        right /= np.linalg.norm(right)
        axes = np.stack([right, np.cross(back, right), back]) / self.reach_m
        axes[2] *= -0.5
        whole = np.eye(4)
        whole[:3, :3], whole[:3, 3] = axes, -axes @ np.asarray(self.middle)
        return whole
