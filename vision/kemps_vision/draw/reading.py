"""A reading drawn onto its picture: outlines that tell how sure they are, and names beside the cards."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import cv2
import numpy as np

from kemps_vision.cards.reading import CardReading, Floats, Reading
from kemps_vision.draw.layout import Label, LabelPlacer, index_boxes
from kemps_vision.draw.text import INK, WHITE, Box, Colour, draw_plate, draw_text, text_width
from kemps_vision.frame import Image

SURE: Final = 0.95
LONGEST_PX: Final = 1600
_SUBPIXEL: Final = 4
_ROOM: Final = 1.06
_SOFT: Final[Colour] = (110, 116, 110)


class Standing(StrEnum):
    """How a card stands: read surely, in doubt (unsure, or at two places), not read, or face down."""

    READ = "read"
    DOUBTFUL = "doubtful"
    UNREAD = "unread"
    FACE_DOWN = "face down"


# Told apart by the line (full, dashed, dotted, crossed out) as well as by colour: (colour, dash, gap) in px.
LINES: Final[dict[Standing, tuple[Colour, float, float]]] = {
    Standing.READ: ((92, 232, 166), 0, 0),
    Standing.DOUBTFUL: ((255, 196, 61), 12, 8),
    Standing.UNREAD: ((255, 122, 98), 3, 7),
    Standing.FACE_DOWN: ((150, 190, 255), 0, 0),
}


def draw_reading(
    pixels: Image,
    reading: Reading,
    *,
    longest_px: int = LONGEST_PX,
    placer: LabelPlacer | None = None,
) -> Image:
    """A copy of the picture with its cards marked; no label covers a corner index.

    Args:
        pixels: RGB uint8 (h, w, 3), the picture that was read.
        reading: What was read in it.
        longest_px: A larger picture is made smaller so that its longest side has this many px.
        placer: Give the same one for the frames of a video, so that labels stay where they are.
    """
    canvas, factor = fitted(pixels, longest_px)
    mark_cards(canvas, reading, factor=factor, placer=placer or LabelPlacer())
    return canvas


def fitted(pixels: Image, longest_px: int) -> tuple[Image, float]:
    """A copy of the picture, at most ``longest_px`` long, and the factor it was scaled by."""
    factor = min(1.0, longest_px / max(pixels.shape[:2]))
    if factor == 1.0:
        return np.ascontiguousarray(pixels).copy(), 1.0
    size = (max(1, round(pixels.shape[1] * factor)), max(1, round(pixels.shape[0] * factor)))
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), dtype=np.uint8), factor


def mark_cards(canvas: Image, reading: Reading, *, factor: float, placer: LabelPlacer) -> list[Box]:
    """Draws outlines and labels of a reading onto ``canvas``; returns the boxes of the labels."""
    height, width = canvas.shape[:2]
    size = int(np.clip(round(min(width, height) / 38), 13, 30))
    doubles = frozenset(str(card) for card in reading.duplicates)
    for back in reading.backs:
        _draw_back(canvas, back.quad * factor)
    for card in reversed(reading.cards):
        _draw_outline(canvas, _round(card.quad * factor), LINES[standing_of(card, doubles)])
    texts = [texts_of(card, doubles) for card in reading.cards]
    labels = [
        Label(
            f"{name} {_nth(reading, number)}", _label_width(name, note, size), size * 1.5, card.quad * factor
        )
        for number, (card, (name, note)) in enumerate(zip(reading.cards, texts, strict=True))
    ]
    forbidden = [box for card in reading.cards for box in _scaled(index_boxes(card), factor)]
    places = placer.place(labels, size=(width, height), forbidden=forbidden)
    for card, label, place, (name, note) in zip(reading.cards, labels, places, texts, strict=True):
        if place is not None:
            colour = LINES[standing_of(card, doubles)][0]
            _draw_label(canvas, place, label, name, note, size, colour)
    return [place for place in places if place is not None]


def standing_of(card: CardReading, doubles: frozenset[str]) -> Standing:
    """How a card stands, given the names of the cards that were read at more than one place."""
    if card.card is None:
        return Standing.UNREAD
    return Standing.READ if card.score >= SURE and str(card.card) not in doubles else Standing.DOUBTFUL


def texts_of(card: CardReading, doubles: frozenset[str]) -> tuple[str, str]:
    """What the label of a card says: its name, or a question mark; and how sure that is."""
    if card.card is None:
        return "?", ""
    # Rounded down: nothing that was read is certain.
    note = f"{int(min(card.score, 0.999) * 1000) / 10:.1f}".removesuffix(".0") + " %"
    return card.card.sign, f"×2 {note}" if str(card.card) in doubles else note


def _nth(reading: Reading, number: int) -> int:
    """How many equal cards come before this one, so that two of a name have keys of their own."""
    return sum(card.card == reading.cards[number].card for card in reading.cards[:number])


def _label_width(name: str, note: str, size: int) -> float:
    note_width = text_width(note, round(size * 0.72), 500) + size * 0.35 if note else 0.0
    return text_width(name, size, 700) + note_width + size * 0.8


def _scaled(boxes: list[Box], factor: float) -> list[Box]:
    return [(a * factor, b * factor, c * factor, d * factor) for a, b, c, d in boxes]


def _round(quad: Floats) -> Floats:
    """A quad a little larger, so that its line goes round the card and its indices, not over them."""
    middle = quad.mean(axis=0)
    return np.asarray(middle + (quad - middle) * _ROOM, dtype=np.float64)


def _draw_label(
    canvas: Image, box: Box, label: Label, name: str, note: str, size: int, colour: Colour
) -> None:
    _draw_leader(canvas, box, label.outline, colour)
    draw_plate(canvas, (box[0] - 1.5, box[1] - 1.5, box[2] + 1.5, box[3] + 1.5), colour, opacity=0.95)
    draw_plate(canvas, box, WHITE, opacity=0.97, radius=5)
    base = box[1] + size * 1.1
    draw_text(
        canvas, name, (box[0] + size * 0.4, base), size=size, colour=INK, weight=700, suits_coloured=True
    )
    if note:
        small = round(size * 0.72)
        start = box[2] - size * 0.4 - text_width(note, small, 500)
        draw_text(canvas, note, (start, base), size=small, colour=_SOFT, weight=500)


def _draw_leader(canvas: Image, box: Box, outline: Floats, colour: Colour) -> None:
    """A line from a label that stands off to its card; none when they touch."""
    middle = np.array([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2])
    low, high = outline.min(axis=0), outline.max(axis=0)
    gap = np.maximum(np.maximum(low - (box[2], box[3]), (box[0], box[1]) - high), 0)
    if float(np.hypot(*gap)) < 12:
        return
    nearest = np.clip(middle, low, high)
    cv2.line(canvas, _point(middle), _point(nearest), INK, 4, cv2.LINE_AA, _SUBPIXEL)
    cv2.line(canvas, _point(middle), _point(nearest), colour, 2, cv2.LINE_AA, _SUBPIXEL)


def _draw_back(canvas: Image, quad: Floats) -> None:
    """A card that lies face down: its outline, crossed out since there is nothing to read."""
    line = LINES[Standing.FACE_DOWN]
    _draw_outline(canvas, quad, line)
    for start, end in ((quad[0], quad[2]), (quad[1], quad[3])):
        cv2.line(canvas, _point(start), _point(end), INK, 3, cv2.LINE_AA, _SUBPIXEL)
        cv2.line(canvas, _point(start), _point(end), line[0], 1, cv2.LINE_AA, _SUBPIXEL)


def _draw_outline(canvas: Image, quad: Floats, line: tuple[Colour, float, float]) -> None:
    colour, dash, gap = line
    thick = max(2, round(min(canvas.shape[:2]) / 320))
    for width, ink in ((thick + 3, INK), (thick, colour)):
        for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
            for first, last in _pieces(start, end, dash, gap):
                cv2.line(canvas, _point(first), _point(last), ink, width, cv2.LINE_AA, _SUBPIXEL)


def _pieces(start: Floats, end: Floats, dash: float, gap: float) -> list[tuple[Floats, Floats]]:
    length = min(float(np.hypot(*(end - start))), 4000.0)
    if dash == 0 or length < dash:
        return [(start, end)]
    starts = np.arange(0, length, dash + gap)
    step = (end - start) / length
    return [(start + step * at, start + step * min(at + dash, length)) for at in starts]


def _point(place: Floats) -> tuple[int, int]:
    x, y = np.clip(np.round(place * 2**_SUBPIXEL), -(2**20), 2**20)
    return int(x), int(y)
