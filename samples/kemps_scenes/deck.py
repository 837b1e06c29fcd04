"""A deck of 52 faces and a back, as pictures with see-through rounded corners."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.cards import DECK_52, RANKS, SUITS, Card
from kemps_scenes.backs import draw_back
from kemps_scenes.courts import PANEL_MM, court_panel
from kemps_scenes.glyphs import rank_mask
from kemps_scenes.looks import CARD_MM, DeckLook, deck_look
from kemps_scenes.pen import Colour, Pen
from kemps_scenes.pips import PIP_PLACES

PX_PER_MM: Final = 8
_SUPERSAMPLING: Final = 2
_CORNER_MM: Final = 3.2

Picture = NDArray[np.uint8]


class Deck:
    """The faces of one look and one back, drawn when they are first asked for.

    Pictures are RGBA uint8 of shape (704, 504, 4): 8 pixels a millimetre, with rounded see-through corners.
    """

    def __init__(self, look: DeckLook, back: str) -> None:
        self.look = look
        self._back_name = back
        self._faces: dict[Card, Picture] = {}
        self._back: Picture | None = None

    def face(self, card: Card) -> Picture:
        """The face of a card; the same array each time, not to be written to."""
        if card not in self._faces:
            self._faces[card] = _cut_out(_draw_face(card, self.look))
        return self._faces[card]

    @property
    def back(self) -> Picture:
        """The back shared by all cards."""
        if self._back is None:
            self._back = _cut_out(draw_back(self._back_name, PX_PER_MM))
        return self._back


@lru_cache(maxsize=8)
def open_deck(look: str, back: str) -> Deck:
    """The deck of a look and a back, by their names.

    Raises:
        SpecError: There is no such look or back.
    """
    return Deck(deck_look(look), back)


def deck_sheet(deck: Deck, width_px: int = 1560) -> Picture:
    """All faces, a suit a row, and the back; RGB for people to look at."""
    card_w = width_px // 14
    card_h = round(card_w * CARD_MM[1] / CARD_MM[0])
    sheet = np.full((card_h * 4 + 10 * 5, card_w * 14 + 10 * 15, 3), (52, 96, 70), np.uint8)
    for card in (*DECK_52, None):
        row, column = (SUITS.index(card.suit), RANKS.index(card.rank)) if card else (0, 13)
        picture = deck.face(card) if card else deck.back
        small = cv2.resize(picture, (card_w, card_h), interpolation=cv2.INTER_AREA).astype(np.float32)
        y, x = 10 + row * (card_h + 10), 10 + column * (card_w + 10)
        alpha = small[..., 3:] / 255
        place = sheet[y : y + card_h, x : x + card_w]
        place[:] = (small[..., :3] * alpha + place * (1 - alpha)).astype(np.uint8)
    return sheet


def _draw_face(card: Card, look: DeckLook) -> Picture:
    pen = Pen(*CARD_MM, PX_PER_MM * _SUPERSAMPLING, look.paper)
    if card.rank in PIP_PLACES:
        _draw_pips(pen, card, look)
    else:
        panel = court_panel(card.rank, card.suit, look, pen.scale)
        _paste(pen, panel, ((CARD_MM[0] - PANEL_MM[0]) / 2, (CARD_MM[1] - PANEL_MM[1]) / 2))
    corners = 0 if card.rank in look.bare else look.corners // 2
    for x in (look.index_x, CARD_MM[0] - look.index_x)[:corners]:
        _draw_index(pen, card, look, x)  # last, so that no panel covers it
        _turn_index_round(pen, look, x)
    return pen.shrunk(_SUPERSAMPLING)


def _turn_index_round(pen: Pen, look: DeckLook, x: float) -> None:
    """Copies the index round ``x`` on the upper edge, turned by 180°, to the opposite corner."""
    half = look.index_x + 0.1
    left, right = round(max(0.0, x - half) * pen.scale), round(min(CARD_MM[0], x + half) * pen.scale)
    height = round((look.index_top + look.index_mm + (3.0 if look.plaque else 0.6)) * pen.scale)
    width = pen.pixels.shape[1]
    place = pen.pixels[-height:, width - right : width - left]
    place[:] = np.minimum(place, pen.pixels[:height, left:right][::-1, ::-1])


def rank_width_mm(card: Card, look: DeckLook) -> float:
    """How wide the rank is printed in an index."""
    mask = rank_mask(look.letters.get(card.rank, card.rank), look.face, round(look.rank_mm * PX_PER_MM))
    return float(min(mask.shape[1] / PX_PER_MM, look.index_x * 2 - 2.4))


def _draw_index(pen: Pen, card: Card, look: DeckLook, x: float) -> None:
    colour = look.paper if look.plaque else look.inks.of(card.suit)
    if look.plaque:
        _draw_plaque(pen, look, x, look.inks.of(card.suit))
    mask = rank_mask(look.letters.get(card.rank, card.rank), look.face, round(look.rank_mm * pen.scale))
    widest = round((look.index_x * 2 - 2.4) * pen.scale)
    if mask.shape[1] > widest:
        mask = np.asarray(cv2.resize(mask, (widest, mask.shape[0]), interpolation=cv2.INTER_AREA), np.uint8)
    left = round(x * pen.scale - mask.shape[1] / 2)
    top = round(look.index_top * pen.scale)
    _ink(pen.pixels[top : top + mask.shape[0], left : left + mask.shape[1]], mask, colour)
    middle = look.index_top + look.rank_mm + 1.5 + look.suit_mm / 2
    for outline in look.signs[card.suit]:
        pen.fill(outline * look.suit_mm + np.array([x, middle]), colour)


def _draw_plaque(pen: Pen, look: DeckLook, x: float, colour: Colour) -> None:
    half, top = look.index_x * 0.78, look.index_top - 1.6
    foot = look.index_top + look.index_mm + 2.6
    corners = [(x - half, top), (x + half, top), (x + half, foot - 2.4), (x, foot), (x - half, foot - 2.4)]
    pen.fill(corners, colour)


def _draw_pips(pen: Pen, card: Card, look: DeckLook) -> None:
    reach_x, reach_y = look.field_mm
    size = look.pip_mm * (2.2 if card.rank == "A" else 1.0)
    for x, y in PIP_PLACES[card.rank]:
        place = np.array([CARD_MM[0] / 2 + x * reach_x, CARD_MM[1] / 2 + y * reach_y])
        for outline in look.signs[card.suit]:
            pen.fill((outline if y <= 0 else -outline) * size + place, look.inks.of(card.suit))


def _ink(place: Picture, mask: Picture, colour: Colour) -> None:
    share = mask[..., None].astype(np.float32) / 255
    place[:] = (place * (1 - share) + np.asarray(colour, np.float32) * share).astype(np.uint8)


def _paste(pen: Pen, picture: Picture, corner: tuple[float, float]) -> None:
    x, y = round(corner[0] * pen.scale), round(corner[1] * pen.scale)
    pen.pixels[y : y + picture.shape[0], x : x + picture.shape[1]] = picture


def _cut_out(rgb: Picture) -> Picture:
    """The picture with an alpha channel that rounds its corners, and a thin grey rim as paper has."""
    height, width = rgb.shape[:2]
    radius = round(_CORNER_MM * PX_PER_MM)
    alpha = np.zeros((height * 4, width * 4), np.uint8)
    r = radius * 4
    cv2.rectangle(alpha, (r, 0), (width * 4 - 1 - r, height * 4), 255, -1)
    cv2.rectangle(alpha, (0, r), (width * 4, height * 4 - 1 - r), 255, -1)
    for x in (r, width * 4 - 1 - r):
        for y in (r, height * 4 - 1 - r):
            cv2.circle(alpha, (x, y), r, 255, -1)
    small = np.asarray(cv2.resize(alpha, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    inside = np.asarray(cv2.erode(small, np.ones((5, 5), np.uint8), borderValue=0), np.uint8)
    rim = (small > 0) & (inside < 255)
    shaded = rgb.copy()
    shaded[rim] = (shaded[rim] * 0.82).astype(np.uint8)
    return np.dstack([shaded, small])
