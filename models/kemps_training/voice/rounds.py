"""One network's training: it learns, then learns on with the scenes that it mistook for calls."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import nn

from kemps_training.errors import WorkspaceError
from kemps_training.learning import Plan, fit, load_weights
from kemps_training.voice.listener_training import ListenerTask, hard_scenes
from kemps_training.voice.network import Listener
from kemps_training.voice.pool import Pool

ROUNDS: Final = ("listener", "listener_on", "listener_again", "listener_more")
_RATES: Final = (3e-3, 1.2e-3, 1.2e-3, 1.2e-3)
_MINUTES_AT_MOST: Final = 600.0
_SEEDS: Final = 16  # of one network, one a round


@dataclass(frozen=True, slots=True)
class Rounds:
    """The rounds of the network of a number; each has its folder, and begins where the last one ended."""

    folder: Path
    number: int

    def learn(self, round_: int, steps: int, train: Pool, held_out: Pool) -> None:
        """Trains it for so many steps in all, or goes on with that."""
        torch.set_num_threads(1)
        hard, start = None, None
        if round_:
            hard, start = np.load(self._hard(round_)), self.best(round_ - 1)
        seed = 1 + round_ + _SEEDS * self.number
        plan = Plan(_MINUTES_AT_MOST, _RATES[round_], score_every_minutes=8.0, steps=steps, seed=seed)
        fit(ListenerTask(train, held_out, hard, start), self.folder / ROUNDS[round_], plan)

    def mine(self, round_: int, train: Pool) -> None:
        """Finds the scenes without a call in which it hears most of one, for a round to come."""
        np.save(self._hard(round_), hard_scenes(load_weights(self.best(round_ - 1), Listener()), train))

    def restore(self, network: nn.Module) -> None:
        """Takes a published network as what it learnt in the last but one round, if that is gone."""
        path = self.best(len(ROUNDS) - 2)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            torch.save(network.state_dict(), path)

    def newest(self) -> nn.Module:
        """It, as it was last trained."""
        for round_ in reversed(range(len(ROUNDS))):
            if self.best(round_).exists():
                return load_weights(self.best(round_), Listener())
        raise WorkspaceError("nothing was trained yet; run `python -m kemps_training.voice learn` first")

    def best(self, round_: int) -> Path:
        """Its best weights of a round."""
        return self.folder / ROUNDS[round_] / "best.pt"

    def _hard(self, round_: int) -> Path:
        return self.folder / f"hard_{round_}.npy"
