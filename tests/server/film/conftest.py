"""Folders of games with a film: watched from a file, or recorded live."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from kemps_server.bench.numbered_film import HEIGHT, WIDTH, numbered
from kemps_server.recording.disk import Disk
from kemps_server.recording.recorder import CameraTap
from kemps_vision.frame import SourceInfo
from kemps_vision.sources.recorded import folder_name
from kemps_vision.sources.segments import VIDEO

PLENTY: Final = 10**12

WriteFilm = Callable[..., Path]


@pytest.fixture
def linked(tmp_path: Path) -> WriteFilm:
    """Makes the folder of a game that was watched from a file; gives the folder."""

    def write(clip: Path, *, duration_ms: int | None = None, **more: object) -> Path:
        folder = tmp_path / "data" / "thursday"
        folder.mkdir(parents=True, exist_ok=True)
        note = {"kind": "file", "name": clip.name, "size": [WIDTH, HEIGHT], "fps": 25.0, "path": str(clip)}
        note |= {"duration_ms": duration_ms} if duration_ms is not None else {}
        (folder / "recording.json").write_text(json.dumps({**note, **more}), encoding="utf-8")
        return folder

    return write


@pytest.fixture
def recorded(tmp_path: Path) -> WriteFilm:
    """Makes the folder of a live game, recorded by the recorder itself; gives the folder."""

    def write(cameras: dict[str, Sequence[int]], ahead_ms: int = 0) -> Path:
        folder = tmp_path / "data" / "live"
        folder.mkdir(parents=True, exist_ok=True)
        notes = []
        for place, (name, times) in enumerate(cameras.items()):
            info = SourceInfo(name=name, where="0", kind="webcam", width=WIDTH, height=HEIGHT, fps=15)
            disk = Disk(folder, PLENTY, lambda _: None, free=lambda _: PLENTY)
            tap = CameraTap(folder / VIDEO / folder_name(name), info, disk)
            for number, at_ms in enumerate(times):
                tap.encode(at_ms, np.ascontiguousarray(numbered(number)[:, :, ::-1]))
            tap.close()
            role = "faces" if place else "table"
            notes.append({"name": name, "role": role, "size": [WIDTH, HEIGHT], "fps": 15.0})
            notes[-1]["ahead_ms"] = ahead_ms if place else 0
        note = {"kind": "webcam", "name": "camera 0", "size": [WIDTH, HEIGHT], "fps": 15.0}
        (folder / "recording.json").write_text(json.dumps({**note, "cameras": notes}), encoding="utf-8")
        return folder

    return write
