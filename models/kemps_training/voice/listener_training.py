"""What the network learns from: scenes whose onsets are marked, as heat around each onset."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from torch import Tensor, nn

from kemps_training.learning import load_weights
from kemps_training.voice.mixing import TWO
from kemps_training.voice.network import CHANNELS, PAST, REACH, Listener, Told
from kemps_training.voice.pool import Pool, unpacked
from kemps_training.voice.variety import Marks, varied

BATCH: Final = 32
HARD: Final = 12  # of a batch are of scenes in which an earlier network heard most
SIGMA: Final = 1.5  # places of 20 ms
SUM_REACH: Final = 4  # places at each side of a peak that count towards its score
POSITIVE_WEIGHT: Final = 14.0
NEGATIVE_SCENES: Final = ("near", "talk", "noise")
FALSE_SHARES: Final = (0.01, 0.02, 0.04)


class ListenerTask:
    """Learns onsets of calls; ``hard`` are scenes without a call in which an earlier network heard one."""

    name = "listener"
    weight_decay = 0.01

    def __init__(
        self, train: Pool, held_out: Pool, hard: NDArray[np.int64] | None = None, start: Path | None = None
    ) -> None:
        self.train, self.held_out = train, held_out
        self.hard = hard if hard is not None else np.zeros(0, np.int64)
        self.start = start

    def network(self) -> nn.Module:
        """A fresh network, or the one to begin with."""
        return Listener() if self.start is None else load_weights(self.start, Listener()).train()

    def batch(self, rng: np.random.Generator) -> tuple[Tensor, ...]:
        """Bands (n, 1, 40, t), heat and weights (n, 3, places)."""
        numbers = rng.integers(len(self.train), size=BATCH)
        if len(self.hard):
            numbers[:HARD] = rng.choice(self.hard, HARD)
        scenes = [
            varied(unpacked(self.train.rows(number)), self.train.marks[number], rng)
            for number in map(int, numbers)
        ]
        rows = [rows for rows, _ in scenes]
        heat, weight = zip(
            *(
                _target(marks, len(rows[0]), is_two=self.train.kinds[int(number)] == "two")
                for number, (_, marks) in zip(numbers, scenes, strict=True)
            ),
            strict=True,
        )
        bands = torch.from_numpy(np.stack(rows).transpose(0, 2, 1)[:, None].copy())
        return bands, torch.from_numpy(np.stack(heat)), torch.from_numpy(np.stack(weight))

    def loss(self, outputs: Tensor, batch: tuple[Tensor, ...]) -> tuple[Tensor, dict[str, float]]:
        """Cross entropy, in which places that are right anyway hardly count."""
        _, heat, weight = batch
        plain = nn.functional.binary_cross_entropy_with_logits(outputs, heat, reduction="none")
        surprise = (torch.sigmoid(outputs.detach()) - heat).abs() ** 1.5
        loss = (plain * surprise * weight * (1 + POSITIVE_WEIGHT * heat)).sum() / len(outputs) / 10
        return loss, {"loss": float(loss.detach())}

    def score(self, network: nn.Module) -> dict[str, float]:
        """Calls of voices never trained on that are found if few scenes without a call have one.

        The mean over several meanings of few, each of which alone hangs on a scene or two.
        """
        sums = scene_sums(network, self.held_out)
        false = [
            float(sums[place][:TWO].max())
            for place, kind in enumerate(self.held_out.kinds)
            if kind in NEGATIVE_SCENES
        ]
        thresholds = np.quantile(false, 1 - np.array(FALSE_SHARES))
        found, right, two = [], [], []
        for place, kind in enumerate(self.held_out.kinds):
            for channel, at in self.held_out.marks[place]:
                spot = round((at - PAST) / 2)
                if not 6 <= spot < sums.shape[2] - 6:
                    continue
                here = sums[place][:, spot - 5 : spot + 6].max(axis=1)
                if channel == TWO:
                    two.append(np.mean(here[TWO] > thresholds))
                elif kind == "call":
                    found.append(np.mean(here[channel] > thresholds))
                    right.append(here[channel] > here[1 - channel])
        recall = float(np.mean(found))
        return {
            "score": recall,
            "right_call": float(np.mean(right)),
            "two": float(np.mean(two)),
            "threshold": float(np.mean(thresholds)),
        }


def _target(marks: Marks, rows: int, *, is_two: bool) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    places = (rows - REACH) // 2 + 1
    heat = np.zeros((CHANNELS, places), np.float32)
    weight = np.ones((CHANNELS, places), np.float32)
    spots = np.arange(places)
    for channel, at in marks:
        away = spots - (at - PAST) / 2
        heat[channel] = np.maximum(heat[channel], np.exp(-0.5 * (away / SIGMA) ** 2))
    if is_two:  # one may drown the other: that two call is what must be known
        weight[:TWO] = 0.5
    return heat, weight


def scene_sums(network: nn.Module, pool: Pool) -> NDArray[np.float32]:
    """For each scene, channel and place: the heat that is told of the places around it, summed."""
    told, results = Told(network).eval(), []
    with torch.no_grad():
        for at in range(0, len(pool), 64):
            rows = np.stack([unpacked(pool.rows(number)) for number in range(at, min(at + 64, len(pool)))])
            heat = torch.sigmoid(told(torch.from_numpy(rows.transpose(0, 2, 1).copy()))).numpy()
            results.append(_summed(heat))
    return np.concatenate(results).astype(np.float32)


def _summed(heat: NDArray[np.float32]) -> NDArray[np.float32]:
    padded = np.pad(heat, ((0, 0), (0, 0), (SUM_REACH, SUM_REACH)))
    return np.asarray(sliding_window_view(padded, 2 * SUM_REACH + 1, axis=2).sum(axis=3), np.float32)


def hard_scenes(network: nn.Module, pool: Pool, share: float = 0.2) -> NDArray[np.int64]:
    """The scenes without a call in which the network hears most of one."""
    sums = scene_sums(network, pool)
    negative = np.array([place for place, kind in enumerate(pool.kinds) if kind in NEGATIVE_SCENES])
    peaks = sums[negative][:, :TWO].max(axis=(1, 2))
    return negative[np.argsort(-peaks)[: max(1, int(len(negative) * share))]]
