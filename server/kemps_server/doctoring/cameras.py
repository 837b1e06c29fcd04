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
        match = None if Path(text).exists() else _NAMED.fullmatch(text)
        if match is not None and match.group(1) not in names:
            raise KempsServerError(
                f"{text}: there is no camera {match.group(1)!r}; known: {', '.join(names)}"
            )
        free = [name for name in names if name not in given]
        if match is None and not free:
            raise KempsServerError(f"{text}: one source too many; the cameras are {', '.join(names)}")
        name, where = match.groups() if match is not None else (free[0], text)
        given[name] = where
    where_of = {camera.name: given.get(camera.name) or camera.source for camera in table.cameras}
    return [(camera, where) for camera in table.cameras if (where := where_of[camera.name])]
