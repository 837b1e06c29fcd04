"""A pinhole camera with a little lens distortion over a table whose top is the plane z = 0.

World: metres, x to the east, y to the north, z up, the origin in the middle of the table. Pictures: pixels,
the middle of the upper left pixel at (0, 0).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_scenes.errors import SpecError

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Where a camera stands; independent of the size of the picture.

    Attributes:
        tilt_deg: 0 looks straight down.
        yaw_deg: Where it stands: 0 south of the table, 90 east.
        distance_m: From the eye to the point looked at.
        across_m: How much of the table, at the point looked at, the picture is wide.
        target_m: The point looked at.
        roll_deg: Turn about the line of sight.
        k1: Radial distortion at the picture's half width (negative: barrel).
    """

    tilt_deg: float = 24.0
    yaw_deg: float = 0.0
    distance_m: float = 1.5
    across_m: float = 0.96
    target_m: tuple[float, float] = (0.0, 0.005)
    roll_deg: float = 0.0
    k1: float = -0.025

    def zoomed(self, factor: float) -> View:
        """The same view of a table that many times larger, from farther away."""
        return replace(self, across_m=self.across_m * factor, distance_m=self.distance_m * factor)


VIEWS: Final[dict[str, View]] = {
    "arm": View(),
    "above": View(tilt_deg=6.0, across_m=0.98, k1=-0.02),
    "oblique": View(tilt_deg=42.0, yaw_deg=14.0, across_m=0.98, distance_m=1.35, roll_deg=1.5, k1=-0.04),
    "corner": View(tilt_deg=34.0, yaw_deg=-38.0, across_m=1.10, distance_m=1.4, roll_deg=-2.0, k1=-0.03),
    "wide": View(tilt_deg=20.0, across_m=1.24, distance_m=1.7, k1=-0.06),
}


def camera_view(name: str) -> View:
    """The view of that name.

    Raises:
        SpecError: There is no such camera.
    """
    if name not in VIEWS:
        raise SpecError(f"no camera {name!r}; there are {', '.join(VIEWS)}")
    return VIEWS[name]


class Camera:
    """A view with a size of picture: projects points of the world, and finds the table under a pixel."""

    def __init__(self, view: View, width: int, height: int) -> None:
        self.view, self.width, self.height = view, width, height
        self.focal_px = view.distance_m * width / view.across_m
        tilt, yaw = np.radians(view.tilt_deg), np.radians(view.yaw_deg)
        back = np.array([np.sin(tilt) * np.sin(yaw), -np.sin(tilt) * np.cos(yaw), np.cos(tilt)])
        self.eye: Array = np.array([*view.target_m, 0.0]) + back * view.distance_m
        right = np.array([np.cos(yaw), np.sin(yaw), 0.0])
        down = np.cross(-back, right)
        roll = np.radians(view.roll_deg)
        c, s = np.cos(roll), np.sin(roll)
        self._axes: Array = np.stack([c * right + s * down, -s * right + c * down, -back])

    def project(self, points: Array) -> Array:
        """Pixels (..., 2) of world points (..., 3)."""
        seen = (np.asarray(points, np.float64) - self.eye) @ self._axes.T
        flat = seen[..., :2] / np.maximum(seen[..., 2:], 1e-3)
        return self._distorted(flat) * self.focal_px + self._middle

    def table_points(self, pixels: Array, z: float = 0.0) -> Array:
        """World points (..., 2) at height ``z`` under pixels (..., 2)."""
        flat = (np.asarray(pixels, np.float64) - self._middle) / self.focal_px
        ideal = flat.copy()
        for _ in range(6):
            ideal = flat / self._factor(ideal)
        rays = np.concatenate([ideal, np.ones((*ideal.shape[:-1], 1))], axis=-1) @ self._axes
        along = (z - self.eye[2]) / rays[..., 2:]
        return np.asarray(self.eye[:2] + rays[..., :2] * along, np.float64)

    def pixels_per_metre(self, point: Array) -> float:
        """Scale of the picture at a world point (3,), across the line of sight."""
        depth = float((np.asarray(point) - self.eye) @ self._axes[2])
        return self.focal_px / max(depth, 1e-3)

    @property
    def _middle(self) -> Array:
        return np.array([(self.width - 1) / 2, (self.height - 1) / 2])

    def _factor(self, flat: Array) -> Array:
        half = self.width / 2 / self.focal_px
        radius = np.sum(flat**2, axis=-1, keepdims=True) / half**2
        # Clamped so that points far outside the picture are not folded back into it.
        return np.asarray(1 + self.view.k1 * np.minimum(radius, 2.5), np.float64)

    def _distorted(self, flat: Array) -> Array:
        return flat * self._factor(flat)
