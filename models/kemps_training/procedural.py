"""Decks drawn by chance: index font, stretch, suit shapes, colours, places, pips and courts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kemps_training.bodies import Paint, draw_court, draw_frame, draw_pips, paint
from kemps_training.decks import (
    FACE_WIDTH_PX,
    FACES,
    PRINTED,
    RANKS,
    SUITS,
    Deck,
    Image,
    IndexBox,
    face_number,
)
from kemps_training.glyphs import Font, Mask, SuitSet, draws, text_mask

# Heights of real decks: poker 63x88 (336 px), bridge 57x88 (372 px).
HEIGHTS_PX = (336, 336, 336, 340, 350, 372, 372)
TEN = RANKS.index("T")
KING = RANKS.index("K")
# A rank so much wider than the usual letter has two of them, as Kn has.
WIDE = 1.5


@dataclass(frozen=True, slots=True)
class Index:
    """How the index of one procedural deck is drawn; lengths in px of a 240 px wide face."""

    letters: tuple[Mask, ...]
    suits: SuitSet
    left: float
    top: float
    rank_height: float
    rank_width: float
    suit_height: float
    gap: float
    ten_squeeze: float

    @property
    def box(self) -> IndexBox:
        """The box of an index with a letter of usual width."""
        bottom = self.top + self.rank_height + self.gap + self.suit_height
        return IndexBox(
            self.left,
            self.top,
            self.left + self.rank_width,
            bottom,
            self.top + self.rank_height + self.gap / 2,
        )


@dataclass(frozen=True, slots=True)
class Style:
    """The rest of a procedural deck."""

    height: int
    paper: Paint
    colours: tuple[Paint, Paint, Paint, Paint]
    pips: SuitSet
    pip_height: float
    corners: int
    court: str
    frame: bool


def make_deck(
    rng: np.random.Generator,
    name: str,
    fonts: Sequence[Font],
    suits: list[SuitSet],
    courts: list[Deck],
    split: str = "train",
    alphabet: str = "international",
) -> Deck | None:
    """A deck by chance, or None if its font lacks a letter; ``courts`` lend the middles of court cards."""
    index = _choose_index(rng, fonts, suits, PRINTED[alphabet])
    if index is None:
        return None
    style = _choose_style(rng, index, suits)
    lender = courts[int(rng.integers(len(courts)))] if courts else None
    faces = np.empty((FACES, style.height, FACE_WIDTH_PX, 3), np.uint8)
    for rank in range(len(RANKS)):
        for suit in range(len(SUITS)):
            faces[face_number(rank, suit)] = _draw_face(rng, index, style, lender, rank, suit)
    return Deck(
        name, faces, np.ones(FACES, bool), index.box, style.corners, 0.9, split, glyphs=PRINTED[alphabet]
    )


def _choose_index(
    rng: np.random.Generator, fonts: Sequence[Font], suits: list[SuitSet], glyphs: tuple[str, ...]
) -> Index | None:
    font = fonts[int(rng.integers(len(fonts)))]
    if not all(draws(font, glyph) for glyph in glyphs):
        return None
    stroke = int(rng.choice([0, 0, 0, 2, 4, 6]))
    letters = [text_mask(font, text, stroke) for text in glyphs]
    if any(letter is None for letter in letters):
        return None
    jumbo = rng.random() < 0.35
    rank_height = rng.uniform(44, 78) if jumbo else rng.uniform(19, 46)
    # The widest index is 0.38 of the card's length high.
    suit_height = min(rank_height * rng.uniform(0.5, 1.0), 128 - rank_height if jumbo else 60)
    return Index(
        letters=tuple(letter for letter in letters if letter is not None),
        suits=suits[int(rng.integers(len(suits)))],
        left=rng.uniform(4, 19),
        top=rng.uniform(6, 24),
        rank_height=rank_height,
        rank_width=rank_height * rng.uniform(0.42, 0.95),
        suit_height=suit_height,
        gap=rng.uniform(1.5, 9) * (1.5 if jumbo else 1),
        ten_squeeze=rng.uniform(0.6, 1.0),
    )


def _choose_style(rng: np.random.Generator, index: Index, suits: list[SuitSet]) -> Style:
    red: Paint = (rng.uniform(165, 235), rng.uniform(5, 60), rng.uniform(10, 75))
    grey = rng.uniform(3, 55)
    black: Paint = (grey, grey, grey + rng.uniform(-3, 12))
    colours = (black, red, red, black)
    if rng.random() < 0.08:
        green, blue = (20.0, rng.uniform(90, 150), 50.0), (30.0, rng.uniform(60, 110), rng.uniform(150, 220))
        colours = (green, blue, red, black)
    tone = rng.uniform(234, 255)
    paper: Paint = (tone, tone * rng.uniform(0.97, 1), tone * rng.uniform(0.9, 1))
    return Style(
        height=int(rng.choice(HEIGHTS_PX)),
        paper=paper,
        colours=colours,
        pips=suits[int(rng.integers(len(suits)))] if rng.random() < 0.4 else index.suits,
        pip_height=rng.uniform(26, 38) if index.rank_height > 44 else rng.uniform(32, 54),
        corners=4 if rng.random() < 0.12 else 2,
        court=str(rng.choice(["lent", "lent", "lent", "letter", "shapes", "sign"])),
        frame=bool(rng.random() < 0.55),
    )


def _draw_face(
    rng: np.random.Generator, index: Index, style: Style, lender: Deck | None, rank: int, suit: int
) -> Image:
    face = np.tile(np.array(style.paper, np.float32), (style.height, FACE_WIDTH_PX, 1))
    colour = style.colours[suit]
    if rank == 0:
        side = rng.uniform(60, 130)
        paint(face, style.pips.masks[suit], (FACE_WIDTH_PX / 2, style.height / 2), (side, side), colour)
    elif rank <= TEN:
        draw_pips(
            face, style.pips.masks[suit], rank + 1, style.pip_height, colour, narrow=index.rank_height > 44
        )
    else:
        lent = None if lender is None else lender.face(face_number(rank, suit))
        draw_court(face, style.court, lent, index.letters[rank], style.pips.masks[suit], colour)
        if style.frame:
            draw_frame(face, colour)
    for _ in range(2):
        _draw_index(face, index, rank, suit, colour, mirrored=False)
        if style.corners == 4:
            _draw_index(face, index, rank, suit, colour, mirrored=True)
        face = np.ascontiguousarray(face[::-1, ::-1])
    return face.clip(0, 255).astype(np.uint8)


def _draw_index(
    face: NDArray[np.float32], index: Index, rank: int, suit: int, colour: Paint, *, mirrored: bool
) -> None:
    letter, sign = index.letters[rank], index.suits.masks[suit]
    usual = np.mean([index.letters[k].shape[1] / index.letters[k].shape[0] for k in (0, 4, 11, 12)])
    width = index.rank_width * letter.shape[1] / letter.shape[0] / float(usual)
    if rank == TEN or letter.shape[1] > WIDE * letter.shape[0] * float(usual):
        width = min(width, index.rank_width * 1.65) * index.ten_squeeze
    king = index.letters[KING].shape[0]
    height = index.rank_height * (letter.shape[0] / king if letter.shape[0] > king * 1.03 else 1)
    sign_width = min(index.suit_height * sign.shape[1] / sign.shape[0], index.suit_height * 1.15)
    x = max(index.left + index.rank_width / 2, width / 2 + 4, sign_width / 2 + 4)
    x = FACE_WIDTH_PX - x if mirrored else x
    paint(face, letter, (x, index.top + height / 2), (width, height), colour)
    sign_top = index.top + height + index.gap
    paint(face, sign, (x, sign_top + index.suit_height / 2), (sign_width, index.suit_height), colour)
