"""Puts the network that hears calls into `kemps_models`, with a list of its own."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any, Final

from kemps_models.hearing import NAME
from kemps_training.errors import WorkspaceError

FOLDER: Final = "hearing_weights"
RECIPE: Final = "1"
LARGEST_BYTES: Final = 2_000_000


def publish_listener(exported: Path, package: Path, ear: dict[str, Any], trained_on: str) -> None:
    """Copies the network to ``package``/hearing_weights, and writes ``package``/hearing.toml."""
    if not exported.exists():
        raise WorkspaceError(f"{exported} is missing; run `python -m kemps_training.voice export` first")
    content = exported.read_bytes()
    if len(content) > LARGEST_BYTES:
        raise WorkspaceError(
            f"the network has {len(content)} bytes, more than {LARGEST_BYTES}; make it smaller"
        )
    (package / FOLDER).mkdir(parents=True, exist_ok=True)
    shutil.copyfile(exported, package / FOLDER / NAME)
    lines = [
        "# Written by `python -m kemps_training.voice publish`; the file is checked against its sha256.",
        "",
        "[[weights]]",
        f"name = {json.dumps(NAME)}",
        f"file = {json.dumps(f'{FOLDER}/{NAME}')}",
        f"sha256 = {json.dumps(hashlib.sha256(content).hexdigest())}",
        f"bytes = {len(content)}",
        f"recipe = {json.dumps(RECIPE)}",
        f"trained_on = {json.dumps(trained_on)}",
        'licence = "MIT"',
        "",
        "[weights.figures]",
        f"uncertainty_ms = {ear['uncertainty_ms']}",
    ]
    (package / "hearing.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
