"""Letters, suit shapes and plates on RGB pictures, with OpenCV's built-in TrueType face."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final, TypeAlias

import cv2
import numpy as np

from kemps_vision.draw.suits import suit_outlines
from kemps_vision.frame import Image

Colour: TypeAlias = tuple[int, int, int]
Box: TypeAlias = tuple[float, float, float, float]  # left, top, right, bottom

WHITE: Final[Colour] = (250, 248, 240)
INK: Final[Colour] = (22, 28, 25)
SUIT_COLOURS: Final[dict[str, Colour]] = {
    "c": (15, 107, 60),
    "d": (176, 78, 0),
    "h": (195, 32, 43),
    "s": (27, 34, 48),
}
_SUIT_OF_SIGN: Final = {"♣": "c", "♦": "d", "♥": "h", "♠": "s"}
_ALWAYS: Final = frozenset("? ♣♦♥♠")
_SUBPIXEL: Final = 4  # bits of cv2's fixed-point coordinates
_SUIT_WIDTH: Final = 0.86  # of the text size, with the room to its neighbours


@cache
def _face() -> cv2.FontFace:
    return cv2.FontFace("sans")


@cache
def _ink(letter: str) -> bytes:
    canvas = np.zeros((48, 64, 3), np.uint8)
    cv2.putText(canvas, letter, (8, 34), WHITE, _face(), 24, 500)
    return canvas.tobytes()


def drawable(text: str) -> str:
    """The text without signs that the face draws as question marks, emoji for one.

    >>> drawable("Zoë 😀"), drawable("really?")
    ('Zoë', 'really?')
    """
    kept = [letter for letter in text if letter in _ALWAYS or _ink(letter) != _ink("?")]
    return text if len(kept) == len(text) else " ".join("".join(kept).split())


def _runs(text: str) -> Iterator[tuple[str, bool]]:
    """The text cut at suit signs: (piece, whether it is one); without what cannot be drawn."""
    piece = ""
    for letter in text if text.isascii() else drawable(text):
        if letter in _SUIT_OF_SIGN:
            if piece:
                yield piece, False
            yield letter, True
            piece = ""
        else:
            piece += letter
    if piece:
        yield piece, False


@cache
def _advance(piece: str, size: int, weight: int) -> float:
    # A trailing space has no ink: measure it with a dot after it.
    with_dot = cv2.getTextSize((0, 0), piece + ".", (0, 0), _face(), size, weight)[2]
    return float(with_dot - cv2.getTextSize((0, 0), ".", (0, 0), _face(), size, weight)[2])


def text_width(text: str, size: int, weight: int = 500) -> float:
    """How many px a text takes; suit signs are drawn as shapes."""
    return sum(
        size * _SUIT_WIDTH if is_suit else _advance(piece, size, weight) for piece, is_suit in _runs(text)
    )


def draw_text(
    canvas: Image,
    text: str,
    at: tuple[float, float],
    *,
    size: int,
    colour: Colour = WHITE,
    weight: int = 500,
    suits_coloured: bool = False,
) -> None:
    """Writes on ``canvas``; ``at`` is the left end of the base line, ``size`` the height of a line in px.

    Suit signs become shapes, in the suits' own colours when ``suits_coloured`` (for light grounds).
    """
    x, y = at
    for piece, is_suit in _runs(text):
        if is_suit:
            suit = _SUIT_OF_SIGN[piece]
            side = size * 0.74
            ink = SUIT_COLOURS[suit] if suits_coloured else colour
            draw_suit(canvas, suit, (x + size * (_SUIT_WIDTH - 0.74) / 2, y - side), side, ink)
            x += size * _SUIT_WIDTH
        else:
            cv2.putText(canvas, piece, (round(x), round(y)), colour, _face(), size, weight)
            x += _advance(piece, size, weight)


def draw_suit(canvas: Image, suit: str, corner: tuple[float, float], side: float, colour: Colour) -> None:
    """Fills the shape of a suit (``c d h s``) in a square of ``side`` px whose top left is ``corner``."""
    for outline in suit_outlines(suit):
        points = np.round((outline * side + np.asarray(corner)) * 2**_SUBPIXEL).astype(np.int32)
        cv2.fillPoly(canvas, [points], colour, cv2.LINE_AA, _SUBPIXEL)


def draw_plate(canvas: Image, box: Box, colour: Colour, *, opacity: float = 1.0, radius: float = 6) -> None:
    """A filled rectangle with round corners; what lies outside the picture is left out."""
    height, width = canvas.shape[:2]
    left, top = max(int(box[0]), 0), max(int(box[1]), 0)
    right, bottom = min(int(np.ceil(box[2])), width), min(int(np.ceil(box[3])), height)
    if right <= left or bottom <= top:
        return
    mask = np.zeros((bottom - top, right - left), np.uint8)
    inner = (box[0] - left + radius, box[1] - top + radius, box[2] - left - radius, box[3] - top - radius)
    corners = np.array(
        [[inner[0], inner[1]], [inner[2], inner[1]], [inner[2], inner[3]], [inner[0], inner[3]]], np.float64
    )
    points = np.round(corners * 2**_SUBPIXEL).astype(np.int32)
    cv2.fillPoly(mask, [points], 255, cv2.LINE_AA, _SUBPIXEL)
    cv2.polylines(mask, [points], True, 255, max(round(2 * radius), 1), cv2.LINE_AA, _SUBPIXEL)
    share = (mask.astype(np.float32) * (opacity / 255))[..., None]
    region = canvas[top:bottom, left:right]
    region[:] = (region * (1 - share) + np.asarray(colour, np.float32) * share + 0.5).astype(np.uint8)


def shorten(text: str, room: float, size: int, weight: int = 500) -> str:
    """The text, cut with an ellipsis when it is wider than ``room`` px."""
    if text_width(text, size, weight) <= room:
        return text
    while text and text_width(text + "…", size, weight) > room:
        text = text[:-1]
    return text.rstrip() + "…"
