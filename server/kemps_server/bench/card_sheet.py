"""A contact sheet of the photos that were read wrongly, for people to see what kind of error it was."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from kemps_server.bench.card_photos import Outcome
from kemps_server.errors import WorkFailedError
from kemps_vision.cards.reading import Pixels, Reading
from kemps_vision.draw.reading import draw_reading

_TILE: Final = (640, 520)
_CAPTION_PX: Final = 40
_COLUMNS: Final = 3
_PAPER: Final = 245
_INK: Final = (20, 20, 20)


def tile(pixels: Pixels, reading: Reading, outcome: Outcome) -> Pixels:
    """One photo with what was read drawn onto it, under its name and its errors."""
    width, height = _TILE
    canvas = np.full((height, width, 3), _PAPER, np.uint8)
    drawn = draw_reading(pixels, reading, longest_px=width)
    factor = min(1.0, (height - _CAPTION_PX) / drawn.shape[0])
    size = (max(1, int(drawn.shape[1] * factor)), max(1, int(drawn.shape[0] * factor)))
    drawn = np.asarray(cv2.resize(drawn, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    canvas[_CAPTION_PX : _CAPTION_PX + size[1], : size[0]] = drawn
    missed, extra = (" ".join(map(str, cards)) or "-" for cards in (outcome.missed, outcome.extra))
    errors = f"missed: {missed}  extra: {extra}"
    for line, text in enumerate((outcome.photo.path.name, errors)):
        place = (6, 16 + 18 * line)
        cv2.putText(canvas, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.45, _INK, 1, cv2.LINE_AA)
    return canvas


def write_sheet(path: Path, tiles: Sequence[Pixels]) -> None:
    """Writes the tiles in rows of three; an empty sheet when nothing was read wrongly.

    Raises:
        WorkFailedError: The file cannot be written.
    """
    empty = np.full((_TILE[1], _TILE[0], 3), _PAPER, np.uint8)
    filled = [*tiles, *[empty] * (-max(1, len(tiles)) % _COLUMNS)] or [empty]
    filled += [empty] * (-len(filled) % _COLUMNS)
    rows = [np.hstack(filled[at : at + _COLUMNS]) for at in range(0, len(filled), _COLUMNS)]
    _, data = cv2.imencode(".png", cv2.cvtColor(np.vstack(rows), cv2.COLOR_RGB2BGR))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.tobytes())
    except OSError as error:
        raise WorkFailedError(f"{path}: cannot be written ({error.strerror})") from None
