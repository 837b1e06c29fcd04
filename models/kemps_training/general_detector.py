"""A general-purpose object detector learns the same scenes, for the comparison in docs/comparisons.md.

FCOS (Tian et al., "FCOS: Fully Convolutional One-Stage Object Detection", 2019) from the parts of torchvision
(BSD-3), with a ResNet-18 and nothing learnt before: 52 classes and an upright box round each index, which is
how most hobby projects read cards. No part of the product; torchvision is needed for this module alone::

    pip install torchvision
    python -m kemps_training.general_detector train --pool .cache/training/pools/train --out FOLDER
    python -m kemps_training.general_detector read PHOTO… --weights FOLDER > readings.jsonl
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from kemps_training.errors import TrainingError, WorkspaceError
from kemps_training.labels import CENTRE, RANK, RIGHT, SUIT, UP, height_and_width, is_readable, quarter_turns
from kemps_training.pool import Pool

CARDS: Final = tuple(rank + suit for suit in "cdhs" for rank in "A23456789TJQK")
"""The classes, from 1 on: 0 is what torchvision calls the background."""

RANKS_READ: Final = 13  # the first glyphs are the international ones; scenes with others are left out
SMALLEST_UP_PX: Final = 6.0  # scenes with smaller indices too: this detector has enough to learn
BATCH: Final = 16
RATE: Final = 1e-3
WARM_UP: Final = 150
COOL_FROM: Final = 0.75  # of the budget: from then on the rate falls to nothing
KEPT_SHARE: Final = 0.99  # of the averaged weights, a step
SAVE_EVERY_S: Final = 120.0
LONG_SIDE_PX: Final = 640
LEAST_SCORE: Final = 0.05  # of a box to be told at all; what is believed is chosen on photos
_CHECKPOINT: Final = "general_detector.pt"
# How far the box reaches, by the lengths of the index's own vectors from its centre.
_TALL, _WIDE = 1.1, 0.65

Floats = NDArray[np.float32]


def boxes_of(rows: Floats) -> Floats:
    """Upright boxes (n, 4) as x0, y0, x1, y1 px round the indices of label ``rows`` (n, 13)."""
    up, right = rows[:, UP] * _TALL, rows[:, RIGHT] * _WIDE
    corners = rows[:, None, CENTRE] + np.stack([up + right, up - right, right - up, -up - right], axis=1)
    return np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1).astype(np.float32)


def is_usable(rows: Floats) -> bool:
    """Whether a scene shows only indices that are international and large enough, and at least one."""
    shown = rows[is_readable(rows)]
    if not len(shown):
        return False
    heights, _ = height_and_width(shown)
    return bool((shown[:, RANK] < RANKS_READ).all() and heights.min() >= SMALLEST_UP_PX)


def draw_example(rng: np.random.Generator, pool: Pool) -> tuple[Tensor, dict[str, Tensor]]:
    """A picture (3, h, w) in 0..1 and its boxes and labels as torchvision wants them."""
    scene = pool.draw(rng)
    while not is_usable(scene.rows):
        scene = pool.draw(rng)
    turns, side = int(rng.integers(4)), scene.pixels.shape[0]
    lit = np.rot90(scene.pixels, turns).astype(np.float32) / 255
    lit = (lit * rng.uniform(0.8, 1.2, 3).astype(np.float32)).clip(0, 1)
    rows = quarter_turns(scene.rows, turns, side)
    rows = rows[is_readable(rows)]
    boxes = boxes_of(rows).clip(0, side)
    is_there = (boxes[:, 2] - boxes[:, 0] > 2) & (boxes[:, 3] - boxes[:, 1] > 2)
    classes = 1 + rows[:, SUIT].astype(np.int64) * RANKS_READ + rows[:, RANK].astype(np.int64)
    target = {"boxes": torch.from_numpy(boxes[is_there]), "labels": torch.from_numpy(classes[is_there])}
    return torch.from_numpy(np.ascontiguousarray(lit.transpose(2, 0, 1))), target


def make_network() -> nn.Module:
    """A fresh FCOS whose finest grid has cells of 4 px; raises `TrainingError` without torchvision."""
    try:
        resnet = import_module("torchvision.models.resnet")
        fcos = import_module("torchvision.models.detection.fcos")
        parts = import_module("torchvision.models.detection.backbone_utils")
        anchors = import_module("torchvision.models.detection.anchor_utils")
    except ImportError as error:
        raise TrainingError(
            f"this comparison needs torchvision ({error}); pip install torchvision"
        ) from error
    layers = {"layer1": "0", "layer2": "1", "layer3": "2"}
    backbone = parts.BackboneWithFPN(resnet.resnet18(weights=None), layers, [64, 128, 256], 64)
    sizes = ((4,), (8,), (16,), (32,))
    network: nn.Module = fcos.FCOS(
        backbone,
        len(CARDS) + 1,
        min_size=256,
        max_size=LONG_SIDE_PX * 4,
        image_mean=[0.5, 0.5, 0.5],
        image_std=[0.25, 0.25, 0.25],
        anchor_generator=anchors.AnchorGenerator(sizes, ((1.0,),) * len(sizes)),
        head=fcos.FCOSHead(64, 1, len(CARDS) + 1, num_convs=2),
        score_thresh=LEAST_SCORE,
        nms_thresh=0.5,
    )
    return network


@dataclass(slots=True)
class Progress:
    """How far a training is; ``cpu_s`` are seconds of the processor in this and earlier runs."""

    steps: int = 0
    cpu_s: float = 0.0
    loss: float = 0.0


class Training:
    """A training that can be stopped at any point and goes on from its last checkpoint."""

    def __init__(self, pool: Pool, folder: Path, minutes: float) -> None:
        self.pool, self.folder, self.budget_s = pool, folder, minutes * 60
        torch.manual_seed(0)
        self.network = make_network()
        self.average = torch.optim.swa_utils.AveragedModel(
            self.network,
            multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(KEPT_SHARE),
            use_buffers=True,
        )
        self.optimizer = torch.optim.AdamW(self.network.parameters(), RATE, weight_decay=1e-3)
        self.progress = Progress()
        self._resume()

    def run(self) -> Progress:
        """Learns until the budget of processor minutes is used up."""
        rng = np.random.default_rng([0, self.progress.steps])
        before = time.process_time()
        saved = time.monotonic()
        while self.progress.cpu_s < self.budget_s:
            self._step([draw_example(rng, self.pool) for _ in range(BATCH)])
            now = time.process_time()
            self.progress.cpu_s, before = self.progress.cpu_s + now - before, now
            if time.monotonic() - saved > SAVE_EVERY_S:
                self.save()
                self.pool.refresh()
                saved = time.monotonic()
        self.save()
        return self.progress

    def save(self) -> None:
        """Writes the checkpoint and tells how far it is."""
        self.folder.mkdir(parents=True, exist_ok=True)
        progress = self.progress
        state = {
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "progress": [progress.steps, progress.cpu_s, progress.loss],
        }
        temporary = self.folder / f"{_CHECKPOINT}.part"
        torch.save(state, temporary)
        temporary.replace(self.folder / _CHECKPOINT)
        pictures = progress.steps * BATCH
        print(f"{progress.cpu_s / 60:.1f} min, {pictures} pictures, loss {progress.loss:.3f}", flush=True)

    def _resume(self) -> None:
        path = self.folder / _CHECKPOINT
        if path.exists():
            state = torch.load(path, map_location="cpu", weights_only=True)
            self.network.load_state_dict(state["network"])
            self.average.load_state_dict(state["average"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.progress = Progress(*state["progress"])

    def _step(self, examples: list[tuple[Tensor, dict[str, Tensor]]]) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = self._rate()
        pictures, targets = [picture for picture, _ in examples], [target for _, target in examples]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            losses: dict[str, Tensor] = self.network(pictures, targets)
        loss = torch.stack([part.float() for part in losses.values()]).sum()
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 5.0)
        self.optimizer.step()
        self.average.update_parameters(self.network)
        value = float(loss.detach())
        self.progress.loss = value if self.progress.steps == 0 else 0.98 * self.progress.loss + 0.02 * value
        self.progress.steps += 1

    def _rate(self) -> float:
        done = self.progress.cpu_s / max(1e-6, self.budget_s)
        cooled = min(1.0, (1.0 - done) / (1.0 - COOL_FROM))
        return float(RATE * max(0.0, cooled) * min(1.0, (self.progress.steps + 1) / WARM_UP))


def load_network(folder: Path) -> nn.Module:
    """The averaged weights of a training, ready to be used; raises `WorkspaceError` when there are none."""
    path = folder / _CHECKPOINT
    if not path.exists():
        raise WorkspaceError(f"no general detector in {folder}; train it first")
    average = torch.optim.swa_utils.AveragedModel(make_network(), use_buffers=True)
    average.load_state_dict(torch.load(path, map_location="cpu", weights_only=True)["average"])
    network: nn.Module = average.module.eval()
    return network


def read_still(network: Any, pixels: NDArray[np.uint8], long_side_px: int) -> dict[str, float]:  # noqa: ANN401
    """Each card that a box names in an RGB picture (h, w, 3), with the best score of its boxes."""
    factor = long_side_px / max(pixels.shape[:2])
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    resized = cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=method).astype(np.float32) / 255
    network.transform.min_size = (min(resized.shape[:2]),)  # so that it resizes nothing itself
    with torch.inference_mode():
        found = network([torch.from_numpy(np.ascontiguousarray(resized.transpose(2, 0, 1)))])[0]
    cards: dict[str, float] = {}
    for label, score in zip(found["labels"].tolist(), found["scores"].tolist(), strict=True):
        name = CARDS[label - 1]
        cards[name] = max(score, cards.get(name, 0.0))
    return cards


def main(arguments: list[str] | None = None) -> int:
    """Trains or reads; returns the exit code."""
    chosen = _parser().parse_args(arguments)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    try:
        if chosen.do == "train":
            Training(Pool(chosen.pool), chosen.out, chosen.minutes).run()
        else:
            _read(load_network(chosen.weights), chosen.photos, chosen.long_side)
    except TrainingError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kemps_training.general_detector")
    verbs = parser.add_subparsers(dest="do", required=True)
    train = verbs.add_parser("train", help="learn from a pool of scenes, or go on with it")
    train.add_argument("--pool", type=Path, required=True)
    train.add_argument("--out", type=Path, required=True)
    train.add_argument("--minutes", type=float, default=60.0, help="minutes of one processor in all")
    read = verbs.add_parser("read", help="a JSON line for each photo, as `kemps read --json` prints them")
    read.add_argument("photos", nargs="+", type=Path)
    read.add_argument("--weights", type=Path, required=True)
    read.add_argument("--long-side", type=int, default=LONG_SIDE_PX, help="px to which a photo is resized")
    return parser


def _read(network: nn.Module, photos: list[Path], long_side_px: int) -> None:
    for path in photos:
        pixels = cv2.imread(str(path), cv2.IMREAD_COLOR_RGB)
        if pixels is None:
            raise WorkspaceError(f"{path}: is no picture that can be read")
        before = time.process_time()
        cards = read_still(network, np.asarray(pixels, np.uint8), long_side_px)
        ms = (time.process_time() - before) * 1000
        told = [{"card": name, "score": round(score, 4)} for name, score in sorted(cards.items())]
        print(json.dumps({"image": str(path), "cards": told, "cpu_ms": round(ms, 1)}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
