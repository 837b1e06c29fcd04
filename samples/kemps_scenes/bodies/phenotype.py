"""What a person is like: age, gender, build, features and the morph targets that make them.

MakeHuman's macro targets are corners of a grid (age x gender x muscle x weight, and age x gender x descent);
a person between the corners is a weighted sum of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from kemps_scenes.bodies.mesh import BaseMesh, Floats

_FEATURES: Final = (
    "head/head-oval",
    "head/head-round",
    "head/head-square",
    "head/head-rectangular",
    "head/head-diamond",
    "head/head-invertedtriangular",
    "head/head-fat-incr",
    "head/head-fat-decr",
    "chin/chin-width-incr",
    "chin/chin-width-decr",
    "chin/chin-height-incr",
    "chin/chin-prominent-incr",
    "chin/chin-jaw-drop-incr",
    "nose/nose-scale-horiz-incr",
    "nose/nose-scale-horiz-decr",
    "nose/nose-scale-vert-incr",
    "nose/nose-scale-vert-decr",
    "nose/nose-hump-incr",
    "nose/nose-point-up",
    "nose/nose-point-down",
    "nose/nose-volume-incr",
    "nose/nose-curve-concave",
    "mouth/mouth-scale-horiz-incr",
    "mouth/mouth-scale-horiz-decr",
    "mouth/mouth-upperlip-volume-incr",
    "mouth/mouth-lowerlip-volume-incr",
    "mouth/mouth-upperlip-volume-decr",
    "mouth/mouth-lowerlip-volume-decr",
    "forehead/forehead-scale-vert-incr",
    "forehead/forehead-scale-vert-decr",
    "cheek/{side}-cheek-bones-incr",
    "cheek/{side}-cheek-volume-incr",
    "cheek/{side}-cheek-volume-decr",
    "eyes/{side}-eye-scale-incr",
    "eyes/{side}-eye-scale-decr",
    "eyes/{side}-eye-trans-in",
    "eyes/{side}-eye-trans-out",
    "ears/{side}-ear-scale-incr",
    "ears/{side}-ear-scale-decr",
)
"""Features a person may have; ``{side}`` stands for both sides alike."""


_MOUTH: Final = (("mouth/mouth-scale-horiz-incr", 0.35), ("mouth/mouth-trans-backward", 0.3))
"""MakeHuman's mouths are narrow and full: MediaPipe takes them for pouting ones."""


@dataclass(frozen=True, slots=True)
class Phenotype:
    """A body's shape.

    Attributes:
        age: 0 a child of about eight, 0.3 a young adult, 1 an old person.
        gender: 0 female, 1 male.
        muscle: 0 to 1; 0.5 is usual.
        weight: 0 to 1; 0.5 is usual.
        descent: Shares of MakeHuman's African, Asian and European targets, which add up to 1.
        stature: Factor on the body's size.
        features: Names of further targets and how much of each.
    """

    age: float = 0.35
    gender: float = 0.5
    muscle: float = 0.5
    weight: float = 0.5
    descent: tuple[float, float, float] = (0.0, 0.0, 1.0)
    stature: float = 1.0
    features: tuple[tuple[str, float], ...] = ()

    @classmethod
    def random(cls, rng: np.random.Generator) -> Phenotype:
        """A grown person drawn at random; teenagers to old people."""
        mixed = rng.dirichlet((0.5, 0.5, 0.5))
        chosen = rng.choice(len(_FEATURES), size=7, replace=False)
        gender = float(np.clip(rng.choice((0.1, 0.9)) + rng.normal(0, 0.1), 0, 1))
        return cls(
            age=float(rng.uniform(0.22, 0.85)),
            gender=gender,
            muscle=float(rng.uniform(0.25, 0.75)),
            weight=float(rng.uniform(0.3, 0.8)),
            descent=(float(mixed[0]), float(mixed[1]), float(mixed[2])),
            stature=float(np.clip(0.97 + 0.06 * gender + rng.normal(0, 0.025), 0.9, 1.1)),
            features=(*_MOUTH, *((_FEATURES[i], float(rng.uniform(0.15, 0.6))) for i in chosen)),
        )


def shaped(mesh: BaseMesh, phenotype: Phenotype) -> Floats:
    """The body's vertices, (n, 3) in metres, as MakeHuman's mesh stands: arms held away, palms down."""
    vertices = mesh.vertices.astype(np.float32)
    for name, share in _corners(phenotype).items():
        if share > 1e-3 and name in mesh.targets:
            vertices = vertices + share * mesh.target(name)
    for feature, share in phenotype.features:
        for name in {feature.format(side="l"), feature.format(side="r")}:
            if name in mesh.targets:
                vertices = vertices + share * mesh.target(name)
    return np.asarray(vertices * (0.1 * phenotype.stature), np.float32)


def _corners(p: Phenotype) -> dict[str, float]:
    """The shares of the macro targets."""
    ages = _between(p.age, {"child": 0.0, "young": 0.3, "old": 1.0})
    genders = {"female": 1 - p.gender, "male": p.gender}
    muscles = _between(p.muscle, {"minmuscle": 0.0, "averagemuscle": 0.5, "maxmuscle": 1.0})
    weights = _between(p.weight, {"minweight": 0.0, "averageweight": 0.5, "maxweight": 1.0})
    descents = dict(zip(("african", "asian", "caucasian"), p.descent, strict=True))
    shares = {}
    for gender, g in genders.items():
        for age, a in ages.items():
            for descent, d in descents.items():
                shares[f"macro/{descent}-{gender}-{age}"] = g * a * d
            for muscle, m in muscles.items():
                for weight, w in weights.items():
                    shares[f"macro/universal-{gender}-{age}-{muscle}-{weight}"] = g * a * m * w
    return shares


def _between(value: float, corners: dict[str, float]) -> dict[str, float]:
    """The shares of named corners that a value between them has: 1 at a corner, linear between two."""
    names, places = list(corners), list(corners.values())
    return {name: float(np.interp(value, places, np.eye(len(names))[i])) for i, name in enumerate(names)}
