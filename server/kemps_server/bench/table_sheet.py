"""Strips of frames of what went wrong on table clips, a strip a fault, a sheet a kind of fault."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from kemps_server.bench.table_results import TableResult
from kemps_server.bench.table_scores import Fault
from kemps_server.errors import WorkFailedError
from kemps_vision.frame import Image
from kemps_vision.sources import open_source

MOST: Final = 24  # strips on a sheet
OFFSETS_MS: Final = (-1000, -400, 0, 400, 1000)
REVEAL_OFFSETS_MS: Final = (-400, 1500, 3000, 4000, 4800)
_TILE: Final = (448, 252)
_CAPTION_PX: Final = 22
_PAPER: Final = 245
_INK: Final = (20, 20, 20)


def write_strips(folder: Path, results: Iterable[TableResult]) -> list[Path]:
    """Writes a sheet for each kind of fault, with the first ``MOST`` of them; the files.

    Raises:
        WorkFailedError: The folder cannot be written.
    """
    by_kind: dict[str, list[tuple[TableResult, Fault]]] = {}
    for result in results:
        for fault in result.score.faults:
            by_kind.setdefault(fault.kind, []).append((result, fault))
    return [_write(folder, kind, faults[:MOST]) for kind, faults in sorted(by_kind.items())]


def _write(folder: Path, kind: str, faults: Sequence[tuple[TableResult, Fault]]) -> Path:
    strips = [strip(frames_at(result.clip, times_of(fault)), fault, result.name) for result, fault in faults]
    path = folder / f"{re.sub(r'[^a-z_]+', '-', kind)}.png"
    _, data = cv2.imencode(".png", cv2.cvtColor(np.vstack(strips), cv2.COLOR_RGB2BGR))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.tobytes())
    except OSError as error:
        raise WorkFailedError(f"{path}: cannot be written ({error.strerror})") from None
    return path


def times_of(fault: Fault) -> list[int]:
    """The times to look at: round the fault, or after a call until the hand lies open."""
    offsets = REVEAL_OFFSETS_MS if fault.kind.startswith("verdict") else OFFSETS_MS
    return [fault.at_ms + offset for offset in offsets]


def frames_at(clip: Path, times: Sequence[int]) -> list[tuple[int, Image]]:
    """The frames of a clip nearest to some times, each with its own."""
    best: list[tuple[int, Image] | None] = [None] * len(times)
    with open_source(str(clip)) as source:
        for frame in source:
            for index, wanted in enumerate(times):
                known = best[index]
                if known is None or abs(frame.at_ms - wanted) < abs(known[0] - wanted):
                    best[index] = (frame.at_ms, frame.pixels)
            if frame.at_ms > max(times):
                break
    return [one for one in best if one is not None]


def strip(frames: Sequence[tuple[int, Image]], fault: Fault, name: str) -> Image:
    """Frames side by side under what went wrong; each says its time."""
    width, height = _TILE
    canvas = np.full((height + _CAPTION_PX, width * len(OFFSETS_MS), 3), _PAPER, np.uint8)
    title = f"{name}  {fault.at_ms} ms  {fault.kind}: {fault.text}".encode("ascii", "replace").decode()
    cv2.putText(canvas, title, (6, 16), cv2.FONT_HERSHEY_SIMPLEX, 0.5, _INK, 1, cv2.LINE_AA)
    for index, (at_ms, pixels) in enumerate(frames):
        tile = np.asarray(cv2.resize(pixels, _TILE, interpolation=cv2.INTER_AREA), np.uint8)
        cv2.putText(tile, f"{at_ms}", (6, 16), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 0), 1, cv2.LINE_AA)
        canvas[_CAPTION_PX:, index * width : (index + 1) * width] = tile
    return canvas
