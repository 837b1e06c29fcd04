"""Hands as points: their 21 landmarks, how near two come to each other, and what hides them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_scenes.bodies.figure import MATERIALS
from kemps_scenes.bodies.lens import Lens
from kemps_scenes.bodies.mesh import Floats
from kemps_scenes.bodies.painter import Placed
from kemps_scenes.bodies.players import Player
from kemps_scenes.bodies.scenery import TABLE_HALF_M
from kemps_scenes.bodies.skeleton import MOVING, Array

CONTACT_M: Final = 0.006  # skin this near touches: the truth of the evaluation clips draws the same line
NEAR_M: Final = 0.06
_FAR_M: Final = 0.11  # hands whose joints are farther apart than this are not near each other
_SKIN_M: Final = 0.006
_EVERY: Final = 2
_FINGER_WEIGHT: Final = 0.6


@dataclass(frozen=True, eq=False, slots=True)
class HandShape:
    """A hand in one frame.

    Attributes:
        seat: Whose it is.
        side: ``L`` or ``R``.
        landmarks: (21, 3) in the world, in MediaPipe's order: wrist, then thumb to little finger, each from
            its root to its tip.
        skin: Points of its surface, (n, 3) in the world.
    """

    seat: str
    side: str
    landmarks: Array
    skin: Array


class HandReader:
    """Reads the hands of one player out of posed figures."""

    def __init__(self, player: Player) -> None:
        self._player = player
        figure = player.sitter.figure
        is_skin = figure.colours[:, 3] == MATERIALS["skin"]
        self._skin = {}
        for side in "LR":
            names = [
                n for n in MOVING if n.endswith(f".{side}") and n.startswith(("wrist", "meta", "finger"))
            ]
            columns = [figure.skeleton.index[name] for name in names]
            share = figure.weights[:, columns].sum(axis=1)
            self._skin[side] = np.flatnonzero((share > _FINGER_WEIGHT) & is_skin)[::_EVERY]

    def read(self, placed: Placed, posed: Array) -> list[HandShape]:
        """Both hands; ``posed`` are the transforms of the bones (`skeleton.Skeleton.pose`)."""
        player = self._player
        return [
            HandShape(
                player.seat,
                side,
                self._landmarks(posed, side),
                player.sitter.to_world(placed.points[self._skin[side]]),
            )
            for side in "LR"
        ]

    def _landmarks(self, posed: Array, side: str) -> Array:
        skeleton = self._player.sitter.figure.skeleton
        points = [(f"wrist.{side}", skeleton.head(f"wrist.{side}"))]
        for finger in (1, 2, 3, 4, 5):
            bones = [f"finger{finger}-{joint}.{side}" for joint in (1, 2, 3)]
            points += [(bone, skeleton.head(bone)) for bone in bones]
            points.append((bones[-1], skeleton.tail(bones[-1])))
        moved = [
            posed[skeleton.index[bone], :, :3] @ point + posed[skeleton.index[bone], :, 3]
            for bone, point in points
        ]
        return self._player.sitter.to_world(np.stack(moved))


def visible_share(hand: HandShape, lens: Lens, depth_m: Floats) -> float:
    """How much of a hand a picture shows whose depths are known (`painter.Painter.depth_m`), 0 to 1.

    A hand seen whole has about half its skin turned away from the camera: shares are doubled and cut at 1.
    """
    seen = lens.project(hand.skin)
    x, y = np.round(seen[:, 0]).astype(int), np.round(seen[:, 1]).astype(int)
    inside = (x >= 0) & (x < lens.width) & (y >= 0) & (y < lens.height)
    if not inside.any():
        return 0.0
    shown = seen[inside, 2] < depth_m[y[inside], x[inside]] + _SKIN_M
    return float(min(1.0, 2 * shown.sum() / len(seen)))


def gap_m(one: HandShape, two: HandShape) -> float:
    """How far apart the skins of two hands are, about; infinity when that is much more than `NEAR_M`."""
    joints = one.landmarks[:, None] - two.landmarks[None]
    if np.einsum("ijk,ijk->ij", joints, joints).min() > _FAR_M**2:
        return float("inf")
    squared = (
        np.sum(one.skin**2, axis=1)[:, None] + np.sum(two.skin**2, axis=1)[None] - 2 * one.skin @ two.skin.T
    )
    return float(np.sqrt(max(0.0, float(squared.min()))))


def hidden_by_table(points: Array, lens: Lens) -> NDArray[np.bool_]:
    """Which points (n, 3) lie behind the table top, seen through a lens, (n,) of bool."""
    eye = np.asarray(lens.eye)
    along = -eye[2] / np.minimum(points[:, 2] - eye[2], -1e-9)
    crossing = eye[:2] + (points[:, :2] - eye[:2]) * along[:, None]
    return np.asarray((points[:, 2] < -0.002) & (np.abs(crossing) < TABLE_HALF_M).all(axis=1))


def hidden_by_body(points: Array, player: Player, lens: Lens) -> NDArray[np.bool_]:
    """Which points (n, 3) lie behind the player's own trunk, seen through a lens, (n,) of bool.

    The trunk is taken for an upright cylinder of 13 cm about the spine, from the seat to the shoulders.
    """
    eye = np.asarray(lens.eye)
    middle = player.before(-0.03, 0.0, 0.0)[:2]
    step = points - eye
    flat = step[:, :2]
    nearest = np.clip(np.sum((middle - eye[:2]) * flat, axis=1) / np.sum(flat**2, axis=1), 0, 1)
    at = eye + step * nearest[:, None]
    off = np.linalg.norm(at[:, :2] - middle, axis=1)
    before = nearest < 0.985
    return np.asarray((off < 0.13) & (at[:, 2] > -0.4) & (at[:, 2] < player.before(0, 0, 0.27)[2]) & before)
