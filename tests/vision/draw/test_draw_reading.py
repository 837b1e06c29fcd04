from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kemps_rules.cards import Card
from kemps_vision.cards.reading import CardReading, FaceDownCard, IndexReading, Reading
from kemps_vision.draw.layout import Label, LabelPlacer, index_boxes
from kemps_vision.draw.reading import Standing, draw_reading, fitted, mark_cards, standing_of
from kemps_vision.draw.text import Box
from kemps_vision.frame import Image


def ground(width: int = 640, height: int = 480) -> Image:
    return np.full((height, width, 3), 90, dtype=np.uint8)


def index_at(x: float, y: float) -> IndexReading:
    zeros = np.zeros(13)
    return IndexReading(
        centre=np.array([x, y]),
        up=np.array([0.0, -10.0]),
        right=np.array([10.0, 0.0]),
        heat=0.9,
        rank_log_p=zeros,
        suit_log_p=zeros[:4],
        none_p=0.0,
    )


def card_at(
    name: str | None, left: float, top: float, *, score: float = 0.999, width: float = 90
) -> CardReading:
    height = width * 88 / 63
    quad = np.array([[left, top], [left + width, top], [left + width, top + height], [left, top + height]])
    return CardReading(
        card=Card.parse(name) if name else None,
        score=score,
        quad=quad,
        log_p=np.zeros(52),
        indices=(index_at(left + 12, top + 18),),
    )


def reading(*cards: CardReading) -> Reading:
    return Reading(cards, unread=0, face_down=0, alphabet="international", ms=1.0)


def overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def test_no_label_covers_an_index_even_when_cards_lie_close() -> None:
    cards = [card_at(name, 60 + 34 * place, 120) for place, name in enumerate(["9s", "9h", "9d", "9c", "Kc"])]
    canvas = ground()
    places = mark_cards(canvas, reading(*cards), factor=1.0, placer=LabelPlacer())
    indices = [box for card in cards for box in index_boxes(card)]
    assert len(places) == 5
    assert not any(overlap(place, index) for place in places for index in indices)


def test_labels_do_not_lie_on_each_other_or_out_of_the_picture() -> None:
    cards = [card_at(name, 20 + 100 * place, 8) for place, name in enumerate(["2s", "3h", "4d", "5c"])]
    places = mark_cards(ground(460, 300), reading(*cards), factor=1.0, placer=LabelPlacer())
    assert all(not overlap(one, other) for at, one in enumerate(places) for other in places[:at])
    assert all(box[0] >= 0 and box[1] >= 0 and box[2] <= 460 and box[3] <= 300 for box in places)


def test_a_label_without_any_free_place_is_left_out_rather_than_put_on_an_index() -> None:
    label = Label("x", 40, 20, np.array([[10.0, 10.0], [60.0, 60.0]]))
    assert LabelPlacer().place([label], size=(100, 100), forbidden=[(-500, -500, 600, 600)]) == [None]


def test_a_label_stays_on_its_side_when_its_card_moves_a_little() -> None:
    placer = LabelPlacer()
    first = mark_cards(ground(), reading(card_at("9s", 200, 200)), factor=1.0, placer=placer)[0]
    second = mark_cards(ground(), reading(card_at("9s", 204, 202)), factor=1.0, placer=placer)[0]
    assert second == pytest.approx([a + b for a, b in zip(first, (4, 2, 4, 2), strict=True)])


def test_cards_read_surely_in_doubt_and_not_read_look_different() -> None:
    pictures = [
        draw_reading(ground(), reading(card_at("9s", 200, 200, score=0.99))),
        draw_reading(ground(), reading(card_at("9s", 200, 200, score=0.80))),
        draw_reading(ground(), reading(card_at(None, 200, 200, score=0.40))),
    ]
    greys = [picture.mean(axis=2) for picture in pictures]
    assert all(np.abs(one - other).max() > 60 for at, one in enumerate(greys) for other in greys[:at])


def test_a_card_that_lies_face_down_is_crossed_out_and_has_no_label() -> None:
    quad = card_at("9s", 200, 200).quad
    canvas = ground()
    seen = replace(reading(), face_down=1, backs=(FaceDownCard(0.9, quad),))
    assert mark_cards(canvas, seen, factor=1.0, placer=LabelPlacer()) == []
    middle = quad.mean(axis=0).astype(int)
    for x, y in (middle, quad[0].astype(int), (quad[0] * 0.75 + quad[2] * 0.25).astype(int)):
        assert (canvas[y - 3 : y + 4, x - 3 : x + 4] != 90).any()


def test_a_card_at_two_places_is_drawn_as_doubtful_at_both() -> None:
    twice = reading(card_at("9s", 100, 100), card_at("9s", 350, 100))
    doubles = frozenset(str(card) for card in twice.duplicates)
    assert [standing_of(card, doubles) for card in twice.cards] == [Standing.DOUBTFUL, Standing.DOUBTFUL]


def test_drawing_leaves_the_picture_given_as_it_was() -> None:
    pixels = ground()
    drawn = draw_reading(pixels, reading(card_at("Td", 200, 200)))
    assert (pixels == 90).all()
    assert drawn.shape == pixels.shape
    assert (drawn != pixels).any()


def test_a_large_picture_is_made_smaller_and_its_marks_with_it() -> None:
    canvas, factor = fitted(ground(3200, 1600), 800)
    assert (canvas.shape, factor) == ((400, 800, 3), 0.25)
    drawn = draw_reading(ground(3200, 1600), reading(card_at("Td", 1600, 800, width=400)), longest_px=800)
    # The left edge of the card stands at 1600 px of the picture, hence at 400 of the drawing.
    assert (drawn[230, 396:405] != 90).any()


def test_a_reading_without_cards_changes_nothing() -> None:
    assert (draw_reading(ground(), reading()) == 90).all()


def test_cards_that_reach_out_of_the_picture_are_drawn_without_error() -> None:
    drawn = draw_reading(ground(120, 80), reading(card_at("As", -60, -90), card_at("Kh", 100, 60)))
    assert drawn.shape == (80, 120, 3)
