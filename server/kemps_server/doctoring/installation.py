"""Whether what the program needs is there: Python, packages, weights, cameras."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Final

from kemps_models.errors import ModelError
from kemps_models.landmarkers import digest_of, landmarkers_folder, load_landmarkers
from kemps_models.registry import FOLDER, load_manifest, verified_path
from kemps_server.doctoring.card_sizes import SizeTable
from kemps_server.doctoring.findings import Diagnosis, Finding, Level

LEAST_PYTHON: Final = (3, 11)
_OTHER_OPENCV: Final = ("opencv-python", "opencv-python-headless", "opencv-contrib-python-headless")
_REQUIREMENT: Final = re.compile(r"([A-Za-z0-9._-]+)\s*(?:\[[^\]]*\])?\s*(?:>=\s*([0-9.]+))?")
_AGAIN: Final = "install kemps again: make demo, in its folder"

VersionOf = Callable[[str], str]


def check_installation(table: SizeTable, devices: Path = Path("/sys/class/video4linux")) -> Diagnosis:
    """The findings about this machine; ``devices`` is where Linux lists its cameras."""
    findings = [
        check_python(sys.version_info[:3]),
        check_packages(requires("kemps") or (), version),
        check_opencv(version),
        check_weights(FOLDER),
        check_landmarkers(landmarkers_folder()),
        check_table(table),
        list_cameras(devices),
    ]
    return Diagnosis("installation", tuple(one for one in findings if one is not None))


def check_python(running: tuple[int, ...]) -> Finding:
    """Whether Python is new enough."""
    text = ".".join(map(str, running))
    if running[:2] >= LEAST_PYTHON:
        return Finding(Level.OK, "Python", text)
    least = ".".join(map(str, LEAST_PYTHON))
    return Finding(Level.FIX, "Python", text, f"install Python {least} or later, then run make demo again")


def check_packages(requirements: Iterable[str], version_of: VersionOf) -> Finding:
    """Whether each package that is needed is there, and new enough."""
    wrong, right = [], 0
    for requirement in requirements:
        match = _REQUIREMENT.match(requirement)
        if match is None or "extra ==" in requirement:
            continue
        name, least = match.groups()
        try:
            there = version_of(name)
        except PackageNotFoundError:
            wrong.append(f"{name} is missing")
            continue
        if least and _numbers(there) < _numbers(least):
            wrong.append(f"{name} {there} is older than {least}")
        right += 1
    if wrong:
        return Finding(Level.FIX, "packages", ", ".join(wrong), _AGAIN)
    return Finding(Level.OK, "packages", f"all {right} that are needed are there")


def check_opencv(version_of: VersionOf) -> Finding | None:
    """A finding when a second OpenCV is installed: the two overwrite each other's files."""
    others = []
    for name in _OTHER_OPENCV:
        try:
            others.append(f"{name} {version_of(name)}")
        except PackageNotFoundError:
            continue
    if not others:
        return None
    todo = f"pip uninstall {' '.join(other.split()[0] for other in others)}, then {_AGAIN}"
    return Finding(Level.FIX, "OpenCV", f"{', '.join(others)} beside opencv-contrib-python", todo)


def check_weights(folder: Path) -> Finding:
    """Whether the weights that ``folder`` lists are there, and are those that were measured."""
    try:
        manifest = load_manifest(folder / "manifest.toml")
        for name in manifest:
            verified_path(name, manifest, folder)
    except ModelError as error:
        says, _, todo = str(error).partition("; ")
        return Finding(Level.FIX, "models", says, todo or _AGAIN)
    size = sum(entry.bytes for entry in manifest.values()) / 1e6
    return Finding(Level.OK, "models", f"{', '.join(manifest)}: checksums right, {size:.2f} MB")


def check_landmarkers(folder: Path) -> Finding:
    """Whether what finds faces, hands and bodies was fetched into ``folder``; cards are read without it."""
    try:
        entries = load_landmarkers()
        there = [name for name, entry in entries.items() if digest_of(folder / name) == entry.sha256]
    except (ModelError, OSError):
        there, entries = [], {}
    if not entries or len(there) < len(entries):
        says = (
            "the models for faces, hands and bodies are not there, or not whole; cards are read without them"
        )
        return Finding(Level.NOTE, "people", says, "run kemps models once while this machine is online")
    return Finding(Level.OK, "people", f"{', '.join(there)}: checksums right")


def check_table(table: SizeTable) -> Finding | None:
    """A note when what is told about card sizes was measured with other weights than these."""
    try:
        weights: Mapping[str, str] = {name: entry.sha256 for name, entry in load_manifest().items()}
    except ModelError:
        return None
    if weights == table.weights:
        return None
    says = "what card sizes mean was measured with other weights than those installed"
    todo = "measure again in a checkout: python -m kemps_server.bench.card_sizes"
    return Finding(Level.NOTE, "card sizes", says, todo)


def list_cameras(devices: Path) -> Finding:
    """The cameras that Linux lists under ``devices``; none is opened."""
    if not devices.parent.is_dir():
        says = "this system does not list its cameras"
        return Finding(Level.NOTE, "cameras", says, "try kemps doctor 0, then 1 and so on")
    found = sorted(_cameras(devices))
    if not found:
        return Finding(Level.NOTE, "cameras", "none is plugged in; recordings and stills can be watched")
    return Finding(Level.OK, "cameras", ", ".join(f"{number} ({name})" for number, name in found))


def _cameras(devices: Path) -> Iterable[tuple[int, str]]:
    for device in devices.glob("video*"):
        number = device.name.removeprefix("video")
        # A webcam has further nodes for its metadata; its pictures come from the one with index 0.
        if number.isdigit() and _text(device / "index", "0") == "0":
            yield int(number), _text(device / "name", "without a name")


def _text(path: Path, default: str) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip() or default
    except OSError:
        return default


def _numbers(text: str) -> tuple[int, ...]:
    """The leading numbers of a version.

    >>> _numbers("2.4.6"), _numbers("5.0.0.93rc1")
    ((2, 4, 6), (5, 0, 0, 93))
    """
    found: list[int] = []
    for part in text.split("."):
        digits = re.match(r"\d+", part)
        if digits is None:
            break
        found.append(int(digits.group()))
    return tuple(found)
