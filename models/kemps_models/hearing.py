"""The networks that hear calls, with a list of their own: those that read cards are measured without them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from kemps_models.registry import FOLDER, WeightsEntry, load_manifest, verified_path

NAME: Final = "voice_calls.onnx"
LIKENESS: Final = "voice_likeness.onnx"
MANIFEST: Final = FOLDER / "hearing.toml"


def hearing_entry(manifest: Path = MANIFEST) -> WeightsEntry:
    """What the list says of the network that hears "Kemps" and "Stop Kemps".

    Raises:
        ManifestError: The list is missing, broken, or lacks it.
    """
    return load_manifest(manifest)[NAME]


@cache
def likeness_entry() -> WeightsEntry:
    """What the list says of the network that compares words.

    Raises:
        ManifestError: The list is missing, broken, or lacks it.
    """
    return load_manifest(MANIFEST)[LIKENESS]


@cache
def hearing_path() -> Path:
    """The file of the network that hears calls, its checksum verified once a process.

    Raises:
        WeightsError: It is missing, or not the file that the list names.
        ManifestError: The list itself cannot be read.
    """
    return verified_path(NAME, load_manifest(MANIFEST), FOLDER)


@cache
def likeness_path() -> Path:
    """The file of the network that compares words, as ``hearing_path``."""
    return verified_path(LIKENESS, load_manifest(MANIFEST), FOLDER)
