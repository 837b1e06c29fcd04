"""Readings drawn onto their pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from kemps_vision.cards.instances import card_of
from kemps_vision.cards.reading import CardReading, IndexReading, Pixels, Reading
from kemps_vision.cards.sketch import sketch

Maker = Callable[..., IndexReading]
BLANK: Pixels = np.full((240, 320, 3), 90, np.uint8)


@pytest.fixture
def card(an_index: Maker) -> CardReading:
    return card_of((an_index("9s", at=(160, 120)),))


def a_reading(*cards: CardReading) -> Reading:
    return Reading(cards, unread=0, face_down=0, alphabet="international", ms=0.0)


def inked(*cards: CardReading) -> int:
    """How many pixels on the card's upper side, away from its corners, differ from the blank picture."""
    drawn = sketch(BLANK, a_reading(*cards))
    return int((drawn[28:36, 110:210] != 90).any(axis=2).sum())


def test_the_picture_given_stays_as_it_is(card: CardReading) -> None:
    drawn = sketch(BLANK, a_reading(card))
    assert drawn.shape == BLANK.shape
    assert np.all(BLANK == 90)
    assert np.any(drawn != 90)


def test_doubtful_and_unread_cards_differ_in_line_not_only_in_colour(card: CardReading) -> None:
    sure, doubtful = replace(card, score=0.99), replace(card, score=0.85)
    assert inked(sure) > 1.3 * inked(doubtful)
    assert inked(sure) > 1.3 * inked(replace(card, card=None))


def test_a_card_at_two_places_is_drawn_as_doubtful(card: CardReading) -> None:
    sure = replace(card, score=0.99)
    assert inked(sure) > 1.3 * inked(sure, replace(sure, quad=sure.quad + np.array([0.0, 500.0])))


def test_large_pictures_are_drawn_smaller_and_tiny_ones_at_all(card: CardReading) -> None:
    assert sketch(np.zeros((2000, 4000, 3), np.uint8), a_reading(card)).shape == (800, 1600, 3)
    assert sketch(np.zeros((1, 1, 3), np.uint8), a_reading(card)).shape == (1, 1, 3)
