"""A moment at the table for people: cards, centre, seats; below a banner with clock, event and verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np

from kemps_vision.cards.reading import Reading
from kemps_vision.draw.layout import Label, LabelPlacer
from kemps_vision.draw.reading import LONGEST_PX, fitted, mark_cards
from kemps_vision.draw.text import INK, WHITE, Box, Colour, draw_plate, draw_text, shorten, text_width
from kemps_vision.frame import Image

RULING_COLOURS: Final[Mapping[str, Colour]] = {
    "right": (112, 222, 164),
    "wrong": (255, 138, 118),
    "cannot_verify": (245, 196, 92),
}
_NO_RULING: Final[Colour] = (170, 180, 172)
_SOFT: Final[Colour] = (176, 188, 180)
_GROUND: Final[Colour] = (16, 21, 18)
_CENTRE: Final[Colour] = (240, 195, 78)
_SEAT_GROUND: Final[Colour] = (22, 28, 25)


@dataclass(frozen=True, slots=True, kw_only=True)
class Banner:
    """What the strip under the picture says; ``ruling`` is right, wrong, cannot_verify or empty."""

    at_ms: int
    event: str = ""
    verdict: str = ""
    ruling: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where things are, in px of the picture: the centre's outline, and each seat's name and place."""

    centre: tuple[tuple[float, float], ...] | None = None
    seats: Mapping[str, tuple[str, tuple[float, float]]] = field(default_factory=dict)


def draw_table(
    pixels: Image,
    *,
    banner: Banner,
    reading: Reading | None = None,
    places: Places | None = None,
    placer: LabelPlacer | None = None,
    longest_px: int = LONGEST_PX,
) -> Image:
    """A copy of the picture with what is known marked on it, and a banner added below.

    Args:
        pixels: RGB uint8 (h, w, 3).
        banner: What the strip below says.
        reading: The cards to mark.
        places: The centre and the seats to mark.
        placer: Give the same one for the frames of a video, so that labels stay where they are.
        longest_px: A larger picture is made smaller so that its longest side has this many px.

    Returns:
        RGB uint8 (h', w', 3), both even, h' higher than the picture by the banner.
    """
    canvas, factor = fitted(pixels, longest_px)
    if places is not None and places.centre is not None:
        _draw_centre(canvas, np.asarray(places.centre, dtype=np.float64) * factor)
    taken = (
        mark_cards(canvas, reading, factor=factor, placer=placer or LabelPlacer())
        if reading is not None
        else []
    )
    if places is not None:
        _draw_seats(canvas, places, factor, taken)
    return _with_banner(canvas, banner)


def clock_text(at_ms: int) -> str:
    """Media time: ``0:41.2``."""
    tenths = at_ms // 100
    return f"{tenths // 600}:{tenths // 10 % 60:02d}.{tenths % 10}"


