"""What else stands on a table: mugs, a phone, coins, coasters, snacks, a notepad with writing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_scenes.camera import Camera
from kemps_scenes.canvas import Box, Image, Sprite, darken, lay_over
from kemps_scenes.layout import Layout
from kemps_scenes.light import SHADOW_OFFSET, UNIT
from kemps_scenes.pen import Colour, Pen, arc

_Put = Callable[["Still", float, float], None]


class Still:
    """Draws standing and lying things into the picture of an empty table."""

    def __init__(self, picture: Image, camera: Camera, rng: np.random.Generator) -> None:
        self.picture, self.camera, self.rng = picture, camera, rng
        self._plain = np.full_like(picture, UNIT)

    def disc(
        self, x: float, y: float, z: float, radius: float, colour: Sequence[float] | NDArray[np.float64]
    ) -> None:
        """A horizontal disc."""
        self._fill(self.circle(x, y, z, radius), colour)

    def circle(self, x: float, y: float, z: float, radius: float) -> NDArray[np.float64]:
        """The outline in the picture of a horizontal circle, (n, 2)."""
        ring = arc((x, y), (radius, radius), 0, 360, 48)
        return self.camera.project(np.column_stack([ring, np.full(len(ring), z)]))

    def shadow(self, x: float, y: float, radius: float, height: float) -> None:
        """The shadow of something round that stands there."""
        foot, head = arc((x, y), (radius, radius), 0, 360, 32), arc((x, y), (radius, radius), 0, 360, 32)
        head = head + height * np.array(SHADOW_OFFSET)
        hull = cv2.convexHull(np.vstack([foot, head]).astype(np.float32))[:, 0].astype(np.float64)
        scale = self.camera.pixels_per_metre(np.array([x, y, 0.0]))
        outline = self.camera.project(np.column_stack([hull, np.zeros(len(hull))]))
        darken(self.picture, outline, 0.010 * scale, 0.42)

    def flat(self, pen: Pen, x: float, y: float, yaw: float, thickness: float = 0.0) -> None:
        """A drawn thing of ``pen``'s size in mm, lying with its middle at x, y."""
        w, h = pen.size[0] / 2000, pen.size[1] / 2000
        c, s = np.cos(yaw), np.sin(yaw)
        corners = np.array([[-w, h], [w, h], [w, -h], [-w, -h]]) @ np.array([[c, s], [-s, c]]) + (x, y)
        scale = self.camera.pixels_per_metre(np.array([x, y, 0.0]))
        ground = corners + (0.004 + thickness) * np.array(SHADOW_OFFSET)
        darken(self.picture, self._seen(ground, 0.0), 0.006 * scale, 0.5)
        alpha = np.full((*pen.pixels.shape[:2], 1), 255, np.uint8)
        quad = self._seen(corners, thickness)
        height, width = self.picture.shape[:2]
        box = Box.around(quad, width, height)
        if not box.is_empty:
            lay_over(
                self.picture, Sprite.of(np.dstack([pen.pixels, alpha])).warped(quad, box), box, self._plain
            )

    def _seen(self, corners: NDArray[np.float64], z: float) -> NDArray[np.float64]:
        return self.camera.project(np.column_stack([corners, np.full(len(corners), z)]))

    def _fill(self, outline: NDArray[np.float64], colour: Sequence[float] | NDArray[np.float64]) -> None:
        rgb = tuple(float(np.clip(v, 0, 255)) for v in colour)
        cv2.fillPoly(self.picture, [np.round(outline * 16).astype(np.int32)], rgb, cv2.LINE_AA, 4)


def _mug(still: Still, x: float, y: float) -> None:
    colours: list[Colour] = [(184, 74, 58), (70, 110, 130), (226, 220, 206), (60, 64, 72)]
    colour = np.array(colours[int(still.rng.integers(len(colours)))], np.float64)
    still.shadow(x, y, 0.041, 0.092)
    turn = float(still.rng.uniform(0, 2 * np.pi))
    for step in range(60):
        z = 0.092 * step / 59
        if 0.25 < step / 59 < 0.85:
            for reach in (0.052, 0.058):
                still.disc(
                    x + reach * np.cos(turn),
                    y + reach * np.sin(turn),
                    z,
                    0.007,
                    colour * (0.55 + 0.3 * step / 59),
                )
        still.disc(x, y, z, 0.041, colour * (0.62 + 0.42 * step / 59))
    still.disc(x, y, 0.092, 0.041, np.minimum(colour * 1.22, 255))
    still.disc(x, y, 0.091, 0.0365, colour * 0.5)
    still.disc(x, y, 0.078, 0.034, (64, 40, 26))
    still.disc(x - 0.010, y + 0.012, 0.078, 0.010, (92, 62, 42))


def _bowl(still: Still, x: float, y: float) -> None:
    still.shadow(x, y, 0.066, 0.045)
    for step in range(30):
        z = 0.045 * step / 29
        still.disc(x, y, z, 0.042 + 0.026 * step / 29, np.array([206, 198, 184]) * (0.66 + 0.36 * step / 29))
    still.disc(x, y, 0.043, 0.063, (120, 108, 92))
    for _ in range(70):
        angle, reach = still.rng.uniform(0, 2 * np.pi), 0.056 * np.sqrt(still.rng.uniform())
        shade = still.rng.uniform(0.78, 1.12)
        place = (
            x + reach * np.cos(angle),
            y + reach * np.sin(angle),
            0.040 + float(still.rng.uniform(0, 0.012)),
        )
        still.disc(*place, float(still.rng.uniform(0.006, 0.010)), np.array([222, 168, 84]) * shade)


