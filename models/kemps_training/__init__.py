"""Trains the card reader's weights from made-up pictures: deck art and fonts in, int8 ONNX files out.

Reading order: ``sources.toml`` (what is fetched) -> ``packages`` -> ``art`` and ``procedural`` (decks)
-> ``scenes`` (one labelled picture) -> ``pool`` (many) -> ``targets`` and ``crops`` (what is learnt)
-> ``detector_training`` and ``classifier_training`` -> ``export`` -> ``evaluate``.
``python -m kemps_training`` walks all of it (``steps``) and skips what is done.
Only ``networks`` and the modules that train, export or drive import torch.
"""

import kemps_models  # noqa: F401 - before onnxruntime, which it silences