def _draw_centre(canvas: Image, outline: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
    """Corner brackets, so that little of the picture is covered."""
    thick = max(2, canvas.shape[0] // 300)
    for before, corner, after in zip(
        np.roll(outline, 1, axis=0), outline, np.roll(outline, -1, axis=0), strict=True
    ):
        for towards in (before, after):
            arm = corner + (towards - corner) * 0.16
            ends = [(int(x), int(y)) for x, y in (corner, arm)]
            cv2.line(canvas, ends[0], ends[1], INK, thick + 2, cv2.LINE_AA)
            cv2.line(canvas, ends[0], ends[1], _CENTRE, thick, cv2.LINE_AA)


def _draw_seats(canvas: Image, places: Places, factor: float, taken: list[Box]) -> None:
    height, width = canvas.shape[:2]
    size = int(np.clip(round(height / 42), 13, 26))
    labels = []
    for seat, (name, (x, y)) in places.seats.items():
        text = shorten(name, width / 5, size, 600)
        span = text_width(text, size, 600) + size * 2.6
        at = np.array([np.clip(x * factor, span / 2 + 8, width - span / 2 - 8)])
        at = np.append(at, np.clip(y * factor, size * 1.2, height - size * 1.2))
        labels.append((seat, text, Label(f"seat {seat}", span, size * 1.7, at[None, :])))
    for seat, text, label in labels:
        x, y = label.outline[0]
        box = (x - label.width / 2, y - label.height / 2, x + label.width / 2, y + label.height / 2)
        box = _moved_off(box, taken)
        draw_plate(canvas, box, _SEAT_GROUND, opacity=0.78, radius=8)
        badge = (round(box[0] + label.height / 2), round((box[1] + box[3]) / 2))
        cv2.circle(canvas, badge, round(label.height * 0.36), WHITE, -1, cv2.LINE_AA)
        letter_size = round(size * 0.85)
        shift = text_width(seat, letter_size, 700) / 2
        draw_text(
            canvas,
            seat,
            (badge[0] - shift, badge[1] + letter_size * 0.36),
            size=letter_size,
            colour=INK,
            weight=700,
        )
        draw_text(canvas, text, (box[0] + size * 1.95, box[1] + size * 1.2), size=size, weight=600)


def _moved_off(box: Box, taken: list[Box]) -> Box:
    """The box, pushed sideways until it covers no label of a card; where it was when there is no room."""
    for shift in (0.0, 60.0, -60.0, 130.0, -130.0, 210.0, -210.0):
        moved = (box[0] + shift, box[1], box[2] + shift, box[3])
        if not any(_overlap(moved, other) for other in taken):
            return moved
    return box


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _with_banner(canvas: Image, banner: Banner) -> Image:
    height, width = canvas.shape[:2]
    even_width = width - width % 2
    strip_height = max(44, round(height * 0.085))
    strip_height += (height + strip_height) % 2
    strip = np.full((strip_height, even_width, 3), _GROUND, dtype=np.uint8)
    size = max(16, round(strip_height * 0.4))
    base = strip_height / 2 + size * 0.36
    edge = float(size)
    draw_text(strip, clock_text(banner.at_ms), (edge, base), size=size, weight=600)
    left = edge + size * 4.6
    right = even_width - edge
    if banner.verdict:
        right = _draw_verdict(strip, banner, right, base, size) - size
    event = shorten(banner.event, max(right - left, 0.0), size)
    draw_text(strip, event, (left, base), size=size, colour=WHITE if not banner.verdict else _SOFT)
    return np.vstack([canvas[:, :even_width], strip])


def _draw_verdict(strip: Image, banner: Banner, right: float, base: float, size: int) -> float:
    """Draws the verdict's plate flush right; returns its left edge."""
    colour = RULING_COLOURS.get(banner.ruling, _NO_RULING)
    text = shorten(banner.verdict, strip.shape[1] * 0.6, size, 700)
    width = text_width(text, size, 700) + size * 2.5
    left = right - width
    middle = strip.shape[0] / 2
    draw_plate(strip, (left, middle - size * 0.95, right, middle + size * 0.95), colour, radius=8)
    _draw_sign(strip, banner.ruling, (left + size * 1.05, middle), size * 0.42)
    draw_text(strip, text, (left + size * 2, base), size=size, colour=INK, weight=700)
    return left


def _draw_sign(strip: Image, ruling: str, middle: tuple[float, float], reach: float) -> None:
    """A tick, a cross, or a dash with a dot: the ruling without its colour."""
    strokes = {
        "right": [[(-1, 0.1), (-0.25, 0.85), (1, -0.75)]],
        "wrong": [[(-0.85, -0.85), (0.85, 0.85)], [(0.85, -0.85), (-0.85, 0.85)]],
    }.get(ruling, [[(-0.9, 0), (0.9, 0)]])
    for stroke in strokes:
        points = np.round((np.asarray(stroke) * reach + middle) * 16).astype(np.int32)
        cv2.polylines(strip, [points], False, INK, max(2, round(reach / 2.6)), cv2.LINE_AA, 4)
