"""What letters say about a deck, and what they mean in it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kemps_models.alphabets import ALPHABETS, GLYPHS
from kemps_rules.cards import RANKS
from kemps_vision.cards.alphabets import NAMES, AlphabetBelief, GameLetters, letter_evidence
from kemps_vision.cards.reading import Floats, IndexReading
from kemps_vision.errors import ReaderError

NUMERALS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]
AnIndex = Callable[..., IndexReading]


def sign(glyph: str, belief: float = 0.99) -> Floats:
    """(24,) log-probabilities with ``belief`` at one glyph."""
    p = np.full(len(GLYPHS), (1 - belief) / (len(GLYPHS) - 1))
    p[GLYPHS.index(glyph)] = belief
    return np.asarray(np.log(p), dtype=np.float64)


@pytest.fixture
def printed(an_index: AnIndex) -> Callable[..., list[IndexReading]]:
    """Indices with given letters, separated by spaces."""

    def make(letters: str, **changed: object) -> list[IndexReading]:
        return [an_index("9c", glyph_log_p=sign(letter), **changed) for letter in letters.split()]

    return make


Printed = Callable[..., list[IndexReading]]


def settled_by(indices: list[IndexReading]) -> str:
    return AlphabetBelief.from_evidence(letter_evidence(indices)).name


@pytest.mark.parametrize(
    ("letters", "alphabet"),
    [
        ("R R V V D", "french"),
        ("K B D D B", "german"),
        ("K Д T B", "russian"),
        ("Kn D D E K", "nordic"),
        ("H H V V B", "dutch"),
        ("F F R D", "italian"),
        ("J Q K A", "international"),
        ("2 3 7 10 10 A A K K", "international"),
        ("1 1 1 1", "international"),
        ("D D", "international"),
    ],
)
def test_clear_letters_on_several_indices_settle_an_alphabet(
    printed: Printed, letters: str, alphabet: str
) -> None:
    assert settled_by(printed(letters)) == alphabet


@given(count=st.integers(0, 40), letters=st.lists(st.sampled_from(NUMERALS), max_size=40))
def test_numerals_say_nothing(count: int, letters: list[str]) -> None:
    zero = np.zeros(2)
    indices = [
        IndexReading(
            zero, zero, zero, 1.0, np.zeros(13), np.log([1.0, 1e-9, 1e-9, 1e-9]), 0.0, None, sign(one)
        )
        for one in letters[:count]
    ]
    assert not letter_evidence(indices).any()


def test_what_is_hardly_an_index_says_nothing(printed: Printed) -> None:
    assert settled_by(printed("B B D D", none_p=0.5)) == "international"


def test_the_court_letters_of_an_international_deck_outweigh_a_few_misread_ones(printed: Printed) -> None:
    assert settled_by(printed("R R R J J Q Q")) == "international"


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_in_a_known_alphabet_each_letter_means_its_rank(alphabet: str) -> None:
    belief = AlphabetBelief.given(alphabet)
    for glyph, rank in ALPHABETS[alphabet].items():
        log_p = belief.rank_log_p(sign(glyph)[None])[0]
        assert RANKS[int(log_p.argmax())] == rank
        assert log_p.max() > np.log(0.98)
        assert np.exp(log_p).sum() == pytest.approx(1.0)


def test_until_an_alphabet_is_settled_a_foreign_letter_means_nothing() -> None:
    unsettled = AlphabetBelief.from_evidence(np.zeros(len(NAMES)))
    log_p = unsettled.rank_log_p(np.stack([sign("D"), sign("Q")]))
    assert log_p[0].max() < np.log(0.2)
    assert log_p[1].max() > np.log(0.98)


def test_where_two_alphabets_are_left_a_letter_with_two_meanings_has_none(printed: Printed) -> None:
    belief = AlphabetBelief.from_evidence(letter_evidence(printed("V V V V")))
    assert belief.is_settled
    log_p = belief.rank_log_p(sign("V")[None])[0]
    jack, queen = log_p[RANKS.index("J")], log_p[RANKS.index("Q")]
    assert max(jack, queen) < np.log(0.9)
    assert min(jack, queen) > np.log(0.05)


def test_the_usual_alphabet_is_assumed_until_letters_or_a_person_say_so(printed: Printed) -> None:
    def belief(letters: str) -> AlphabetBelief:
        return AlphabetBelief.from_evidence(letter_evidence(printed(letters)))

    assert belief("9 10 4").is_assumed
    assert not belief("J Q K A").is_assumed
    assert not belief("R R V V D").is_assumed
    assert not AlphabetBelief.given("international").is_assumed


def test_an_unknown_alphabet_is_refused_with_those_there_are() -> None:
    with pytest.raises(ReaderError, match=r"no alphabet 'greek'; known: international, .*, or any"):
        AlphabetBelief.given("greek")


def seen(letters: GameLetters, card: int, indices: list[IndexReading], times: int = 3) -> None:
    for _ in range(times):
        letters.see(card, indices)


def test_a_card_speaks_once_however_long_it_lies(printed: Printed) -> None:
    letters = GameLetters()
    seen(letters, 1, printed("D D"), times=100)
    assert letters.alphabet is None
    seen(letters, 2, printed("B"))
    assert letters.alphabet == "german"


def test_ghosts_that_come_and_go_settle_nothing(printed: Printed) -> None:
    letters = GameLetters()
    for ghost in range(50):
        seen(letters, ghost, printed("B B"), times=2)
    assert letters.alphabet is None


def test_international_is_only_presumed_until_its_letters_were_seen(printed: Printed) -> None:
    letters = GameLetters()
    seen(letters, 1, printed("9 9"))
    assert letters.alphabet is None
    seen(letters, 2, printed("J Q"))
    assert letters.alphabet == "international"


def test_later_cards_put_a_mistake_right(printed: Printed) -> None:
    letters = GameLetters()
    seen(letters, 1, printed("R R R"))
    assert letters.alphabet in {"french", "portuguese", "italian"}
    for card, text in enumerate(["J J", "Q Q", "K K"], 2):
        seen(letters, card, printed(text))
    assert letters.alphabet == "international"
