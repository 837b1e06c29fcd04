"""Bones that move: where they begin, how turns of them add up, and what that does to the skin.

A turn of a bone is a rotation about its head, given in the axes of the resting body (x to the person's left,
y up, z forward) and applied after its parent's: so no bone needs axes of its own. The skin follows by linear
blend skinning (Magnenat-Thalmann, Laperrière and Thalmann, "Joint-dependent local deformations for hand
animation and object grasping", Graphics Interface 1988).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, radians, sin, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kemps_scenes.bodies.mesh import BaseMesh, Floats

Turns = Mapping[str, NDArray[np.float64]]
Array = NDArray[np.float64]

_SIDES: Final = ("L", "R")
MOVING: Final = (
    "root",
    *(f"spine0{i}" for i in (5, 4, 3, 2, 1)),
    *(f"neck0{i}" for i in (1, 2, 3)),
    "head",
    *(f"eye.{s}" for s in _SIDES),
    *(
        f"{name}.{s}"
        for s in _SIDES
        for name in (
            "clavicle",
            "shoulder01",
            "upperarm01",
            "upperarm02",
            "lowerarm01",
            "lowerarm02",
            "wrist",
            *(f"metacarpal{i}" for i in (1, 2, 3, 4)),
            *(f"finger{f}-{i}" for f in (1, 2, 3, 4, 5) for i in (1, 2, 3)),
            "pelvis",
            "upperleg01",
            "upperleg02",
        )
    ),
)
"""The bones that may be turned; every other bone moves with the nearest of these above it."""


_STILL: Final[Array] = np.eye(3, 4)


class Skeleton:
    """The moving bones of one body.

    Args:
        mesh: The base mesh, for its rig.
        vertices: The body's own vertices (n, 3), in its own units.
    """

    def __init__(self, mesh: BaseMesh, vertices: Floats) -> None:
        self.index = {name: i for i, name in enumerate(MOVING)}
        self.parents = tuple(self._moving_parent(mesh, name) for name in MOVING)
        self.heads: Array = np.stack([_place(mesh, vertices, mesh.rig[name]["head"]) for name in MOVING])
        self.tails: Array = np.stack([_place(mesh, vertices, mesh.rig[name]["tail"]) for name in MOVING])

    def _moving_parent(self, mesh: BaseMesh, name: str) -> int:
        parent = mesh.rig[name]["parent"]
        while parent and parent not in self.index:
            parent = mesh.rig[parent]["parent"]
        return self.index[parent] if parent else -1

    def head(self, name: str) -> Array:
        """Where a bone begins in the resting body, (3,)."""
        return np.asarray(self.heads[self.index[name]])

    def tail(self, name: str) -> Array:
        """Where a bone ends in the resting body, (3,)."""
        return np.asarray(self.tails[self.index[name]])

    def pose(self, turns: Turns) -> Array:
        """The transforms (bones, 3, 4) of all moving bones from the resting body to the posed one."""
        posed = np.zeros((len(MOVING), 3, 4))
        for i, name in enumerate(MOVING):
            parent = posed[self.parents[i]] if self.parents[i] >= 0 else _STILL
            posed[i] = self._after(parent, i, turns.get(name))
        return posed

    def pose_of(self, turns: Turns, name: str) -> Array:
        """The transform (3, 4) of one bone: what `pose` says of it, sooner."""
        chain = [self.index[name]]
        while self.parents[chain[-1]] >= 0:
            chain.append(self.parents[chain[-1]])
        posed = _STILL
        for i in reversed(chain):
            posed = self._after(posed, i, turns.get(MOVING[i]))
        return posed

    def _after(self, parent: Array, bone: int, turn: Array | None) -> Array:
        if turn is None:
            return parent
        head = self.heads[bone]
        shift = parent[:, :3] @ (head - turn @ head) + parent[:, 3]
        return np.concatenate([parent[:, :3] @ turn, shift[:, None]], axis=1)


def moving_weights(mesh: BaseMesh) -> Floats:
    """The skinning weights gathered on the moving bones, (n, bones)."""
    index = {name: i for i, name in enumerate(MOVING)}
    gathered = np.zeros((len(mesh.vertices), len(MOVING)), np.float32)
    for column, name in enumerate(mesh.bones):
        bone = name
        while bone not in index:
            bone = mesh.rig[bone]["parent"]
        gathered[:, index[bone]] += mesh.weights[:, column]
    return gathered


def skinned(points: Floats, normals: Floats, weights: Floats, posed: Array) -> tuple[Floats, Floats]:
    """Points and normals (n, 3) as the posed bones carry them; the normals have about unit length."""
    blended = (weights @ posed.reshape(len(posed), 12).astype(np.float32)).reshape(-1, 3, 4)
    moved = np.einsum("nij,nj->ni", blended[:, :, :3], points) + blended[:, :, 3]
    turned = np.einsum("nij,nj->ni", blended[:, :, :3], normals)
    return moved.astype(np.float32), turned.astype(np.float32)


def _place(mesh: BaseMesh, vertices: Floats, end: dict[str, Any]) -> Array:
    """Where an end of a bone lies on a body."""
    strategy = end["strategy"]
    if strategy == "CUBE":
        at = vertices[mesh.cubes[end["cube_name"]]].mean(axis=0)
    elif strategy == "VERTEX":
        at = vertices[end["vertex_index"]]
    else:
        at = vertices[end["vertex_indices"]].mean(axis=0)
    return np.asarray(at, np.float64)


def about(axis: Array | tuple[float, float, float], degrees: float) -> Array:
    """The rotation about an axis (3,) by an angle, right-handed (Rodrigues' formula)."""
    x, y, z = (float(v) for v in axis)
    length = sqrt(x * x + y * y + z * z)
    x, y, z = x / length, y / length, z / length
    s, c = sin(radians(degrees)), cos(radians(degrees))
    d = 1 - c
    return np.array(
        [
            [c + d * x * x, d * x * y - s * z, d * x * z + s * y],
            [d * x * y + s * z, c + d * y * y, d * y * z - s * x],
            [d * x * z - s * y, d * y * z + s * x, c + d * z * z],
        ]
    )


def cross(one: Array, two: Array) -> Array:
    """The cross product of two vectors (3,): for single ones numpy's takes ten times as long."""
    a, b, c = one.tolist()
    x, y, z = two.tolist()
    return np.array([b * z - c * y, c * x - a * z, a * y - b * x])
