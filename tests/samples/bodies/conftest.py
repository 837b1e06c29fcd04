"""Made-up people for tests; skipped, with the reason, where MakeHuman's data or OpenGL is missing."""

from __future__ import annotations

import os

import pytest

from kemps_scenes.bodies.errors import BodyDataError, PaintError
from kemps_scenes.bodies.figure import Figure, Look, figure_of
from kemps_scenes.bodies.mesh import BaseMesh, base_mesh
from kemps_scenes.bodies.painter import Painter


def _missing(kind: str, error: Exception) -> None:
    if kind in os.environ.get("KEMPS_REQUIRE", "").split(","):
        pytest.fail(f"{kind} is required here, but {error}", pytrace=False)
    pytest.skip(f"{kind}: {error}")


@pytest.fixture(scope="session")
def mesh() -> BaseMesh:
    """The base mesh, fetched when it is not in the cache."""
    try:
        return base_mesh()
    except BodyDataError as error:
        _missing("bodies", error)
        raise


@pytest.fixture(scope="session")
def person(mesh: BaseMesh) -> Figure:
    """Somebody ordinary."""
    del mesh
    return figure_of(Look.random(3))


@pytest.fixture(scope="session")
def gl() -> None:
    """Software OpenGL is there."""
    try:
        with Painter(16, 16):
            pass
    except PaintError as error:
        _missing("gl", error)
