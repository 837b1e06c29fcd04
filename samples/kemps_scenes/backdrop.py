"""The table without anything that can move: surface, edge, floor and clutter, rendered once."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_scenes.camera import Camera
from kemps_scenes.canvas import Image
from kemps_scenes.clutter import put_clutter
from kemps_scenes.layout import Layout
from kemps_scenes.light import UNIT, Light
from kemps_scenes.spec import SceneSpec
from kemps_scenes.surfaces import TILE_M, TILE_PX, surface_texture


@dataclass(frozen=True, eq=False, slots=True)
class Backdrop:
    """The lit picture of the empty table, and the light map that things put on it need."""

    picture: Image
    light: Image


def render_backdrop(spec: SceneSpec, camera: Camera, layout: Layout) -> Backdrop:
    """The backdrop of a scene."""
    ys, xs = np.mgrid[0 : camera.height, 0 : camera.width].astype(np.float64)
    table = camera.table_points(np.stack([xs, ys], axis=-1))
    picture = _surface(spec, table)
    picture = _edge(picture, table, layout)
    put_clutter(picture, camera, layout, spec.clutter, spec.seed)
    light = Light(spec).map(camera, table)
    return Backdrop(np.asarray(cv2.multiply(picture, light, scale=1 / UNIT), np.uint8), light)


def _surface(spec: SceneSpec, table: NDArray[np.float64]) -> Image:
    texture = surface_texture(spec.surface, spec.seed)
    turn = float(np.random.default_rng([spec.seed, 9]).uniform(-0.06, 0.06))
    c, s = np.cos(turn), np.sin(turn)
    scale = TILE_PX / TILE_M
    u = ((table[..., 0] * c - table[..., 1] * s) * scale).astype(np.float32)
    v = (-(table[..., 0] * s + table[..., 1] * c) * scale).astype(np.float32)
    return np.asarray(cv2.remap(texture, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP), np.uint8)


def _edge(picture: Image, table: NDArray[np.float64], layout: Layout) -> Image:
    """The picture with the floor round the table, a rim and the table's shadow."""
    hx, hy = layout.table_half
    power = 5.0 if len(layout.seats) == 4 else 2.6
    radius = (np.abs(table[..., 0] / hx) ** power + np.abs(table[..., 1] / hy) ** power) ** (1 / power)
    inside = np.clip((1.0 - radius) * 220, 0, 1)[..., None]
    rim = np.exp(-(((radius - 0.985) / 0.012) ** 2))[..., None]
    boards = 0.9 + 0.1 * np.sin(table[..., 0] * 40) * np.sin(table[..., 1] * 4)
    floor = np.array([74, 62, 54]) * boards[..., None] * np.clip((radius - 0.9) * 2.2, 0.25, 0.8)[..., None]
    topped = picture * (1 - 0.35 * rim) * inside + floor * (1 - inside)
    return np.asarray(np.clip(topped, 0, 255), np.uint8)
