"""The backs of the cards: ornaments that look the same both ways up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_scenes.errors import SpecError
from kemps_scenes.looks import CARD_MM
from kemps_scenes.pen import Colour, Pen, arc

_WHITE: Final[Colour] = (250, 249, 245)
_CENTRE: Final = (CARD_MM[0] / 2, CARD_MM[1] / 2)


def _frame(pen: Pen, ink: Colour, margin: float) -> None:
    w, h = CARD_MM
    m = margin
    pen.fill([(m, m), (w - m, m), (w - m, h - m), (m, h - m)], ink)


def _lattice(pen: Pen) -> None:
    ink: Colour = (176, 30, 44)
    _frame(pen, ink, 4.0)
    for i in range(-16, 34):
        x = i * 5.0
        pen.line([(x, 0), (x + 88, 88)], _WHITE, 0.5)
        pen.line([(x, 88), (x + 88, 0)], _WHITE, 0.5)
    for row in range(36):
        for column in range(14):
            pen.disc((column * 5.0 + 2.5 * (row % 2) - 1.0, row * 2.5 + 0.5), 0.55, _WHITE)
    _border(pen, ink)
    pen.fill(arc(_CENTRE, (11.5, 11.5), 0, 360, 60), _WHITE)
    pen.fill(arc(_CENTRE, (10.3, 10.3), 0, 360, 60), ink)
    _rosette(pen, 8.8, _WHITE, ink)


def _border(pen: Pen, ink: Colour) -> None:
    w, h = CARD_MM
    for outer, colour in ((0.0, _WHITE), (4.0, ink), (5.0, _WHITE)):
        inner = outer + (4.0 if outer == 0 else 1.0)
        for x0, y0, x1, y1 in (
            (outer, outer, w - outer, inner),
            (outer, h - inner, w - outer, h - outer),
            (outer, outer, inner, h - outer),
            (w - inner, outer, w - outer, h - outer),
        ):
            pen.fill([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], colour)


def _rosette(pen: Pen, radius: float, colour: Colour, middle: Colour) -> None:
    for angle in range(0, 360, 45):
        direction = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
        x, y = np.array(_CENTRE) + direction * radius * 0.52
        turned = arc((0, 0), (radius * 0.48, radius * 0.19), 0, 360, 24)
        c, s = direction
        pen.fill(turned @ np.array([[c, s], [-s, c]]) + np.array([x, y]), colour)
    pen.disc(_CENTRE, radius * 0.2, middle)


def _scales(pen: Pen) -> None:
    ink: Colour = (28, 62, 128)
    light: Colour = (120, 156, 214)
    _frame(pen, ink, 4.0)
    for row in range(-1, 12):
        for column in range(-1, 10):
            centre = (column * 7.0 + 3.5 * (row % 2), row * 7.6 + 2.0)
            for radius, colour in ((5.4, _WHITE), (4.8, ink), (3.4, light), (2.8, ink), (1.2, _WHITE)):
                pen.disc(centre, radius, colour)
    _border(pen, ink)


def _rings(pen: Pen) -> None:
    ink: Colour = (22, 96, 74)
    gold: Colour = (226, 190, 110)
    _frame(pen, ink, 4.0)
    for cx, cy in ((5, 5), (58, 5), (5, 83), (58, 83)):
        for radius in np.arange(6.0, 30.0, 3.0):
            pen.line(arc((cx, cy), (radius, radius), 0, 360, 60), gold, 0.55, closed=True)
    for radius in (19.0, 17.2, 15.4):
        pen.fill(arc(_CENTRE, (radius, radius * 1.3), 0, 360, 60), gold if radius != 17.2 else ink)
    pen.fill(arc(_CENTRE, (14.6, 19.3), 0, 360, 60), ink)
    _rosette(pen, 13.0, gold, ink)
    _border(pen, ink)


def _bands(pen: Pen) -> None:
    _frame(pen, (40, 40, 46), 2.6)
    for i in range(-10, 18):
        y = i * 8.0
        band = [(0.0, y), (31.5, y + 16), (63.0, y), (63.0, y + 4), (31.5, y + 20), (0.0, y + 4)]
        pen.fill(band, (214, 120, 40) if i % 2 else (236, 226, 206))
    _border(pen, (40, 40, 46))


BACKS: Final[dict[str, Callable[[Pen], None]]] = {
    "lattice": _lattice,
    "scales": _scales,
    "rings": _rings,
    "bands": _bands,
}


def draw_back(name: str, scale: float) -> NDArray[np.uint8]:
    """The back of that name, RGB, ``scale`` pixels a millimetre.

    Raises:
        SpecError: There is no such back.
    """
    if name not in BACKS:
        raise SpecError(f"no back {name!r}; there are {', '.join(BACKS)}")
    pen = Pen(*CARD_MM, scale * 2, _WHITE)
    BACKS[name](pen)
    half = pen.pixels.shape[0] // 2
    pen.pixels[-half:] = pen.pixels[:half][::-1, ::-1]
    return pen.shrunk(2)
