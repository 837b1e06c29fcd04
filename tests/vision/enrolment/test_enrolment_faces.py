from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kemps_rules.cards import DECK_52, Card
from kemps_scenes.odd_decks import open_odd_deck
from kemps_vision.cards.reading import Floats, Pixels
from kemps_vision.enrolment.faces import FACE_HEIGHT, FACE_WIDTH, FaceBook, mean_face, upright_face

Photo = Callable[..., tuple[Pixels, Floats]]

CARDS = ("As", "Ac", "Ks", "Kc", "7d", "7h", "9s", "8s")


def a_book(photo: Photo) -> FaceBook:
    deck = open_odd_deck("bare")
    faces = [upright_face(*photo(deck, card)) for card in CARDS]
    return FaceBook(np.array([DECK_52.index(Card.parse(card)) for card in CARDS]), np.stack(faces))


def test_cards_without_index_are_told_apart_turned_small_and_upside_down(photo: Photo) -> None:
    book = a_book(photo)
    for n, card in enumerate(CARDS):
        for turned in (0.4 + n, 3.5 + n):
            seen = photo(open_odd_deck("bare"), card, turned=turned, length_px=90, seed=n + 9)
            likeness = book.likeness(upright_face(*seen))
            assert DECK_52[int(likeness.argmax())] == Card.parse(card)
            assert likeness.max() > 0.9


def test_light_of_another_colour_changes_a_face_little(photo: Photo) -> None:
    pixels, quad = photo(open_odd_deck("bare"), "Kd")
    warm = (pixels * np.array([0.9, 0.75, 0.55])).astype(np.uint8)
    face, other = upright_face(pixels, quad), upright_face(warm, quad)
    assert np.corrcoef(face.ravel(), other.ravel())[0, 1] > 0.97


def test_a_card_that_the_book_lacks_is_like_none_of_it(photo: Photo) -> None:
    book = a_book(photo)
    likeness = book.likeness(upright_face(*photo(open_odd_deck("plaque"), "Td")))
    assert likeness.max() < 0.72
    assert likeness[DECK_52.index(Card.parse("Td"))] == -1
    assert FaceBook.empty().likeness(np.zeros((FACE_HEIGHT, FACE_WIDTH, 3), np.float32)).max() == -1


def test_the_sharper_a_deck_is_known_the_more_a_likeness_tells() -> None:
    likeness = np.full(52, 0.6)
    likeness[3], likeness[9] = 0.97, 0.95
    book = FaceBook.empty()
    doubtful, sharp = book.log_p(likeness, 5.0), book.log_p(likeness, 80.0)
    assert np.isclose(np.exp(doubtful).sum(), 1)
    assert 0.5 < np.exp(doubtful[3]) < 0.99 < np.exp(sharp[3])
    assert sharp.min() > -15


def test_the_mean_of_faces_is_one_of_them_when_they_are_equal() -> None:
    face = np.random.default_rng(0).random((FACE_HEIGHT, FACE_WIDTH, 3)).astype(np.float32)
    assert np.allclose(mean_face([face, face]), face)
