"""The list of weights, and paths of those that are really there."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kemps_models.errors import ManifestError, WeightsError

FOLDER = Path(__file__).parent
MANIFEST = FOLDER / "manifest.toml"
AGAIN = "install kemps again, or train with `make train`"


@dataclass(frozen=True, slots=True)
class WeightsEntry:
    """One file of weights.

    ``file`` is relative to the package; ``recipe`` is the version of the training recipe; ``trained_on`` says
    from what it was learnt; ``figures`` are what the training's own evaluation measured.
    """

    name: str
    file: str
    sha256: str
    bytes: int
    recipe: str
    trained_on: str
    licence: str
    figures: Mapping[str, float]


def load_manifest(path: Path = MANIFEST) -> dict[str, WeightsEntry]:
    """The entries of the list by name; raises `ManifestError`."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))["weights"]
        entries = [_entry(table) for table in tables]
    except OSError as error:
        raise ManifestError(f"the list of weights {path.name} is not there; {AGAIN}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
        raise ManifestError(f"the list of weights {path.name} is broken ({error}); {AGAIN}") from error
    return {entry.name: entry for entry in entries}


@cache
def weights_path(name: str) -> Path:
    """The file ``name`` (such as ``cards_detector.onnx``), its checksum verified once a process.

    Raises:
        WeightsError: it is unknown, missing, or not the file that the list names.
        ManifestError: the list itself cannot be read.
    """
    return verified_path(name, load_manifest(), FOLDER)


def verified_path(name: str, manifest: Mapping[str, WeightsEntry], folder: Path) -> Path:
    """The file of ``name`` under ``folder``, if its checksum is right; raises `WeightsError`."""
    if name not in manifest:
        raise WeightsError(f"there are no weights called {name!r}; there are {', '.join(sorted(manifest))}")
    path = folder / manifest[name].file
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise WeightsError(f"the weights {name} are not there; {AGAIN}") from error
    if digest != manifest[name].sha256:
        raise WeightsError(f"the weights {name} are not those that were measured (checksum differs); {AGAIN}")
    return path


def _entry(table: dict[str, Any]) -> WeightsEntry:
    figures = {str(key): float(value) for key, value in table["figures"].items()}
    return WeightsEntry(
        name=str(table["name"]),
        file=str(table["file"]),
        sha256=str(table["sha256"]),
        bytes=int(table["bytes"]),
        recipe=str(table["recipe"]),
        trained_on=str(table["trained_on"]),
        licence=str(table["licence"]),
        figures=MappingProxyType(figures),
    )
