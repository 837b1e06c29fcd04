"""Learning on from a published file whose checkpoints are gone."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from kemps_training.errors import WorkspaceError
from kemps_training.voice.publishing import learnt_on

if find_spec("torch"):  # where it is absent, the marker skips the tests that need it
    import onnx
    import torch

    from kemps_training.voice.export import export_listener
    from kemps_training.voice.network import Listener, Told
    from kemps_training.voice.restored import restored_listeners
    from kemps_training.voice.rounds import ROUNDS, Rounds


def _network(seed: int) -> Listener:
    torch.manual_seed(seed)
    network = Listener()
    with torch.no_grad():
        network.out.bias.zero_()
        network.train()(torch.randn(4, 40, 300) + 1)  # norms that do something
    network.eval()
    return network


@pytest.mark.training
def test_restored_networks_answer_as_the_file_does(tmp_path: Path) -> None:
    networks = [_network(1), _network(2)]
    path = tmp_path / "two.onnx"
    export_listener(networks, path)
    bands = torch.randn(3, 40, 300)
    restored = restored_listeners(path, bands)
    assert len(restored) == 2
    with torch.no_grad():
        for network, again in zip(networks, restored, strict=True):
            assert torch.allclose(network(bands), again(bands), atol=1e-4)
        assert torch.allclose(Told(*networks).eval()(bands), Told(*restored).eval()(bands), atol=1e-4)


@pytest.mark.training
def test_restored_networks_can_learn_on_without_a_jump(tmp_path: Path) -> None:
    path = tmp_path / "one.onnx"
    export_listener([_network(3)], path)
    bands = torch.randn(8, 40, 300)
    (restored,) = restored_listeners(path, bands)
    with torch.no_grad():
        as_used = restored(bands)
        as_learning = restored.train()(bands)
    # The first norm, over the bands, is the file's own and takes what it is given while it learns.
    assert float((as_used - as_learning).abs().mean()) < 0.5 * float(as_used.std())


@pytest.mark.training
def test_a_file_of_other_networks_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.onnx"
    onnx.save(onnx.helper.make_model(onnx.helper.make_graph([], "empty", [], [])), path)
    with pytest.raises(WorkspaceError, match="holds no networks"):
        restored_listeners(path, torch.zeros(1, 40, 300))


@pytest.mark.training
def test_a_network_of_the_workspace_is_not_replaced_by_a_published_one(tmp_path: Path) -> None:
    rounds = Rounds(tmp_path, 0)
    rounds.restore(_network(4))
    own = rounds.best(len(ROUNDS) - 2).read_bytes()
    rounds.restore(_network(5))
    assert rounds.best(len(ROUNDS) - 2).read_bytes() == own


def test_what_was_learnt_before_stands_in_the_report_too(tmp_path: Path) -> None:
    earlier = tmp_path / "voice_training.json"
    earlier.write_text(
        json.dumps({"scenes": 25, "voices": ["a", "b"], "learning_curves": {"0 listener": [1]}})
    )
    report = {"scenes": 5, "voices": ["b", "c"], "learning_curves": {"0 listener_more": [2]}, "ear": {}}
    assert learnt_on(report, earlier) == {
        "scenes": 30,
        "voices": ["a", "b", "c"],
        "learning_curves": {"0 listener": [1], "0 listener_more": [2]},
        "ear": {},
    }
    assert learnt_on(report, tmp_path / "none.json") == report


def test_what_is_published_twice_is_counted_once(tmp_path: Path) -> None:
    path = tmp_path / "voice_training.json"
    path.write_text(json.dumps({"scenes": 25, "voices": ["a"], "learning_curves": {"0 listener": [1]}}))
    report = {"scenes": 5, "voices": ["a"], "learning_curves": {"0 listener_more": [2]}}
    for _ in range(2):
        path.write_text(json.dumps(learnt_on(report, path)))
    assert json.loads(path.read_text())["scenes"] == 30
