"""A contact sheet of the pictures that were read wrongly, for people to see what kind of error it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from kemps_server.bench.card_looks import Picture, reader_for
from kemps_server.bench.card_photos import Outcome
from kemps_server.errors import WorkFailedError
from kemps_vision.cards.reading import CardReading, Floats, Pixels, Reading
from kemps_vision.draw.reading import draw_reading

MOST: Final = 90
_TILE: Final = (640, 520)
_CAPTION_PX: Final = 40
_COLUMNS: Final = 3
_PAPER: Final = 245
_INK: Final = (20, 20, 20)
_ROOM_PX: Final = 40


def failures(pairs: Sequence[tuple[Picture, Outcome, str]], networks: tuple[Path, Path]) -> list[Pixels]:
    """A tile for each picture that was not read exactly, at most ``MOST``, once however often it comes.

    Each comes with what to say of it. The pictures are read again, to draw what was read.
    """
    tiles: dict[str, Pixels] = {}
    for picture, one, remark in pairs:
        name = one.photo.path.name
        if not one.is_exact and name not in tiles and len(tiles) < MOST:
            pixels, _ = picture.load()
            tiles[name] = tile(pixels, reader_for(networks, picture.alphabet).read(pixels), one, remark)
    return list(tiles.values())


def tile(pixels: Pixels, reading: Reading, outcome: Outcome, remark: str = "") -> Pixels:
    """One picture with what was read drawn onto it, under its name and its errors."""
    width, height = _TILE
    canvas = np.full((height, width, 3), _PAPER, np.uint8)
    box = outcome.label.get("box")
    if box is not None:
        pixels, reading = _cut(pixels, reading, [int(side) for side in box])
    drawn = draw_reading(pixels, reading, longest_px=width)
    factor = min(width / drawn.shape[1], (height - _CAPTION_PX) / drawn.shape[0])
    size = (max(1, int(drawn.shape[1] * factor)), max(1, int(drawn.shape[0] * factor)))
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    drawn = np.asarray(cv2.resize(drawn, size, interpolation=method), dtype=np.uint8)
    canvas[_CAPTION_PX : _CAPTION_PX + size[1], : size[0]] = drawn
    missed, extra = (" ".join(map(str, cards)) or "-" for cards in (outcome.missed, outcome.extra))
    title = f"{outcome.photo.path.name}{', ' if remark else ''}{remark}"
    for line, text in enumerate((title, f"missed: {missed}  extra: {extra}")):
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


def _cut(pixels: Pixels, reading: Reading, box: Sequence[int]) -> tuple[Pixels, Reading]:
    """The part of a picture round a box, as large as a tile, and the reading moved with it."""
    height, width = pixels.shape[:2]
    x0, y0 = max(0, box[0] - _ROOM_PX), max(0, box[1] - _ROOM_PX)
    part = pixels[y0 : min(height, box[3] + _ROOM_PX), x0 : min(width, box[2] + _ROOM_PX)]
    factor = min(_TILE[0] / part.shape[1], (_TILE[1] - _CAPTION_PX) / part.shape[0])
    size = (round(part.shape[1] * factor), round(part.shape[0] * factor))
    large = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)
    cards = tuple(_moved(card, np.array([x0, y0]), factor) for card in reading.cards)
    return large, replace(reading, cards=cards)


def _moved(card: CardReading, origin: Floats, factor: float) -> CardReading:
    indices = tuple(
        replace(
            index,
            centre=(index.centre - origin) * factor,
            up=index.up * factor,
            right=index.right * factor,
        )
        for index in card.indices
    )
    return replace(card, quad=(card.quad - origin) * factor, indices=indices)
