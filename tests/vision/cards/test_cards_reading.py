"""What a reading answers about itself."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_rules.cards import DECK_52, Card
from kemps_vision.cards.reading import CardReading, IndexReading, Reading

SQUARE = np.array([[10.0, 10.0], [73.0, 10.0], [73.0, 98.0], [10.0, 98.0]])


def a_card(text: str | None, quad: NDArray[np.float64] = SQUARE) -> CardReading:
    card = None if text is None else Card.parse(text)
    return CardReading(card=card, score=0.9, quad=quad, log_p=np.zeros(52), indices=())


def a_reading(*cards: CardReading) -> Reading:
    unread = sum(card.card is None for card in cards)
    return Reading(cards=cards, unread=unread, face_down=0, alphabet="international", ms=1.0)


def test_a_card_read_at_two_places_is_told_and_kept() -> None:
    reading = a_reading(a_card("9s"), a_card("Kd"), a_card("9s"))
    assert reading.duplicates == (Card.parse("9s"),)
    assert len(reading.cards) == 3


def test_unread_cards_are_no_duplicates_of_each_other() -> None:
    reading = a_reading(a_card(None), a_card(None), a_card("2c"))
    assert reading.duplicates == ()
    assert [str(card.card) for card in reading.known] == ["2c"]


def test_an_index_gives_its_log_probabilities_in_the_order_of_the_deck() -> None:
    rank, suit = np.full(13, -9.0), np.full(4, -9.0)
    rank[9], suit[2] = 0.0, 0.0  # T and h
    index = IndexReading(np.zeros(2), np.zeros(2), np.zeros(2), 1.0, rank, suit, 0.0)
    assert DECK_52[int(index.log_p.argmax())] == Card.parse("Th")


def test_the_centre_of_a_card_seen_at_a_slant_is_where_its_diagonals_cross() -> None:
    quad = np.array([[0.0, 0.0], [4.0, 0.0], [3.0, 2.0], [1.0, 2.0]])
    assert a_card("9s", quad).centre == pytest.approx([2.0, 4.0 / 3.0])


def test_the_centre_of_a_collapsed_quad_is_a_number() -> None:
    assert a_card("9s", np.ones((4, 2))).centre == pytest.approx([1.0, 1.0])


def test_the_card_length_of_a_picture_is_the_median_long_side() -> None:
    cards = [a_card("9s", SQUARE * factor) for factor in (1.0, 2.0, 5.0)]
    assert a_reading(*cards).card_length_px == pytest.approx(176.0)
    assert a_reading().card_length_px is None
