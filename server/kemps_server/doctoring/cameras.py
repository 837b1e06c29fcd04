"""Which source belongs to which camera of ``table.toml``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from kemps_server.errors import KempsServerError
from kemps_vision.zones import CameraZones, TableConfig

_NAMED: Final = re.compile(r"([A-Za-z][\w-]*)=(.+)")


def camera_sources(sources: Sequence[str], table: TableConfig) -> list[tuple[CameraZones, str]]:
    """The cameras to look through, each with its source.

    Sources belong to the cameras of the configuration in order, or to the one named in NAME=SOURCE; a camera
    that none is given for has its own. Without cameras in the configuration each source is a table's.

    Raises:
        KempsServerError: One names a camera that is not there, or there are more sources than cameras.
    """
    if not table.cameras:
        return [
            (CameraZones(name="table" if n == 0 else f"table {n + 1}"), text)
            for n, text in enumerate(sources)
        ]
    names = [camera.name for camera in table.cameras]
    given: dict[str, str] = {}
    for text in sources:
        named = _named(text, names)
        free = [name for name in names if name not in given]
        if named is None and not free:
            raise KempsServerError(f"{text}: one source too many; the cameras are {', '.join(names)}")
        name, its_source = named or (free[0], text)
        if name in given:
            raise KempsServerError(f"{text}: camera {name!r} has a source already, {given[name]}; give one")
        given[name] = its_source
    where_of = {camera.name: given.get(camera.name) or camera.source for camera in table.cameras}
    return [(camera, where) for camera in table.cameras if (where := where_of[camera.name])]


def _named(text: str, names: Sequence[str]) -> tuple[str, str] | None:
    """The camera and the source of NAME=SOURCE; None where the text is a source alone.

    A camera may have any name, such as ``faces 2``, which ``kemps calibrate`` gives.

    Raises:
        KempsServerError: It names a camera that is not there.
    """
    name, _, where = text.partition("=")
    if not where or Path(text).exists():
        return None
    if name in names:
        return name, where
    if _NAMED.fullmatch(text) is not None:
        raise KempsServerError(f"{text}: there is no camera {name!r}; known: {', '.join(names)}")
    return None
