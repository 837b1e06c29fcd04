"""What a reel says: captions over pictures, and a card before each moment. Suits are drawn as shapes."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from kemps_server.analysis.highlights import Highlight
from kemps_server.page.words import Words
from kemps_vision.draw.table import clock_text
from kemps_vision.draw.text import INK, WHITE, Colour, draw_plate, draw_suit, draw_text, shorten, text_width
from kemps_vision.frame import Image

FELT: Final[Colour] = (24, 75, 59)
GOLD: Final[Colour] = (240, 195, 78)
SOFT: Final[Colour] = (185, 210, 196)
RULINGS: Final[dict[str, Colour]] = {"right": (116, 211, 164), "wrong": (255, 150, 131)}
_CAPTION: Final = 0.046  # of the height: the size of letters
_TITLE: Final = 0.075


def fitted(pixels: Image, size: tuple[int, int]) -> Image:
    """The picture (h, w, 3) as large as it fits into ``size`` (width, height), on black."""
    width, height = size
    scale = min(width / pixels.shape[1], height / pixels.shape[0])
    inner = (max(1, round(pixels.shape[1] * scale)), max(1, round(pixels.shape[0] * scale)))
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    shown = np.asarray(cv2.resize(pixels, inner, interpolation=way), np.uint8)
    if inner == size:
        return np.ascontiguousarray(shown)
    canvas = np.zeros((height, width, 3), np.uint8)
    left, top = (width - inner[0]) // 2, (height - inner[1]) // 2
    canvas[top : top + inner[1], left : left + inner[0]] = shown
    return canvas


def draw_caption(canvas: Image, highlight: Highlight, at_ms: int, words: Words) -> None:
    """What is said at a moment, with its time; nothing before there is anything to say."""
    height, width = canvas.shape[:2]
    size, margin = round(height * _CAPTION), round(height * 0.03)
    beat = highlight.beat_at(at_ms)
    clock = clock_text(at_ms)
    clock_width = text_width(clock, round(size * 0.7))
    base = height - margin - round(size * 0.55)
    if beat is not None:
        text = words.say(beat.text)
        text = shorten(text[:1].upper() + text[1:], width - 5 * margin - clock_width, size, 600)
        right = margin + text_width(text, size, 600) + 2 * margin
        box = (margin, base - size * 1.25, right, base + size * 0.6)
        draw_plate(canvas, box, INK, opacity=0.82, radius=size * 0.35)
        colour = RULINGS.get(beat.ruling, GOLD if beat.kind == "call" else WHITE)
        draw_text(canvas, text, (2 * margin, base), size=size, colour=colour, weight=600)
    left = width - margin - clock_width - margin
    draw_plate(
        canvas,
        (left, base - size * 0.95, width - margin, base + size * 0.45),
        INK,
        opacity=0.7,
        radius=size * 0.3,
    )
    draw_text(canvas, clock, (left + margin / 2, base), size=round(size * 0.7), colour=SOFT)


def title_card(
    size: tuple[int, int], title: str, highlight: Highlight, place: tuple[int, int], words: Words
) -> Image:
    """The card before a moment: of which game, which ``place`` of how many, who calls, and why it is here."""
    width, height = size
    canvas = np.empty((height, width, 3), np.uint8)
    canvas[:] = FELT
    side, left = round(height * 0.05), round(width * 0.08)
    for number, suit in enumerate("shcd"):
        draw_suit(canvas, suit, (left + number * side * 1.4, height * 0.16), side, SOFT)
    room = width - 2 * left
    small, large = round(height * _CAPTION), round(height * _TITLE)
    which = words.say("reel.moment_of", rank=str(place[0]), count=str(place[1]))
    head = shorten(f"{title} · {which}", room, small)
    draw_text(canvas, head, (left, height * 0.33), size=small, colour=SOFT)
    call = words.say(highlight.title)
    call = shorten(call[:1].upper() + call[1:], room, large, 700)
    draw_text(canvas, call, (left, height * 0.33 + large * 1.7), size=large, colour=GOLD, weight=700)
    base = height * 0.33 + large * 1.7 + small * 2.1
    for reason in highlight.reasons:
        text = shorten(f"– {words.say(reason)}", room, small)
        draw_text(canvas, text, (left, base), size=small, colour=WHITE)
        base += small * 1.6
    return canvas
