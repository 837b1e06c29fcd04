from __future__ import annotations

import numpy as np
import pytest

from kemps_rules.cards import DECK_52, Card
from kemps_scenes import SpecError
from kemps_scenes.looks import DECKS
from kemps_scenes.odd_decks import ODD_DECKS, drawn_odd_look, open_odd_deck
from kemps_scenes.stills import random_still
from kemps_scenes.sweep import render_sweep


def corner(deck: str, card: str) -> np.ndarray:
    """The part of a face in which its index stands, without the rounded corner."""
    face = open_odd_deck(deck).face(Card.parse(card))
    return face[24:170, 26:92, :3]


def test_there_are_odd_decks_of_several_kinds_and_none_is_drawn_elsewhere() -> None:
    assert len(ODD_DECKS) >= 4
    assert not set(ODD_DECKS) & set(DECKS)
    with pytest.raises(SpecError, match="no odd deck 'club'"):
        open_odd_deck("club")
    assert open_odd_deck("drawn-501").look == drawn_odd_look(501) != drawn_odd_look(502)


@pytest.mark.parametrize("name", sorted(ODD_DECKS))
def test_the_faces_of_an_odd_deck_differ(name: str) -> None:
    deck = open_odd_deck(name)
    some = [deck.face(card).tobytes() for card in DECK_52[::5]]
    assert len(set(some)) == len(some)


def test_bare_ranks_have_no_index_and_letters_may_be_others() -> None:
    assert np.ptp(corner("bare", "As"), axis=(0, 1)).max() == 0
    assert np.ptp(corner("bare", "9s")) > 150
    assert not np.array_equal(corner("greek", "Qs"), corner("tiny", "Qs"))


def test_a_still_can_be_drawn_with_an_odd_deck() -> None:
    usual = random_still(5, layout="separate", width=320, height=180)
    odd = random_still(5, layout="separate", width=320, height=180, deck=open_odd_deck("plaque"))
    assert usual.truth["cards"] == odd.truth["cards"]
    assert not np.array_equal(usual.pixels, odd.pixels)


def test_a_sweep_shows_each_card_for_a_second_after_it_was_laid() -> None:
    cards = (Card.parse("As"), Card.parse("2s"))
    frames = list(render_sweep(open_odd_deck("latin"), cards, seed=1, size=(320, 180)))
    assert [frame.at_ms for frame in frames] == [200 * n for n in range(14)]
    assert [frame.card for frame in frames].count(cards[0]) == 5
    assert frames[0].card is None
    resting = [frame.pixels.astype(int) for frame in frames if frame.card == cards[1]]
    assert np.abs(resting[0] - resting[-1]).mean() < 4
    again = list(render_sweep(open_odd_deck("latin"), cards, seed=1, size=(320, 180)))
    assert all(np.array_equal(a.pixels, b.pixels) for a, b in zip(frames, again, strict=True))
