"""What the detector should say about a scene: the channels of its grid, and where they count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kemps_training.back_targets import BackTargets, make_back_targets
from kemps_training.grid import CELL_CENTRE_PX, CELL_PX, draw_bump
from kemps_training.labels import (
    CENTRE,
    MIDDLE,
    RIGHT,
    UP,
    VISIBLE,
    height_and_width,
    is_readable,
    quarter_turns,
    turned_backs,
)
from kemps_training.pool import Drawn

# The scale channel is log(h / 12), h the length of up in px.
UNIT_HEIGHT_PX = 12.0
# Smaller indices are not asked for (length of up, and of right across it).
SMALLEST_UP_PX, SMALLEST_RIGHT_PX = 3.8, 2.8
# Indices with less than this in sight are nothing; with more, unless readable, they do not count.
IGNORED_FROM = 0.3
REGRESSED_FROM = 0.45
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Targets:
    """Grids of one scene: heat, its weight, nine regressed channels, where they count, face-up, backs."""

    heat: Floats
    weight: Floats
    poses: Floats
    counted: Floats
    face_up: Floats
    backs: BackTargets


def make_targets(rows: Floats, face_up: NDArray[np.bool_], backs: Floats) -> Targets:
    """The targets for label ``rows`` (n, 13) and face-down cards ``backs`` (n, 9) on the grid of ``face_up``.

    Pose channels: offset x, y; log scale; and by the length of up: up x, y; right x, y; card middle x, y.
    """
    size = face_up.shape[0]
    heat, weight = np.zeros((size, size), np.float32), np.ones((size, size), np.float32)
    poses, counted = np.zeros((9, size, size), np.float32), np.zeros((size, size), np.float32)
    heights, widths = height_and_width(rows)
    wanted = is_readable(rows) & (heights >= SMALLEST_UP_PX) & (widths >= SMALLEST_RIGHT_PX)
    for row, height, is_wanted in zip(rows, heights, wanted, strict=True):
        x, y = (row[CENTRE] - CELL_CENTRE_PX) / CELL_PX
        if not (-0.5 <= x <= size - 0.5 and -0.5 <= y <= size - 0.5) or row[VISIBLE] < IGNORED_FROM:
            continue
        spread = max(0.7, height * 0.28 / CELL_PX)
        bump = draw_bump(size, float(x), float(y), spread)
        if not is_wanted:
            weight = np.minimum(weight, 1 - (bump > 0.1))
            continue
        heat = np.maximum(heat, bump)
        near = bump > REGRESSED_FROM
        cell_x, cell_y = min(max(round(float(x)), 0), size - 1), min(max(round(float(y)), 0), size - 1)
        near[cell_y, cell_x] = True
        heat[cell_y, cell_x] = 1
        weight[cell_y, cell_x] = 1
        ys, xs = np.nonzero(near)
        poses[0, ys, xs], poses[1, ys, xs] = x - xs, y - ys
        vectors = np.concatenate([row[UP], row[RIGHT], row[MIDDLE] - row[CENTRE]]) / height
        poses[2:, ys, xs] = np.array([np.log(height / UNIT_HEIGHT_PX), *vectors])[:, None]
        counted[near] = 1
    return Targets(
        heat.astype(np.float32),
        weight.astype(np.float32),
        poses,
        counted,
        face_up.astype(np.float32),
        make_back_targets(backs, size),
    )


def augment(rng: np.random.Generator, scene: Drawn) -> tuple[Floats, Targets]:
    """A scene turned by quarter turns and in another light: pixels (3, h, w) in 0..1, and its targets."""
    turns, side = int(rng.integers(4)), scene.pixels.shape[0]
    lit = np.rot90(scene.pixels, turns).astype(np.float32) / 255
    lit = lit * rng.uniform(0.82, 1.15, 3).astype(np.float32) * np.float32(rng.uniform(0.8, 1.15))
    if rng.random() < 0.08:
        lit = np.repeat(lit.mean(2, keepdims=True), 3, axis=2)
    targets = make_targets(
        quarter_turns(scene.rows, turns, side),
        np.rot90(scene.face_up, turns),
        turned_backs(scene.backs, turns, side),
    )
    return np.ascontiguousarray(lit.clip(0, 1).transpose(2, 0, 1)), targets
