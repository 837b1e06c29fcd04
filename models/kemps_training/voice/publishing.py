"""Puts the network that hears calls into `kemps_models`, beside those that read cards."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any, Final

from kemps_training.errors import WorkspaceError

RECIPE: Final = "1"
NAME: Final = "voice_calls.onnx"
LARGEST_BYTES: Final = 2_000_000
_HEAD: Final = "[[weights]]\n"


def publish_listener(exported: Path, package: Path, ear: dict[str, Any], trained_on: str) -> None:
    """Copies the network to ``package``/weights, and its entry into the manifest, which keeps the others."""
    if not exported.exists():
        raise WorkspaceError(f"{exported} is missing; run `python -m kemps_training.voice export` first")
    content = exported.read_bytes()
    if len(content) > LARGEST_BYTES:
        raise WorkspaceError(
            f"the network has {len(content)} bytes, more than {LARGEST_BYTES}; make it smaller"
        )
    shutil.copyfile(exported, package / "weights" / NAME)
    manifest = package / "manifest.toml"
    head, *entries = manifest.read_text(encoding="utf-8").split(_HEAD)
    kept = [entry for entry in entries if f"name = {json.dumps(NAME)}" not in entry]
    entry = "\n".join(
        [
            f"name = {json.dumps(NAME)}",
            f"file = {json.dumps('weights/' + NAME)}",
            f"sha256 = {json.dumps(hashlib.sha256(content).hexdigest())}",
            f"bytes = {len(content)}",
            f"recipe = {json.dumps(RECIPE)}",
            f"trained_on = {json.dumps(trained_on)}",
            'licence = "MIT"',
            "",
            "[weights.figures]",
            f"uncertainty_ms = {ear['uncertainty_ms']}",
            "",
        ]
    )
    texts = [text.strip("\n") for text in (*kept, entry)]
    manifest.write_text(head + "\n\n".join(_HEAD + text for text in texts) + "\n", encoding="utf-8")
