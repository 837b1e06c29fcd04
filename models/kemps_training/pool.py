"""Pools of scenes on disk, in numbered shards; made once, read many times."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_training.decks import Image
from kemps_training.errors import WorkspaceError
from kemps_training.grid import CELL_PX
from kemps_training.scenes import SceneMaker

SHARD = 250


@dataclass(frozen=True, slots=True)
class Shard:
    """Some scenes: pixels (n, side, side, 3), face-up masks (n, side/4, side/4), of each rows and backs."""

    pixels: Image
    rows: list[NDArray[np.float32]]
    face_up: NDArray[np.bool_]
    backs: list[NDArray[np.float32]]


def fill_pool(
    maker: SceneMaker, folder: Path, shards: int, seed: int, worker: int = 0, workers: int = 1
) -> int:
    """Makes what is missing of ``shards`` shards, every ``workers``-th from ``worker``; returns how many."""
    cv2.setNumThreads(1)
    made = 0
    for number in range(worker, shards, workers):
        if not (folder / f"{number:04d}.npz").exists():
            _make_shard(maker, folder, number, seed)
            made += 1
            print(f"pool {folder.name}: shard {number + 1} of {shards}", flush=True)
    return made


def _make_shard(maker: SceneMaker, folder: Path, number: int, seed: int) -> None:
    scenes = [maker.make(np.random.default_rng([seed, number, place])) for place in range(SHARD)]
    half = CELL_PX // 2
    np.save(folder / f"{number:04d}.npy", np.stack([scene.pixels for scene in scenes]))
    temporary = folder / f"{number:04d}.part.npz"
    np.savez(
        temporary,
        rows=np.concatenate([scene.rows for scene in scenes]),
        counts=np.array([len(scene.rows) for scene in scenes]),
        backs=np.concatenate([scene.backs for scene in scenes]),
        back_counts=np.array([len(scene.backs) for scene in scenes]),
        face_up=np.stack([scene.face_up[half::CELL_PX, half::CELL_PX] for scene in scenes]),
    )
    temporary.rename(folder / f"{number:04d}.npz")  # last, so that a shard with labels is whole


def load_shard(labels: Path) -> Shard:
    """The shard whose label file is ``labels``; its pixels stay on disk until used."""
    with np.load(labels) as stored:
        rows = np.split(stored["rows"], np.cumsum(stored["counts"])[:-1])
        backs = np.split(stored["backs"], np.cumsum(stored["back_counts"])[:-1])
        face_up = stored["face_up"]
    return Shard(np.load(labels.with_suffix(".npy"), mmap_mode="r"), rows, face_up, backs)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A scene of a pool: pixels (side, side, 3), label rows, face-up cells, rows about face-down cards."""

    pixels: Image
    rows: NDArray[np.float32]
    face_up: NDArray[np.bool_]
    backs: NDArray[np.float32]


class Pool:
    """The shards of a folder; `refresh` takes up those made since."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shards: dict[str, Shard] = {}
        self.refresh()
        if not self.shards:
            raise WorkspaceError(f"no scenes in {folder}; run `python -m kemps_training pool` first")

    def refresh(self) -> None:
        """Loads shards that were not there before."""
        for labels in sorted(self.folder.glob("[0-9]*.npz")):
            if labels.stem not in self.shards and ".part" not in labels.name:
                self.shards[labels.stem] = load_shard(labels)

    def __len__(self) -> int:
        return sum(len(shard.rows) for shard in self.shards.values())

    def draw(self, rng: np.random.Generator) -> Drawn:
        """Any scene."""
        names = list(self.shards)
        shard = self.shards[names[int(rng.integers(len(names)))]]
        place = int(rng.integers(len(shard.rows)))
        pixels = np.array(shard.pixels[place])
        return Drawn(pixels, shard.rows[place], shard.face_up[place], shard.backs[place])
