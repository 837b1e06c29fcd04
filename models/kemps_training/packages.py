"""Fetches the packages of `sources.toml` with apt, dpkg and npm, and unpacks them into the workspace."""

from __future__ import annotations

import subprocess
import tarfile
import tomllib
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from kemps_training.errors import FetchError
from kemps_training.workspace import Workspace


def load_sources() -> dict[str, Any]:
    """What `sources.toml` says."""
    return tomllib.loads((files("kemps_training") / "sources.toml").read_text(encoding="utf-8"))


def fetch_packages(workspace: Workspace) -> Path:
    """Fetches and unpacks what is not there yet; returns the folder with the unpacked files."""
    sources = load_sources()
    target = workspace.packages / "files"
    for name in sources["apt"]["packages"]:
        _once(
            workspace.packages / f"apt-{name}.done",
            partial(_fetch_apt, name, workspace.packages, target),
        )
    for name in sources["npm"]["packages"]:
        mark = workspace.packages / f"npm-{name.replace('/', '_')}.done"
        _once(mark, partial(_fetch_npm, name, workspace.packages, target))
    return target


def npm_folder(name: str) -> str:
    """The folder, under the unpacked files, of the npm package ``name``.

    >>> npm_folder("@letele/playing-cards@0.1.0")
    'npm/letele-playing-cards'
    """
    return "npm/" + name.rsplit("@", 1)[0].removeprefix("@").replace("/", "-")


def _once(mark: Path, fetch: Callable[[], None]) -> None:
    if not mark.exists():
        fetch()
        mark.touch()


def _fetch_apt(name: str, folder: Path, target: Path) -> None:
    _run(["apt-get", "download", "-q=3", name], folder, f"the Debian package {name}; try `apt-get update`")
    for package in folder.glob(f"{name}_*.deb"):
        _run(
            ["dpkg", "-x", str(package.resolve()), str(target.resolve())],
            folder,
            f"the Debian package {name}",
        )
        package.unlink()


def _fetch_npm(name: str, folder: Path, target: Path) -> None:
    printed = _run(["npm", "pack", "--silent", name], folder, f"the npm package {name}")
    archive = folder / printed.strip().splitlines()[-1]
    place = target / npm_folder(name)
    place.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as opened:
        opened.extractall(place, filter="data")
    archive.unlink()


def _run(command: list[str], folder: Path, what: str) -> str:
    try:
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise FetchError(f"cannot fetch {what}: {command[0]} is not installed") from error
    except subprocess.CalledProcessError as error:
        reason = (error.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise FetchError(f"cannot fetch {what}: {reason}") from error
    return done.stdout
