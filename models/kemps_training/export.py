"""Trained weights to ONNX: float, and int8 by static quantisation with calibration on made-up scenes."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnxruntime.quantization import (
    CalibrationDataReader,
    CalibrationMethod,
    QuantFormat,
    QuantType,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process
from torch import nn

from kemps_training.classifier_training import ClassifierTask
from kemps_training.networks import Classifier, ClassifierWithFeatures
from kemps_training.pool import Pool
from kemps_training.reading import as_input

OPSET = 17
CALIBRATION_SCENES = 96
CALIBRATION_CROPS = 512


def export_detector(network: nn.Module, target: Path) -> None:
    """Writes the float detector: ``image`` (1, 3, h, w) -> ``grid`` (1, 16, h/4, w/4)."""
    _export(network, torch.zeros(1, 3, 256, 256), target, "image", ("grid",), {2: "height", 3: "width"})


def export_classifier(network: nn.Module, target: Path) -> None:
    """Writes the float classifier: ``crops`` (n, 3, 64, 40) -> ``logits`` (n, 29), ``features`` (n, 1536)."""
    with_features = ClassifierWithFeatures(cast("Classifier", network))
    _export(with_features, torch.zeros(8, 3, 64, 40), target, "crops", ("logits", "features"), {0: "count"})


def quantise_detector(source: Path, target: Path, pool: Pool) -> None:
    """Writes the int8 detector, calibrated on scenes of ``pool``."""
    rng = np.random.default_rng(5)
    scenes = [as_input(pool.draw(rng).pixels) for _ in range(CALIBRATION_SCENES)]
    _quantise(source, target, "image", scenes)


def quantise_classifier(source: Path, target: Path, task: ClassifierTask) -> None:
    """Writes the int8 classifier, calibrated on crops as ``task`` trains with."""
    rng = np.random.default_rng(6)
    batches = [task.batch(rng)[0].numpy() for _ in range(CALIBRATION_CROPS // 128)]
    _quantise(source, target, "crops", batches)


def _export(
    network: nn.Module,
    example: torch.Tensor,
    target: Path,
    entry: str,
    results: tuple[str, ...],
    free: dict[int, str],
) -> None:
    free_result = {axis: name if axis == 0 else f"{name}/4" for axis, name in free.items()}
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # torch announces its newer exporter, which cannot keep free sizes here
        torch.onnx.export(
            network.eval(),
            (example,),
            str(target),
            input_names=[entry],
            output_names=list(results),
            dynamic_axes={entry: free} | dict.fromkeys(results, free_result),
            opset_version=OPSET,
            dynamo=False,
        )
    onnx.checker.check_model(onnx.load(str(target)))


class _Given(CalibrationDataReader):  # type: ignore[misc]  # mypy takes its base for Any
    def __init__(self, entry: str, inputs: list[NDArray[np.float32]]) -> None:
        self.inputs = iter([{entry: value} for value in inputs])

    def get_next(self) -> dict[str, NDArray[np.float32]] | None:
        return next(self.inputs, None)


def _quantise(source: Path, target: Path, entry: str, inputs: list[NDArray[np.float32]]) -> None:
    prepared = target.with_suffix(".prepared.onnx")
    with _errors_only():
        quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
        quantize_static(
            str(prepared),
            str(target),
            _Given(entry, inputs),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            calibrate_method=CalibrationMethod.MinMax,
        )
    prepared.unlink()


@contextmanager
def _errors_only() -> Iterator[None]:
    """The quantiser warns through the root logger; whoever logs after it still has its warnings."""
    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.ERROR)
    try:
        yield
    finally:
        root.setLevel(level)
