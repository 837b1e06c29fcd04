"""The way from clean words to weights, on a bank of noise bursts that stands for voices."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from kemps_models.hearing import hearing_entry
from kemps_models.registry import verified_path
from kemps_server.bench.voice_folder import load_folder
from kemps_training.errors import WorkspaceError
from kemps_training.voice import __main__ as command
from kemps_training.voice.bank import AMOUNTS, Bank, Said, wishes_of
from kemps_training.voice.folders import SMOKE, make_folder
from kemps_training.voice.mixing import KEMPS, TWO, Mixer
from kemps_training.voice.noise_store import Noises, fill_noises
from kemps_training.voice.onsets import LEAD
from kemps_training.voice.pool import Pool, fill_pool, packed, unpacked
from kemps_training.voice.publishing import publish_listener
from kemps_training.voice.voices import all_voices
from kemps_vision.hearing.features import RATE
from kemps_vision.hearing.listener import Ear, Listener

if find_spec("torch"):  # where it is absent, the marker skips the tests that need it
    from kemps_training.voice.export import export_listener, note_ear
    from kemps_training.voice.listener_training import ListenerTask
    from kemps_training.voice.network import Listener as Network

EAR = Ear(("kemps", "stop"), 209, 94, (4.0, 4.0), (2.0, 2.0), 4.0, 0.0, 40)


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Bank:
    folder = tmp_path_factory.mktemp("bank")
    rng = np.random.default_rng(1)
    for voice in ("espeak-x", "pico-y"):
        engine, _, name = voice.partition("-")
        rows, at, sounds = [], 0, []
        for kind, call in [("call", "kemps"), ("call", "stop"), ("near", ""), ("talk", "")]:
            for _ in range(3):
                length = LEAD + RATE // 2
                sounds.append((rng.normal(0, 6000, length) * (np.arange(length) >= LEAD)).astype(np.int16))
                rows.append(Said(name, engine, "en", kind, call, "k", True, at, length))
                at += length
        np.save(folder / f"{voice}.npy", np.concatenate(sounds))
        (folder / f"{voice}.json").write_text(json.dumps([asdict(row) for row in rows]))
    return Bank(folder)


@pytest.fixture(scope="module")
def mixer(bank: Bank, tmp_path_factory: pytest.TempPathFactory) -> Mixer:
    folder = tmp_path_factory.mktemp("noise")
    fill_noises(folder, bank, "train", 1)
    return Mixer(bank, Noises(folder), 4.0)


def test_a_voice_wishes_the_same_words_every_time() -> None:
    voice = all_voices()[0]
    wishes = wishes_of(voice, AMOUNTS["espeak"])
    assert wishes == wishes_of(voice, AMOUNTS["espeak"])
    assert all(wish.word.is_known for _, wish in wishes if wish.word is not None)


def test_an_empty_bank_says_which_step_fills_it(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="voice bank"):
        Bank(tmp_path)


def test_scenes_of_a_seed_are_the_same_and_their_marks_lie_in_them(mixer: Mixer) -> None:
    scenes = [mixer.scene(np.random.default_rng(seed)) for seed in range(40)]
    assert {scene.kind for scene in scenes} >= {"call", "two", "near"}
    for scene in scenes:
        assert len(scene.sound) == 4 * RATE
        assert np.abs(scene.sound).max() <= 1.01
        assert bool(scene.marks) == (scene.kind in {"call", "two"})
        assert all(0 <= mark.at < 4 * RATE for mark in scene.marks if mark.channel == KEMPS)


def test_two_who_call_one_after_the_other_do_not_overlap(mixer: Mixer) -> None:
    for seed in range(80):
        scene = mixer.scene(np.random.default_rng(seed))
        if scene.kind == "two":
            first, second = sorted(mark.at for mark in scene.marks if mark.channel != TWO)
            is_two = any(mark.channel == TWO for mark in scene.marks)
            assert is_two == (second - first < RATE * 0.75) or 0.35 < (second - first) / RATE < 0.75


def test_packing_loses_less_than_half_a_decibel() -> None:
    rows = np.random.default_rng(1).uniform(-3.5, 2.3, (50, 40)).astype(np.float32)
    assert np.abs(unpacked(packed(rows)) - rows).max() * 4 * 10 / np.log(10) <= 0.5


def test_a_pool_is_filled_once(mixer: Mixer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kemps_training.voice.pool.SHARD", 5)
    fill_pool(mixer, tmp_path, 2, seed=7)
    pool = Pool(tmp_path)
    assert len(pool) == 10
    before = (tmp_path / "000.npy").read_bytes()
    fill_pool(mixer, tmp_path, 2, seed=8)
    assert (tmp_path / "000.npy").read_bytes() == before


def test_the_folder_to_report_with_is_read_by_the_bench(bank: Bank, tmp_path: Path) -> None:
    make_folder(tmp_path, bank, replace(SMOKE, talk=0.1, near=0.1, noise=0.2, pairs=2), seed=3)
    files = load_folder(tmp_path)
    assert {file.set for file in files} >= {"calls", "talk", "near", "noise", "two_callers"}
    pairs = next(file for file in files if file.set == "two_callers")
    assert [call.call for call in pairs.calls[:2]] == ["stop", "kemps"]
    assert 200 <= pairs.calls[1].at_ms - pairs.calls[0].at_ms <= 500


@pytest.mark.training
def test_a_network_is_exported_with_its_ear_and_answers_in_pieces_as_at_once(tmp_path: Path) -> None:
    path = tmp_path / "voice_calls.onnx"
    export_listener([Network(), Network()], path)
    note_ear(path, EAR)
    listener = Listener(path)
    assert listener.ear == EAR
    assert path.stat().st_size <= 2_000_000
    rows = np.random.default_rng(1).normal(size=(600, 40)).astype(np.float32)
    whole = listener.heat(rows)
    assert whole.shape == (3, (600 - 209) // 2 + 1)
    assert np.allclose(listener.heat(rows[100:]), whole[:, 50:], atol=1e-5)
    assert listener.heat(rows[:208]).shape == (3, 0)


@pytest.mark.training
def test_what_is_learnt_is_heat_at_the_onsets(
    mixer: Mixer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kemps_training.voice.pool.SHARD", 30)
    fill_pool(mixer, tmp_path, 1, seed=7)
    pool = Pool(tmp_path)
    task = ListenerTask(pool, pool)
    bands, heat, weight = task.batch(np.random.default_rng(1))
    assert tuple(bands.shape[:3]) == (32, 1, 40)
    assert heat.shape == weight.shape
    assert float(heat.max()) > 0.9
    loss, parts = task.loss(task.network()(bands), (bands, heat, weight))
    assert float(loss.detach()) == parts["loss"] > 0


def test_what_is_published_is_in_its_list(tmp_path: Path) -> None:
    exported = tmp_path / "new.onnx"
    exported.write_bytes(b"second")
    publish_listener(exported, tmp_path, asdict(EAR), "voices")
    entry = hearing_entry(tmp_path / "hearing.toml")
    assert (entry.bytes, entry.trained_on, entry.figures["uncertainty_ms"]) == (6, "voices", 40)
    assert verified_path("voice_calls.onnx", {entry.name: entry}, tmp_path).read_bytes() == b"second"


@pytest.mark.training
def test_an_unknown_step_is_an_error_that_names_the_steps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["bake", "--workspace", str(tmp_path)]) == 2
    assert "there are bank, pool, learn" in capsys.readouterr().err
