"""Trained weights to ONNX, with what the network knows of itself in the file."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

import onnx
import torch
from torch import nn

from kemps_training.voice.network import PAST, REACH, Told
from kemps_training.voice.words import CALLS
from kemps_vision.hearing.features import BANDS
from kemps_vision.hearing.listener import Ear

OPSET: Final = 17
# Before anything was measured: nothing is a call, so that nobody ships it by mistake.
UNTUNED: Final = Ear(CALLS, REACH, PAST, (9.0, 9.0), (9.0, 9.0), 9.0, 0.0, 1000)


def export_listener(listeners: Sequence[nn.Module], target: Path) -> None:
    """Writes ``bands`` (1, 40, t) -> ``logits`` (1, 3, places) of listeners that answer as one, untuned."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch announces its newer exporter, which fixes the sizes here
        torch.onnx.export(
            Told(*listeners).eval(),
            (torch.zeros(1, BANDS, REACH + 20),),
            str(target),
            input_names=["bands"],
            output_names=["logits"],
            dynamic_axes={"bands": {2: "rows"}, "logits": {2: "places"}},
            opset_version=OPSET,
            dynamo=False,
        )
    note_ear(target, UNTUNED)


def note_ear(path: Path, ear: Ear) -> None:
    """Writes what is known of a network into its file."""
    model = onnx.load(str(path))
    del model.metadata_props[:]
    model.metadata_props.add(key="ear", value=json.dumps(asdict(ear)))
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
