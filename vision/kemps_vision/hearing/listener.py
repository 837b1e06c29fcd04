"""The network that hears onsets, and what its file says about itself: words, thresholds, how exact it is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Protocol

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from kemps_models.hearing import hearing_path
from kemps_vision.errors import ReaderError
from kemps_vision.hearing.features import BANDS

STRIDE: Final = 2  # rows of bands for one answer: 20 ms
MOST_PLACES: Final = 3000  # answered at once, so that an hour needs no more memory than a minute


@dataclass(frozen=True, slots=True)
class Ear:
    """What was measured of the network on voices kept out of its training.

    ``calls`` names its first channels; the one after them says that two call at once. ``reach`` rows of bands
    are seen for an answer, ``past`` of them before its place. ``thresholds`` are the least sums of heat of a
    call, ``maybe`` those of one that only a person should decide on, ``two`` that of two at once, ``second``
    that of the doubt whether a call is the later of two. ``uncertainty_ms`` covers 19 in 20 onsets;
    ``shift_ms`` is added to all of them.
    """

    calls: tuple[str, ...]
    reach: int
    past: int
    thresholds: tuple[float, ...]
    maybe: tuple[float, ...]
    two: float
    shift_ms: float
    uncertainty_ms: int
    second: float = 9.0

    @property
    def ahead(self) -> int:
        """The rows after a place that its answer needs."""
        return self.reach - self.past


class Heats(Protocol):
    """What tells where calls begin."""

    @property
    def ear(self) -> Ear:
        """What is known of it."""
        ...

    def heat(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Heat (channels, places) that a call begins; place ``n`` is ``past + 2 n`` rows on."""
        ...


class Listener:
    """One network, ready to listen.

    Raises:
        ReaderError: The file is no such network.
    """

    def __init__(self, path: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
            self.ear = _ear(self._session.get_modelmeta().custom_metadata_map["ear"])
        except Exception as error:  # noqa: BLE001 - onnxruntime's errors have no base of their own
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ReaderError(f"{path.name}: is no network that hears calls ({reason})") from None

    def heat(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Chances (channels, places) that a call begins; place ``n`` is ``past + 2 n`` rows on."""
        places = max(0, (len(rows) - self.ear.reach) // STRIDE + 1)
        parts = [
            self._some(rows[STRIDE * at : STRIDE * (min(places, at + MOST_PLACES) - 1) + self.ear.reach])
            for at in range(0, places, MOST_PLACES)
        ]
        empty = np.zeros((len(self.ear.calls) + 1, 0), np.float32)
        return np.concatenate(parts, axis=1) if parts else empty

    def _some(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        bands = np.ascontiguousarray(rows.T, np.float32).reshape(1, BANDS, -1)
        logits: NDArray[np.float32] = self._session.run(None, {"bands": bands})[0][0]
        return (1 / (1 + np.exp(-logits))).astype(np.float32)


@cache
def shipped_listener() -> Listener:
    """The network that comes with the product, loaded once."""
    return Listener(hearing_path())


def _ear(text: str) -> Ear:
    values = json.loads(text)
    for name in ("calls", "thresholds", "maybe"):
        values[name] = tuple(values[name])
    return Ear(**values)
