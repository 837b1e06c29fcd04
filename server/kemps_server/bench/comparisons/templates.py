"""Masks of ranks and suits as they stand in the corner of a card, and which of them an index looks like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.cards import Card
from kemps_vision.cards.reading import Pixels

CARD_SIZE: Final = (252, 352)
"""Width and height of a card after its perspective is taken out, 4 px a millimetre."""

RANK_SIZE: Final = (48, 64)
SUIT_SIZE: Final = (48, 48)
SIZES: Final = (RANK_SIZE, SUIT_SIZE)
_CORNER: Final = (0.22, 0.36)  # of the card's width and height: what is cut out round an index
_MARGIN: Final = 0.02  # of the card's height: its edge and what lies beyond is no ink
_LEAST_INK: Final = 0.012  # of the corner's pixels
_LEAST_CONTRAST: Final = 40
_LEAST_ROWS: Final = 0.02  # of the card's height: lower runs of ink are specks


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """Rank and suit of one corner as masks of ink that fill their frames: (64, 48) and (48, 48), 0 or 255."""

    rank: NDArray[np.uint8]
    suit: NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """What an index looks like most, and by how much it differs: shares, 0..1, of its pixels."""

    card: Card
    rank_off: float
    suit_off: float


@dataclass(frozen=True, slots=True, eq=False)
class Templates:
    """Masks of the ranks and suits of some decks, several of each."""

    ranks: Mapping[str, list[NDArray[np.uint8]]]
    suits: Mapping[str, list[NDArray[np.uint8]]]

    def match(self, index: Index) -> Match:
        """The rank and the suit whose masks differ least from the index, pixel by pixel."""
        rank_off, rank = _nearest(index.rank, self.ranks)
        suit_off, suit = _nearest(index.suit, self.suits)
        return Match(Card(rank, suit), rank_off, suit_off)


def templates_of(decks: Iterable[Mapping[Card, Pixels]]) -> Templates:
    """The templates of decks, each given as RGB faces (352, 252, 3) by card."""
    ranks: dict[str, list[NDArray[np.uint8]]] = {}
    suits: dict[str, list[NDArray[np.uint8]]] = {}
    for faces in decks:
        for card, face in faces.items():
            index = index_of(np.asarray(cv2.cvtColor(face, cv2.COLOR_RGB2GRAY), np.uint8))
            if index is not None:
                ranks.setdefault(card.rank, []).append(index.rank)
                suits.setdefault(card.suit, []).append(index.suit)
    return Templates(ranks, suits)


def index_of(card: NDArray[np.uint8]) -> Index | None:
    """Rank and suit in the upper left corner of a grey card of ``CARD_SIZE``; None where none stand out.

    Ink is darker than Otsu's threshold; the rank is the first run of rows with ink, the suit the next.
    """
    width, height = CARD_SIZE
    margin = round(_MARGIN * height)
    corner = card[margin : round(_CORNER[1] * height), margin : round(_CORNER[0] * width)]
    if int(corner.max()) - int(corner.min()) < _LEAST_CONTRAST:
        return None
    _, ink = cv2.threshold(corner, 0, 255, cv2.THRESH_BINARY_INV + cv2.THRESH_OTSU)
    ink = _without_edges(np.asarray(ink, np.uint8))
    if (ink > 0).mean() < _LEAST_INK:
        return None
    runs = _runs(np.asarray(ink.any(axis=1)), round(_LEAST_ROWS * height))
    if len(runs) < 2:
        return None
    rank, suit = (_framed(ink[slice(*run)], size) for run, size in zip(runs, SIZES, strict=False))
    return None if rank is None or suit is None else Index(rank, suit)


def _nearest(mask: NDArray[np.uint8], named: Mapping[str, list[NDArray[np.uint8]]]) -> tuple[float, str]:
    return min(
        (float(cv2.absdiff(mask, template).mean()) / 255, name)
        for name, templates in named.items()
        for template in templates
    )


def _without_edges(ink: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The ink without what touches the corner's right or lower border: frames, pips and court art."""
    count, labels, boxes, _ = cv2.connectedComponentsWithStats(ink)
    kept = np.zeros(count, bool)
    for number in range(1, count):
        left, top, width, height, area = (int(value) for value in boxes[number])
        touches = left + width >= ink.shape[1] or top + height >= ink.shape[0] or left == 0 or top == 0
        kept[number] = not touches and area >= 12
    return np.asarray(np.where(kept[labels], 255, 0), np.uint8)


def _runs(rows: NDArray[np.bool_], least: int) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], rows.astype(np.int8), [0]])))
    runs = [(int(top), int(end)) for top, end in zip(edges[::2], edges[1::2], strict=True)]
    return [(top, end) for top, end in runs if end - top >= least]


def _framed(ink: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.uint8] | None:
    columns = np.flatnonzero(ink.any(axis=0))
    if not len(columns):
        return None
    cut = np.ascontiguousarray(ink[:, columns[0] : columns[-1] + 1])
    scaled = cv2.resize(cut, size, interpolation=cv2.INTER_AREA)
    return np.where(scaled > 127, 255, 0).astype(np.uint8)
