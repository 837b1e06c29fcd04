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
        """The network's answer for its only input."""
        ...


class FeatureNetwork(Network, Protocol):
    """A network that also tells what its last layer sees; learning a deck puts another layer in its place."""

    def features(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n, features) float32 for its only input."""
        ...

    def both(self, batch: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The answer and the features, at the price of one."""
        ...


class OnnxNetwork:
    """A network from an ONNX file with one input, run on the CPU; its first output is its answer.

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
        self._outputs: list[str] = [output.name for output in self._session.get_outputs()]

    def __call__(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        """The network's first output for its only input."""
        return self._run([self._outputs[0]], batch)[0]

    def features(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n, features): what the last layer sees.

        Raises:
            ReaderError: The network does not tell.
        """
        return self.both(batch)[1]

    def both(self, batch: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The first output, and (n, features) what the last layer sees, at the price of one.

        Raises:
            ReaderError: The network does not tell its features.
        """
        if "features" not in self._outputs:
            raise ReaderError("this network does not tell its features; reinstall kemps")
        answer, features = self._run([self._outputs[0], "features"], batch)
        return answer, features

    def _run(self, outputs: list[str], batch: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        return [np.asarray(one, np.float32) for one in self._session.run(outputs, {self._input: batch})]
