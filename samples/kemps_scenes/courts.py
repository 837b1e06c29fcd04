"""The court cards: a half figure drawn from plain shapes, and the same figure turned round below it."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_scenes.looks import DeckLook, Inks
from kemps_scenes.pen import Colour, Pen, Points, arc

PANEL_MM: Final = (37.0, 70.0)  # two halves of 37 x 35
_MIDDLE: Final = PANEL_MM[0] / 2
_WHITE: Final[Colour] = (252, 250, 244)


def court_panel(rank: str, suit: str, look: DeckLook, scale: float) -> NDArray[np.uint8]:
    """The figure of a J, Q or K in its panel, RGB, point-symmetric."""
    pen = Pen(PANEL_MM[0], PANEL_MM[1] / 2, scale, look.paper)
    if look.courts == "emblems":
        _emblem(pen, rank, suit, look)
    else:
        _Figure(pen, look.inks, suit).draw(rank)
        _corner_sign(pen, suit, look)
    half = pen.pixels
    panel = np.vstack([half, half[::-1, ::-1]])
    whole = Pen(*PANEL_MM, scale, look.paper)
    whole.pixels[:] = panel[: whole.pixels.shape[0], : whole.pixels.shape[1]]
    _belt(whole, look.inks, look.inks.of(suit))
    if look.frame:
        whole.line([(0.3, 0.3), (36.7, 0.3), (36.7, 69.7), (0.3, 69.7)], look.inks.blue, 0.45, closed=True)
    return whole.pixels


def _corner_sign(pen: Pen, suit: str, look: DeckLook) -> None:
    for outline in look.signs[suit]:
        pen.fill(outline * 8.4 + np.array([5.4, 6.2]), look.inks.of(suit))


def _belt(pen: Pen, inks: Inks, accent: Colour) -> None:
    """A slanting band over the seam of the two halves."""
    slope = 0.12
    left, right = 35.0 + slope * 17.6, 35.0 - slope * 17.6
    pen.shape(
        [(0.9, left - 1.9), (36.1, right - 1.9), (36.1, right + 1.9), (0.9, left + 1.9)],
        inks.gold,
        inks.line,
        0.4,
    )
    for i in range(7):
        x = 3.5 + i * 5.0
        y = 35.0 + (_MIDDLE - x) * slope
        pen.fill([(x, y - 1.2), (x + 1.3, y), (x, y + 1.2), (x - 1.3, y)], accent)


def _emblem(pen: Pen, rank: str, suit: str, look: DeckLook) -> None:
    """A crown, a diadem or a sword over a large suit sign."""
    m, inks, accent = _MIDDLE, look.inks, look.inks.of(suit)
    shield = np.vstack([arc((m, 24.0), (15.0, 10.0), 180, 360, 40), [(m + 15.0, 36.0), (m - 15.0, 36.0)]])
    pen.shape(shield, inks.blue if suit in "cs" else inks.red, inks.line)
    for outline in look.signs[suit]:
        pen.fill(outline * 13.0 + np.array([m, 23.5]), _WHITE)
    if rank == "K":
        points = [(-12.0, 2.0), (-6.0, 7.0), (0.0, 0.6), (6.0, 7.0), (12.0, 2.0), (9.6, 12.0), (-9.6, 12.0)]
        pen.shape([(m + x, y) for x, y in points], inks.gold, inks.line)
        for x, y in points[:5:2]:
            pen.disc((m + x, y), 1.3, accent)
    elif rank == "Q":
        pen.shape(arc((m, 12.0), (11.0, 9.0), 180, 360, 40), inks.gold, inks.line)
        for angle in range(200, 341, 35):
            x, y = m + 11.0 * np.cos(np.radians(angle)), 12.0 + 9.0 * np.sin(np.radians(angle))
            pen.disc((x, y), 1.5, accent)
    else:
        pen.shape(
            [(m, 0.8), (m + 1.6, 3.6), (m + 1.6, 10.0), (m - 1.6, 10.0), (m - 1.6, 3.6)], _WHITE, inks.line
        )
        pen.shape([(m - 7, 10.0), (m + 7, 10.0), (m + 7, 12.0), (m - 7, 12.0)], inks.gold, inks.line)


class _Figure:
    """Draws half a figure; the suit varies its colours, hair and pattern so that all twelve differ."""

    def __init__(self, pen: Pen, inks: Inks, suit: str) -> None:
        self.pen, self.inks, self.suit = pen, inks, suit
        turn = "cdhs".index(suit)
        self.turn = turn
        self.robe, self.cloak = [(inks.blue, inks.red), (inks.red, inks.blue)][turn % 2]
        self.hair: Colour = [(70, 50, 40), (196, 150, 60), (150, 76, 40), (44, 40, 44)][turn]

    def draw(self, rank: str) -> None:
        {"K": self._king, "Q": self._queen, "J": self._jack}[rank]()

    def _fill(self, points: Points | list[tuple[float, float]], colour: Colour, edge: float = 0.35) -> None:
        self.pen.shape(points, colour, self.inks.line, edge)

    def _robe(self, shoulder: float) -> None:
        m = _MIDDLE
        self._fill([(m - 5, 21), (m - shoulder, 24.5), (1.0, 36), (m, 36), (m, 21)], self.robe)
        self._fill([(m + 5, 21), (m + shoulder, 24.5), (36.0, 36), (m, 36), (m, 21)], self.cloak)
        self._pattern(shoulder)
        self._fill([(m - 3.0, 21), (m + 3.0, 21), (m + 3.8, 36), (m - 3.8, 36)], self.inks.gold)
        for y in (24.5, 28.2, 31.9):
            accent = self.inks.of(self.suit)
            self.pen.fill([(m, y - 1.5), (m + 1.5, y), (m, y + 1.5), (m - 1.5, y)], accent)

    def _pattern(self, shoulder: float) -> None:
        gold, white = self.inks.gold, _WHITE
        for i in range(5):
            y = 25.5 + i * 2.3
            left, right = _MIDDLE - shoulder + 3.2 - i * 0.5, _MIDDLE + shoulder - 3.2 + i * 0.5
            if self.turn in (0, 2):
                self.pen.line([(left - 3, y + 2.2), (_MIDDLE - 4.6, y - 0.4)], gold, 0.55)
                self.pen.line([(_MIDDLE + 4.6, y - 0.4), (right + 3, y + 2.2)], white, 0.55)
            else:
                for x in (left + 1.0, left + 4.2, right - 4.2, right - 1.0):
                    self.pen.disc((x, y + 0.8), 0.65, gold if i % 2 else white)

    def _head(self, *, beard: bool) -> None:
        m, ink = _MIDDLE, self.inks.line
        self._fill([(m - 2.2, 17), (m + 2.2, 17), (m + 2.6, 22), (m - 2.6, 22)], self.inks.skin)
        self._fill(arc((m, 14.2), (4.7, 6.0), 0, 360, 40), self.inks.skin)
        if beard:
            chin = np.vstack(
                [arc((m, 15.4), (4.8, 6.6), 0, 180, 24), [(m - 2.0, 16.8), (m, 16.2), (m + 2.0, 16.8)]]
            )
            self._fill(chin, self.hair)
        for side in (-1, 1):
            x = m + side * 1.95
            self.pen.fill(arc((x, 13.3), (0.85, 0.5), 0, 360, 16), _WHITE)
            self.pen.disc((x, 13.3), 0.48, ink)
            self.pen.line(arc((x, 12.9), (1.3, 1.0), 205, 335, 10), ink, 0.32)
        self.pen.line([(m + 0.1, 13.4), (m + 0.7, 15.4), (m - 0.3, 15.6)], ink, 0.28)
        self.pen.fill(arc((m, 17.3), (1.35, 0.5), 0, 360, 16), self.inks.red)

    def _locks(self, length: float, curl: float) -> None:
        for side in (-1, 1):
            x = _MIDDLE + side * 5.0
            outer = [(x - side * 1.3, 9.0), (x + side * curl, 12.0), (x + side * (curl + 0.6), 9.0 + length)]
            inner = [(x - side * 0.6, 9.4 + length), (x - side * 1.0, 13.0)]
            self._fill(outer + inner, self.hair)
            self.pen.line([(x + side * 0.5, 11.5), (x + side * 0.9, 8.0 + length)], self.inks.line, 0.25)

    def _hand(self, x: float, y: float) -> None:
        self._fill(arc((x, y), (1.9, 2.3), 0, 360, 24), self.inks.skin)
        for i in range(3):
            self.pen.line([(x - 1.4, y - 0.9 + i * 0.9), (x + 0.6, y - 1.0 + i * 0.9)], self.inks.line, 0.22)
        self._fill([(x - 2.6, y + 1.9), (x + 2.4, y + 1.9), (x + 3.0, y + 4.8), (x - 3.2, y + 4.8)], _WHITE)

    def _king(self) -> None:
        m, gold = _MIDDLE, self.inks.gold
        self._fill([(30.4, 3), (31.5, 1), (32.6, 3), (32.6, 25), (30.4, 25)], (214, 220, 228))
        self._fill([(27.8, 24.6), (35.2, 24.6), (35.2, 26.0), (27.8, 26.0)], gold)
        self._robe(14.0)
        self._fill(
            np.vstack([arc((m, 22.4), (10.5, 4.0), 180, 0, 20), arc((m, 20.8), (6.5, 2.2), 0, 180, 20)]),
            _WHITE,
        )
        for i in range(7):
            self.pen.disc((m - 8.4 + i * 2.8, 22.9 + (2.0 - abs(i - 3) * 0.66)), 0.42, self.inks.line)
        self._locks(9.0, 2.4)
        self._head(beard=True)
        self._fill(
            [
                (m - 5.6, 9.6),
                (m - 7.6, 2.2),
                (m - 3.6, 6.2),
                (m, 1.2),
                (m + 3.6, 6.2),
                (m + 7.6, 2.2),
                (m + 5.6, 9.6),
            ],
            gold,
        )
        self._fill([(m - 5.9, 8.0), (m + 5.9, 8.0), (m + 5.7, 10.4), (m - 5.7, 10.4)], self.inks.red)
        for x, y in ((m - 7.6, 2.0), (m, 1.2), (m + 7.6, 2.0)):
            self.pen.disc((x, y), 1.0, self.inks.of(self.suit))
        for x in (m - 3.6, m, m + 3.6):
            self.pen.disc((x, 9.2), 0.7, gold)
        self._hand(31.4, 28.2)

    def _queen(self) -> None:
        m, gold = _MIDDLE, self.inks.gold
        self._locks(13.5, 3.0)
        self._robe(12.0)
        for side in (-1, 1):
            for i in range(5):
                self._fill(
                    arc((m + side * (2.2 + i * 1.7), 21.3 + i * 0.55), (1.5, 1.2), 0, 360, 16), _WHITE, 0.25
                )
        self._head(beard=False)
        self._fill(
            np.vstack([arc((m, 10.6), (5.4, 4.4), 180, 360, 24), [(m + 3.2, 9.6), (m, 8.4), (m - 3.2, 9.6)]]),
            self.hair,
        )
        crown = [
            (m - 5.0, 7.4),
            (m - 5.8, 3.2),
            (m - 2.6, 5.2),
            (m, 1.8),
            (m + 2.6, 5.2),
            (m + 5.8, 3.2),
            (m + 5.0, 7.4),
        ]
        self._fill(crown, gold)
        self.pen.disc((m, 5.6), 0.9, self.inks.of(self.suit))
        for x, y in ((m - 5.8, 3.0), (m, 1.8), (m + 5.8, 3.0)):
            self.pen.disc((x, y), 0.8, _WHITE)
            self.pen.line(arc((x, y), (0.8, 0.8), 0, 360, 16), self.inks.line, 0.22, closed=True)
        self._flower(30.6, 17.2)
        self._hand(30.2, 27.6)

    def _flower(self, x: float, y: float) -> None:
        self.pen.line([(x, y), (x - 0.6, 26.5)], (44, 110, 60), 0.7)
        for angle in range(0, 360, 60):
            dx, dy = np.cos(np.radians(angle)) * 2.1, np.sin(np.radians(angle)) * 2.1
            self._fill(
                arc((x + dx, y + dy), (1.6, 1.6), 0, 360, 16),
                self.inks.red if self.turn % 2 else _WHITE,
                0.25,
            )
        self.pen.disc((x, y), 1.3, self.inks.gold)

    def _jack(self) -> None:
        m, gold = _MIDDLE, self.inks.gold
        self.pen.line([(31.2, 6), (31.2, 27)], (120, 84, 50), 1.1)
        self._fill([(31.2, 1.0), (33.4, 6.0), (31.2, 8.4), (29.0, 6.0)], (214, 220, 228))
        self._fill([(31.8, 7.6), (35.6, 6.2), (35.6, 13.0), (31.8, 11.4)], (214, 220, 228))
        self._robe(13.0)
        self._fill(
            [(m - 7.5, 22.0), (m - 3, 20.4), (m, 23.8), (m + 3, 20.4), (m + 7.5, 22.0), (m, 27.2)], _WHITE
        )
        self._locks(8.6, 2.0)
        self._head(beard=False)
        fringe = np.vstack(
            [arc((m, 11.2), (5.0, 3.6), 180, 360, 20), [(m + 3.0, 10.8), (m, 11.8), (m - 3.0, 10.8)]]
        )
        self._fill(fringe, self.hair)
        cap = np.vstack([[(m - 7.4, 9.0)], arc((m - 0.4, 7.4), (7.2, 5.4), 190, 350, 20), [(m + 7.4, 9.0)]])
        self._fill(cap, self.cloak)
        self._fill([(m - 7.2, 8.2), (m + 7.2, 8.2), (m + 6.6, 10.0), (m - 6.6, 10.0)], gold)
        feather = np.vstack([arc((m + 6.2, 4.6), (5.6, 3.0), 160, 330, 16), [(m + 5.2, 7.4)]])
        self._fill(feather, _WHITE if self.turn < 2 else self.inks.of(self.suit))
        self._hand(31.0, 28.4)
