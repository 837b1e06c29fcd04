"""Pairs of indices that cannot be of one card are told apart by the cards that lie there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_rules.cards import DECK_52, RANKS, SUITS, Card
from kemps_vision.cards.reading import CardReading, IndexReading
from kemps_vision.pairing import LEARNT_FROM, Pairing
from kemps_vision.spots import Spot

HEIGHT = 8.0  # px, of half an index
APART = np.array([40.0, 60.0])  # from a card's first index to its second


def index(card: str, at: tuple[float, float], *, belief: float = 0.98) -> IndexReading:
    wanted = Card.parse(card)
    ranks = np.full(13, np.log((1 - belief) / 12))
    ranks[RANKS.index(wanted.rank)] = np.log(belief)
    suits = np.full(4, np.log((1 - belief) / 3))
    suits[SUITS.index(wanted.suit)] = np.log(belief)
    return IndexReading(
        centre=np.array(at),
        up=np.array([0.0, -HEIGHT]),
        right=np.array([HEIGHT, 0.0]),
        heat=0.9,
        rank_log_p=ranks,
        suit_log_p=suits,
        none_p=0.0,
    )


def quad_round(first: tuple[float, float], second: tuple[float, float]) -> NDArray[np.float64]:
    (left, top), (right, bottom) = first, second
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float64)
    grown = np.array([[-6.0, -10.0], [6.0, -10.0], [6.0, 10.0], [-6.0, 10.0]])
    return np.asarray(corners + grown, np.float64)


def pair(
    card: str, first: tuple[float, float], second: tuple[float, float], *, belief: float = 0.98
) -> CardReading:
    log_p = np.full(52, -9.0)
    log_p[DECK_52.index(Card.parse(card))] = 0.0
    both = (index(card, first, belief=belief), index(card, second, belief=belief))
    return CardReading(Card.parse(card), 0.99, quad_round(first, second), log_p, both)


def at_rest(card: str, first: tuple[float, float]) -> Spot:
    second = (first[0] + APART[0], first[1] + APART[1])
    read = pair(card, first, second)
    spot = Spot(id=1, quad=read.quad, first_read_ms=0)
    spot.vote(read)
    spot.card, spot.is_settled = Card.parse(card), True
    return spot


def test_a_card_read_as_it_lies_stays_one() -> None:
    spot = at_rest("Kd", (100, 100))
    read = pair("Kd", (100, 100), (140, 160))
    assert Pairing().parted(read, [spot]) == [read]


def test_an_index_of_a_card_at_rest_is_no_other_cards() -> None:
    spot = at_rest("Kd", (100, 100))
    read = pair("8d", (140, 160), (190, 230))  # the lower corner of the king and the upper of an eight
    parts = Pairing().parted(read, [spot])
    assert [len(part.indices) for part in parts] == [1, 1]
    assert [str(part.card) for part in parts] == ["8d", "8d"]


def test_a_part_that_is_not_sure_by_itself_has_no_name() -> None:
    spot = at_rest("Kd", (100, 100))
    parts = Pairing().parted(pair("8d", (140, 160), (190, 230), belief=0.6), [spot])
    assert [part.card for part in parts] == [None, None]


def test_a_covered_card_claims_no_index() -> None:
    spot = at_rest("Kd", (100, 100))
    spot.kept = 0.1
    read = pair("8d", (140, 160), (190, 230))
    assert Pairing().parted(read, [spot]) == [read]


@pytest.mark.parametrize(("second", "parts"), [((340.0, 360.0), 1), ((303.0, 316.0), 2), ((380.0, 430.0), 2)])
def test_opposite_indices_of_one_deck_are_about_as_far_apart(second: tuple[float, float], parts: int) -> None:
    pairing, spot = Pairing(), at_rest("Kd", (100, 100))
    read = pair("5c", (300, 300), second)
    assert pairing.parted(read, [spot]) == [read]  # nothing is known of the deck yet
    for _ in range(LEARNT_FROM):
        pairing.learn(pair("Kd", (100, 100), (140, 160)), spot)
    assert len(pairing.parted(read, [spot])) == parts


def test_nothing_is_learnt_of_cards_without_a_name_or_read_otherwise() -> None:
    pairing, spot = Pairing(), at_rest("Kd", (100, 100))
    for _ in range(LEARNT_FROM):
        pairing.learn(pair("Kc", (100, 100), (140, 160)), spot)
    assert len(pairing.parted(pair("5c", (300, 300), (303, 316)), [spot])) == 1


def test_nothing_is_learnt_of_a_card_that_cannot_be_read() -> None:
    # Cards laid over each other are told as one that cannot be read; their indices are nearer than usual.
    pairing, spot = Pairing(), at_rest("Kd", (100, 100))
    spot.card = None
    nearer = replace(pair("Kd", (100, 100), (108, 116)), card=None)
    for _ in range(LEARNT_FROM):
        pairing.learn(nearer, spot)
    usual = pair("5c", (300, 300), (340, 360))
    assert pairing.parted(usual, [spot]) == [usual]


def test_a_card_read_with_its_neighbours_index_keeps_its_own_and_gives_that_back() -> None:
    king = at_rest("Kd", (100, 100))
    own = pair("Kd", (100, 100), (140, 160))
    foreign = index("Kd", (70, 158))
    with_foreign = replace(own, indices=(*own.indices, foreign))
    neighbour = replace(pair("Kh", (30, 100), (70, 160)), indices=(index("Kh", (30, 100), belief=0.6),))
    cards = Pairing().parted_among([with_foreign, neighbour], [king])
    assert [len(card.indices) for card in cards] == [2, 2]
    assert cards[0].quad.tolist() == neighbour.quad.tolist()
    assert [round(float(each.centre[0])) for each in cards[1].indices] == [100, 140]
    without = Pairing().parted_among([with_foreign], [king])
    assert [len(card.indices) for card in without] == [2, 1]


def test_an_index_beside_the_card_is_not_learnt_as_its_own() -> None:
    king = at_rest("Kd", (100, 100))
    read = pair("Kd", (100, 100), (140, 160))
    king.vote(replace(read, indices=(*read.indices, index("Kd", (70, 158)))))
    assert len(king.index_centres) == 2
