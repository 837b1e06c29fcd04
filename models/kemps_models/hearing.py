"""The network that hears the calls, with a list of its own: those that read cards are measured without it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from kemps_models.registry import FOLDER, WeightsEntry, load_manifest, verified_path

NAME: Final = "voice_calls.onnx"
MANIFEST: Final = FOLDER / "hearing.toml"


def hearing_entry(manifest: Path = MANIFEST) -> WeightsEntry:
    """What the list says of the network.

    Raises:
        ManifestError: The list is missing, broken, or lacks it.
    """
    entries = load_manifest(manifest)
    return entries[NAME]


@cache
def hearing_path() -> Path:
    """The network's file, its checksum verified once a process.

    Raises:
        WeightsError: It is missing, or not the file that the list names.
        ManifestError: The list itself cannot be read.
    """
    return verified_path(NAME, load_manifest(MANIFEST), FOLDER)
