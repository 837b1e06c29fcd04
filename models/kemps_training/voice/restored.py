"""The networks of a published file, ready to learn on where their checkpoints are gone."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor, nn

from kemps_training.errors import WorkspaceError
from kemps_training.voice.network import Listener

LEAST_SPREAD: Final = 1e-3
NORM: Final = ("weight", "bias", "running_mean", "running_var")


def restored_listeners(published: Path, bands: Tensor) -> list[Listener]:
    """The networks that answer as one in a file of ``export_listener``, in their order.

    The file has each block's first convolution and its norm as one. A norm that changes nothing would make
    learning on jump, so each is given the mean and spread of what it sees of ``bands`` (n, 40, t), and a
    scale and shift that undo them: the answers stay the same.

    Raises:
        WorkspaceError: The file holds no such networks.
    """
    graph = onnx.load(str(published)).graph
    known = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    # What two networks have alike stands once in the file.
    known |= {node.output[0]: known[node.input[0]] for node in graph.node if node.op_type == "Identity"}
    norms = [node.input[1:5] for node in graph.node if node.op_type == "BatchNormalization"]
    layers = [node.input[1:3] for node in graph.node if node.op_type == "Conv"]
    each = len(_layers(Listener()))
    if not norms or len(layers) != each * len(norms):
        raise WorkspaceError(f"{published.name}: holds no networks that can be learnt on from")
    listeners = []
    for place, norm in enumerate(norms):
        listener = Listener().eval()
        state = listener.state_dict()
        state |= {f"norm.{name}": _tensor(known[one]) for name, one in zip(NORM, norm, strict=True)}
        own = layers[each * place : each * (place + 1)]
        for layer, (weight, bias) in zip(_layers(listener), own, strict=True):
            state[f"{layer}.weight"] = _tensor(known[weight])
            if layer.endswith("wide"):
                state |= _norm_of(layer, known[bias])
            else:
                state[f"{layer}.bias"] = _tensor(known[bias])
        listener.load_state_dict(state)
        _spread_norms(listener, bands)
        listeners.append(listener)
    return listeners


def _layers(listener: Listener) -> list[str]:
    """The names of its convolutions, in the order in which they are asked."""
    blocks = [f"blocks.{place}.{name}" for place in range(len(listener.blocks)) for name in ("wide", "mix")]
    return ["front", *blocks, "out"]


def _norm_of(layer: str, bias: NDArray[np.float32]) -> dict[str, Tensor]:
    """A norm after a convolution that only adds its bias."""
    head, ones = layer.removesuffix("wide") + "norm", torch.ones(len(bias))
    values = (ones, _tensor(bias), torch.zeros(len(bias)), ones.clone())
    return {f"{head}.{name}": value for name, value in zip(NORM, values, strict=True)}


def _tensor(values: NDArray[np.float32]) -> Tensor:
    return torch.from_numpy(values.copy())


def _spread_norms(listener: Listener, bands: Tensor) -> None:
    """Gives the norms of the blocks what they see as mean and spread, without changing any answer."""
    seen: dict[nn.Module, Tensor] = {}
    norms = [block.norm for block in listener.blocks]
    hooks = [
        norm.register_forward_hook(lambda module, inputs, _: seen.update({module: inputs[0]}))
        for norm in norms
    ]
    with torch.no_grad():
        listener(bands)
        for norm in norms:
            mean = seen[norm].mean(dim=(0, 2))
            variance = seen[norm].var(dim=(0, 2)).clamp(min=LEAST_SPREAD)
            scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
            norm.bias += scale * (mean - norm.running_mean)
            norm.weight.copy_(scale * torch.sqrt(variance + norm.eps))
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(variance)
    for hook in hooks:
        hook.remove()
