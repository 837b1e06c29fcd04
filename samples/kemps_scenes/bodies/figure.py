"""A person as one drawable surface: body, eyes, teeth, shirt, hair, glasses, and how it moves.

`Figure.posed` gives the points and normals for an expression and a set of bone turns; everything else about
the surface stays as it is and is handed to the graphics once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_scenes.bodies.complexion import HAIRS, IRISES, Complexion, paint_face
from kemps_scenes.bodies.errors import ActError
from kemps_scenes.bodies.garments import HAIRCUTS, SLEEVES, Piece, cloth_depth, glasses, hair, shirt
from kemps_scenes.bodies.mesh import BaseMesh, Floats, Ints, base_mesh
from kemps_scenes.bodies.phenotype import Phenotype, shaped
from kemps_scenes.bodies.skeleton import Skeleton, Turns, moving_weights, skinned

MATERIALS: Final = {
    name: number
    for number, name in enumerate(("skin", "eye", "teeth", "tongue", "lashes", "cloth", "hair", "frame"))
}
_SOLID: Final = ("skin", "eye", "teeth", "tongue")
SHIRTS: Final = (
    (40, 52, 84),
    (172, 40, 44),
    (226, 222, 214),
    (38, 38, 42),
    (70, 110, 80),
    (204, 158, 60),
    (120, 140, 168),
    (120, 70, 110),
)
"""Colours of shirts, RGB."""


@dataclass(frozen=True, slots=True)
class Look:
    """A person from top to bottom.

    Attributes:
        phenotype: The body's shape.
        complexion: What the face is painted with.
        haircut: One of `garments.HAIRCUTS`.
        sleeve: One of `garments.SLEEVES`.
        collar: 0 a low neckline to 1 a turtleneck.
        shirt: Index in `SHIRTS`.
        glasses: 0 none, else their size, 0.9 to 1.15.
    """

    phenotype: Phenotype = field(default_factory=Phenotype)
    complexion: Complexion = field(default_factory=Complexion)
    haircut: str = "short"
    sleeve: str = "long"
    collar: float = 0.4
    shirt: int = 0
    glasses: float = 0.0

    @classmethod
    def random(cls, seed: int) -> Look:
        """A look drawn at random; the same seed gives the same person."""
        rng = np.random.default_rng([seed, 11])
        phenotype = Phenotype.random(rng)
        african, asian, _ = phenotype.descent
        skin = int(np.clip(round(rng.normal(1.2 + 5.2 * african + 0.8 * asian, 0.9)), 0, 7))
        is_old = phenotype.age > 0.7
        dark = rng.integers(0, 2) if skin > 2 else rng.integers(0, 5)
        man = phenotype.gender > 0.5
        complexion = Complexion(
            skin=skin,
            hair=5 if is_old and rng.random() < 0.6 else int(dark),
            iris=int(rng.integers(0, 5)) if skin < 3 else int(rng.choice((0, 4))),
            brow=float(rng.uniform(0.6, 1.0) if man else rng.uniform(0.45, 0.8)),
            stubble=float(rng.uniform(0.15, 0.6)) if man and rng.random() < 0.45 else 0.0,
            lips=float(rng.uniform(0.2, 0.7)) if not man and rng.random() < 0.4 else 0.0,
            seed=seed,
        )
        cuts = ("bald", "short", "short", "full") if man else ("short", "full", "long", "long")
        return cls(
            phenotype,
            complexion,
            haircut=str(rng.choice(cuts)),
            sleeve=str(rng.choice(("none", "short", "short", "elbow", "long", "long"))),
            collar=float(rng.uniform(0, 0.7)),
            shirt=int(rng.integers(0, len(SHIRTS))),
            glasses=float(rng.uniform(0.92, 1.12)) if rng.random() < 0.3 else 0.0,
        )


class Figure:
    """A person to be drawn.

    Attributes:
        look: What it was made from.
        body: The whole base mesh in this person's shape, also what is not drawn, (k, 3) in metres.
        skeleton: Its bones.
        triangles: (m, 3).
        solid: How many of them, the first ones, are seen from outside only and nowhere cut away.
        base: Where each vertex lies on the base mesh, (n, 3) in decimetres: the place that patterns are
            painted by.
        colours: (n, 4), RGB from 0 to 1 and the number of the material (`MATERIALS`).
        front: How much each vertex takes its colour from the face's picture, (n,); on shirt and hair how far
            inside the outline it lies, on lashes how near the lid.
        face: The face's picture, RGB.
    """

    def __init__(self, look: Look) -> None:
        mesh = base_mesh()
        _checked(look)
        self.look = look
        body = shaped(mesh, look.phenotype)
        self.skeleton = Skeleton(mesh, body)
        self.face = paint_face(look.complexion)
        self.body = body
        pieces = _pieces(mesh, body, normals_of(body, _triangles(mesh.quads["body"])), look)
        counts = np.cumsum([0, *(len(piece.points) for _, piece in pieces)])
        self._origin = np.concatenate([piece.origin for _, piece in pieces])
        self.rest = np.concatenate([piece.points for _, piece in pieces])
        self.triangles = np.concatenate(
            [_triangles(piece.quads) + start for (_, piece), start in zip(pieces, counts, strict=False)]
        ).astype(np.int32)
        self.solid = sum(2 * len(piece.quads) for name, piece in pieces if name in _SOLID)
        self.normals = normals_of(self.rest, self.triangles)
        materials = np.repeat([MATERIALS[name] for name, _ in pieces], np.diff(counts))
        self.base = mesh.vertices[self._origin]
        self.weights = moving_weights(mesh)[self._origin]
        self.colours = _colours(mesh, self._origin, materials, look)
        inside = np.concatenate([piece.inside for _, piece in pieces])
        self.front = np.where(materials == MATERIALS["skin"], _front(mesh, self._origin), inside) * np.where(
            materials == MATERIALS["lashes"], _near_lid(mesh, self._origin), 1
        )
        self._moved: Ints = np.zeros(0, np.int32)
        self._units: dict[str, tuple[Floats, Floats]] = {}
        self._learn_units(mesh, materials)

    def posed(self, units: Mapping[str, float], turns: Turns) -> tuple[Floats, Floats]:
        """Points and normals (n, 3) in metres, in the axes of the resting body.

        Args:
            units: Strengths of face units by their names, 0 to 1; a little more exaggerates.
            turns: Rotations of bones; see `skeleton`.
        """
        points, normals = self.rest.copy(), self.normals.copy()
        for name, strength in units.items():
            if strength:
                moved, turned = self._units[name]
                points[self._moved] += np.float32(strength) * moved
                normals[self._moved] += np.float32(strength) * turned
        return skinned(points, normals, self.weights, self.skeleton.pose(turns))

    @property
    def unit_names(self) -> tuple[str, ...]:
        """The names of all face units."""
        return tuple(self._units)

    def _learn_units(self, mesh: BaseMesh, materials: NDArray[np.int64]) -> None:
        """Works out how each face unit moves and turns the surface of the head."""
        scale = np.float32(0.1 * self.look.phenotype.stature)
        names = [name for name in mesh.targets if "/" not in name]
        offsets = {name: mesh.target(name)[self._origin] * scale for name in names}
        rigid = materials == MATERIALS["frame"]
        moving = np.any([np.abs(o).max(axis=1) > 1e-6 for o in offsets.values()], axis=0) & ~rigid
        self._moved = np.flatnonzero(moving).astype(np.int32)
        for name, offset in offsets.items():
            offset[rigid] = 0
            turned = normals_of(self.rest + offset, self.triangles) - self.normals
            self._units[name] = (offset[self._moved], turned[self._moved])


@lru_cache(maxsize=24)
def figure_of(look: Look) -> Figure:
    """The figure of a look, made once: two clips may share it."""
    return Figure(look)


def normals_of(points: Floats, triangles: Ints) -> Floats:
    """Unit normals (n, 3) of a surface at its vertices, weighted by the area of the triangles round them."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    across = np.cross(b - a, c - a)
    summed = np.stack(
        [sum(np.bincount(triangles[:, k], across[:, i], len(points)) for k in range(3)) for i in range(3)],
        axis=1,
    )
    return np.asarray(summed / np.maximum(np.linalg.norm(summed, axis=1, keepdims=True), 1e-12), np.float32)


