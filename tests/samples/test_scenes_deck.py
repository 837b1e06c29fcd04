from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_rules.cards import DECK_52, Card
from kemps_scenes import SpecError, deck_sheet, open_deck
from kemps_scenes.backs import BACKS
from kemps_scenes.glyphs import Face, rank_mask
from kemps_scenes.looks import CARD_MM, DECKS, deck_look


def _small(picture: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Means of blocks of 8 x 8 pixels, (88, 63, 3)."""
    blocks = picture[..., :3].reshape(88, 8, 63, 8, 3)
    return np.asarray(blocks.mean(axis=(1, 3)), np.float64)


@pytest.mark.parametrize("name", ["club", "jumbo", "column"])
def test_all_fifty_two_faces_are_distinct(name: str) -> None:
    deck = open_deck(name, "lattice")
    faces = np.stack([_small(deck.face(card)) for card in DECK_52])
    for index in range(len(faces) - 1):
        apart = np.abs(faces[index + 1 :] - faces[index]).max(axis=(1, 2, 3))
        assert apart.min() > 60, f"{DECK_52[index]} looks like {DECK_52[index + 1 + int(apart.argmin())]}"


@pytest.mark.parametrize("card", ["Ks", "Qh", "Jd", "2c", "Th"])
def test_a_card_looks_the_same_both_ways_up(card: str) -> None:
    face = _small(open_deck("club", "lattice").face(Card.parse(card)))
    turned = face[::-1, ::-1]
    assert np.abs(face - turned).mean() < 2.0


@pytest.mark.parametrize("name", sorted(DECKS))
def test_indices_have_standard_proportions(name: str) -> None:
    look = deck_look(name)
    share = look.index_mm / CARD_MM[1]
    small, usual, large = (0.17, 0.20), (0.20, 0.25), (0.27, 0.35)
    low, high = {"jumbo": large, "bridge": small}.get(name, usual)
    assert low <= share <= high


@pytest.mark.parametrize("name", sorted(DECKS))
def test_each_index_carries_the_ink_of_its_suit(name: str) -> None:
    look, deck = deck_look(name), open_deck(name, "scales")
    for text in ("9s", "9h", "9d", "9c"):
        card = Card.parse(text)
        corner = deck.face(card)[30:200, 20:100, :3].reshape(-1, 3).astype(int)
        near = np.abs(corner - np.array(look.inks.of(card.suit))).sum(axis=1) < 30
        assert near.mean() > 0.08


def test_decks_differ_in_how_they_write_a_nine() -> None:
    nines = [rank_mask("9", deck_look(name).face, 120) for name in sorted(DECKS)]
    assert len({nine.tobytes() for nine in nines}) == len(DECKS)


def test_a_ten_is_written_with_two_figures_and_stays_in_its_corner() -> None:
    ten, nine = rank_mask("T", Face(), 100), rank_mask("9", Face(), 100)
    assert ten.shape[0] == nine.shape[0] == 100
    assert nine.shape[1] < ten.shape[1] < 1.9 * nine.shape[1]


def test_backs_differ_and_tell_nothing_by_being_turned_round() -> None:
    backs = {name: open_deck("club", name).back for name in BACKS}
    assert len({back.tobytes() for back in backs.values()}) == len(BACKS) >= 3
    for name, back in backs.items():
        small = _small(back)
        assert np.abs(small - small[::-1, ::-1]).mean() < 6.0, name


def test_corners_are_rounded_and_see_through() -> None:
    face = open_deck("club", "lattice").face(Card.parse("As"))
    assert face.shape == (704, 504, 4)
    assert face[0, 0, 3] == 0
    assert face[352, 252, 3] == 255


def test_a_sheet_shows_all_cards() -> None:
    sheet = deck_sheet(open_deck("club", "lattice"), width_px=840)
    assert sheet.shape[2] == 3
    assert sheet.std() > 40


def test_an_unknown_deck_or_back_is_an_error_that_lists_what_there_is() -> None:
    with pytest.raises(SpecError, match="club"):
        open_deck("tarot", "lattice")
    with pytest.raises(SpecError, match="lattice"):
        _ = open_deck("club", "tartan").back
