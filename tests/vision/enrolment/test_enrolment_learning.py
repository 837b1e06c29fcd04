"""A deck with a running hand, drawn suits and bare aces, learnt from 16 cards with the committed networks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from kemps_rules.cards import DECK_52, Card
from kemps_scenes.deck import Deck
from kemps_scenes.odd_decks import ODD_DECKS, open_odd_deck
from kemps_vision.cards.reader import OnnxCardReader, open_networks
from kemps_vision.cards.reading import Floats, Pixels
from kemps_vision.enrolment.deck import EnrolledDeck
from kemps_vision.enrolment.faces import FaceBook
from kemps_vision.enrolment.learning import learn, scored, showings
from kemps_vision.enrolment.reader import DeckReader
from kemps_vision.enrolment.samples import Sample

pytestmark = pytest.mark.long

Photo = Callable[..., tuple[Pixels, Floats]]

CARDS = ("As", "Ah", "4s", "4h", "7c", "7d", "9s", "9d", "Js", "Jh", "Qs", "Qd", "Ks", "Kh", "Tc", "2d")


@pytest.fixture(scope="module")
def odd() -> Deck:
    return Deck(replace(ODD_DECKS["script"], bare="A"), "rings")


@pytest.fixture(scope="module")
def learnt(odd: Deck, photo: Photo) -> EnrolledDeck:
    samples = []
    for card in CARDS:
        pictures = [photo(odd, card, seed=seed) for seed in range(4)]
        sample = Sample(tuple(picture for picture, _ in pictures), pictures[0][1], 0, 200.0)
        samples.append((Card.parse(card), sample))
    shown = showings(samples)
    deck = learn(shown, *open_networks(), checksum="now", looks_each=5)
    return scored(deck, shown, *open_networks())


def names(reader: OnnxCardReader | DeckReader, photo: Photo, deck: Deck, card: str) -> list[str]:
    pixels, _ = photo(deck, card, turned=0.7, length_px=110, seed=77)
    return [str(one.card) for one in reader.read(pixels, card_length_px=110).known]


def test_a_learnt_deck_is_read_right_where_it_was_not_before(
    odd: Deck, photo: Photo, learnt: EnrolledDeck
) -> None:
    before = OnnxCardReader(*open_networks())
    after = DeckReader(*open_networks(), learnt)
    right = [sum(names(reader, photo, odd, card) == [card] for card in CARDS) for reader in (before, after)]
    assert right[0] < right[1]
    assert right[1] >= 15
    assert names(before, photo, odd, "As") != ["As"]
    assert names(after, photo, odd, "As") == ["As"]


def test_an_ace_without_index_is_told_by_its_face_only(odd: Deck, photo: Photo, learnt: EnrolledDeck) -> None:
    blind = DeckReader(*open_networks(), replace(learnt, faces=FaceBook.empty()))
    assert names(blind, photo, odd, "Ah") != ["Ah"]


def test_the_score_is_of_looks_that_were_kept_back(learnt: EnrolledDeck) -> None:
    score = learnt.score
    assert score is not None
    assert score.looks == 2 * len(CARDS)
    assert not score.is_second_showing
    assert score.before < score.right <= score.looks
    assert score.share >= 0.9
    assert len(learnt.missing) == len(DECK_52) - len(CARDS)
    assert not learnt.has_passed


def test_where_the_index_is_printed_is_found(learnt: EnrolledDeck) -> None:
    look = ODD_DECKS["script"]
    assert learnt.index is not None
    assert abs(learnt.index.half_height - look.index_mm / 2) < 1.5
    assert abs(learnt.index.sideways - look.index_x) < 1.8
    assert abs(learnt.index.down - (look.index_top + look.index_mm / 2)) < 1.8


def test_of_a_card_shown_twice_the_second_showing_is_kept_back(
    a_sample: Callable[[Deck, str], Sample],
) -> None:
    deck = open_odd_deck("tiny")
    first, second = a_sample(deck, "As"), a_sample(deck, "As")
    shown = showings([(Card.parse("As"), first), (Card.parse("As"), second)])[Card.parse("As")]
    assert shown.is_twice
    assert {id(picture) for picture, _ in shown.learnt} == {id(picture) for picture in first.pictures}
    assert {id(picture) for picture, _ in shown.kept_back} == {id(picture) for picture in second.pictures}
