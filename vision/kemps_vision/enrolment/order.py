"""Which card each rest of a sweep shows, when the order of the cards is known and a few are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from kemps_rules.cards import DECK_52, RANKS, SUITS, Card
from kemps_vision.cards.reading import Floats
from kemps_vision.errors import ReaderError

SUIT_ORDER: Final = "shdc"

# Nats. A card that an untaught reader misreads costs no more than _FLOOR: on odd decks it misreads many.
_FLOOR: Final = -4.0
_SKIPPED: Final = -7.0  # a card of the order that no rest shows
_STAYED: Final = -5.0  # a rest that shows the card before again: pushed, or a hand left and came back
_NO_CARD: Final = -9.0  # a rest that shows nothing of the order


def dealing_order(suits: str = SUIT_ORDER) -> tuple[Card, ...]:
    """The deck, a suit after the other, each from the ace to the king.

    >>> " ".join(str(card) for card in dealing_order("hscd")[:3])
    'Ah 2h 3h'

    Raises:
        ReaderError: ``suits`` does not name each suit once.
    """
    if sorted(suits) != sorted(SUITS):
        raise ReaderError(f"the order {suits!r} must name each suit once, as in {SUIT_ORDER}")
    return tuple(Card(rank, suit) for suit in suits for rank in RANKS)


def cards_shown(log_p: Sequence[Floats | None], order: Sequence[Card]) -> list[Card | None]:
    """For each rest the card that it shows, or None; the deck may be dealt through more than once.

    The likeliest walk through the order (Viterbi), where a rest may show the card before again and cards
    may be skipped.

    Args:
        log_p: For each rest (52,) log-probabilities in the order of ``DECK_52``, None where nothing was read.
        order: The order in which the cards were dealt.
    """
    rounds = max(1, round(len(log_p) / len(order)))
    places = np.array([DECK_52.index(card) for card in order] * rounds)
    steps = np.arange(len(places) + 1)  # step s: the first s cards of the order have been dealt
    ahead = steps[:, None] - steps[None, :]
    moves = np.where(ahead > 0, (ahead - 1) * _SKIPPED, np.where(ahead == 0, _STAYED, -np.inf))
    moves[:, 0] = np.where(steps > 0, (steps - 1) * _SKIPPED, -np.inf)
    best = np.where(steps == 0, 0.0, -np.inf)
    came_from: list[tuple[np.ndarray, np.ndarray]] = []
    for row in log_p:
        fits = np.full(len(steps), -np.inf)
        fits[1:] = 0.0 if row is None else np.maximum(row - row.max(), _FLOOR)[places]
        walked = best[None, :] + moves
        previous = walked.argmax(axis=1)
        shown = walked.max(axis=1) + fits
        is_shown = shown >= best + _NO_CARD
        came_from.append((np.where(is_shown, previous, steps), is_shown))
        best = np.where(is_shown, shown, best + _NO_CARD)
    return _walk_back(int(best.argmax()), came_from, places)


def _walk_back(
    step: int, came_from: Sequence[tuple[np.ndarray, np.ndarray]], places: np.ndarray
) -> list[Card | None]:
    found: list[Card | None] = []
    for previous, is_shown in reversed(came_from):
        found.append(DECK_52[int(places[step - 1])] if is_shown[step] and step else None)
        step = int(previous[step])
    return found[::-1]
