"""Which card each place holds, decided together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kemps_rules.cards import DECK_52, Card
from kemps_vision.cards.identities import assign


def beliefs(**p: float) -> NDArray[np.float64]:
    """(52,) log-probabilities; what is not named shares what is left."""
    rest = (1.0 - sum(p.values())) / (52 - len(p))
    return np.log([p.get(f"_{card}", rest) for card in DECK_52])


def names(cards: list[Card]) -> list[str]:
    return [str(card) for card in cards]


def test_each_place_gets_its_likeliest_card_when_they_differ() -> None:
    assert names(assign([beliefs(_9s=0.9), beliefs(_9h=0.8, _9s=0.1)])) == ["9s", "9h"]


def test_a_place_with_a_good_alternative_gives_way() -> None:
    assert names(assign([beliefs(_9s=0.99), beliefs(_9s=0.5, _6s=0.4)])) == ["9s", "6s"]


def test_two_sure_copies_of_a_card_are_both_kept() -> None:
    assert names(assign([beliefs(_9s=0.999), beliefs(_9s=0.998)])) == ["9s", "9s"]


def test_three_copies_are_kept_too() -> None:
    assert names(assign([beliefs(_9s=0.9999)] * 3)) == ["9s"] * 3


def test_no_places_have_no_cards() -> None:
    assert assign([]) == []
