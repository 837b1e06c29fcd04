from __future__ import annotations

import numpy as np
import pytest

from kemps_rules.cards import DECK_52, Card
from kemps_vision.enrolment.order import cards_shown, dealing_order
from kemps_vision.errors import ReaderError


def read_as(card: Card, belief: float = 0.95) -> np.ndarray:
    p = np.full(52, (1 - belief) / 51)
    p[DECK_52.index(card)] = belief
    return np.asarray(np.log(p))


def test_spades_come_first_unless_told_otherwise() -> None:
    assert [str(card) for card in dealing_order()[11:15]] == ["Qs", "Ks", "Ah", "2h"]
    assert str(dealing_order("cdhs")[0]) == "Ac"
    assert len(set(dealing_order())) == 52


@pytest.mark.parametrize("suits", ["shd", "sshd", "shdx", ""])
def test_an_order_that_leaves_out_a_suit_is_refused(suits: str) -> None:
    with pytest.raises(ReaderError, match="each suit once"):
        dealing_order(suits)


def test_cards_that_nothing_reads_are_named_by_their_place() -> None:
    order = dealing_order()
    assert cards_shown([None] * 52, order) == list(order)


def test_a_card_shown_twice_in_a_row_and_one_left_out_do_not_shift_the_rest() -> None:
    order = dealing_order()
    shown = [*order[:10], order[9], *order[10:20], *order[21:]]
    assert cards_shown([read_as(card) for card in shown], order) == shown


def test_a_misread_card_does_not_move_the_walk() -> None:
    order = dealing_order()
    readings = [read_as(card) for card in order]
    readings[7] = read_as(Card.parse("Qd"), 0.999)
    assert cards_shown(readings, order) == list(order)


def test_a_deck_dealt_twice_is_walked_twice() -> None:
    order = dealing_order()
    shown = cards_shown([read_as(card) if n % 3 else None for n, card in enumerate([*order, *order])], order)
    assert shown == [*order, *order]
