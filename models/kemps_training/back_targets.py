"""What the detector should say about cards that lie face down: heat at their middles, size and direction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kemps_training.grid import CELL_CENTRE_PX, CELL_PX, draw_bump
from kemps_training.labels import BACK_QUAD, BACK_VISIBLE

# The size channels are log(half side / 24 px), of the long and of the short sides.
UNIT_HALF_PX = 24.0
# With less of a back in sight it is nothing; with more, but not this much, it does not count.
IGNORED_FROM, WANTED_FROM = 0.25, 0.65
REGRESSED_FROM = 0.5
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class BackTargets:
    """Grids: heat, its weight, four regressed channels, where they count."""

    heat: Floats
    weight: Floats
    poses: Floats
    counted: Floats


def make_back_targets(backs: Floats, size: int) -> BackTargets:
    """The targets for face-down cards ``backs`` (n, 9) on a grid of ``size`` cells each way.

    Pose channels: log of half the long side, of half the short side, cosine and sine of twice the angle of
    the long sides: a card turned by half a turn is the same card.
    """
    heat, weight = np.zeros((size, size), np.float32), np.ones((size, size), np.float32)
    poses, counted = np.zeros((4, size, size), np.float32), np.zeros((size, size), np.float32)
    for row in backs:
        quad = row[BACK_QUAD].reshape(4, 2)
        x, y = (quad.mean(0) - CELL_CENTRE_PX) / CELL_PX
        if not (0 <= x <= size - 1 and 0 <= y <= size - 1) or row[BACK_VISIBLE] < IGNORED_FROM:
            continue
        pose = _pose(quad)
        half_short_px = float(np.exp(pose[1])) * UNIT_HALF_PX
        bump = draw_bump(size, float(x), float(y), max(0.8, half_short_px * 0.25 / CELL_PX))
        if row[BACK_VISIBLE] < WANTED_FROM:
            weight = np.minimum(weight, 1 - (bump > 0.1))
            continue
        heat = np.maximum(heat, bump)
        cell_x, cell_y = round(float(x)), round(float(y))
        heat[cell_y, cell_x] = weight[cell_y, cell_x] = 1
        near = bump > REGRESSED_FROM
        near[cell_y, cell_x] = True
        poses[:, near] = np.array(pose, np.float32)[:, None]
        counted[near] = 1
    return BackTargets(heat.astype(np.float32), weight.astype(np.float32), poses, counted)


def _pose(quad: Floats) -> tuple[float, float, float, float]:
    """The four pose channels of a card whose corners are top left, top right, bottom right, bottom left."""
    short = (quad[1] - quad[0] + quad[2] - quad[3]) / 2
    long = (quad[3] - quad[0] + quad[2] - quad[1]) / 2
    angle = 2 * float(np.arctan2(long[1], long[0]))
    halves = [float(np.log(max(np.hypot(*side), 2.0) / 2 / UNIT_HALF_PX)) for side in (long, short)]
    return halves[0], halves[1], float(np.cos(angle)), float(np.sin(angle))
