"""What the detector learns: heat of readable indices, their poses, face-up cells."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from kemps_training.networks import BACK_HEAT, INDEX_HEAT, Detector
from kemps_training.pool import Pool
from kemps_training.reading import as_input
from kemps_training.targets import Targets, augment, make_targets

BATCH = 16
REFRESH_EVERY = 60
HELD_OUT_SCENES = 192
# Shares of the parts in the loss, and of the nine pose channels; directions matter most to the crops.
POSES, FACE_UP, BACKS = 0.5, 0.5, 0.25
CHANNEL_SHARES = (1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 0.25, 0.25)


class DetectorTask:
    """The detector's `Task` over pools of scenes."""

    name = "detector"
    weight_decay = 1e-3

    def __init__(self, train: Pool, held_out: Pool) -> None:
        self.train, self.held_out = train, held_out
        self.batches = 0

    def network(self) -> nn.Module:
        """A fresh detector."""
        return Detector()

    def batch(self, rng: np.random.Generator) -> tuple[Tensor, ...]:
        """Pictures (16, 3, 256, 256), then the grids of their targets."""
        self.batches += 1
        if self.batches % REFRESH_EVERY == 0:
            self.train.refresh()
        return _stacked([augment(rng, self.train.draw(rng)) for _ in range(BATCH)])

    def loss(self, outputs: Tensor, batch: tuple[Tensor, ...]) -> tuple[Tensor, dict[str, float]]:
        """Focal loss of heat, L1 of poses, cross entropy of face-up cells."""
        heat, poses, face_up = grid_losses(outputs, batch)
        backs = back_loss(outputs, batch)
        total = heat + POSES * poses + FACE_UP * face_up + BACKS * backs
        parts = {"loss": total, "heat": heat, "poses": poses, "face_up": face_up, "backs": backs}
        return total, {name: float(value.detach()) for name, value in parts.items()}

    def score(self, network: nn.Module) -> dict[str, float]:
        """Minus the held-out loss, and the share of indices found and of peaks that are right at heat 0.3."""
        rng = np.random.default_rng(0)
        sums: dict[str, float] = {}
        batches = HELD_OUT_SCENES // BATCH
        with torch.inference_mode():
            for _ in range(batches):
                scenes = [self.held_out.draw(rng) for _ in range(BATCH)]
                batch = _stacked(
                    [(as_input(s.pixels)[0], make_targets(s.rows, s.face_up, s.backs)) for s in scenes]
                )
                outputs = network(batch[0])
                _, parts = self.loss(outputs, batch)
                parts |= _peaks(outputs, batch)
                sums = {name: sums.get(name, 0.0) + value for name, value in parts.items()}
        found = sums.pop("found") / max(1.0, sums.pop("wanted"))
        right = sums.pop("right") / max(1.0, sums.pop("peaks"))
        figures = {f"held_out_{name}": value / batches for name, value in sums.items()}
        return figures | {"recall": found, "precision": right, "score": -figures["held_out_loss"]}


def grid_losses(outputs: Tensor, batch: tuple[Tensor, ...]) -> tuple[Tensor, Tensor, Tensor]:
    """The three losses of a grid against its targets."""
    _, heat, weight, poses, counted, face_up, *_ = batch
    focal = _focal(outputs[:, INDEX_HEAT], heat, weight)
    shares = torch.tensor(CHANNEL_SHARES)[None, :, None, None]
    pose_outputs = torch.cat([outputs[:, 1:8], outputs[:, 9:11]], 1)
    distance = functional.l1_loss(pose_outputs, poses, reduction="none") * shares * counted[:, None]
    covered = functional.binary_cross_entropy_with_logits(outputs[:, 8], face_up)
    return focal, distance.sum() / counted.sum().clamp(min=1), covered


def back_loss(outputs: Tensor, batch: tuple[Tensor, ...]) -> Tensor:
    """The loss of the channels about face-down cards: focal of heat and L1 of poses."""
    heat, weight, poses, counted = batch[6:]
    distance = functional.l1_loss(outputs[:, BACK_HEAT + 1 :], poses, reduction="none") * counted[:, None]
    return _focal(outputs[:, BACK_HEAT], heat, weight) + distance.sum() / counted.sum().clamp(min=1)


def _focal(logits: Tensor, heat: Tensor, weight: Tensor) -> Tensor:
    said = torch.sigmoid(logits).clamp(1e-4, 1 - 1e-4)
    is_middle = (heat > 0.999).float()
    hits = is_middle * torch.log(said) * (1 - said) ** 2
    misses = (1 - is_middle) * weight * (1 - heat) ** 4 * said**2 * torch.log(1 - said)
    return -(hits + misses).sum() / is_middle.sum().clamp(min=1)


def _stacked(items: list[tuple[NDArray[np.float32], Targets]]) -> tuple[Tensor, ...]:
    targets = [item[1] for item in items]
    names = ("heat", "weight", "poses", "counted")
    grids = [[getattr(target, name) for target in targets] for name in (*names, "face_up")]
    grids += [[getattr(target.backs, name) for target in targets] for name in names]
    return tuple(torch.from_numpy(np.stack(arrays)) for arrays in ([item[0] for item in items], *grids))


def _peaks(outputs: Tensor, batch: tuple[Tensor, ...], least: float = 0.3) -> dict[str, float]:
    """Counts of wanted indices, found ones, peaks where they count, and peaks near a wanted index."""
    said = torch.sigmoid(outputs[:, 0])
    peak = (said == functional.max_pool2d(said, 3, 1, 1)) & (said > least) & (batch[2] > 0)
    wanted = batch[1] > 0.999
    near_wanted = functional.max_pool2d(wanted.float(), 3, 1, 1) > 0
    near_peak = functional.max_pool2d(peak.float(), 3, 1, 1) > 0
    counts = {"wanted": wanted, "found": wanted & near_peak, "peaks": peak, "right": peak & near_wanted}
    return {name: float(value.sum()) for name, value in counts.items()}
