"""MediaPipe's task files, which find faces, hands and bodies: where they lie, and which are right."""

from __future__ import annotations

import hashlib
import os
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from kemps_models.errors import ManifestError, WeightsError

LIST: Final = Path(__file__).parent / "landmarkers.toml"
FACE: Final = "face_landmarker.task"
HAND: Final = "hand_landmarker.task"
POSE: Final = "pose_landmarker_full.task"
TO_DO: Final = "run `kemps models` once while this machine is online"
CHUNK: Final = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class Landmarker:
    """One task file: name, checksum, size, where it is published, and the package with the same bytes."""

    name: str
    sha256: str
    bytes: int
    address: str
    wheel: str
    member: str
    licence: str


def load_landmarkers(path: Path = LIST) -> dict[str, Landmarker]:
    """The task files by name; raises `ManifestError`."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))["landmarker"]
        entries = [Landmarker(**table) for table in tables]
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise ManifestError(
            f"the list of task files {path.name} is broken ({error}); install kemps again"
        ) from error
    return {entry.name: entry for entry in entries}


def landmarkers_folder() -> Path:
    """Where fetched task files lie: ``$KEMPS_MODELS``, or the user's cache folder."""
    own = os.environ.get("KEMPS_MODELS")
    return Path(own) if own else _cache_folder() / "kemps" / "models"


def are_fetched() -> bool:
    """Whether all task files are there; their checksums are looked at when they are used."""
    return all((landmarkers_folder() / name).is_file() for name in load_landmarkers())


@cache
def landmarker_path(name: str) -> Path:
    """The task file ``name``, its checksum verified once a process.

    Raises:
        WeightsError: It was not fetched yet, or is not the file that the list names.
        ManifestError: The list itself cannot be read.
    """
    entry = load_landmarkers()[name]
    path = landmarkers_folder() / name
    try:
        is_right = digest_of(path) == entry.sha256
    except FileNotFoundError as error:
        raise WeightsError(f"{name} was not fetched yet; {TO_DO}") from error
    except OSError as error:
        raise WeightsError(f"{name} cannot be read ({error.strerror}); {TO_DO}") from error
    if not is_right:
        raise WeightsError(f"{name} is damaged (checksum differs); {TO_DO}")
    return path


def digest_of(path: Path) -> str:
    """The sha256 of a file, read in pieces; raises `OSError`."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(CHUNK):
            digest.update(piece)
    return digest.hexdigest()


def _cache_folder() -> Path:
    # The package knows nothing but the standard library; these are the places that platformdirs names too.
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local"))
    if sys.platform == "darwin":
        return home / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
