"""Readings find the card they are of: by place and name, and by the index where only one is seen."""

from __future__ import annotations

import numpy as np

from kemps_rules.cards import DECK_52, Card
from kemps_vision.cards.reading import CardReading, IndexReading
from kemps_vision.matching import matched_to, shifted
from kemps_vision.spots import Spot

WIDTH, LENGTH = 60.0, 84.0


def reading(
    card: str, at: tuple[float, float], *, index_at: tuple[float, float], length: float = LENGTH
) -> CardReading:
    x, y = at
    quad = np.array([[x, y], [x + WIDTH, y], [x + WIDTH, y + length], [x, y + length]])
    log_p = np.full(52, -9.0)
    log_p[DECK_52.index(Card.parse(card))] = 0.0
    index = IndexReading(
        centre=np.array(index_at),
        up=np.array([0.0, -7.0]),
        right=np.array([7.0, 0.0]),
        heat=0.9,
        rank_log_p=np.zeros(13),
        suit_log_p=np.zeros(4),
        none_p=0.0,
        card_centre=np.array([x + WIDTH / 2, y + length / 2]),
    )
    return CardReading(Card.parse(card), 0.9, quad, log_p, (index,))


def spot(number: int, read: CardReading) -> Spot:
    made = Spot(id=number, quad=read.quad, first_read_ms=0)
    made.vote(read)
    return made


def no_overlap(_: object) -> bool:
    return True


def overlapping(_: object) -> bool:
    return False


def test_the_same_index_is_the_same_card_wherever_its_quad_was_put() -> None:
    # Two cards of one name, as two decks have them; the reading's quad lies on the other one.
    first = spot(1, reading("Js", (100, 100), index_at=(106, 110)))
    second = spot(2, reading("Js", (130, 100), index_at=(136, 110)))
    read = reading("Js", (128, 100), index_at=(106, 111))
    assert matched_to([read], [first, second], overlapping) == [first]


def test_an_index_in_its_place_does_not_join_a_card_of_another_length() -> None:
    known = spot(1, reading("4h", (100, 100), index_at=(106, 110)))
    read = reading("4h", (180, 250), index_at=(106, 110), length=3 * LENGTH)
    assert matched_to([read], [known], overlapping) == [None]


def test_another_name_in_one_place_is_a_misreading_where_cards_lie_apart_and_a_neighbour_in_a_fan() -> None:
    known = spot(1, reading("9c", (100, 100), index_at=(106, 110)))
    read = reading("9s", (125, 100), index_at=(131, 110))
    assert matched_to([read], [known], no_overlap) == [known]
    assert matched_to([read], [known], overlapping) == [None]


def test_a_covered_card_takes_no_reading_of_another_name() -> None:
    known = spot(1, reading("9c", (100, 100), index_at=(106, 110)))
    known.card, known.is_settled, known.kept = Card.parse("9c"), True, 0.2
    assert matched_to([reading("9s", (100, 100), index_at=(106, 110))], [known], no_overlap) == [None]


def test_each_card_takes_one_reading() -> None:
    known = spot(1, reading("9c", (100, 100), index_at=(106, 110)))
    near, far = reading("9c", (102, 100), index_at=(106, 110)), reading("9c", (130, 100), index_at=(136, 110))
    assert matched_to([far, near], [known], overlapping) == [None, known]


def test_all_places_of_a_reading_are_shifted() -> None:
    read = reading("9c", (10, 20), index_at=(16, 30))
    moved = shifted(read, (100, 50))
    assert moved.quad[0].tolist() == [110, 70]
    assert moved.indices[0].centre.tolist() == [116, 80]
    middle, before = moved.indices[0].card_centre, read.indices[0].card_centre
    assert middle is not None
    assert before is not None
    assert (middle - before).tolist() == [100, 50]
