"""When a card that newly lies there is an old one that was pushed."""

from __future__ import annotations

import numpy as np
import pytest

from kemps_rules.cards import DECK_52, Card
from kemps_vision.naming import copies_of
from kemps_vision.neighbours import is_pushed
from kemps_vision.spots import Spot

LENGTH = 100.0


def spot(number: int, x: float, *, kept: float, first_read_ms: int, found_ms: int) -> Spot:
    corners = np.array([[0.0, 0.0], [64.0, 0.0], [64.0, LENGTH], [0.0, LENGTH]])
    corners += np.array([x, 0.0])
    return Spot(
        id=number,
        quad=corners,
        first_read_ms=first_read_ms,
        card=Card.parse("8d"),
        kept=kept,
        found_ms=found_ms,
    )


def old(*, kept: float = 0.2, found_ms: int = 900) -> Spot:
    return spot(1, 0.0, kept=kept, first_read_ms=0, found_ms=found_ms)


def new(x: float = 50.0, *, kept: float = 1.0) -> Spot:
    return spot(2, x, kept=kept, first_read_ms=1000, found_ms=1500)


def test_a_card_half_in_its_old_place_was_pushed() -> None:
    assert is_pushed(old(), new(), copies_of(DECK_52))


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (old(kept=0.95), new()),  # it lies there still, in full view
        (old(found_ms=1200), new()),  # a reading has found it there since
        (old(), new(kept=0.4)),  # a hand may hold the other
        (old(), new(x=0.85 * LENGTH)),  # so far away its old place shows bare, if it has left it
    ],
)
def test_else_it_may_be_another(before: Spot, now: Spot) -> None:
    assert not is_pushed(before, now, copies_of(DECK_52))


def test_of_two_decks_it_may_be_its_twin() -> None:
    assert not is_pushed(old(), new(), copies_of(DECK_52, 2))
