"""The shipped weights are those of the list, and what is wrong with them is said in a line."""

from __future__ import annotations

import hashlib
from pathlib import Path

import onnxruntime
import pytest

from kemps_models import registry
from kemps_models.errors import ManifestError, ModelError, WeightsError

NAMES = ("cards_detector.onnx", "cards_classifier.onnx")
ENTRY = """[[weights]]
name = "a.onnx"
file = "weights/a.onnx"
sha256 = "{digest}"
bytes = 3
recipe = "1"
trained_on = "pictures"
licence = "MIT"
[weights.figures]
recall = 0.5
"""


def manifest(folder: Path, digest: str) -> dict[str, registry.WeightsEntry]:
    path = folder / "manifest.toml"
    path.write_text(ENTRY.format(digest=digest))
    return registry.load_manifest(path)


@pytest.mark.parametrize("name", NAMES)
def test_each_shipped_file_is_the_one_that_was_measured(name: str) -> None:
    entry = registry.load_manifest()[name]
    content = registry.weights_path(name).read_bytes()
    assert hashlib.sha256(content).hexdigest() == entry.sha256
    assert len(content) == entry.bytes
    assert entry.trained_on
    assert entry.licence == "MIT"
    assert entry.figures


def test_all_weights_together_are_at_most_two_megabytes() -> None:
    entries = registry.load_manifest().values()
    assert sum(entry.bytes for entry in entries) <= 3_000_000
    files = {path.name for path in (registry.FOLDER / "weights").iterdir()}
    assert files == {Path(entry.file).name for entry in entries}


@pytest.mark.parametrize(
    ("name", "entry", "shape_in", "results"),
    [
        (NAMES[0], "image", [1, 3, "height", "width"], [("grid", 16)]),
        (NAMES[1], "crops", ["count", 3, 64, 40], [("logits", 29), ("features", 1536)]),
    ],
)
def test_a_shipped_network_has_the_inputs_and_outputs_that_the_reader_expects(
    name: str, entry: str, shape_in: list[object], results: list[tuple[str, int]]
) -> None:
    session = onnxruntime.InferenceSession(registry.weights_path(name), providers=["CPUExecutionProvider"])
    (given,) = session.get_inputs()
    assert (given.name, given.shape) == (entry, shape_in)
    assert [(made.name, made.shape[1]) for made in session.get_outputs()] == results


def test_unknown_weights_are_an_error_that_names_those_there_are() -> None:
    with pytest.raises(WeightsError, match=r"'cards\.onnx'; there are .*cards_detector\.onnx"):
        registry.weights_path("cards.onnx")


def test_missing_weights_are_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"a\.onnx are not there; .*make train"):
        registry.verified_path("a.onnx", manifest(tmp_path, "00"), tmp_path)


def test_changed_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights/a.onnx").write_bytes(b"abc")
    whole = manifest(tmp_path, hashlib.sha256(b"abc").hexdigest())
    assert registry.verified_path("a.onnx", whole, tmp_path).name == "a.onnx"
    (tmp_path / "weights/a.onnx").write_bytes(b"abd")
    with pytest.raises(WeightsError, match="checksum differs"):
        registry.verified_path("a.onnx", whole, tmp_path)


@pytest.mark.parametrize("text", ["[[weights]", '[[weights]]\nname = "a"\n', "", "weights = 3"])
def test_a_broken_list_is_an_error_in_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "manifest.toml"
    path.write_text(text)
    with pytest.raises(ManifestError, match=r"manifest\.toml is broken") as caught:
        registry.load_manifest(path)
    assert "\n" not in str(caught.value)


def test_a_list_that_is_not_there_is_a_model_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none\.toml is not there"):
        registry.load_manifest(tmp_path / "none.toml")
