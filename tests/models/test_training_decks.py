"""Decks by chance, index boxes, and the list of what is fetched."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kemps_models.alphabets import ALPHABETS, GLYPHS
from kemps_training.deck_making import HELD_OUT_DECKS, TRAIN_DECKS, alphabet_of
from kemps_training.decks import (
    FACES,
    RANKS,
    Deck,
    IndexBox,
    face_number,
    load_deck,
    load_decks,
    save_deck,
)
from kemps_training.errors import WorkspaceError
from kemps_training.glyphs import STROKE_FONTS, distinct, drawn_suits, text_mask
from kemps_training.index_box import find_index_box, ink
from kemps_training.packages import load_sources
from kemps_training.procedural import make_deck


def test_a_deck_by_chance_has_52_different_faces(decks: list[Deck]) -> None:
    faces = decks[0].faces
    assert len(faces) == FACES
    assert len({face.tobytes() for face in faces}) == FACES


def test_the_same_seed_draws_the_same_deck() -> None:
    made = []
    for _ in range(2):
        rng = np.random.default_rng(5)
        deck = make_deck(rng, "again", STROKE_FONTS, [drawn_suits(rng)], [])
        assert deck is not None
        made.append(deck)
    assert made[0].box == made[1].box
    assert np.array_equal(made[0].faces, made[1].faces)


def test_the_index_box_holds_ink_of_rank_and_suit_and_little_is_beside_it(decks: list[Deck]) -> None:
    for deck in decks:
        box = deck.box
        marked = np.mean([ink(deck.face(face_number(rank, 2))) for rank in range(1, 9)], axis=0) > 0
        left, right, top, split, bottom = (
            round(value) for value in (box.left, box.right, box.top, box.split, box.bottom)
        )
        assert marked[top:split, left:right].any()
        assert marked[split:bottom, left:right].any()
        assert not marked[: top - 2, : right + 2].any()


def test_the_finder_of_index_boxes_finds_the_box_that_was_drawn(decks: list[Deck]) -> None:
    for deck in decks:
        found = find_index_box([deck.face(number) for number in range(4, 36)])
        assert found is not None
        assert found.top == pytest.approx(deck.box.top, abs=2.5)
        assert found.centre[0] == pytest.approx(deck.box.centre[0], abs=10)


def test_blank_faces_have_no_index_box() -> None:
    assert find_index_box([np.full((336, 240, 3), 250, np.uint8)]) is None


def test_a_saved_deck_comes_back_the_same(tmp_path: Path, decks: list[Deck]) -> None:
    save_deck(decks[0], tmp_path)
    (again,) = load_decks(tmp_path, "train")
    assert np.array_equal(again.faces, decks[0].faces)
    assert (again.name, again.box, again.corners) == (decks[0].name, decks[0].box, decks[0].corners)
    with pytest.raises(WorkspaceError, match="no held_out decks"):
        load_decks(tmp_path, "held_out")


def test_a_broken_deck_is_an_error_that_says_what_to_do(tmp_path: Path, decks: list[Deck]) -> None:
    save_deck(decks[0], tmp_path)
    (tmp_path / decks[0].name / "faces.npy").write_bytes(b"no array")
    with pytest.raises(WorkspaceError, match="delete it and make the decks again"):
        load_decks(tmp_path, "train")


def test_the_centre_of_an_index_box_is_its_middle() -> None:
    box = IndexBox(10, 20, 30, 80, 55)
    assert box.centre == pytest.approx((20, 50))
    assert box.half_height == 30


def test_drawn_suits_have_ink_and_look_different_from_each_other() -> None:
    suits = drawn_suits(np.random.default_rng(3))
    assert all(mask.max() == 255 and min(mask.shape) > 20 for mask in suits.masks)
    assert len(distinct([suits, suits])) == 1
    assert len(distinct([suits, drawn_suits(np.random.default_rng(4))])) == 2


def test_stroke_fonts_draw_every_letter_of_an_index() -> None:
    masks = [text_mask(font, text) for font in STROKE_FONTS for text in ("A", "10", "Q", "K")]
    assert all(mask is not None and mask.shape[0] > 50 for mask in masks)


def test_the_list_of_sources_names_only_ranks_and_boxes_that_make_sense() -> None:
    for family in load_sources()["art"]:
        assert family["licence"]
        for name, facts in family.get("decks", {}).items():
            assert name in family["names"]
            assert set(facts.get("without", "")) <= set("A23456789TJQK")
            if "box" in facts:
                box = IndexBox(*facts["box"])
                assert box.left < box.right
                assert box.top < box.split < box.bottom


def test_a_deck_by_chance_prints_the_letters_of_its_alphabet() -> None:
    rng = np.random.default_rng(3)
    deck = make_deck(rng, "german", STROKE_FONTS, [drawn_suits(rng)], [], alphabet="german")
    assert deck is not None
    jack, king = face_number(RANKS.index("J"), 2), face_number(RANKS.index("K"), 2)
    assert GLYPHS[deck.glyph_class(jack)] == "B"
    assert GLYPHS[deck.glyph_class(king)] == "K"


def test_a_font_without_the_letters_makes_no_deck() -> None:
    rng = np.random.default_rng(3)
    assert make_deck(rng, "russian", STROKE_FONTS, [drawn_suits(rng)], [], alphabet="russian") is None


def test_the_alphabet_of_a_deck_is_kept_with_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    deck = make_deck(rng, "dutch", STROKE_FONTS, [drawn_suits(rng)], [], alphabet="dutch")
    assert deck is not None
    save_deck(deck, tmp_path)
    assert load_deck(tmp_path / "dutch").glyphs == deck.glyphs


def test_later_decks_print_every_alphabet() -> None:
    names = [f"chance_{number:03d}" for number in range(TRAIN_DECKS)]
    assert {alphabet_of(name, "train") for name in names} == set(ALPHABETS)
    held_out = [f"chance_h{number:02d}" for number in range(HELD_OUT_DECKS)]
    assert {alphabet_of(name, "held_out") for name in held_out} == set(ALPHABETS)
