"""Weights of the readers: which, how good, and where they lie.

``manifest.toml`` lists each file with its checksum and figures; ``registry`` hands out files that are whole.
Whoever imports this, as ``kemps_vision`` and ``kemps_training`` do first of all, has an onnxruntime that is
silent.
"""

import os

# From 1.29 on onnxruntime reports its use to its maker and keeps an identifier of the machine, on Linux too,
# unless this stands in the environment before it is imported. Nothing leaves the room, whatever is set.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
