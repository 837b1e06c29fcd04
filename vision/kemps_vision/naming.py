"""Names for all cards at rest together: a deck has each card so many times, and no more.

What is known of the deck is a prior on each card's votes: a name that as many others bear as there are copies
costs ``TAKEN_NATS``. So a card that reads nearly as well as another is named the other when its own name is
taken, and one that clearly is a second copy is still told as what it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from kemps_rules.cards import DECK_52, Card
from kemps_vision.cards.reading import Floats

Counts: TypeAlias = NDArray[np.int64]

TAKEN_NATS: Final = (
    4.0  # a copy too many is that unlikely: e**-4 = 2 %, two readings that are sure outweigh it
)
_LEAST: Final = -60.0
SETTLED_NATS: Final = 40.0


def copies_of(cards: Iterable[Card], copies: int = 1) -> Counts:
    """(52,) how often each card is in play, in the order of ``DECK_52``."""
    there = set(cards)
    return np.array([copies if card in there else 0 for card in DECK_52])


def named_together(log_p: Sequence[Floats], copies: Counts) -> list[int]:
    """The places in ``DECK_52`` of the likeliest names for some cards, each with (52,) log-likelihoods.

    A name borne by more cards than there are copies costs ``TAKEN_NATS`` for each one too many (a linear
    assignment, Kuhn 1955).
    """
    if not log_p:
        return []
    cost = -np.maximum(np.stack([one - one.max() for one in log_p]), _LEAST)
    places = np.concatenate([np.repeat(np.arange(len(DECK_52)), copies), np.tile(np.arange(52), len(log_p))])
    extra = np.concatenate([np.zeros(int(copies.sum())), np.full(52 * len(log_p), TAKEN_NATS)])
    rows, columns = linear_sum_assignment(cost[:, places] + extra)
    return [int(places[column]) for _, column in sorted(zip(rows.tolist(), columns.tolist(), strict=True))]


def prior_of(others: Mapping[int, int], copies: Counts) -> Floats:
    """(52,) nats to add to a card's votes, given how often each name is borne by others."""
    taken = np.array([others.get(place, 0) >= copies[place] for place in range(len(DECK_52))])
    return np.where(taken, -TAKEN_NATS, 0.0)


def priors_of(log_p: Sequence[Floats], copies: Counts) -> list[Floats]:
    """For each of some cards the prior that the names of all the others leave it."""
    names = named_together(log_p, copies)
    borne = Counter(names)
    return [prior_of(borne - Counter([name]), copies) for name in names]


def certain_of(card: Card) -> NDArray[np.float64]:
    """(52,) log-likelihoods of a card that is settled."""
    log_p = np.full(len(DECK_52), -SETTLED_NATS)
    log_p[DECK_52.index(card)] = 0.0
    return log_p
