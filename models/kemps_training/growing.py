"""Weights of recipe 1 as a start for this one: it knew 13 international ranks and no card backs."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from kemps_models.alphabets import NONE_CLASS, RANKS
from kemps_training.decks import SUITS
from kemps_training.errors import WorkspaceError

# Where the outputs of recipe 1 stand among those of today, by the name of the layer's owner.
OLD_RANKS = tuple(range(len(RANKS)))
OLD_OUTPUTS = {
    "Detector": tuple(range(11)),
    "Classifier": (*OLD_RANKS, NONE_CLASS, *range(NONE_CLASS + 1, NONE_CLASS + 1 + len(SUITS))),
}
# Rare until they are learnt: a new output starts as sigmoid or softmax of little.
NEW_BIAS = -4.0


def load_start(path: Path, network: nn.Module) -> nn.Module:
    """``network`` with the weights of ``path``; outputs that these do not have begin near never.

    Raises:
        WorkspaceError: The file is missing, or of another network.
    """
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        for name in ("out.weight", "out.bias"):
            state[name] = _grown(state[name], network.state_dict()[name], OLD_OUTPUTS[type(network).__name__])
        network.load_state_dict(state)
    except (OSError, KeyError, RuntimeError) as error:
        raise WorkspaceError(f"{path} holds no weights to begin with: {error}") from error
    return network


def _grown(old: Tensor, fresh: Tensor, places: tuple[int, ...]) -> Tensor:
    if old.shape == fresh.shape:
        return old
    grown = torch.full_like(fresh, NEW_BIAS) if fresh.dim() == 1 else fresh * 0.1
    grown[list(places)] = old
    return grown
