"""Two cards of one name that both lie in full view, though the deck has only one: told once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from kemps_rules.cards import DECK_52
from kemps_vision.changes import Conflict
from kemps_vision.naming import Counts
from kemps_vision.spots import Spot

TWIN_FRAMES: Final = 8  # watched ones in which both lie there: a moment's misreading is no duplicate


class Twins:
    """Counts how long two settled cards of one name lie there; ``copies`` tells how many there may be."""

    def __init__(self, copies: Counts) -> None:
        self._copies = copies
        self._seen: Counter[tuple[int, int]] = Counter()

    def watch(self, settled: Sequence[Spot], at_ms: int) -> list[Conflict]:
        """The pairs that have now been there long enough."""
        lying = [spot for spot in settled if spot.card is not None and spot.is_clear]
        found = []
        for first, second in combinations(lying, 2):
            card = second.card
            if card is None or first.card != card or self._copies[DECK_52.index(card)] > 1:
                continue
            pair = first.id, second.id
            self._seen[pair] += 1
            if self._seen[pair] == TWIN_FRAMES:
                found.append(Conflict(spot=second.id, card=card, seen=card, at_ms=at_ms, twin=first.id))
        return found
