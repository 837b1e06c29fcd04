"""The network that tells which spoken words sound alike, and what else is heard where people talk."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from kemps_models.hearing import likeness_entry, likeness_path
from kemps_vision.errors import ReaderError
from kemps_vision.hearing.features import BANDS, HOP, WINDOW, features
from kemps_vision.hearing.listener import STRIDE

MOST_PLACES: Final = 3000

Marks = NDArray[np.float32]
"""What the network makes of the word that begins at each of some places: rows of length 1, (places, 48)."""


class Likeness:
    """One network, ready to compare words.

    Attributes:
        reach: The rows of bands that are seen for a place.
        past: How many of these lie before it.
        hours: Of how much talk and noise ``background`` holds the places most like the beginning of a word.
        uncertainty_ms: How exact onsets of words are that were said three times; it covers 19 in 20.
        checksum: The network's, that a house's words are learnt for.

    Raises:
        ReaderError: The file is no such network.
    """

    def __init__(self, path: Path, checksum: str) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self.checksum = checksum
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
            about = json.loads(self._session.get_modelmeta().custom_metadata_map["likeness"])
            self.reach, self.past = int(about["reach"]), int(about["past"])
            self.hours, self.uncertainty_ms = float(about["hours"]), int(about["uncertainty_ms"])
        except Exception as error:  # noqa: BLE001 - onnxruntime's errors have no base of their own
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ReaderError(f"{path.name}: is no network that compares words ({reason})") from None

    def marks(self, rows: NDArray[np.float32]) -> Marks:
        """What is heard at each place; place ``n`` is ``past + 2 n`` rows on."""
        places = max(0, (len(rows) - self.reach) // STRIDE + 1)
        parts = [
            self._some(rows[STRIDE * at : STRIDE * (min(places, at + MOST_PLACES) - 1) + self.reach])
            for at in range(0, places, MOST_PLACES)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, len(self.background.T)), np.float32)

    @property
    def background(self) -> Marks:
        """The places of talk and noise that sound most like the beginning of some word."""
        nothing = np.zeros((1, BANDS, self.reach), np.float32)
        kept: NDArray[np.int8] = self._session.run(["background"], {"bands": nothing})[0]
        return _levelled(kept.astype(np.float32))

    @property
    def nothing(self) -> Marks:
        """The mark of where no word begins, (48,)."""
        mark: Marks = self.marks(features(np.zeros(HOP * self.reach + WINDOW, np.float32)))[0]
        return mark

    def _some(self, rows: NDArray[np.float32]) -> Marks:
        bands = np.ascontiguousarray(rows.T, np.float32).reshape(1, BANDS, -1)
        marks: NDArray[np.float32] = self._session.run(["alike"], {"bands": bands})[0][0]
        return np.ascontiguousarray(marks.T)


def _levelled(marks: NDArray[np.float32]) -> Marks:
    return np.asarray(marks / np.maximum(1e-6, np.linalg.norm(marks, axis=1, keepdims=True)), np.float32)


@cache
def shipped_likeness() -> Likeness:
    """The network that comes with the product, loaded once."""
    return Likeness(likeness_path(), likeness_entry().sha256)
