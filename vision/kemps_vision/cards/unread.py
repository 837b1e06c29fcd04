"""Cards that lie face up but could not be read: an index is there, what it says is not clear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from kemps_vision.cards.quads import is_inside
from kemps_vision.cards.reading import CardReading

# How many of the missed cards these tell, and how many that are not there, `kemps bench cards` counts: on the
# open photos 14 of 19 and 4, nearly all of them courts with German letters.
_SURE_OF_CARD: Final = 0.85
_HOT: Final = 0.5
_SAME_HEIGHT: Final = (0.6, 1.7)  # of a picture's usual index: one deck at about one distance


def unread_among(doubtful: Sequence[CardReading], known: Sequence[CardReading]) -> list[CardReading]:
    """Those of the doubtful cards that are surely cards, without a name; the score is the belief in that.

    They keep their log-probabilities: over several frames these may add up to a name.
    """
    usual = float(np.median([_index_height(card) for card in known])) if known else None
    shown = [
        replace(card, card=None, score=_presence(card)) for card in doubtful if _fits(card, known, usual)
    ]
    return [card for card in shown if card.score >= _SURE_OF_CARD]


def _fits(card: CardReading, known: Sequence[CardReading], usual_height: float | None) -> bool:
    if max(index.heat for index in card.indices) < _HOT:
        return False
    height = _index_height(card)
    if (
        usual_height is not None
        and not _SAME_HEIGHT[0] * usual_height < height < _SAME_HEIGHT[1] * usual_height
    ):
        return False
    bodies = [other.quad for other in known if other.is_read_twice]
    return not any(is_inside(body, index.centre) for body in bodies for index in card.indices)


def _presence(card: CardReading) -> float:
    return float(1.0 - np.prod([1.0 - index.presence for index in card.indices]))


def _index_height(card: CardReading) -> float:
    return float(np.linalg.norm(card.indices[0].up))