def _checked(look: Look) -> None:
    if look.haircut not in HAIRCUTS:
        raise ActError(f"no haircut {look.haircut!r}; there are {', '.join(HAIRCUTS)}")
    if look.sleeve not in SLEEVES:
        raise ActError(f"no sleeve {look.sleeve!r}; there are {', '.join(SLEEVES)}")


def _triangles(quads: Ints) -> Ints:
    return np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def _pieces(mesh: BaseMesh, body: Floats, normals: Floats, look: Look) -> list[tuple[str, Piece]]:
    depth = cloth_depth(mesh, look.sleeve, look.collar)
    covered = depth > 0
    y = mesh.vertices[:, 1]
    hidden = covered & ~_rim(mesh.quads["body"], covered)
    quads = mesh.quads["body"]
    quads = quads[~hidden[quads].all(axis=1) & (y[quads] > -1.0).all(axis=1)]
    found = [("skin", _piece(quads, body))]
    found += [(name, _piece(mesh.quads[name], body)) for name in ("eye", "teeth", "tongue", "lashes")]
    found.append(("cloth", shirt(mesh, body, normals, depth, 0.009)))
    grown = hair(mesh, body, normals, look.haircut, look.complexion.seed)
    if grown:
        found.append(("hair", grown))
    if look.glasses:
        found.append(("frame", glasses(mesh, body, look.glasses)))
    return found


