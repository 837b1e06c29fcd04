"""What the classifier learns: rank and suit of index crops in slightly wrong poses, "none" for the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from kemps_models.alphabets import NONE_CLASS
from kemps_training.crops import cut_index
from kemps_training.decks import Image
from kemps_training.labels import CENTRE, RANK, RIGHT, SUIT, UP, VISIBLE, height_and_width, is_readable
from kemps_training.mining import Finds
from kemps_training.networks import RANK_CLASSES, Classifier
from kemps_training.pool import Pool

BATCH = 128
NONE = NONE_CLASS
NO_SUIT = -1
REFRESH_EVERY = 200
HELD_OUT_CROPS = 4096
SMOOTHING = 0.02
# How wrong the detector's poses are: turn in radians; scale, stretch, shear as shares; shift in up vectors.
TURN, SCALE, STRETCH, SHEAR, SHIFT = 0.13, 0.13, 0.07, 0.06, 0.1
SMALLEST_UP_PX, SMALLEST_RIGHT_PX = 4.2, 3.0
MOST_PER_SCENE = 8
UPSIDE_DOWN_SHARE = 0.1
MINED_SHARE = 0.5
Floats = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Sample:
    """A crop and its classes: a glyph or 24 for none, suit 0..3 or -1."""

    crop: Image
    rank: int
    suit: int


class ClassifierTask:
    """The classifier's `Task` over pools of scenes; ``finds`` are the detector's own poses in ``train``."""

    name = "classifier"
    weight_decay = 1e-2

    def __init__(self, train: Pool, held_out: Pool, finds: Finds | None = None) -> None:
        self.train, self.held_out, self.finds = train, held_out, finds
        self.batches = 0
        self.waiting: list[Sample] = []
        self.examination: tuple[Tensor, ...] | None = None

    def network(self) -> nn.Module:
        """A fresh classifier."""
        return Classifier()

    def batch(self, rng: np.random.Generator) -> tuple[Tensor, ...]:
        """Crops (128, 3, 64, 40) in 0..1, rank classes and suit classes, mixed over many scenes."""
        self.batches += 1
        if self.batches % REFRESH_EVERY == 0 and self.finds is None:
            self.train.refresh()
        while len(self.waiting) < BATCH * 4:
            if self.finds is not None and rng.random() < MINED_SHARE:
                self.waiting += _mined_samples(rng, self.train, self.finds)
            else:
                scene = self.train.draw(rng)
                self.waiting += scene_samples(rng, scene.pixels, scene.rows)
        chosen = set(rng.choice(len(self.waiting), BATCH, replace=False).tolist())
        samples = [self.waiting[place] for place in chosen]
        self.waiting = [sample for place, sample in enumerate(self.waiting) if place not in chosen]
        return _stacked(samples, rng)

    def loss(self, outputs: Tensor, batch: tuple[Tensor, ...]) -> tuple[Tensor, dict[str, float]]:
        """Cross entropy of ranks, and of suits where there is one."""
        _, ranks, suits = batch
        rank_loss = functional.cross_entropy(outputs[:, :RANK_CLASSES], ranks, label_smoothing=SMOOTHING)
        has_suit = suits != NO_SUIT
        suit_losses = functional.cross_entropy(
            outputs[has_suit, RANK_CLASSES:], suits[has_suit], label_smoothing=SMOOTHING, reduction="sum"
        )
        suit_loss = suit_losses / has_suit.sum().clamp(min=1)
        total = rank_loss + suit_loss
        right = (outputs[:, :RANK_CLASSES].argmax(1) == ranks).float().mean()
        parts = {"loss": total, "rank": rank_loss, "suit": suit_loss, "accuracy": right}
        return total, {name: float(value.detach()) for name, value in parts.items()}

    def score(self, network: nn.Module) -> dict[str, float]:
        """Shares of held-out crops with the right card, and of nothings called none."""
        if self.examination is None:
            rng = np.random.default_rng(0)
            samples: list[Sample] = []
            while len(samples) < HELD_OUT_CROPS:
                scene = self.held_out.draw(rng)
                samples += scene_samples(rng, scene.pixels, scene.rows)
            self.examination = _stacked(samples, None)
        crops, ranks, suits = self.examination
        with torch.inference_mode():
            outputs = torch.cat([network(part) for part in crops.split(512)])
        _, parts = self.loss(outputs, self.examination)
        said_rank, said_suit = outputs[:, :RANK_CLASSES].argmax(1), outputs[:, RANK_CLASSES:].argmax(1)
        is_card = ranks != NONE
        right = ((said_rank == ranks) & (said_suit == suits))[is_card].float().mean()
        none = (said_rank == NONE)[~is_card].float().mean()
        figures = {"held_out_loss": parts["loss"], "cards_right": float(right), "nones_right": float(none)}
        return figures | {"score": -parts["loss"]}


def scene_samples(rng: np.random.Generator, pixels: Image, rows: NDArray[np.float32]) -> list[Sample]:
    """Crops of a scene: readable indices in wrong poses, a few upside down, covered ones and empty places."""
    heights, widths = height_and_width(rows)
    readable = is_readable(rows) & (heights >= SMALLEST_UP_PX) & (widths >= SMALLEST_RIGHT_PX)
    inside = ((rows[:, CENTRE] > -2) & (rows[:, CENTRE] < pixels.shape[0] + 2)).all(1)
    samples: list[Sample] = []
    for place in rng.permutation(len(rows))[: MOST_PER_SCENE * 2]:
        row = rows[place]
        if not inside[place] or len(samples) >= MOST_PER_SCENE:
            continue
        if readable[place]:
            centre, up, right = jitter(rng, row[CENTRE], row[UP], row[RIGHT])
            if rng.random() < UPSIDE_DOWN_SHARE:
                samples.append(Sample(cut_index(pixels, centre, -up, -right), NONE, NO_SUIT))
            else:
                samples.append(Sample(cut_index(pixels, centre, up, right), int(row[RANK]), int(row[SUIT])))
        elif 0.1 < row[VISIBLE] < 0.5 and rng.random() < 0.4:
            samples.append(Sample(cut_index(pixels, row[CENTRE], row[UP], row[RIGHT]), NONE, NO_SUIT))
    return samples + _empty_samples(rng, pixels, rows)


def jitter(
    rng: np.random.Generator, centre: Floats, up: Floats, right: Floats
) -> tuple[Floats, Floats, Floats]:
    """A pose that is wrong in the way the detector's poses are."""
    angle = rng.normal(0, TURN)
    cosine, sine = np.cos(angle), np.sin(angle)
    turn = np.array([[cosine, -sine], [sine, cosine]])
    scale = np.exp(rng.normal(0, SCALE))
    new_up = turn @ up * scale * np.exp(rng.normal(0, STRETCH))
    new_right = turn @ right * scale * np.exp(rng.normal(0, STRETCH)) + up * rng.normal(0, SHEAR)
    return centre + up * rng.normal(0, SHIFT) + right * rng.normal(0, SHIFT * 0.8), new_up, new_right


