"""Two indices joined to one card, checked against what lies on the table: whose are they, how far apart?

Where only part of the picture is read, a card may be cut off so that one of its indices is left over and
joined with another card's. The cards at rest tell: an index of theirs is no other card's, and in one deck
opposite indices are always about as far apart, in index heights.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from kemps_vision.cards.instances import card_of
from kemps_vision.cards.quads import is_inside
from kemps_vision.cards.reading import LONE_SCORE, PAIR_SCORE, CardReading, IndexReading
from kemps_vision.spots import BESIDE, Spot

OWN_INDEX: Final = (
    0.06  # card lengths: an index so near to a known one is that one; a fan's are farther apart
)
LEARNT_FROM: Final = 12  # pairs of settled cards, before distances are judged
LEARNT_MOST: Final = 60
NEARER, FARTHER = 0.62, 1.4  # than any pair of settled cards was


class Pairing:
    """What the settled cards tell about pairs of indices."""

    def __init__(self) -> None:
        self._apart: deque[float] = deque(maxlen=LEARNT_MOST)  # distances of pairs, in index heights

    def learn(self, card: CardReading, spot: Spot) -> None:
        """Learn from a reading of a card at rest that named it again."""
        if spot.card is None or card.card != spot.card or len(card.indices) != 2:
            return  # of what cannot be read, the indices may be of several cards
        if spot.is_settled and spot.is_clear:
            self._apart.append(_apart(*card.indices))

    def parted(self, card: CardReading, lying: Sequence[Spot]) -> list[CardReading]:
        """The card, or several when its indices cannot be of one; first what is of a card that lies there."""
        if len(card.indices) < 2:
            return [card]
        if not self._is_usual(card):
            return [_of((index,)) for index in card.indices]
        for spot in lying:
            own = _own_among(card, spot)
            if any(own) and not all(own):
                of_spot = tuple(index for index, is_own in zip(card.indices, own, strict=True) if is_own)
                others = [index for index, is_own in zip(card.indices, own, strict=True) if not is_own]
                return [_of(of_spot), *(_of((index,)) for index in others)]
        return [card]

    def parted_among(self, cards: Sequence[CardReading], lying: Sequence[Spot]) -> list[CardReading]:
        """The cards of one reading, parted; an index that was another's goes to the card in which it lies."""
        whole: list[CardReading] = []
        loose: list[CardReading] = []
        for card in cards:
            parts = self.parted(card, lying)
            whole += parts[:1] if len(parts) == 1 else []
            loose += parts if len(parts) > 1 else []
        for part in loose:
            place = next((at for at, card in enumerate(whole) if _lies_in(part, card)), None)
            if place is None:
                whole.append(part)
            else:
                both = _of((*whole[place].indices, *part.indices))
                whole[place] = replace(both, quad=whole[place].quad)
        return whole

    def _is_usual(self, card: CardReading) -> bool:
        if len(self._apart) < LEARNT_FROM or len(card.indices) > 2:
            return True
        least, most = np.quantile(self._apart, (0.05, 0.95))
        return bool(NEARER * least < _apart(*card.indices) < FARTHER * most)


def _apart(first: IndexReading, second: IndexReading) -> float:
    height = (np.linalg.norm(first.up) + np.linalg.norm(second.up)) / 2
    return float(np.linalg.norm(first.centre - second.centre) / max(float(height), 1e-6))


def _own_among(card: CardReading, spot: Spot) -> list[bool]:
    """Which indices may be of a card that lies there in full view, if some surely are; else all or none."""
    if not (spot.is_settled and spot.is_clear):
        return [False] * len(card.indices)
    reach = OWN_INDEX * spot.length_px
    known = [
        any(float(np.linalg.norm(index.centre - place)) < reach for place in spot.index_centres)
        for index in card.indices
    ]
    if not any(known):
        return known
    inside = [is_inside(spot.quad, index.centre, inset=BESIDE) for index in card.indices]
    return [is_known or is_in for is_known, is_in in zip(known, inside, strict=True)]


def _lies_in(part: CardReading, card: CardReading) -> bool:
    """Whether a lone index is one of a card that was read without it."""
    centre, reach = part.indices[0].centre, OWN_INDEX * card.length_px
    is_new = all(float(np.linalg.norm(index.centre - centre)) >= reach for index in card.indices)
    return len(part.indices) == 1 and is_new and is_inside(card.quad, centre)


def _of(indices: tuple[IndexReading, ...]) -> CardReading:
    card = card_of(indices)
    least = LONE_SCORE if len(indices) == 1 else PAIR_SCORE
    return card if card.score >= least else replace(card, card=None)
