"""Pools of scenes on disk, in numbered shards; made once, read many times."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_training.decks import Image
from kemps_training.errors import WorkspaceError
from kemps_training.scenes import SceneMaker

SHARD = 250
# The detector's cells are 4 px wide; the mask of face-up cards is kept at that size.
CELL_PX = 4


@dataclass(frozen=True, slots=True)
class Shard:
    """Some scenes: pixels (n, side, side, 3), label rows of each, face-up masks (n, side/4, side/4)."""

    pixels: Image
    rows: list[NDArray[np.float32]]
    face_up: NDArray[np.bool_]


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
        face_up=np.stack([scene.face_up[half::CELL_PX, half::CELL_PX] for scene in scenes]),
    )
    temporary.rename(folder / f"{number:04d}.npz")  # last, so that a shard with labels is whole


def load_shard(labels: Path) -> Shard:
    """The shard whose label file is ``labels``; its pixels stay on disk until used."""
    with np.load(labels) as stored:
        ends = np.cumsum(stored["counts"])
        rows = np.split(stored["rows"], ends[:-1])
        face_up = stored["face_up"]
    return Shard(np.load(labels.with_suffix(".npy"), mmap_mode="r"), rows, face_up)


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

    def draw(self, rng: np.random.Generator) -> tuple[Image, NDArray[np.float32], NDArray[np.bool_]]:
        """Any scene: pixels, label rows, face-up cells."""
        names = list(self.shards)
        shard = self.shards[names[int(rng.integers(len(names)))]]
        place = int(rng.integers(len(shard.rows)))
        return np.array(shard.pixels[place]), shard.rows[place], shard.face_up[place]
