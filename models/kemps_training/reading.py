"""Runs exported networks on pictures: enough of a reader to mine and to evaluate; it joins no corners."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
from numpy.typing import NDArray

from kemps_models.alphabets import NONE_CLASS
from kemps_training.crops import cut_index
from kemps_training.decks import Image
from kemps_training.errors import WorkspaceError
from kemps_training.grid import CELL_CENTRE_PX, CELL_PX
from kemps_training.targets import UNIT_HEIGHT_PX

STRIDE_PX = 16
MOST_PEAKS = 200
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Peaks:
    """Index candidates: poses (n, 6) of centre, up and right in px, card middles (n, 2), heats (n,)."""

    poses: Floats
    middles: Floats
    heats: Floats


def open_session(model: Path, threads: int = 1) -> onnxruntime.InferenceSession:
    """A session that computes on ``threads`` threads and does not spin while it waits."""
    if not model.exists():
        raise WorkspaceError(f"no exported network at {model}; run `python -m kemps_training export` first")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def as_input(picture: Image) -> Floats:
    """A picture as the detector takes it: (1, 3, h, w) in 0..1, padded to multiples of 16."""
    below, beside = -picture.shape[0] % STRIDE_PX, -picture.shape[1] % STRIDE_PX
    padded = cv2.copyMakeBorder(picture, 0, below, 0, beside, cv2.BORDER_CONSTANT)
    return np.ascontiguousarray(padded.transpose(2, 0, 1)[None], np.float32) / np.float32(255)


def find_indices(session: onnxruntime.InferenceSession, picture: Image, least_heat: float) -> Peaks:
    """The peaks of the detector's heat of at least ``least_heat``, hottest first."""
    grid = session.run(None, {"image": as_input(picture)})[0][0]
    heat = 1 / (1 + np.exp(-grid[0].clip(-30, 30)))
    is_peak = (heat == cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat > least_heat)
    ys, xs = np.nonzero(is_peak)
    order = np.argsort(-heat[ys, xs])[:MOST_PEAKS]
    ys, xs = ys[order], xs[order]
    cells = grid[:, ys, xs].T
    height = np.exp(cells[:, 3:4].clip(-3, 3)) * UNIT_HEIGHT_PX
    centres = (np.column_stack([xs, ys]) + cells[:, 1:3]) * CELL_PX + CELL_CENTRE_PX
    poses = np.hstack([centres, cells[:, 4:8] * height]).astype(np.float32)
    middles = (centres + cells[:, 9:11] * height).astype(np.float32)
    return Peaks(poses, middles, heat[ys, xs].astype(np.float32))


def classify(session: onnxruntime.InferenceSession, picture: Image, poses: Floats) -> tuple[Floats, Floats]:
    """Probabilities of glyphs (n, 25; the last is none) and suits (n, 4) for the indices at ``poses``."""
    if not len(poses):
        return np.zeros((0, NONE_CLASS + 1), np.float32), np.zeros((0, 4), np.float32)
    crops = np.stack([cut_index(picture, pose[:2], pose[2:4], pose[4:6]) for pose in poses])
    logits = session.run(
        None, {"crops": np.ascontiguousarray(crops.transpose(0, 3, 1, 2)).astype(np.float32) / 255}
    )
    return _softmax(logits[0][:, : NONE_CLASS + 1]), _softmax(logits[0][:, NONE_CLASS + 1 :])


def _softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max(1, keepdims=True))
    return np.asarray(powers / powers.sum(1, keepdims=True), np.float32)
