"""Scenes as the network sees them, packed: bands in bytes, marks beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_training.errors import WorkspaceError
from kemps_training.voice.mixing import Mixer
from kemps_vision.hearing.features import HOP, features

SCENE_SECONDS: Final = 4.0
SHARD: Final = 500
_LOWEST, _STEP = -3.6, 0.024  # of a band's value; what lies outside does not occur


def packed(rows: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Bands as bytes, 0.4 dB a step."""
    return np.clip(np.round((rows - _LOWEST) / _STEP), 0, 255).astype(np.uint8)


def unpacked(rows: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Bands from bytes."""
    return rows.astype(np.float32) * _STEP + _LOWEST


def fill_pool(mixer: Mixer, folder: Path, shards: int, seed: int, worker: int = 0, workers: int = 1) -> None:
    """Makes a worker's share of those of the shards that are missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(worker, shards, workers):
        path = folder / f"{number:03}.npy"
        if path.exists():
            continue
        rng = np.random.default_rng([seed, number])
        scenes = [mixer.scene(rng) for _ in range(SHARD)]
        marks = [[(mark.channel, mark.at / HOP) for mark in scene.marks] for scene in scenes]
        about = {"marks": marks, "kinds": [scene.kind for scene in scenes]}
        path.with_suffix(".json").write_text(json.dumps(about))
        part = path.with_suffix(".part.npy")
        np.save(part, np.stack([packed(features(scene.sound)) for scene in scenes]))
        part.replace(path)
        print(f"pool: {path.stem} of {folder.name}", flush=True)


class Pool:
    """All scenes of a folder."""

    def __init__(self, folder: Path) -> None:
        paths = sorted(path for path in folder.glob("[0-9]*.npy") if ".part" not in path.name)
        if not paths:
            raise WorkspaceError(f"no scenes in {folder}; run `python -m kemps_training.voice pool` first")
        self._shards = [np.load(path, mmap_mode="r") for path in paths]
        about = [json.loads(path.with_suffix(".json").read_text()) for path in paths]
        self.marks: list[list[tuple[int, float]]] = [marks for one in about for marks in one["marks"]]
        self.kinds: list[str] = [kind for one in about for kind in one["kinds"]]

    def __len__(self) -> int:
        return len(self.kinds)

    def rows(self, number: int) -> NDArray[np.uint8]:
        """The packed bands of a scene."""
        shard = self._shards[number // SHARD]
        return np.asarray(shard[number % SHARD])
