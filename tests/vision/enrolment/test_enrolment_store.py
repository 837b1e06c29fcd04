from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kemps_rules.cards import Card
from kemps_vision.cards.printing import IndexPrint
from kemps_vision.enrolment.deck import EnrolledDeck, Score
from kemps_vision.enrolment.faces import FACE_HEIGHT, FACE_WIDTH, FaceBook
from kemps_vision.enrolment.head import OUTPUTS, Head
from kemps_vision.enrolment.store import DeckStore, classifier_checksum, default_folder
from kemps_vision.errors import ReaderError


def a_deck(*, classifier: str | None = None, right: int = 100) -> EnrolledDeck:
    rng = np.random.default_rng(0)
    return EnrolledDeck(
        faces=FaceBook(np.array([3, 7]), rng.random((2, FACE_HEIGHT, FACE_WIDTH, 3), np.float32)),
        sharpness=12.5,
        head=Head(rng.random((6, OUTPUTS), np.float32), np.ones(OUTPUTS, np.float32)),
        index=IndexPrint(5.0, 4.0, 9.5),
        classifier=classifier or classifier_checksum(),
        missing=(),
        score=Score(looks=104, before=50, right=right, wrong=1, is_second_showing=True),
    )


@pytest.fixture
def store(tmp_path: Path) -> DeckStore:
    return DeckStore(tmp_path / "decks")


def test_a_deck_comes_back_as_it_was_kept(store: DeckStore) -> None:
    assert store.names() == []
    store.save("Grandma 2", a_deck())
    assert store.names() == ["Grandma 2"]
    kept, deck = store.load("Grandma 2"), a_deck()
    assert (kept.sharpness, kept.index, kept.score, kept.missing) == (12.5, deck.index, deck.score, ())
    assert np.allclose(kept.faces.faces, deck.faces.faces, atol=1e-3)
    assert kept.head is not None
    assert deck.head is not None
    assert np.array_equal(kept.head.weights, deck.head.weights)
    assert not list(store.folder.glob("*.part"))


def test_a_deck_passes_when_all_its_cards_are_there_and_read(store: DeckStore) -> None:
    del store
    assert a_deck().has_passed
    assert not a_deck(right=88).has_passed
    lacking = EnrolledDeck(FaceBook.empty(), 1.0, None, None, "x", (Card.parse("Ks"),), a_deck().score)
    assert not lacking.has_passed


def test_a_deck_that_is_not_there_says_which_are_and_how_to_learn_it(store: DeckStore) -> None:
    store.save("mine", a_deck())
    with pytest.raises(ReaderError, match="no deck 'yours'; known: any, mine; learn it with: kemps enrol"):
        store.load("yours")
    with pytest.raises(ReaderError, match="no deck 'yours' to remove; there are: mine"):
        store.remove("yours")
    store.remove("mine")
    assert store.names() == []


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 half a file", b"not a deck at all"])
def test_a_damaged_deck_is_one_line_that_says_what_to_do(store: DeckStore, damage: bytes) -> None:
    path = store.save("mine", a_deck())
    path.write_bytes(damage)
    with pytest.raises(ReaderError, match="the deck 'mine' is damaged; learn it again: kemps enrol") as told:
        store.load("mine")
    assert "\n" not in str(told.value)


def test_a_deck_cut_short_or_with_other_arrays_is_damaged(store: DeckStore) -> None:
    path = store.save("mine", a_deck())
    whole = path.read_bytes()
    for data in (whole[: len(whole) // 2], whole[:-30]):
        path.write_bytes(data)
        with pytest.raises(ReaderError, match="is damaged"):
            store.load("mine")
    np.savez(path, note=np.frombuffer(b"{}", np.uint8))
    with pytest.raises(ReaderError, match="is damaged"):
        store.load("mine")


def test_a_deck_of_an_earlier_classifier_is_to_be_learnt_again(store: DeckStore) -> None:
    store.save("old", a_deck(classifier="0" * 64))
    with pytest.raises(ReaderError, match="earlier card classifier; learn it again"):
        store.load("old")


@pytest.mark.parametrize("name", ["", "any", "../up", "a/b", ".hidden", "x" * 61])
def test_a_name_that_cannot_be_a_files_is_refused(store: DeckStore, name: str) -> None:
    with pytest.raises(ReaderError, match="cannot name a deck"):
        store.check_name(name)


def test_decks_are_kept_in_the_users_data_folder_unless_told() -> None:
    assert DeckStore().folder == default_folder()
    assert default_folder().name == "decks"
