"""Puts the networks that hear into `kemps_models`, with a list of their own."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from kemps_models.hearing import LIKENESS, NAME
from kemps_models.registry import WeightsEntry, load_manifest
from kemps_training.errors import WorkspaceError

FOLDER: Final = "hearing_weights"
LIST: Final = "hearing.toml"
RECIPE: Final = "1"
LARGEST_BYTES: Final = 2_000_000


def publish_listener(exported: Path, package: Path, ear: dict[str, Any], trained_on: str) -> None:
    """Copies the network that hears calls to ``package``/hearing_weights, and lists it there."""
    _publish(NAME, exported, package, {"uncertainty_ms": ear["uncertainty_ms"]}, trained_on, "export")


def publish_likeness(exported: Path, package: Path, figures: Mapping[str, float], trained_on: str) -> None:
    """Copies the network that compares words there, and lists it."""
    _publish(LIKENESS, exported, package, figures, trained_on, "likeness")


def learnt_on(report: dict[str, Any], earlier: Path) -> dict[str, Any]:
    """A report of networks that learnt on from published ones, with what these were learnt from added.

    Publishing the same networks again, as after other thresholds, adds nothing twice.
    """
    before = json.loads(earlier.read_text(encoding="utf-8")) if earlier.exists() else {}
    known = before.get("learning_curves", {})
    is_known = all(known.get(name) == curve for name, curve in report["learning_curves"].items())
    return {
        **report,
        "scenes": before.get("scenes", 0) + (0 if known and is_known else report["scenes"]),
        "voices": sorted({*report["voices"], *before.get("voices", [])}),
        "learning_curves": known | report["learning_curves"],
    }


def _publish(
    name: str, exported: Path, package: Path, figures: Mapping[str, float], trained_on: str, step: str
) -> None:
    if not exported.exists():
        raise WorkspaceError(f"{exported} is missing; run `python -m kemps_training.voice {step}` first")
    content = exported.read_bytes()
    listed = load_manifest(package / LIST) if (package / LIST).exists() else {}
    file, sha256 = f"{FOLDER}/{name}", hashlib.sha256(content).hexdigest()
    listed[name] = WeightsEntry(name, file, sha256, len(content), RECIPE, trained_on, "MIT", figures)
    total = sum(entry.bytes for entry in listed.values())
    if total > LARGEST_BYTES:
        raise WorkspaceError(f"the networks have {total} bytes, more than {LARGEST_BYTES}; make them smaller")
    (package / FOLDER).mkdir(parents=True, exist_ok=True)
    shutil.copyfile(exported, package / FOLDER / name)
    lines = [
        "# Written by `python -m kemps_training.voice publish`; the files are checked against their sha256."
    ]
    for entry in sorted(listed.values(), key=lambda one: one.name):
        lines += _lines(entry)
    (package / LIST).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _lines(entry: WeightsEntry) -> list[str]:
    return [
        "",
        "[[weights]]",
        f"name = {json.dumps(entry.name)}",
        f"file = {json.dumps(entry.file)}",
        f"sha256 = {json.dumps(entry.sha256)}",
        f"bytes = {entry.bytes}",
        f"recipe = {json.dumps(entry.recipe)}",
        f"trained_on = {json.dumps(entry.trained_on)}",
        f"licence = {json.dumps(entry.licence)}",
        "",
        "[weights.figures]",
        *(f"{name} = {value:g}" for name, value in entry.figures.items()),
    ]
