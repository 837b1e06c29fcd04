"""Looks at pictures: taken once, kept on disk, and forgotten when code or networks change."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kemps_server.bench import card_looks
from kemps_server.bench.card_looks import (
    Look,
    LookStore,
    PhotoPicture,
    Picture,
    SeenCard,
    brought_down,
    committed_networks,
    shrunk,
)
from kemps_server.bench.code_fingerprint import code_fingerprint
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_vision.cards.alphabets import NAMES
from kemps_vision.cards.reader import default_reader
from kemps_vision.cards.reading import Pixels

A_LOOK = Look((SeenCard("9s", 0.9, 80.0),), 0, 1.0, 100.0, 50.0, ((0.5,) * len(NAMES),), {"deck": "club"})


@dataclass(frozen=True)
class Named:
    """A picture that is only a name."""

    key: str
    alphabet: str = "any"

    def load(self) -> tuple[Pixels, dict[str, Any]]:
        """A black picture."""
        return np.zeros((40, 60, 3), np.uint8), {}


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The keys of the pictures that were looked at."""
    keys: list[str] = []

    def look(picture: Picture, networks: tuple[Path, Path]) -> Look:
        assert networks == committed_networks()
        keys.append(picture.key)
        return A_LOOK

    monkeypatch.setattr(card_looks, "look_at", look)
    return keys


def a_store(folder: Path | None) -> LookStore:
    return LookStore(folder, committed_networks())


def test_looks_come_in_the_order_asked_for_and_are_taken_once(taken: list[str], tmp_path: Path) -> None:
    store = a_store(tmp_path)
    assert list(store.looks([Named("b"), Named("a"), Named("b")])) == [A_LOOK] * 3
    assert taken == ["b", "a"]
    assert list(a_store(tmp_path).looks([Named("a"), Named("c"), Named("b")])) == [A_LOOK] * 3
    assert taken == ["b", "a", "c"]


def test_what_was_looked_at_before_a_run_broke_off_is_kept(taken: list[str], tmp_path: Path) -> None:
    looks = a_store(tmp_path).looks([Named("a"), Named("b")])
    next(looks)
    del looks
    (kept,) = tmp_path.iterdir()
    kept.write_text(kept.read_text() + '{"key": "b", "lo')
    list(a_store(tmp_path).looks([Named("a"), Named("b")]))
    assert taken == ["a", "b"]


def test_other_networks_have_other_looks(taken: list[str], tmp_path: Path) -> None:
    list(a_store(tmp_path).looks([Named("a")]))
    detector, classifier = committed_networks()
    other = tmp_path / "other.onnx"
    other.write_bytes(detector.read_bytes() + b"\0")
    store = LookStore(tmp_path, (other, classifier))
    with pytest.raises(AssertionError):  # the fake knows only the committed networks
        list(store.looks([Named("a")]))
    assert taken == ["a"]


def test_nothing_is_kept_without_a_folder(taken: list[str]) -> None:
    for _ in range(2):
        list(a_store(None).looks([Named("a")]))
    assert taken == ["a", "a"]


@pytest.mark.usefixtures("taken")
def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkFailedError, match="cannot be written"):
        list(a_store(tmp_path / "file").looks([Named("a")]))


def test_a_photo_is_known_by_what_is_in_it_and_by_how_it_is_read(tmp_path: Path) -> None:
    path, copy = tmp_path / "a.png", tmp_path / "copy" / "a.png"
    copy.parent.mkdir()
    path.write_bytes(b"one")
    copy.write_bytes(b"two")
    keys = {
        PhotoPicture(path).key,
        PhotoPicture(copy).key,
        PhotoPicture(path, 960).key,
        PhotoPicture(path, alphabet="german").key,
    }
    assert len(keys) == 4
    with pytest.raises(KempsServerError, match="cannot be read"):
        _ = PhotoPicture(tmp_path / "none.png").key


def test_pictures_are_made_smaller_and_never_larger() -> None:
    pixels = np.full((300, 600, 3), 90, np.uint8)
    assert shrunk(pixels, 0) is pixels
    assert shrunk(pixels, 900) is pixels
    assert shrunk(pixels, 200).shape == (100, 200, 3)


def test_a_real_reading_of_nothing_tells_only_the_light() -> None:
    pixels = np.zeros((64, 96, 3), np.uint8)
    pixels[:, 48:] = 200
    look = brought_down(default_reader().read(pixels), pixels)
    assert look.cards == ()
    assert look.letters == ()
    assert (look.brightness, look.contrast) == (100.0, 100.0)


def test_the_fingerprint_follows_what_a_module_imports() -> None:
    reader, errors = code_fingerprint("kemps_vision.cards.reader"), code_fingerprint("kemps_vision.errors")
    assert reader != errors
    assert len(reader) == len(errors) == 16


def test_a_change_in_a_module_that_is_imported_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "kemps_rules_copy"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "upper.py").write_text("from kemps_rules_copy import lower\n")
    (package / "lower.py").write_text("ONE = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("kemps_server.bench.code_fingerprint._OURS", ("kemps_rules_copy",))
    before = code_fingerprint("kemps_rules_copy.upper")
    (package / "lower.py").write_text("ONE = 2\n")
    code_fingerprint.cache_clear()
    assert code_fingerprint("kemps_rules_copy.upper") != before
    code_fingerprint.cache_clear()
