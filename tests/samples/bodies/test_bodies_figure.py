from __future__ import annotations

import numpy as np
import pytest

from kemps_scenes.bodies.errors import ActError
from kemps_scenes.bodies.expressions import EXPRESSIONS
from kemps_scenes.bodies.figure import MATERIALS, Figure, Look, figure_of
from kemps_scenes.bodies.mesh import BaseMesh


def test_a_wink_closes_the_eye_of_its_own_side_only(person: Figure) -> None:
    points, _ = person.posed({"eyeBlinkLeft": 1.0}, {})
    moved = np.linalg.norm(points - person.rest, axis=1)
    lids = person.colours[:, 3] == MATERIALS["lashes"]
    left, right = lids & (person.base[:, 0] > 0), lids & (person.base[:, 0] < 0)
    assert moved[left].max() > 0.006
    assert moved[right].max() < 1e-4


@pytest.mark.parametrize("seed", [3, 4, 8])
def test_a_blink_shuts_the_eyes_of_every_body(mesh: BaseMesh, seed: int) -> None:
    figure = figure_of(Look.random(seed))
    places = mesh.vertices[np.unique(mesh.quads["lashes"])]
    lashes = figure.colours[:, 3] == MATERIALS["lashes"]
    base = figure.base[lashes]
    assert len(base) == len(places)
    middle = np.array([0.31, 7.285, 1.245])
    roots = (np.abs(base[:, 0] - 0.31) < 0.06) & (np.linalg.norm(base - middle, axis=1) < 0.16)
    upper, lower = roots & (base[:, 1] > middle[1]), roots & (base[:, 1] <= middle[1])

    def gap(units: dict[str, float]) -> float:
        height = figure.posed(units, {})[0][lashes][:, 1]
        return float(height[upper].mean() - height[lower].mean())

    assert gap({"eyeBlinkLeft": 1.0}) < 0.1 * gap({})


def test_the_surface_is_sound(person: Figure) -> None:
    assert person.triangles.max() == len(person.rest) - 1
    assert 0 < person.solid < len(person.triangles)
    points, normals = person.posed({}, {})
    assert np.allclose(points, person.rest, atol=1e-5)
    assert np.linalg.norm(normals, axis=1) == pytest.approx(1.0, abs=0.02)
    assert person.weights.sum(axis=1) == pytest.approx(1.0, abs=1e-4)


def test_a_seed_always_gives_the_same_person_and_another_seed_another() -> None:
    assert Look.random(5) == Look.random(5)
    assert len({Look.random(seed) for seed in range(20)}) == 20


def test_every_expression_is_made_of_units_that_bodies_have(person: Figure) -> None:
    wanted = {unit for made in EXPRESSIONS.values() for unit in made.units}
    assert wanted <= set(person.unit_names)


def test_a_haircut_that_does_not_exist_is_refused(mesh: BaseMesh) -> None:
    del mesh
    with pytest.raises(ActError, match="no haircut 'mohawk'"):
        Figure(Look(haircut="mohawk"))
    with pytest.raises(ActError, match="no sleeve 'puffed'"):
        Figure(Look(sleeve="puffed"))
