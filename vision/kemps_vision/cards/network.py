"""The neural networks behind the reader: arrays in, arrays out."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from kemps_vision.errors import ReaderError


class Network(Protocol):
    """A function from one float32 array to another; the reader's tests put small fakes in its place."""

    def __call__(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        """The network's only output for its only input."""
        ...


class OnnxNetwork:
    """A network from an ONNX file with one input and one output, run on the CPU.

    Threads do not spin while they wait: the machine also decodes video and watches people.
    """

    def __init__(self, path: Path, *, threads: int = 1) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._session: Any = onnxruntime.InferenceSession(
                str(path), sess_options=options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime raises a dozen unrelated classes of its own
            raise ReaderError(f"{path.name} cannot be loaded as a network; reinstall kemps") from error
        self._input: str = self._session.get_inputs()[0].name

    def __call__(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        """The network's only output for its only input."""
        return np.asarray(self._session.run(None, {self._input: batch})[0], dtype=np.float32)
