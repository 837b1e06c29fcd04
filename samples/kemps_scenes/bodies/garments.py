"""What a person wears: a shirt cut from the body's own surface, hair grown from the scalp, glasses.

Each piece is a surface of its own that follows vertices of the base mesh (`Piece.origin`), so that it is
skinned and morphed with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_scenes.bodies.mesh import BaseMesh, Floats, Ints
from kemps_scenes.bodies.skeleton import Array, Skeleton

Mask = NDArray[np.bool_]
SLEEVES: Final = {"none": 0.12, "short": 0.62, "elbow": 1.0, "long": 1.93}
"""How far down the arm a sleeve reaches: 0 the shoulder, 1 the elbow, 2 the wrist."""
HAIRCUTS: Final = ("bald", "short", "full", "long")


@dataclass(frozen=True, eq=False, slots=True)
class Piece:
    """A surface of a figure.

    Attributes:
        origin: The base mesh vertex that each of its vertices follows, (n,).
        points: Where its vertices lie on the resting body, (n, 3) in metres.
        quads: (m, 4) in its own numbering.
        inside: How far inside its outline each vertex lies, (n,); the surface is cut where this is 0.
    """

    origin: Ints
    points: Floats
    quads: Ints
    inside: Floats


def along_arm(mesh: BaseMesh) -> Floats:
    """How far down an arm each base mesh vertex lies, (n,): 0 the shoulder, 1 the elbow, 2 the wrist."""
    skeleton = Skeleton(mesh, mesh.vertices)
    joints = [skeleton.head(f"{bone}.L") for bone in ("upperarm01", "lowerarm01", "wrist")]
    points = mesh.vertices * np.where(mesh.vertices[:, :1] < 0, [-1, 1, 1], [1, 1, 1])
    upper, lower = (_share(points, joints[i], joints[i + 1]) for i in (0, 1))
    along = np.where(lower > 0, 1 + lower, np.minimum(upper, 1))
    return np.asarray(along, np.float32)


def _share(points: Floats, start: Array, end: Array) -> Floats:
    step = end - start
    return np.asarray((points - start) @ step / (step @ step), np.float32)


def cloth_depth(mesh: BaseMesh, sleeve: str, collar: float) -> Floats:
    """How far under a shirt each base mesh vertex lies, (n,) in decimetres, below 0 where it is bare.

    Args:
        mesh: The base mesh.
        sleeve: One of `SLEEVES`.
        collar: 0 a low neckline, 1 a turtleneck.
    """
    x, y, z = mesh.vertices.T
    along = along_arm(mesh)
    is_arm = (np.abs(x) > 1.35) & (along > -0.2) & ((y > 3.0) | (np.abs(x) > 2.4))
    slope = 0.9 * np.clip(np.abs(x) - 0.45, 0, 0.6) * (1 - collar)
    neckline = 5.30 + 0.75 * collar + 0.3 * np.clip((0.3 - z) / 0.6, 0, 1) + slope
    return np.asarray(np.where(is_arm, (SLEEVES[sleeve] - along) * 2.4, neckline - y), np.float32)


def shirt(mesh: BaseMesh, points: Floats, normals: Floats, depth: Floats, loose_m: float) -> Piece:
    """A shirt over the covered vertices, ``loose_m`` off the skin and smoothed, so that it hangs as cloth.

    ``depth`` is what `cloth_depth` gives.
    """
    quads = _reaching(mesh.quads["body"], depth, mesh.vertices[:, 1] > -4.5)
    origin, local = _renumbered(quads)
    along = along_arm(mesh)[origin]
    is_arm = np.abs(mesh.vertices[origin, 0]) > 1.5
    off = loose_m * np.where(is_arm, 1.0 + 0.5 * np.clip(along, 0, 2), 1.0)
    raised = points[origin] + normals[origin] * off[:, None].astype(np.float32)
    return Piece(origin, _smoothed(raised, local, rounds=4), local, depth[origin])


def hair(mesh: BaseMesh, points: Floats, normals: Floats, cut: str, seed: int) -> Piece | None:
    """Hair grown from the scalp; None for a bald head."""
    if cut == "bald":
        return None
    rng = np.random.default_rng([seed, 31])
    x, y, z = mesh.vertices.T
    line = np.interp(z, [-0.9, 0.1, 0.45, 0.75, 1.15, 1.5], [6.65, 6.85, 7.15, 7.55, 7.86, 7.96])
    if cut == "long":
        line = np.where(z < 0.5, line - 1.0, line)
    above: Floats = (
        y - line + 0.03 * np.sin(9 * x + seed) - 0.10 * np.clip(np.abs(x) - 0.45, 0, 1) * (z > 0.75)
    )
    usable = (mesh.masks["ears"] < 0.3) & (np.abs(x) < 1.0) & (y > 5.6)
    quads = _reaching(mesh.quads["body"], above, usable)
    origin, local = _renumbered(quads)
    full = {"short": 0.010, "full": 0.024, "long": 0.026}[cut]
    waves = 1 + 0.15 * np.sin(mesh.vertices[origin] @ rng.normal(0, 7, 3) + rng.uniform(0, 6))
    depth = 0.0012 + full * np.clip(above[origin] / 0.35, 0, 1) ** 0.6 * waves
    raised = points[origin] + normals[origin] * depth[:, None].astype(np.float32)
    return Piece(origin, _smoothed(raised, local, rounds=2), local, above[origin])


def glasses(mesh: BaseMesh, points: Floats, width: float) -> Piece:
    """Frames, a bridge and temples to the ears; ``width`` 0.9 small to 1.15 large."""
    eyes = {s: points[_eye(mesh, s)].mean(axis=0) for s in (-1, 1)}
    front = max(float(points[_eye(mesh, s), 2].max()) for s in (-1, 1)) + 0.012
    tubes = []
    for side, middle in eyes.items():
        t = np.linspace(0, 2 * np.pi, 25)
        c, s = np.cos(t), np.sin(t)
        reach = 1 / (np.abs(c) ** 3 + np.abs(s) ** 3) ** (1 / 3)
        rim = np.stack(
            [
                middle[0] + 0.0245 * width * c * reach,
                middle[1] - 0.004 + 0.0185 * width * s * reach,
                front - 0.5 * np.abs(middle[0] + 0.02 * c - 0.0) ** 2,
            ],
            axis=1,
        )
        tubes.append(rim)
        outer = rim[np.argmax(rim[:, 0] * side)]
        tubes.append(np.array([outer + np.array([0, 0.004, 0]), [side * 0.078, outer[1] + 0.004, 0.03]]))
    bridge = [[-0.010, eyes[1][1] + 0.003, front], [0.010, eyes[1][1] + 0.003, front]]
    tubes.append(np.array(bridge))
    return _tubes(tubes, 0.0013, origin=int(_eye(mesh, 1)[0]))


def _eye(mesh: BaseMesh, side: int) -> Ints:
    eyes = np.unique(mesh.quads["eye"])
    return np.asarray(eyes[mesh.vertices[eyes, 0] * side > 0], np.int32)


def _tubes(lines: list[NDArray[np.float64]], radius: float, origin: int) -> Piece:
    """Square tubes along lines, all following one vertex."""
    points, quads = [], []
    count = 0
    corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * radius
    for line in lines:
        along = np.gradient(line, axis=0)
        for place, step in zip(line, along, strict=True):
            unit = step / np.linalg.norm(step)
            side = np.cross(unit, [0, 0, 1]) if abs(unit[2]) < 0.8 else np.array([1.0, 0, 0])
            side /= np.linalg.norm(side)
            frame = np.stack([side, np.cross(unit, side), unit], axis=1)
            points.append(place + corners @ frame.T)
        for i in range(len(line) - 1):
            a = count + 4 * i
            quads += [[a + k, a + (k + 1) % 4, a + 4 + (k + 1) % 4, a + 4 + k] for k in range(4)]
        count += 4 * len(line)
    stacked = np.concatenate(points).astype(np.float32)
    whole = np.ones(len(stacked), np.float32)
    return Piece(np.full(len(stacked), origin, np.int32), stacked, np.array(quads, np.int32), whole)


def _reaching(quads: Ints, depth: Floats, usable: Mask) -> Ints:
    """The quads of usable vertices that lie at least partly inside."""
    return np.asarray(quads[(depth[quads] > 0).any(axis=1) & usable[quads].all(axis=1)], np.int32)


def _renumbered(quads: Ints) -> tuple[Ints, Ints]:
    origin, local = np.unique(quads, return_inverse=True)
    return origin.astype(np.int32), local.reshape(quads.shape).astype(np.int32)


def _smoothed(points: Floats, quads: Ints, rounds: int) -> Floats:
    """The points after some rounds of moving each half-way to the middle of its neighbours."""
    edges = np.concatenate([quads[:, [i, (i + 1) % 4]] for i in range(4)])
    edges = np.concatenate([edges, edges[:, ::-1]])
    count = np.maximum(np.bincount(edges[:, 0], minlength=len(points)), 1)
    for _ in range(rounds):
        sums = [np.bincount(edges[:, 0], points[edges[:, 1], i], len(points)) for i in range(3)]
        points = np.asarray(0.5 * points + 0.5 * np.stack(sums, axis=1) / count[:, None], np.float32)
    return points
