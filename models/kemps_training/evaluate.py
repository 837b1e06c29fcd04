"""How good exported networks are on made-up scenes of decks and fonts never trained on, and how fast."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from kemps_models.alphabets import NONE_CLASS
from kemps_training.decks import Image
from kemps_training.labels import CENTRE, RANK, RIGHT, SUIT, UP, VISIBLE, height_and_width, is_readable
from kemps_training.pool import load_shard
from kemps_training.reading import classify, find_indices, open_session

LEAST_HEAT = 0.25
# An index counts as read when the product of its rank and suit probabilities is at least this.
LEAST_SURE = 0.7
NEAR = 0.6
SMALLEST_RIGHT_PX = 3.0
# Upper ends of the classes of index half-heights in px; a usual index is 0.2 to 0.25 of its card's length.
SIZES_PX = (6.0, 8.0, 12.0, 20.0, 30.0, 60.0)
Floats = NDArray[np.float32]


@dataclass(slots=True)
class Tally:
    """Counts of indices: wanted, found, read right, read wrong; and reads where there is no index."""

    wanted: int = 0
    found: int = 0
    right: int = 0
    wrong: int = 0
    ghosts: int = 0

    def figures(self) -> dict[str, float]:
        """Recall and precision of reading, and recall of finding."""
        said = self.right + self.wrong + self.ghosts
        return {
            "indices": self.wanted,
            "found": round(self.found / max(1, self.wanted), 4),
            "recall": round(self.right / max(1, self.wanted), 4),
            "precision": round(self.right / max(1, said), 4),
            "misread": round(self.wrong / max(1, self.right + self.wrong), 4),
        }


@dataclass(slots=True)
class Evaluation:
    """Tallies over scenes, in all and by size; errors of found poses (turn in radians, shift, scale)."""

    whole: Tally = field(default_factory=Tally)
    sizes: dict[float, Tally] = field(default_factory=lambda: {size: Tally() for size in SIZES_PX})
    pose_errors: list[tuple[float, float, float]] = field(default_factory=list)

    def report(self) -> dict[str, Any]:
        """Figures as plain data."""
        errors = np.array(self.pose_errors).reshape(-1, 3)
        spread = {
            name: round(float(np.sqrt((errors[:, k] ** 2).sum() / max(1, len(errors)))), 4)
            for k, name in enumerate(("turn", "shift", "scale"))
        }
        by_size = {f"up to {size:g} px": tally.figures() for size, tally in self.sizes.items()}
        return {"all": self.whole.figures(), "by_index_half_height": by_size, "pose_error_rms": spread}


def evaluate(detector: Path, classifier: Path, pool: Path, shards: int) -> dict[str, Any]:
    """Figures of a pair of exported networks over the first ``shards`` shards of ``pool``."""
    finder, reader = open_session(detector), open_session(classifier)
    result = Evaluation()
    for labels in sorted(pool.glob("[0-9]*.npz"))[:shards]:
        shard = load_shard(labels)
        for pixels, rows in zip(shard.pixels, shard.rows, strict=True):
            _score_scene(finder, reader, np.asarray(pixels), rows, result)
    return result.report()


def _score_scene(
    finder: onnxruntime.InferenceSession,
    reader: onnxruntime.InferenceSession,
    pixels: Image,
    rows: Floats,
    result: Evaluation,
) -> None:
    peaks = find_indices(finder, pixels, LEAST_HEAT)
    ranks, suits = classify(reader, pixels, peaks.poses)
    sure = ranks[:, :NONE_CLASS].max(1) * suits.max(1)
    cards = np.column_stack([ranks.argmax(1), suits.argmax(1)])
    heights, widths = height_and_width(rows)
    inside = ((rows[:, CENTRE] > 1) & (rows[:, CENTRE] < pixels.shape[0] - 2)).all(1)
    wanted = is_readable(rows) & (widths >= SMALLEST_RIGHT_PX) & inside & (heights <= SIZES_PX[-1])
    used: set[int] = set()
    for place in np.flatnonzero(wanted):
        tallies = [result.whole, result.sizes[next(size for size in SIZES_PX if heights[place] <= size)]]
        _score_index(rows[place], peaks.poses, sure, cards, used, tallies, result.pose_errors)
    for peak in range(len(sure)):
        if peak not in used and sure[peak] >= LEAST_SURE and cards[peak, 0] < NONE_CLASS:
            near = np.hypot(*(rows[:, CENTRE] - peaks.poses[peak, :2]).T) < NEAR * heights
            result.whole.ghosts += not (near & (rows[:, VISIBLE] > 0.2)).any()


def _score_index(
    row: Floats,
    poses: Floats,
    sure: Floats,
    cards: NDArray[np.intp],
    used: set[int],
    tallies: list[Tally],
    errors: list[tuple[float, float, float]],
) -> None:
    height = float(np.hypot(*row[UP]))
    near = np.flatnonzero(np.hypot(*(poses[:, :2] - row[CENTRE]).T) < NEAR * height)
    used.update(near.tolist())
    best = max(near, key=lambda place: sure[place], default=None)
    for tally in tallies:
        tally.wanted += 1
        tally.found += best is not None
    if best is None:
        return
    errors.append(_pose_error(row, poses[best], height))
    if sure[best] >= LEAST_SURE and cards[best, 0] < NONE_CLASS:
        is_right = bool(cards[best, 0] == row[RANK] and cards[best, 1] == row[SUIT])
        for tally in tallies:
            tally.right += is_right
            tally.wrong += not is_right


def _pose_error(row: Floats, pose: Floats, height: float) -> tuple[float, float, float]:
    up, true_up = pose[2:4], row[UP]
    turn = np.arctan2(true_up[0] * up[1] - true_up[1] * up[0], float(true_up @ up))
    shift = float(np.hypot(*(pose[:2] - row[CENTRE]))) / height
    scale = np.log((np.hypot(*up) + np.hypot(*pose[4:6]) + 1e-6) / (height + np.hypot(*row[RIGHT])))
    return float(turn), shift, float(scale)


def measure_speed(detector: Path, classifier: Path, rounds: int = 12) -> dict[str, float]:
    """Least CPU ms on one thread: the detector at two sizes, the classifier on 8 and 16 crops."""
    finder, reader = open_session(detector), open_session(classifier)
    small, large = (
        np.random.default_rng(0).random((1, 3, *size), np.float32) for size in ((384, 640), (720, 1280))
    )
    crops = np.random.default_rng(1).random((16, 3, 64, 40), np.float32)
    return {
        "detector_640x384": _least_ms(lambda: finder.run(None, {"image": small}), rounds),
        "detector_1280x720": _least_ms(lambda: finder.run(None, {"image": large}), rounds),
        "classifier_8_crops": _least_ms(lambda: reader.run(None, {"crops": crops[:8]}), rounds),
        "classifier_16_crops": _least_ms(lambda: reader.run(None, {"crops": crops}), rounds),
    }


def _least_ms(run: Callable[[], object], rounds: int) -> float:
    run()
    times = []
    for _ in range(rounds):
        began = time.process_time()
        run()
        times.append(time.process_time() - began)
    return round(min(times) * 1000, 2)
