"""What an index reads as: its crop, set upright and freed of tilt, and the classifier's answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_models.alphabets import NONE_CLASS
from kemps_rules.cards import SUITS
from kemps_vision.cards.find import Candidates
from kemps_vision.cards.network import Network
from kemps_vision.cards.reading import Floats, Pixels
from kemps_vision.errors import ReaderError

CROP_WIDTH: Final = 40
CROP_HEIGHT: Final = 64
_UP_SHARE: Final = 1.3  # the crop's upper half is 1.3 times ``up`` high
_RIGHT_SHARE: Final = 0.82  # and its right half 0.82 times ``right`` wide
_MAX_SHRINK: Final = 1.5  # picture px per crop px before shrinking without a filter shows false edges
_OUTPUTS: Final = NONE_CLASS + 1 + len(SUITS)


@dataclass(frozen=True, slots=True, eq=False)
class Beliefs:
    """What n candidates read as.

    Attributes:
        glyph_log_p: (n, 24) natural log-probabilities of ``kemps_models.alphabets.GLYPHS``, given that there
            is an index.
        suit_log_p: (n, 4) the same for the suits.
        none_p: (n,) belief, 0..1, that there is no index.
    """

    glyph_log_p: Floats
    suit_log_p: Floats
    none_p: Floats


class Pyramid:
    """A picture and its halves, quarters …, made when asked for."""

    def __init__(self, pixels: Pixels) -> None:
        self._levels: list[Pixels] = [pixels]

    def level(self, halvings: int) -> Pixels:
        """The picture after ``halvings`` halvings, never under 1 px."""
        while len(self._levels) <= halvings:
            last = self._levels[-1]
            size = (max(1, last.shape[1] // 2), max(1, last.shape[0] // 2))
            smaller = cv2.resize(last, size, interpolation=cv2.INTER_AREA)
            self._levels.append(np.asarray(smaller, dtype=np.uint8))
        return self._levels[halvings]


def crop_index(pyramid: Pyramid, centre: Floats, up: Floats, right: Floats) -> Pixels:
    """(64, 40, 3): the index with its centre in the crop's middle, the rank on top, without tilt."""
    across, down = right * _RIGHT_SHARE / (CROP_WIDTH / 2), -up * _UP_SHARE / (CROP_HEIGHT / 2)
    shrink = max(float(np.linalg.norm(across)), float(np.linalg.norm(down)))
    halvings = max(0, int(np.ceil(np.log2(max(shrink, 1e-6) / _MAX_SHRINK))))
    factor = 0.5**halvings
    origin = (centre - across * (CROP_WIDTH / 2) - down * (CROP_HEIGHT / 2)) * factor + 0.5 * factor - 0.5
    to_picture = np.column_stack([across * factor, down * factor, origin])
    crop = cv2.warpAffine(
        pyramid.level(halvings),
        to_picture,
        (CROP_WIDTH, CROP_HEIGHT),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(crop, dtype=np.uint8)


class IndexClassifier:
    """Reads the printed rank and the suit of candidates."""

    def __init__(self, network: Network, *, batch: int = 32) -> None:
        self._network = network
        self._batch = batch

    def classify(self, pyramid: Pyramid, candidates: Candidates) -> Beliefs:
        """What each candidate of a picture reads as.

        Raises:
            ReaderError: The network's answer has not the shape of this classifier.
        """
        poses = zip(candidates.centre, candidates.up, candidates.right, strict=True)
        return self.beliefs([crop_index(pyramid, centre, up, right) for centre, up, right in poses])

    def beliefs(self, crops: list[Pixels]) -> Beliefs:
        """What n crops, each as ``crop_index`` makes them, read as.

        Raises:
            ReaderError: The network's answer has not the shape of this classifier.
        """
        logits = [
            self._logits(crops[start : start + self._batch]) for start in range(0, len(crops), self._batch)
        ]
        stacked = np.concatenate([np.zeros((0, _OUTPUTS)), *logits])
        glyphs, suits = stacked[:, :NONE_CLASS], stacked[:, NONE_CLASS + 1 :]
        none = _log_softmax(stacked[:, : NONE_CLASS + 1])[:, -1]
        return Beliefs(_log_softmax(glyphs), _log_softmax(suits), np.exp(none))

    def _logits(self, crops: list[Pixels]) -> Floats:
        batch = np.stack(crops).transpose(0, 3, 1, 2).astype(np.float32) / np.float32(255)
        logits = self._network(np.ascontiguousarray(batch))
        if logits.shape != (len(crops), _OUTPUTS):
            raise ReaderError(f"the card classifier answers {logits.shape}, not ({len(crops)}, {_OUTPUTS})")
        return logits.astype(np.float64)


def _log_softmax(logits: Floats) -> Floats:
    shifted = logits - logits.max(axis=1, keepdims=True, initial=-np.inf)
    result: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return result
