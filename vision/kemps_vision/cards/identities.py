"""Which card each place holds, decided for all places together: in one deck a card exists once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from scipy.optimize import linear_sum_assignment

from kemps_rules.cards import DECK_52, Card
from kemps_vision.cards.reading import Floats

DUPLICATE_COST: Final = 3.0
"""How much less likely (nats) a second copy of a card is held to be: e**-3 = 5 %; above it, both copies are
told."""


def assign(log_p: Sequence[Floats], *, duplicate_cost: float = DUPLICATE_COST) -> list[Card]:
    """The likeliest cards for places with log-probabilities ``log_p``, each (52,) in the order of the deck.

    Two places get the same card only when giving one of them its next best card costs more than
    ``duplicate_cost``: a real second copy (two decks, or an error that must be seen) is kept.
    """
    if not log_p:
        return []
    cost = -np.maximum(np.stack(log_p), -60.0)
    copies = [cost + copy * duplicate_cost for copy in range(len(log_p))]
    _, columns = linear_sum_assignment(np.concatenate(copies, axis=1))
    return [DECK_52[int(column) % len(DECK_52)] for column in columns]
