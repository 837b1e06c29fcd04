"""Puts exported int8 networks into `kemps_models`, with their manifest and the report of the training."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

from kemps_training.errors import WorkspaceError

RECIPE = "2"
LICENCE = "MIT"
LARGEST_BYTES = 3_000_000
FILES = ("cards_detector.onnx", "cards_classifier.onnx")


def publish(exported: Path, package: Path, figures: dict[str, dict[str, float]], trained_on: str) -> None:
    """Copies the int8 files of ``exported`` to ``package``/weights and writes ``package``/manifest.toml."""
    weights = package / "weights"
    weights.mkdir(parents=True, exist_ok=True)
    lines = [
        "# Written by `python -m kemps_training publish`; each file is checked against its sha256 before use."
    ]
    total = 0
    for name in FILES:
        source = exported / name
        if not source.exists():
            raise WorkspaceError(f"{source} is missing; run `python -m kemps_training export` first")
        shutil.copyfile(source, weights / name)
        content = source.read_bytes()
        total += len(content)
        lines += _entry(name, content, figures[name], trained_on)
    if total > LARGEST_BYTES:
        raise WorkspaceError(
            f"the int8 weights are {total} bytes, more than {LARGEST_BYTES}; make the networks smaller"
        )
    (package / "manifest.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_report(path: Path, report: dict[str, Any]) -> None:
    """Writes the training's report as JSON that diffs well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _entry(name: str, content: bytes, figures: dict[str, float], trained_on: str) -> list[str]:
    return [
        "",
        "[[weights]]",
        f"name = {json.dumps(name)}",
        f"file = {json.dumps('weights/' + name)}",
        f"sha256 = {json.dumps(hashlib.sha256(content).hexdigest())}",
        f"bytes = {len(content)}",
        f"recipe = {json.dumps(RECIPE)}",
        f"trained_on = {json.dumps(trained_on)}",
        f"licence = {json.dumps(LICENCE)}",
        "",
        "[weights.figures]",
        *(f"{key} = {value!r}" for key, value in figures.items()),
    ]
