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
from kemps_vision.cards.reading import LONE_SCORE, CardReading, IndexReading
from kemps_vision.spots import Spot

OWN_INDEX: Final = (
    0.06  # card lengths: an index so near to a known one is that one; a fan's are farther apart
)
BODY: Final = -0.1  # of the card's size outside its edge: there an index may still be its own
LEARNT_FROM: Final = 12  # pairs of settled cards, before distances are judged
LEARNT_MOST: Final = 60
NEARER, FARTHER = 0.62, 1.4  # than any pair of settled cards was


class Pairing:
    """What the settled cards tell about pairs of indices."""

    def __init__(self) -> None:
        self._apart: deque[float] = deque(maxlen=LEARNT_MOST)  # distances of pairs, in index heights

    def learn(self, card: CardReading, spot: Spot) -> None:
        """Learn from a reading of a card at rest that named it again."""
        if spot.is_settled and spot.is_clear and card.card == spot.card and len(card.indices) == 2:
            self._apart.append(_apart(*card.indices))

    def parted(self, card: CardReading, lying: Sequence[Spot]) -> list[CardReading]:
        """The card, or a card for each of its indices when they cannot all be of one."""
        if len(card.indices) < 2:
            return [card]
        if self._is_usual(card) and not any(_is_foreign(card, spot) for spot in lying):
            return [card]
        return [_alone(index) for index in card.indices]

    def _is_usual(self, card: CardReading) -> bool:
        if len(self._apart) < LEARNT_FROM or len(card.indices) > 2:
            return True
        least, most = np.quantile(self._apart, (0.05, 0.95))
        return bool(NEARER * least < _apart(*card.indices) < FARTHER * most)


def _apart(first: IndexReading, second: IndexReading) -> float:
    height = (np.linalg.norm(first.up) + np.linalg.norm(second.up)) / 2
    return float(np.linalg.norm(first.centre - second.centre) / max(float(height), 1e-6))


def _is_foreign(card: CardReading, spot: Spot) -> bool:
    """Whether some indices are of a card that lies there in full view, and others are beside it."""
    if not (spot.is_settled and spot.is_clear):
        return False
    reach = OWN_INDEX * spot.length_px
    own = [
        any(float(np.linalg.norm(index.centre - known)) < reach for known in spot.index_centres)
        for index in card.indices
    ]
    beside = [not is_inside(spot.quad, index.centre, inset=BODY) for index in card.indices]
    return any(own) and any(is_out and not is_own for is_out, is_own in zip(beside, own, strict=True))


def _alone(index: IndexReading) -> CardReading:
    card = card_of((index,))
    return card if card.score >= LONE_SCORE else replace(card, card=None)