def _rim(quads: Ints, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The masked vertices that share a quad with one that is not."""
    rim = np.zeros_like(mask)
    rim[quads[~mask[quads].all(axis=1)]] = True
    rim[quads[rim[quads].any(axis=1)]] = True
    return rim & mask


def _piece(quads: Ints, body: Floats) -> Piece:
    origin, local = np.unique(quads, return_inverse=True)
    whole = np.ones(len(origin), np.float32)
    return Piece(origin.astype(np.int32), body[origin], local.reshape(quads.shape).astype(np.int32), whole)


def _colours(mesh: BaseMesh, origin: Ints, materials: NDArray[np.int64], look: Look) -> Floats:
    tone = look.complexion.tone
    kinds = np.array(
        [
            tone,
            np.array(IRISES[look.complexion.iris]) / 255,
            (0.88, 0.85, 0.78),
            (0.62, 0.28, 0.28),
            (0.06, 0.05, 0.05),
            np.array(SHIRTS[look.shirt]) / 255,
            np.array(HAIRS[look.complexion.hair]) / 255,
            (0.07, 0.06, 0.07),
        ],
        np.float32,
    )
    colours = np.empty((len(origin), 4), np.float32)
    colours[:, :3], colours[:, 3] = kinds[materials], materials
    inside = (mesh.masks["mouth"][origin] * (materials == MATERIALS["skin"]))[:, None]
    nails = (mesh.masks["nails"][origin] * (materials == MATERIALS["skin"]))[:, None]
    colours[:, :3] += (np.array([0.30, 0.09, 0.09], np.float32) - colours[:, :3]) * inside
    colours[:, :3] += (0.5 * tone + np.array([0.42, 0.30, 0.29], np.float32) - colours[:, :3]) * 0.5 * nails
    return colours


def _near_lid(mesh: BaseMesh, origin: Ints) -> Floats:
    """How near the lid each vertex of a lash lies: about 1 at its root, 0 at its tip, (n,)."""
    places = mesh.vertices[origin]
    middles = np.where(places[:, :1] < 0, -1, 1) * [0.31, 0, 0] + [0, 7.285, 1.245]
    return np.asarray((0.215 - np.linalg.norm(places - middles, axis=1)) / 0.065, np.float32)


def _front(mesh: BaseMesh, origin: Ints) -> Floats:
    """How much each vertex of the skin takes its colour from the face's picture, (n,)."""
    normals = normals_of(mesh.vertices, _triangles(mesh.quads["body"]))
    y, z = mesh.vertices[:, 1], mesh.vertices[:, 2]
    share = np.clip((normals[:, 2] + 0.1) * 2.2, 0, 1) * np.clip((z - 0.5) * 3, 0, 1) * (y > 6.0)
    share = np.where((y > 6.3) & (z > 1.15), 1.0, share)
    share = share * (1 - np.clip(mesh.masks["mouth"] * 2, 0, 1))
    return np.asarray(share[origin], np.float32)
