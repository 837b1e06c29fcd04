"""A reading drawn onto its picture, for people."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.cards.reading import CardReading, Floats, Pixels, Reading

_READ: Final = (64, 220, 90)
_DOUBTFUL: Final = (255, 170, 0)
_UNREAD: Final = (235, 60, 60)
_INK: Final = (16, 16, 16)
_SURE: Final = 0.95
_LONGEST_PX: Final = 1600

# px from dash to dash, and the share of it that is drawn
_FULL: Final = (4000.0, 1.0)
_DASHED: Final = (22.0, 0.55)
_DOTTED: Final = (10.0, 0.1)


def sketch(pixels: Pixels, reading: Reading, *, longest_px: int = _LONGEST_PX) -> Pixels:
    """A copy of the picture, at most ``longest_px`` long, with each card's outline, name and score.

    A full line is a card read surely, a dashed one a card read with a score under 0.95 or at two places,
    and a dotted one a card that could not be read: colour is not needed to tell them apart.
    """
    factor = min(1.0, longest_px / max(pixels.shape[:2]))
    size = (max(1, round(pixels.shape[1] * factor)), max(1, round(pixels.shape[0] * factor)))
    canvas = np.array(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    doubles = reading.duplicates
    for card in reversed(reading.cards):
        _draw_card(canvas, card, factor, is_double=card.card in doubles)
    return canvas


def _draw_card(canvas: Pixels, card: CardReading, factor: float, *, is_double: bool) -> None:
    quad = card.quad * factor
    is_sure = card.score >= _SURE and not is_double
    colour = _UNREAD if card.card is None else _READ if is_sure else _DOUBTFUL
    dash = _DOTTED if card.card is None else _FULL if is_sure else _DASHED
    for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        _draw_line(canvas, start, end, colour, dash)
    for index in card.indices:
        _draw_tick(canvas, index.centre * factor, index.up * factor, colour)
    name = "?" if card.card is None else str(card.card)
    _draw_label(canvas, f"{name} {card.score:.2f}", _label_place(card) * factor, colour)


def _label_place(card: CardReading) -> Floats:
    """The card's middle, or below its only index: in a fan that strip is all that is seen of it."""
    if len(card.indices) != 1:
        return card.centre
    return card.indices[0].centre - 2.4 * card.indices[0].up


def _draw_line(
    canvas: Pixels, start: Floats, end: Floats, colour: tuple[int, int, int], dash: tuple[float, float]
) -> None:
    step_px, ink = dash
    pieces = max(1, round(min(float(np.linalg.norm(end - start)), 4000) / step_px))
    for piece in range(pieces):
        first = start + (end - start) * (piece / pieces)
        last = start + (end - start) * ((piece + ink) / pieces)
        cv2.line(canvas, _point(first), _point(last), colour, 2, cv2.LINE_AA)


def _draw_tick(canvas: Pixels, centre: Floats, up: Floats, colour: tuple[int, int, int]) -> None:
    cv2.circle(canvas, _point(centre), 3, colour, -1, cv2.LINE_AA)
    cv2.line(canvas, _point(centre), _point(centre + up), colour, 1, cv2.LINE_AA)


def _draw_label(canvas: Pixels, text: str, centre: Floats, colour: tuple[int, int, int]) -> None:
    size = max(0.45, min(canvas.shape[:2]) / 1400)
    (width, height), below = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, 1)
    left, base = _point(centre - np.array([width / 2, -height / 2]))
    cv2.rectangle(canvas, (left - 4, base - height - 4), (left + width + 4, base + below), _INK, -1)
    cv2.putText(canvas, text, (left, base), cv2.FONT_HERSHEY_SIMPLEX, size, colour, 1, cv2.LINE_AA)


def _point(place: NDArray[np.float64]) -> tuple[int, int]:
    x, y = np.clip(np.round(place), -20_000, 20_000)
    return int(x), int(y)
