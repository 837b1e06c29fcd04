"""The whole reader, with networks that see coloured discs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_models.alphabets import GLYPHS
from kemps_vision.cards.network import Network
from kemps_vision.cards.reader import OnnxCardReader, check_deck
from kemps_vision.cards.reading import Pixels, Reading
from kemps_vision.errors import ImageError, ReaderError

Painter = Callable[..., Pixels]


class SizedNetwork(Network, Protocol):
    """A network that remembers the width and height of each picture it was given."""

    sizes: list[tuple[int, int]]


def names(reading: Reading) -> list[str]:
    return sorted(str(card.card) for card in reading.cards)


@pytest.fixture
def reader(detector: SizedNetwork, classifier: Network) -> OnnxCardReader:
    return OnnxCardReader(detector, classifier)


FOUR = [("9c", (120.0, 120.0)), ("2h", (260.0, 120.0)), ("5d", (120.0, 300.0)), ("Js", (300.0, 300.0))]


def test_four_cards_of_a_known_size_are_read_at_one_scale(
    reader: OnnxCardReader, detector: SizedNetwork, paint: Painter
) -> None:
    reading = reader.read(paint(FOUR), card_length_px=132)
    assert names(reading) == ["2h", "5d", "9c", "Js"]
    assert all(len(card.indices) == 2 for card in reading.cards)
    assert len(detector.sizes) == 1
    assert reading.unread == 0
    assert reading.alphabet == "international"


def test_quads_lie_where_the_cards_lie(reader: OnnxCardReader, paint: Painter) -> None:
    reading = reader.read(paint(FOUR), card_length_px=132)
    where = {str(card.card): card for card in reading.cards}
    for text, at in FOUR:
        assert where[text].centre == pytest.approx(at, abs=3)
        assert where[text].length_px == pytest.approx(132, rel=0.05)
    assert reading.card_length_px == pytest.approx(132, rel=0.05)


@pytest.mark.parametrize("mm", [0.8, 2.0, 6.0, 9.0])
def test_cards_of_an_unknown_size_are_found(reader: OnnxCardReader, paint: Painter, mm: float) -> None:
    cards = [("9c", (50 * mm, 60 * mm)), ("Qh", (130 * mm, 60 * mm))]
    reading = reader.read(paint(cards, size=(round(180 * mm), round(120 * mm)), mm=mm))
    assert names(reading) == ["9c", "Qh"]
    assert reading.card_length_px == pytest.approx(88 * mm, rel=0.08)


def test_one_visible_index_is_enough(reader: OnnxCardReader, paint: Painter) -> None:
    picture = paint(FOUR, corners="second")
    assert names(reader.read(picture, card_length_px=132)) == ["2h", "5d", "9c", "Js"]


def test_the_same_card_at_two_places_is_kept_and_told(reader: OnnxCardReader, paint: Painter) -> None:
    cards = [("9c", (120.0, 120.0)), ("9c", (300.0, 280.0))]
    reading = reader.read(paint(cards), card_length_px=132)
    assert names(reading) == ["9c", "9c"]
    assert [str(card) for card in reading.duplicates] == ["9c"]


def test_cards_that_lie_face_down_are_counted_and_placed(reader: OnnxCardReader, paint: Painter) -> None:
    reading = reader.read(paint(FOUR[:2], backs=[(120.0, 300.0), (300.0, 300.0)]))
    assert names(reading) == ["2h", "9c"]
    assert (reading.unread, reading.face_down) == (0, 2)
    middles = sorted(tuple(back.quad.mean(axis=0)) for back in reading.backs)
    assert middles == [pytest.approx((120, 300), abs=4), pytest.approx((300, 300), abs=4)]
    for back in reading.backs:
        assert np.ptp(back.quad, axis=0) == pytest.approx([94.5, 132], abs=6)


def test_a_picture_of_backs_alone_is_looked_at_in_their_size(reader: OnnxCardReader, paint: Painter) -> None:
    reading = reader.read(paint([], backs=[(450.0, 450.0)], mm=6.0, size=(1000, 900)))
    assert reading.cards == ()
    assert reading.face_down == 1


@pytest.mark.parametrize("shape", [(1, 1), (3, 700), (16, 16), (240, 320)])
def test_pictures_without_cards_have_no_cards(reader: OnnxCardReader, shape: tuple[int, int]) -> None:
    assert reader.read(np.full((*shape, 3), 255, np.uint8)).cards == ()


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros((40, 40), np.uint8),
        np.zeros((40, 40, 4), np.uint8),
        np.zeros((40, 40, 3), np.float32),
        np.zeros((0, 40, 3), np.uint8),
    ],
)
def test_what_is_no_rgb_picture_is_refused(reader: OnnxCardReader, pixels: Pixels) -> None:
    with pytest.raises(ImageError, match="uint8 RGB"):
        reader.read(pixels)


def test_the_same_picture_gives_the_same_reading(reader: OnnxCardReader, paint: Painter) -> None:
    picture = paint(FOUR)
    first, second = reader.read(picture), reader.read(picture)
    assert [card.score for card in first.cards] == [card.score for card in second.cards]
    for one, other in zip(first.cards, second.cards, strict=True):
        assert np.array_equal(one.quad, other.quad)


def test_a_deck_or_alphabet_that_is_not_there_is_refused_with_what_is() -> None:
    check_deck("any", "international")
    with pytest.raises(ReaderError, match="no deck 'mine'; known: any"):
        check_deck("mine", "international")
    check_deck("any", "any")
    with pytest.raises(ReaderError, match="no alphabet 'greek'; known: international, french, german"):
        check_deck("any", "greek")


def test_a_reader_of_no_alphabet_cannot_be_made(detector: SizedNetwork, classifier: Network) -> None:
    with pytest.raises(ReaderError, match="no alphabet 'greek'"):
        OnnxCardReader(detector, classifier, alphabet="greek")


class OtherLetters:
    """The disc classifier, but Q is printed as D."""

    def __init__(self, inner: Network) -> None:
        self._inner = inner

    def __call__(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        logits = self._inner(batch)
        queen, dame = GLYPHS.index("Q"), GLYPHS.index("D")
        logits[:, [queen, dame]] = logits[:, [dame, queen]]
        return logits


def test_a_letter_that_the_alphabet_lacks_makes_a_card_unread_never_another(
    detector: SizedNetwork, classifier: Network, paint: Painter
) -> None:
    cards = [("9c", (120.0, 120.0)), ("Qh", (260.0, 120.0)), ("5d", (120.0, 300.0)), ("2s", (300.0, 300.0))]
    reader = OnnxCardReader(detector, OtherLetters(classifier))
    alone = reader.read(paint(cards), card_length_px=132)
    assert sorted(str(card.card) for card in alone.known) == ["2s", "5d", "9c"]
    assert alone.unread == 1
    assert alone.alphabet == "international"
    given = reader.read(paint(cards), card_length_px=132, alphabet="german")
    assert names(given) == ["2s", "5d", "9c", "Qh"]
    assert given.alphabet == "german"


def test_letters_on_several_cards_settle_the_alphabet_of_a_picture(
    detector: SizedNetwork, classifier: Network, paint: Painter
) -> None:
    cards = [("9c", (120.0, 120.0)), ("Qh", (260.0, 120.0)), ("Qd", (120.0, 300.0)), ("Ks", (300.0, 300.0))]
    reading = OnnxCardReader(detector, OtherLetters(classifier)).read(paint(cards), card_length_px=132)
    assert names(reading) == ["9c", "Ks", "Qd", "Qh"]
    assert reading.alphabet == "german"
