"""The training loop of both networks: cosine rate by the clock, averaged weights, checkpoints, best kept."""

from __future__ import annotations

import json
import queue
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn

from kemps_training.errors import WorkspaceError
from kemps_training.growing import load_start

WARM_UP_STEPS = 100
# The average forgets slowly, yet the first steps should not weigh on it: its decay rises from 0.1 to this.
AVERAGE_DECAY = 0.998
CLIP_NORM = 5.0
CHECKPOINT_SECONDS = 120.0


class Task(Protocol):
    """What is learnt: a network, its batches, its loss and its score on scenes never trained on."""

    name: str
    weight_decay: float

    def network(self) -> nn.Module:
        """A fresh network."""

    def batch(self, rng: np.random.Generator) -> tuple[Tensor, ...]:
        """Inputs first, then what `loss` needs."""

    def loss(self, outputs: Tensor, batch: tuple[Tensor, ...]) -> tuple[Tensor, dict[str, float]]:
        """The loss and its parts."""

    def score(self, network: nn.Module) -> dict[str, float]:
        """Figures on held-out scenes; ``score`` among them is better when larger."""


@dataclass(slots=True)
class Progress:
    """How far a training is; kept with the checkpoint, so that a resumed one goes on where it stopped."""

    seconds: float = 0.0
    steps: int = 0
    best: float = -1e9
    curve: list[dict[str, float]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Plan:
    """Length and rate of a training."""

    minutes: float
    rate: float = 2e-3
    lowest_rate: float = 0.01
    score_every_minutes: float = 3.0
    seed: int = 1
    start: Path | None = None
    """Weights to begin with; without, the network begins from nothing."""
    steps: int | None = None
    """Ends the training after so many steps, if it is not over before."""


def fit(task: Task, folder: Path, plan: Plan) -> Progress:
    """Trains until minutes or steps are spent, over all resumptions; ``best.pt`` holds the best weights."""
    folder.mkdir(parents=True, exist_ok=True)
    run = _Run(task, folder, plan)
    run.resume()
    batches = _Batches(task, np.random.default_rng([plan.seed, run.progress.steps]))
    try:
        while run.share_done() < 1:
            began = time.monotonic()
            run.step(batches.next())
            run.progress.seconds += time.monotonic() - began
            run.keep()
        if run.last_score_step != run.progress.steps:
            run.score()
        run.save()
    finally:
        batches.close()
    return run.progress


def load_weights(path: Path, network: nn.Module) -> nn.Module:
    """``network`` with the weights of ``path``, ready to be used."""
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        raise WorkspaceError(f"no trained weights at {path}; train first") from error
    network.load_state_dict(state)
    return network.eval()


class _Run:
    def __init__(self, task: Task, folder: Path, plan: Plan) -> None:
        self.task, self.folder, self.plan = task, folder, plan
        torch.manual_seed(plan.seed)
        network = task.network() if plan.start is None else load_start(plan.start, task.network())
        self.network = network.to(memory_format=torch.channels_last)
        self.average = torch.optim.swa_utils.AveragedModel(self.network, avg_fn=_average, use_buffers=True)
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), plan.rate, weight_decay=task.weight_decay
        )
        self.progress = Progress()
        self.figures: dict[str, float] = {}
        self.last_save = self.last_score = time.monotonic()
        self.last_score_step = -1

    def step(self, batch: tuple[Tensor, ...]) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = self._rate()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            outputs = self.network(batch[0].contiguous(memory_format=torch.channels_last))
        loss, parts = self.task.loss(outputs.float(), batch)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), CLIP_NORM)
        self.optimizer.step()
        self.average.update_parameters(self.network)
        self._note(parts)
        self.progress.steps += 1

    def keep(self) -> None:
        """Scores and saves when it is time to."""
        if time.monotonic() - self.last_score > self.plan.score_every_minutes * 60:
            self.score()
        if time.monotonic() - self.last_save > CHECKPOINT_SECONDS:
            self.save()

    def share_done(self) -> float:
        """How much of the plan is done, 0..1 and beyond."""
        by_steps = self.progress.steps / self.plan.steps if self.plan.steps else 0.0
        return max(by_steps, self.progress.seconds / max(1e-6, self.plan.minutes * 60))

    def _rate(self) -> float:
        done = min(1.0, self.share_done())
        cosine = 0.5 * (1 + np.cos(np.pi * done)) * (1 - self.plan.lowest_rate) + self.plan.lowest_rate
        return float(self.plan.rate * min(1.0, (self.progress.steps + 1) / WARM_UP_STEPS) * cosine)

    def _note(self, parts: dict[str, float]) -> None:
        for name, value in parts.items():
            self.figures[name] = 0.98 * self.figures.get(name, value) + 0.02 * value

    def score(self) -> None:
        held_out = self.task.score(self.average.module.eval())
        point: dict[str, float] = {"step": self.progress.steps, "seconds": round(self.progress.seconds)}
        point |= {name: round(value, 4) for name, value in (self.figures | held_out).items()}
        self.progress.curve.append(point)
        print(f"{self.task.name} {json.dumps(point)}", flush=True)
        if held_out["score"] >= self.progress.best:
            self.progress.best = held_out["score"]
            _write(self.average.module.state_dict(), self.folder / "best.pt")
        (self.folder / "curve.json").write_text(json.dumps(self.progress.curve))
        self.last_score, self.last_score_step = time.monotonic(), self.progress.steps

    def save(self) -> None:
        state = {
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "progress": [self.progress.seconds, self.progress.steps, self.progress.best, self.progress.curve],
        }
        _write(state, self.folder / "checkpoint.pt")
        self.last_save = time.monotonic()

    def resume(self) -> None:
        path = self.folder / "checkpoint.pt"
        if path.exists():
            state = torch.load(path, map_location="cpu", weights_only=True)
            self.network.load_state_dict(state["network"])
            self.average.load_state_dict(state["average"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.progress = Progress(*state["progress"])
            self.last_score_step = self.progress.steps


def _average(kept: Tensor, new: Tensor, count: Tensor | int) -> Tensor:
    decay = min(AVERAGE_DECAY, (1 + float(count)) / (10 + float(count)))
    return kept + (new - kept) * (1 - decay) if new.is_floating_point() else new


class _Batches:
    """Batches made ahead by a thread, so that the networks do not wait for pictures."""

    def __init__(self, task: Task, rng: np.random.Generator) -> None:
        self.ready: queue.Queue[tuple[Tensor, ...] | BaseException] = queue.Queue(4)
        self.is_open = True
        self.thread = threading.Thread(target=self._make, args=(task, rng), daemon=True)
        self.thread.start()

    def next(self) -> tuple[Tensor, ...]:
        made = self.ready.get()
        if isinstance(made, BaseException):
            raise made
        return made

    def close(self) -> None:
        self.is_open = False
        while self.thread.is_alive():
            try:
                self.ready.get(timeout=0.1)
            except queue.Empty:
                continue

    def _make(self, task: Task, rng: np.random.Generator) -> None:
        while self.is_open:
            try:
                self.ready.put(task.batch(rng))
            except Exception as error:  # noqa: BLE001  (handed to the thread that waits, which raises it)
                self.ready.put(error)
                return


def _write(state: dict[str, object], path: Path) -> None:
    temporary = path.with_suffix(".part")
    torch.save(state, temporary)
    temporary.replace(path)
