"""Light on the table: a lamp's pool, a window's side, the lens's vignette, and how it changes with time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_scenes.camera import Camera
from kemps_scenes.spec import SceneSpec

UNIT: Final = 200  # a light map holds brightness as bytes, 200 being 1.0
NUDGE_MS: Final = 90.0  # after which the swing of a nudged camera has fallen to a third
SHADOW_OFFSET: Final = (0.55, -0.42)  # how far a shadow lies from a thing, in its heights, east and north


@dataclass(frozen=True, slots=True)
class Light:
    """The light of one scene."""

    spec: SceneSpec

    def map(self, camera: Camera, table: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Brightness of each pixel, (h, w, 3), 200 being 1.0; ``table``: what lies there, (h, w, 2)."""
        rng = np.random.default_rng([self.spec.seed, 5])
        lamp = np.array([-0.14, 0.12]) + rng.normal(0, 0.08, 2)
        distance = np.sum((table - lamp) ** 2, axis=-1)
        pool = 0.80 + 0.26 * np.exp(-distance / 0.26)
        slope = 1 + 0.10 * np.clip((table @ np.array([-0.6, 0.8])) / 0.5, -1, 1)
        ys, xs = np.mgrid[0 : camera.height, 0 : camera.width]
        off = ((xs / camera.width - 0.5) ** 2 + (ys / camera.height - 0.5) ** 2 * 0.5) * 2
        vignette = 1 - 0.22 * off
        bright = np.clip(pool * slope * vignette, 0.2, 1.24)
        tint = np.array([1.02, 1.0, 0.965])
        return np.asarray(np.clip(bright[..., None] * tint * UNIT, 0, 255), np.uint8)

    def level(self, at_ms: float, duration_ms: float) -> float:
        """Brightness of the whole picture at a time against the usual."""
        slow = self.spec.light_change * np.sin(2 * np.pi * at_ms / max(1.0, duration_ms))
        rng = np.random.default_rng([self.spec.seed, 6, int(at_ms // 66)])
        quick = self.spec.flicker * (0.6 * np.sin(at_ms / 61.0) + 0.4 * rng.normal())
        lamp = next((level for since, level in reversed(self.spec.relit) if since <= at_ms), 1.0)
        return float(np.clip((1 + slow + quick) * lamp, 0.3, 1.7))

    def shake(self, at_ms: float) -> tuple[float, float]:
        """How far the picture is shifted at a time, in pixels."""
        size, phase = self.spec.shake_px, self.spec.seed * 1.7
        dx, dy = self._nudged(at_ms)
        x = np.sin(at_ms / 143 + phase) + 0.6 * np.sin(at_ms / 61 + 2 * phase) + 0.3 * np.sin(at_ms / 37)
        y = np.sin(at_ms / 171 + 3 * phase) + 0.6 * np.sin(at_ms / 53 + phase) + 0.3 * np.sin(at_ms / 41)
        return (float(size * x / 1.5) + dx, float(size * y / 1.5) + dy)

    def _nudged(self, at_ms: float) -> tuple[float, float]:
        """The sum of all nudges so far; a camera swings for a moment before it is still again."""
        dx = dy = 0.0
        for since, x, y in self.spec.nudges:
            after = at_ms - since
            if after >= 0:
                share = 1 - np.exp(-after / NUDGE_MS) * np.cos(after / 45)
                dx, dy = dx + x * float(share), dy + y * float(share)
        return (dx, dy)