def _empty_samples(rng: np.random.Generator, pixels: Image, rows: NDArray[np.float32]) -> list[Sample]:
    """Up to two crops at any place that is not on an index."""
    samples: list[Sample] = []
    for _ in range(2):
        centre = rng.uniform(10, pixels.shape[0] - 10, 2)
        height, angle = np.exp(rng.uniform(np.log(5), np.log(40))), rng.uniform(0, 2 * np.pi)
        up = height * np.array([np.cos(angle), np.sin(angle)])
        near = np.hypot(*(rows[:, CENTRE] - centre).T) < np.maximum(1.1 * np.hypot(*rows[:, UP].T), 6)
        if not near.any():
            samples.append(Sample(cut_index(pixels, centre, up, np.array([-up[1], up[0]])), NONE, NO_SUIT))
    return samples


def _mined_samples(rng: np.random.Generator, pool: Pool, finds: Finds) -> list[Sample]:
    """Crops where the detector saw an index in a scene of ``pool``, slightly moved."""
    shard, scene, found = finds.draw(rng)
    pixels = np.array(pool.shards[shard].pixels[scene])
    samples = []
    for pose, rank, suit in zip(found.poses, found.ranks, found.suits, strict=True):
        up = pose[2:4] * np.exp(rng.normal(0, 0.04))
        right = pose[4:6] * np.exp(rng.normal(0, 0.04)) + pose[2:4] * rng.normal(0, 0.02)
        centre = pose[0:2] + pose[2:4] * rng.normal(0, 0.03) + pose[4:6] * rng.normal(0, 0.03)
        samples.append(Sample(cut_index(pixels, centre, up, right), int(rank), int(suit)))
    return samples


def _stacked(samples: list[Sample], rng: np.random.Generator | None) -> tuple[Tensor, ...]:
    """Samples as tensors, in another light where ``rng`` is given."""
    crops = np.stack([sample.crop for sample in samples]).astype(np.float32) / 255
    if rng is not None:
        count = len(samples)
        crops *= rng.uniform(0.82, 1.18, (count, 1, 1, 3)).astype(np.float32)
        crops *= rng.uniform(0.75, 1.2, (count, 1, 1, 1)).astype(np.float32)
        grey = rng.random(count) < 0.05
        crops[grey] = crops[grey].mean(3, keepdims=True)
    pixels = torch.from_numpy(np.ascontiguousarray(crops.clip(0, 1).transpose(0, 3, 1, 2)))
    ranks = torch.tensor([sample.rank for sample in samples])
    return pixels, ranks, torch.tensor([sample.suit for sample in samples])
