"""MediaPipe's task files: a list that is whole, and a file that is used only if it is the right one."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from kemps_models.errors import ManifestError, WeightsError
from kemps_models.landmarkers import (
    FACE,
    HAND,
    POSE,
    landmarker_path,
    landmarkers_folder,
    load_landmarkers,
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KEMPS_MODELS", str(tmp_path))
    landmarker_path.cache_clear()
    return tmp_path


def test_the_list_names_what_finds_faces_hands_and_bodies() -> None:
    entries = load_landmarkers()
    assert set(entries) == {FACE, HAND, POSE}
    assert all(len(entry.sha256) == 64 and entry.address.startswith("https://") for entry in entries.values())


def test_a_folder_of_its_own_is_taken_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert landmarkers_folder() == tmp_path
    monkeypatch.delenv("KEMPS_MODELS")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert landmarkers_folder() == Path("/somewhere/kemps/models")


def test_a_file_that_was_not_fetched_is_an_error_that_says_what_to_run() -> None:
    with pytest.raises(WeightsError, match=r"was not fetched yet; run `kemps models`"):
        landmarker_path(FACE)


def test_a_damaged_file_is_not_used(folder: Path) -> None:
    (folder / HAND).write_bytes(b"half of it")
    with pytest.raises(WeightsError, match=r"damaged \(checksum differs\); run `kemps models`"):
        landmarker_path(HAND)


def test_a_folder_in_its_place_is_an_error_not_a_traceback(folder: Path) -> None:
    (folder / POSE).mkdir()
    with pytest.raises(WeightsError, match="cannot be read"):
        landmarker_path(POSE)


def test_the_right_file_is_given(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"as it should be"
    listed = folder / "list.toml"
    entry = f'name = "{FACE}"\nsha256 = "{hashlib.sha256(content).hexdigest()}"\nbytes = {len(content)}\n'
    listed.write_text(
        f'[[landmarker]]\n{entry}address = ""\nwheel = ""\nmember = ""\nlicence = "MIT"\n', encoding="utf-8"
    )
    entries = load_landmarkers(listed)
    monkeypatch.setattr("kemps_models.landmarkers.load_landmarkers", lambda: entries)
    (folder / FACE).write_bytes(content)
    assert landmarker_path(FACE) == folder / FACE


@pytest.mark.parametrize("text", ["", "[[landmarker]]\nname = 'x'", "not toml ["])
def test_a_broken_list_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "list.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ManifestError, match=r"list\.toml is broken"):
        load_landmarkers(path)
