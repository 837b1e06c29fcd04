"""Training itself: it lowers the loss, goes on where it stopped, and its networks survive their export."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from kemps_models.alphabets import NONE_CLASS
from kemps_models.registry import load_manifest, verified_path
from kemps_training.__main__ import STEPS
from kemps_training.deck_making import make_smoke_decks
from kemps_training.decks import Deck
from kemps_training.errors import WorkspaceError
from kemps_training.pool import Pool, fill_pool
from kemps_training.reading import as_input, open_session
from kemps_training.scenes import SceneMaker
from kemps_training.workspace import Workspace

if find_spec("torch"):  # where it is absent, the marker skips every test of this file
    import torch

    from kemps_training import ablation, classifier_training, detector_training, export, learning
    from kemps_training.classifier_training import ClassifierTask
    from kemps_training.detector_training import DetectorTask
    from kemps_training.growing import load_start
    from kemps_training.learning import Plan, Task, fit
    from kemps_training.networks import GRID_CHANNELS, Classifier, Detector
    from kemps_training.steps import SMOKE, Training, best_run

pytestmark = [
    pytest.mark.long,
    pytest.mark.training,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.fixture(autouse=True)
def short_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "WARM_UP_STEPS", 4)
    monkeypatch.setattr(detector_training, "BATCH", 4)
    monkeypatch.setattr(classifier_training, "BATCH", 32)
    monkeypatch.setattr(classifier_training, "HELD_OUT_CROPS", 256)
    monkeypatch.setattr(detector_training, "HELD_OUT_SCENES", 8)


@pytest.fixture(scope="module")
def pool(decks: list[Deck], tmp_path_factory: pytest.TempPathFactory) -> Pool:
    folder = tmp_path_factory.mktemp("pool")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kemps_training.pool.SHARD", 24)
        fill_pool(SceneMaker(decks, [], card_lengths_px=((90.0, 160.0, 1.0),)), folder, 1, seed=3)
    return Pool(folder)


def mean_loss(task: Task, weights: Path | None) -> float:
    """The loss over a few fixed batches of the weights in a checkpoint, or of a fresh network."""
    torch.manual_seed(0)
    network = task.network()
    if weights is not None:
        network.load_state_dict(torch.load(weights, weights_only=True)["network"])
    losses = []
    with torch.no_grad():
        for seed in range(4):
            batch = task.batch(np.random.default_rng(seed))
            losses.append(task.loss(network(batch[0]), batch)[1]["loss"])
    return float(np.mean(losses))


@pytest.mark.parametrize(("name", "steps", "share"), [("classifier", 40, 0.8), ("detector", 40, 0.75)])
def test_a_short_training_lowers_the_loss(
    pool: Pool, tmp_path: Path, name: str, steps: int, share: float
) -> None:
    task = ClassifierTask(pool, pool) if name == "classifier" else DetectorTask(pool, pool)
    before = mean_loss(task, None)
    progress = fit(task, tmp_path, Plan(minutes=9, steps=steps, seed=3))
    assert progress.steps == steps
    assert mean_loss(task, tmp_path / "checkpoint.pt") < share * before
    assert (tmp_path / "best.pt").exists()


def test_a_training_goes_on_where_it_stopped(pool: Pool, tmp_path: Path) -> None:
    task = ClassifierTask(pool, pool)
    first = fit(task, tmp_path, Plan(minutes=9, steps=4))
    kept = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    second = fit(task, tmp_path, Plan(minutes=9, steps=7))
    assert (first.steps, second.steps) == (4, 7)
    assert second.seconds > first.seconds
    assert second.curve[: len(first.curve)] == first.curve
    assert json.loads((tmp_path / "curve.json").read_text()) == second.curve
    assert kept["progress"][:2] == [first.seconds, first.steps]
    assert fit(task, tmp_path, Plan(minutes=9, steps=7)).steps == second.steps


def test_a_failing_batch_stops_the_training_with_its_error(pool: Pool, tmp_path: Path) -> None:
    class Failing(ClassifierTask):
        def batch(self, _rng: np.random.Generator) -> tuple[object, ...]:
            raise OSError("disk gone")

    with pytest.raises(OSError, match="disk gone"):
        fit(Failing(pool, pool), tmp_path, Plan(minutes=9, steps=4))


def test_exported_networks_say_what_the_trained_ones_say(pool: Pool, tmp_path: Path) -> None:
    torch.manual_seed(0)
    detector, classifier = Detector().eval(), Classifier().eval()
    export.export_detector(detector, tmp_path / "detector.onnx")
    export.export_classifier(classifier, tmp_path / "classifier.onnx")
    picture = as_input(pool.draw(np.random.default_rng(0)).pixels[:200, :240])
    assert picture.shape == (1, 3, 208, 240)
    (grid,) = open_session(tmp_path / "detector.onnx").run(None, {"image": picture})
    with torch.inference_mode():
        assert grid == pytest.approx(detector(torch.from_numpy(picture)).numpy(), abs=1e-3)
    assert grid.shape == (1, GRID_CHANNELS, 52, 60)
    crops = np.random.default_rng(1).random((3, 3, 64, 40), np.float32)
    logits, features = open_session(tmp_path / "classifier.onnx").run(None, {"crops": crops})
    with torch.inference_mode():
        assert logits == pytest.approx(classifier(torch.from_numpy(crops)).numpy(), abs=1e-3)
    assert logits.shape == (3, NONE_CLASS + 1 + 4)
    assert features.shape == (3, Classifier().feature_count)


def test_a_training_goes_on_from_weights_that_knew_fewer_letters(tmp_path: Path) -> None:
    torch.manual_seed(1)
    old = Classifier().state_dict()
    old["out.weight"], old["out.bias"] = old["out.weight"][:18], torch.arange(18.0)
    torch.save(old, tmp_path / "best.pt")
    grown = load_start(tmp_path / "best.pt", Classifier()).state_dict()
    assert grown["out.bias"][:13].tolist() == list(range(13))
    assert grown["out.bias"][NONE_CLASS:].tolist() == [13, 14, 15, 16, 17]
    assert torch.equal(grown["out.weight"][NONE_CLASS + 1], old["out.weight"][14])
    assert float(grown["out.bias"][13:NONE_CLASS].max()) < 0
    torch.save({"something": torch.zeros(1)}, tmp_path / "else.pt")
    with pytest.raises(WorkspaceError, match="no weights to begin with"):
        load_start(tmp_path / "else.pt", Classifier())


def test_the_smoke_training_walks_every_step_to_a_manifest(tmp_path: Path) -> None:
    """All steps, a few seconds each, from drawn decks to weights that the registry accepts."""
    short = replace(SMOKE, steps=3)
    package = tmp_path / "models" / "package"
    training = Training(Workspace(tmp_path / "work"), short, package)
    level = logging.getLogger().level
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kemps_training.pool.SHARD", 12)
        for step in STEPS:
            getattr(training, step)()
    manifest = load_manifest(package / "manifest.toml")
    for name in manifest:
        assert verified_path(name, manifest, package).stat().st_size == manifest[name].bytes
    report = json.loads((tmp_path / "models/reports/cards_training.json").read_text())
    assert {"float", "int8", "learning_curves"} <= set(report)
    assert logging.getLogger().level == level  # whoever logs after a training still has its warnings


def test_the_weights_that_score_best_on_held_out_scenes_are_exported(tmp_path: Path) -> None:
    for name, scores in (("first", [-3.0, -1.0]), ("second", [-2.0, -1.5])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "curve.json").write_text(json.dumps([{"score": score} for score in scores]))
    runs = [tmp_path / "second", tmp_path / "first", tmp_path / "absent"]
    assert best_run(runs) == tmp_path / "first" / "best.pt"
    with pytest.raises(WorkspaceError, match="kemps_training absent"):
        best_run(runs[2:])


def test_a_recipe_without_a_part_is_measured_like_the_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kemps_training.pool.SHARD", 6)
    monkeypatch.setattr(ablation, "SHARDS", 1)
    monkeypatch.setattr(ablation, "HELD_OUT_SHARDS", 1)
    monkeypatch.setattr(ablation, "load_backgrounds", lambda _folder: [])
    monkeypatch.setattr(ablation, "EXAMINATIONS", ablation.EXAMINATIONS[:2])
    workspace = Workspace(tmp_path)
    make_smoke_decks(workspace, train=3, held_out=2)
    for examination in ablation.EXAMINATIONS:
        ablation._fill(workspace, examination, "held_out", 1, 1)
    name, figures = ablation._run((workspace, "without far cards", 1))
    assert name == "without far cards"
    assert set(figures) == {"near, international", "far, international"}
    assert figures["near, international"]["indices"] > 0
    assert ablation._run((workspace, "without far cards", 9)) == (name, figures)  # taken from the disk
