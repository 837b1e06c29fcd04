"""The detector's finds in training scenes: true poses for the classifier, false ones to learn as "none"."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kemps_models.alphabets import GLYPHS, NONE_CLASS
from kemps_training.errors import WorkspaceError
from kemps_training.labels import CENTRE, MIDDLE, RANK, RANK_VISIBLE, SUIT, UP, VISIBLE, is_readable
from kemps_training.pool import load_shard
from kemps_training.reading import find_indices, open_session

NONE, NO_SUIT = NONE_CLASS, -1
LEAST_HEAT = 0.15
# A find is the index when it lies this near (in up vectors) and is turned by less than this.
NEAR, TURNED = 0.75, np.radians(40)
EMPTY_DISTANCE = 1.0
FIRST_COURT = GLYPHS.index("J")
# The middle of a card, as a share of the way from its middle to an index.
MIDDLE_SHARE = 0.4
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Found:
    """Finds in a scene: poses (n, 6) of centre, up, right; glyphs (24 = none) and suits (-1 = none)."""

    poses: Floats
    ranks: NDArray[np.int8]
    suits: NDArray[np.int8]


class Finds:
    """All finds, to be drawn from; scenes with false finds come up more often."""

    def __init__(self, scenes: list[tuple[str, int, Found]]) -> None:
        if not scenes:
            raise WorkspaceError("the detector found nothing in the training pool; train it longer first")
        self.scenes = scenes
        self.with_false = [place for place, scene in enumerate(scenes) if (scene[2].ranks == NONE).any()]

    def draw(self, rng: np.random.Generator) -> tuple[str, int, Found]:
        """Shard name, place in it, and the finds there."""
        if self.with_false and rng.random() < 0.5:
            return self.scenes[self.with_false[int(rng.integers(len(self.with_false)))]]
        return self.scenes[int(rng.integers(len(self.scenes)))]


def match_finds(poses: Floats, rows: Floats) -> Found:
    """Tells true finds from false ones by the label ``rows``; finds that are neither clearly are left out."""
    kept: list[Floats] = []
    ranks: list[int] = []
    suits: list[int] = []
    readable = is_readable(rows)
    for pose in poses:
        distance = np.hypot(*(rows[:, CENTRE] - pose[:2]).T) if len(rows) else np.zeros(0)
        reach = np.hypot(*rows[:, UP].T) if len(rows) else np.zeros(0)
        hits = np.flatnonzero(distance < NEAR * reach)
        seen = hits[rows[hits, VISIBLE] > 0.1]
        if len(seen):
            best = seen[np.argmax(rows[seen, VISIBLE])]
            turned = _turn(pose[2:4], rows[best, UP])
            if readable[best] and turned < TURNED:
                kept, ranks, suits = (
                    [*kept, pose],
                    [*ranks, int(rows[best, RANK])],
                    [*suits, int(rows[best, SUIT])],
                )
                continue
            if readable[best] and turned < np.pi - TURNED:
                continue
            if not readable[best] and rows[best, RANK_VISIBLE] > 0.5:
                continue
        elif (distance < EMPTY_DISTANCE * reach).any() or _is_middle_of_court(pose, rows):
            continue
        kept, ranks, suits = [*kept, pose], [*ranks, NONE], [*suits, NO_SUIT]
    shape = np.array(kept, np.float32).reshape(-1, 6)
    return Found(shape, np.array(ranks, np.int8), np.array(suits, np.int8))


def mine(detector: Path, pool: Path, target: Path, shards: int, least_heat: float = LEAST_HEAT) -> int:
    """Runs the ``detector`` over the first ``shards`` of ``pool``; returns its count of false finds."""
    session = open_session(detector)
    false = 0
    for labels in sorted(pool.glob("[0-9]*.npz"))[:shards]:
        stored = target / labels.name
        if stored.exists():
            continue
        shard = load_shard(labels)
        found = [
            match_finds(find_indices(session, np.asarray(pixels), least_heat).poses, rows)
            for pixels, rows in zip(shard.pixels, shard.rows, strict=True)
        ]
        false += sum(int((item.ranks == NONE).sum()) for item in found)
        target.mkdir(parents=True, exist_ok=True)
        np.savez(
            stored,
            counts=np.array([len(item.ranks) for item in found]),
            poses=np.concatenate([item.poses for item in found]),
            ranks=np.concatenate([item.ranks for item in found]),
            suits=np.concatenate([item.suits for item in found]),
        )
    return false


def load_finds(folder: Path) -> Finds:
    """What `mine` wrote."""
    scenes: list[tuple[str, int, Found]] = []
    for path in sorted(folder.glob("[0-9]*.npz")):
        with np.load(path) as stored:
            cuts = np.cumsum(stored["counts"])[:-1]
            parts = (np.split(stored[name], cuts) for name in ("poses", "ranks", "suits"))
            for place, (poses, ranks, suits) in enumerate(zip(*parts, strict=True)):
                if len(ranks):
                    scenes.append((path.stem, place, Found(poses, ranks, suits)))
    return Finds(scenes)


def _is_middle_of_court(pose: Floats, rows: Floats) -> bool:
    """Whether ``pose`` is in the middle of a court card: a big letter over a suit looks like an index."""
    courts = rows[rows[:, RANK] >= FIRST_COURT]
    length = np.hypot(*(courts[:, MIDDLE] - courts[:, CENTRE]).T)
    return bool((np.hypot(*(courts[:, MIDDLE] - pose[:2]).T) < MIDDLE_SHARE * length).any())


def _turn(first: Floats, second: Floats) -> float:
    across = first[0] * second[1] - first[1] * second[0]
    return float(abs(np.arctan2(across, float(first @ second))))