def _coaster(still: Still, x: float, y: float) -> None:
    still.disc(x + 0.002, y - 0.002, 0.0, 0.049, (40, 30, 24))
    still.disc(x, y, 0.003, 0.048, (158, 112, 72))
    for radius, shade in ((0.044, 0.86), (0.042, 1.0), (0.026, 0.86), (0.024, 1.05)):
        still.disc(x, y, 0.003, radius, np.array([158, 112, 72]) * shade)
    if still.rng.uniform() < 0.5:
        _mug(still, x, y)


def _coins(still: Still, x: float, y: float) -> None:
    for _ in range(int(still.rng.integers(3, 6))):
        dx, dy = (float(v) for v in still.rng.normal(0, 0.018, 2))
        colour = np.array(
            [(196, 148, 92), (206, 202, 190), (214, 186, 110)][int(still.rng.integers(3))], np.float64
        )
        radius = float(still.rng.uniform(0.009, 0.0125))
        still.shadow(x + dx, y + dy, radius, 0.003)
        for z, size, shade in ((0.0, 1.0, 0.6), (0.002, 1.0, 0.98), (0.002, 0.82, 1.12), (0.002, 0.72, 0.92)):
            still.disc(x + dx, y + dy, z, radius * size, colour * shade)


def _phone(still: Still, x: float, y: float) -> None:
    pen = Pen(72, 148, 6, (26, 27, 31))
    pen.line([(1, 1), (71, 1), (71, 147), (1, 147)], (92, 94, 100), 1.4, closed=True)
    for row in range(68):
        share = row / 67
        top = 4 + row * 2.06
        tone = (round(30 + 90 * share), round(46 + 40 * share), round(96 + 20 * np.sin(share * 3)))
        pen.fill([(4, top), (68, top), (68, top + 2.4), (4, top + 2.4)], tone)
    for centre, size, tone in (((50, 104), 30.0, (150, 96, 104)), ((18, 128), 26.0, (44, 52, 92))):
        pen.fill(np.clip(arc(centre, (size, size), 0, 360), (4, 4), (68, 144)), tone)
    for column in range(4):
        left, icon = 9 + column * 14.2, still.rng.integers(90, 220, 3)
        corners = [(left, 126), (left + 10, 126), (left + 10, 136), (left, 136)]
        pen.fill(corners, (int(icon[0]), int(icon[1]), int(icon[2])))
    cv2.putText(
        pen.pixels,
        "21:47",
        ((13 * 6), (38 * 6)),
        cv2.FONT_HERSHEY_SIMPLEX,
        3.0,
        (236, 238, 242),
        6,
        cv2.LINE_AA,
    )
    still.flat(pen, x, y, float(still.rng.uniform(-0.5, 0.5)), 0.008)


def _notepad(still: Still, x: float, y: float) -> None:
    pen = Pen(98, 138, 6, (244, 240, 222))
    for row in range(14):
        pen.line([(6, 24 + row * 8), (92, 24 + row * 8)], (170, 188, 214), 0.4)
    pen.fill([(0, 0), (98, 0), (98, 9), (0, 9)], (178, 60, 52))
    ink = (44, 52, 110)
    lines = ("KEMPS", "A+C   K", "B+D   KE", "", "milk, 2 lemons", "9 eggs")
    for row, text in enumerate(lines):
        place = (round(9 * pen.scale), round((31 + row * 16) * pen.scale))
        cv2.putText(pen.pixels, text, place, cv2.FONT_HERSHEY_SCRIPT_SIMPLEX, 2.2, ink, 5, cv2.LINE_AA)
    still.flat(pen, x, y, float(still.rng.uniform(-0.4, 0.4)), 0.004)
    stylus = Pen(8, 140, 6, (40, 84, 150))
    stylus.fill([(0, 0), (2.4, 0), (2.4, 140), (0, 140)], (86, 132, 196))
    stylus.fill([(0, 132), (8, 132), (8, 140), (0, 140)], (226, 226, 226))
    still.flat(stylus, x + 0.012, y - 0.02, float(still.rng.uniform(0.7, 1.3)), 0.010)


_THINGS: Final[dict[str, _Put]] = {
    "mug": _mug,
    "notepad": _notepad,
    "phone": _phone,
    "bowl": _bowl,
    "coaster": _coaster,
    "coins": _coins,
}


def put_clutter(picture: Image, camera: Camera, layout: Layout, amount: str, seed: int) -> None:
    """Draws things where nobody plays: in the corners of the table, and small ones nearer."""
    rng = np.random.default_rng([seed, 31])
    still = Still(picture, camera, rng)
    x, y = layout.packet_ring[0], layout.packet_ring[1]
    corners = [(-x, y + 0.04), (x - 0.005, y + 0.045), (-0.65 * x, -y - 0.005), (0.65 * x, -y)]
    order = [str(name) for name in rng.permutation(["mug", "notepad", "phone", "bowl", "coaster"])]
    # With six or eight seats the corners belong to players.
    count = {"none": 0, "some": 3, "much": 4}[amount] if len(layout.seats) == 4 else 0
    for place in sorted(int(k) for k in rng.permutation(4)[:count]):
        dx, dy = (float(v) for v in rng.normal(0, 0.006, 2))
        # Only small things stand where hands pass closely; when none is left, nothing does.
        name = next((one for one in order if place < 2 or one in ("coaster", "phone", "mug")), None)
        if name is None:
            continue
        order.remove(name)
        _THINGS[name](still, corners[place][0] + dx, corners[place][1] + dy)
    if amount == "much":
        small_x, small_y = layout.shown_ring[0] * 0.66, layout.shown_ring[1] * 0.68
        _coins(still, small_x, -small_y)
        _coins(still, -small_x, -small_y)
