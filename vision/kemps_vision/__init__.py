"""From frames to events."""

import kemps_models  # noqa: F401 - before onnxruntime, which it silences
