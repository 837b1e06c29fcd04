"""Strips of frames of what went wrong on scene clips, a strip a card, to see what kind it was."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from kemps_server.bench.card_sheet import write_sheet
from kemps_server.bench.scene_marks import Mark
from kemps_server.bench.scene_watching import ClipResult
from kemps_vision.cards.reading import Pixels
from kemps_vision.frame import Image
from kemps_vision.sources import open_source

MOST: Final = 90
FRAMES: Final = 4
_TILE: Final = (640, 520)
_VIEW: Final = 1.5  # card lengths to each side
_PAPER: Final = 245
_INK: Final = (20, 20, 20)


def write_strips(path: Path, results: Sequence[ClipResult], work: Path) -> None:
    """Writes a sheet of the observations that were wrong, not found or lost, at most ninety.

    Raises:
        WorkFailedError: The file cannot be written.
    """
    tiles: list[Pixels] = []
    for result in results:
        failed = [mark for mark in result.marks if mark.is_failure]
        if failed and len(tiles) < MOST:
            frames = _frames(result, work)
            tiles += [strip(frames, mark, result.clip.name) for mark in failed]
    write_sheet(path, tiles[:MOST])


def strip(frames: Sequence[tuple[int, Image]], mark: Mark, name: str) -> Pixels:
    """The card's place at four moments from when it came to lie to the clip's end, under what went wrong."""
    width, height = _TILE
    canvas = np.full((height, width, 3), _PAPER, np.uint8)
    lines = (
        name,
        f"{mark.card} at {mark.place}, {mark.length_px:.0f} px, lies from {mark.from_ms} ms",
        f"named {mark.named_ms}, in time until {mark.free_at_ms}; wrong: {mark.wrong or '-'}"
        + ("; lost" if mark.is_lost else ""),
    )
    for row, text in enumerate(lines):
        place = (6, 16 + 17 * row)
        cv2.putText(canvas, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.42, _INK, 1, cv2.LINE_AA)
    times = np.linspace(mark.from_ms, frames[-1][0], FRAMES)
    for index, wanted in enumerate(times.tolist()):
        pixels = min(frames, key=lambda frame: abs(frame[0] - wanted))[1]
        side = 228
        left, top = 8 + (index % 2) * (side + 8), 58 + (index // 2) * (side + 2)
        canvas[top : top + side, left : left + side] = _view(pixels, mark, side)
    return canvas


def _view(pixels: Image, mark: Mark, side: int) -> Pixels:
    x, y = mark.centre
    scale = side / (2 * _VIEW * mark.length_px)
    matrix = np.array([[scale, 0, side / 2 - scale * x], [0, scale, side / 2 - scale * y]], np.float64)
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.warpAffine(pixels, matrix, (side, side), flags=method), np.uint8)


def _frames(result: ClipResult, work: Path) -> list[tuple[int, Image]]:
    from kemps_scenes.trials import render_trial  # noqa: PLC0415 - the wheel has no samples

    with open_source(str(render_trial(result.clip, work / "clips").clip)) as source:
        return [(frame.at_ms, frame.pixels) for frame in source]
