"""Pools on disk: what is there is not made again, and comes back as it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kemps_training import pool
from kemps_training.decks import Deck
from kemps_training.errors import WorkspaceError
from kemps_training.pool import Pool, fill_pool, load_shard
from kemps_training.scenes import SceneMaker
from kemps_training.workspace import open_workspace


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "SHARD", 3)


@pytest.fixture
def maker(decks: list[Deck]) -> SceneMaker:
    return SceneMaker(decks, [])


def test_a_shard_comes_back_as_its_scenes(tmp_path: Path, maker: SceneMaker) -> None:
    fill_pool(maker, tmp_path, 1, seed=5)
    shard = load_shard(tmp_path / "0000.npz")
    for place in range(3):
        scene = maker.make(np.random.default_rng([5, 0, place]))
        assert np.array_equal(shard.pixels[place], scene.pixels)
        assert np.array_equal(shard.rows[place], scene.rows)
        assert np.array_equal(shard.face_up[place], scene.face_up[2::4, 2::4])


def test_shards_that_are_there_are_not_made_again(tmp_path: Path, maker: SceneMaker) -> None:
    assert fill_pool(maker, tmp_path, 2, seed=5) == 2
    (tmp_path / "0001.npz").unlink()
    assert fill_pool(maker, tmp_path, 2, seed=5) == 1
    assert fill_pool(maker, tmp_path, 2, seed=5) == 0


def test_two_workers_make_the_same_pool_as_one(tmp_path: Path, maker: SceneMaker) -> None:
    alone, shared = tmp_path / "alone", tmp_path / "shared"
    alone.mkdir()
    shared.mkdir()
    fill_pool(maker, alone, 2, seed=5)
    for worker in (1, 0):
        fill_pool(maker, shared, 2, seed=5, worker=worker, workers=2)
    for name in ("0000.npy", "0001.npy"):
        assert (alone / name).read_bytes() == (shared / name).read_bytes()


def test_a_growing_pool_takes_up_new_shards(tmp_path: Path, maker: SceneMaker) -> None:
    fill_pool(maker, tmp_path, 1, seed=5)
    growing = Pool(tmp_path)
    assert len(growing) == 3
    fill_pool(maker, tmp_path, 2, seed=5)
    growing.refresh()
    assert len(growing) == 6
    drawn = growing.draw(np.random.default_rng(0))
    assert drawn.pixels.shape == (256, 256, 3)
    assert drawn.rows.shape[1] == 13
    assert drawn.face_up.shape == (64, 64)
    assert drawn.backs.shape[1] == 9


def test_an_empty_pool_says_which_step_is_missing(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="kemps_training pool"):
        Pool(tmp_path)


def test_the_workspace_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEMPS_TRAINING_DIR", str(tmp_path / "work"))
    assert open_workspace().decks == tmp_path / "work/decks"
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(WorkspaceError, match="is not a folder"):
        open_workspace(file)
