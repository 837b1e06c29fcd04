"""The letters of the players' countries."""

from __future__ import annotations

import pytest

from kemps_models.alphabets import ALPHABETS, GLYPHS, NONE_CLASS, RANKS, glyph_ranks


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_an_alphabet_has_every_rank_and_only_known_glyphs(alphabet: str) -> None:
    meanings = ALPHABETS[alphabet]
    assert set(meanings) <= set(GLYPHS)
    assert set(meanings.values()) == set(RANKS)


@pytest.mark.parametrize(
    ("alphabet", "glyph", "rank"),
    [
        ("international", "Q", "Q"), ("french", "V", "J"), ("french", "R", "K"), ("french", "1", "A"),
        ("german", "B", "J"), ("german", "D", "Q"), ("russian", "T", "A"), ("russian", "Д", "Q"),
        ("russian", "B", "J"), ("nordic", "Kn", "J"), ("dutch", "V", "Q"), ("dutch", "H", "K"),
        ("portuguese", "R", "K"), ("italian", "F", "J"),
    ],
)  # fmt: skip
def test_letters_mean_what_players_of_the_country_say(alphabet: str, glyph: str, rank: str) -> None:
    assert RANKS[glyph_ranks(alphabet)[GLYPHS.index(glyph)]] == rank


def test_a_letter_that_an_alphabet_lacks_means_nothing() -> None:
    assert glyph_ranks("german")[GLYPHS.index("Q")] == -1
    assert len(glyph_ranks("german")) == NONE_CLASS == len(GLYPHS)


def test_an_unknown_alphabet_is_an_error() -> None:
    with pytest.raises(KeyError):
        glyph_ranks("klingon")
