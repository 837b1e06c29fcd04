from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_vision.appearance import Look, TableColour, cut, stillness
from kemps_vision.frame import Image

QUAD = np.array([[60, 40], [116, 40], [116, 118], [60, 118]], np.float64)


def table(colour: tuple[int, int, int] = (40, 110, 60)) -> Image:
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 3, (160, 180, 1))
    return np.clip(np.full((160, 180, 3), colour) + noise, 0, 255).astype(np.uint8)


def with_card(picture: Image, seed: int = 3) -> Image:
    rng = np.random.default_rng(seed)
    picture = picture.copy()
    picture[40:118, 60:116] = 235
    for _ in range(9):
        x, y = int(rng.integers(64, 104)), int(rng.integers(44, 106))
        picture[y : y + 10, x : x + 8] = (180, 30, 40)
    return picture


def grey(picture: Image) -> NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), np.uint8)


def look_of(picture: Image) -> Look:
    return Look.of(cut(grey(picture), QUAD))


def kept(look: Look, picture: Image) -> float:
    return look.kept(cut(grey(picture), QUAD))


def test_a_look_is_kept_by_the_same_card() -> None:
    assert kept(look_of(with_card(table())), with_card(table())) == 1.0


@pytest.mark.parametrize("gain", [0.55, 0.8, 1.05])
def test_light_and_shadow_do_not_change_a_look(gain: float) -> None:
    card = with_card(table())
    slope = np.linspace(gain, 1.0, card.shape[1])[None, :, None]
    assert kept(look_of(card), (card * slope).astype(np.uint8)) > 0.9


def test_a_shift_by_a_pixel_keeps_most_of_a_look() -> None:
    card = with_card(table())
    assert kept(look_of(card), np.roll(card, 1, axis=1)) > 0.85


def test_the_bare_table_and_a_hand_keep_next_to_nothing() -> None:
    look = look_of(with_card(table()))
    hand = table()
    cv2.ellipse(hand, (88, 80), (60, 52), 20, 0, 360, (222, 176, 150), -1)
    assert kept(look, table()) < 0.1
    assert kept(look, hand) < 0.1


def test_another_card_is_not_taken_for_the_same() -> None:
    look = look_of(with_card(table(), seed=3))
    assert max(kept(look, with_card(table(), seed=seed)) for seed in range(4, 24)) < 0.8


def test_a_half_covered_card_keeps_about_half() -> None:
    card = with_card(table())
    look = look_of(card)
    card[78:, :] = (222, 176, 150)
    assert 0.25 < kept(look, card) < 0.7


def test_a_flat_patch_says_nothing() -> None:
    flat = np.full((160, 180, 3), 120, np.uint8)
    assert kept(look_of(flat), flat) == 0.0


def test_stillness_leaves_a_change_of_light_out() -> None:
    card = cut(grey(with_card(table())), QUAD)
    assert stillness(card, card) == 0.0
    assert stillness(card + 20, card) < 0.01
    assert stillness(cut(grey(table()), QUAD), card) > 10


def test_the_tables_colour_fills_the_place_when_the_card_is_gone_also_in_a_shadow() -> None:
    colour = TableColour.round_card(with_card(table()), QUAD)
    assert colour is not None
    assert colour.is_clean
    assert colour.share_in(table(), QUAD) > 0.95
    assert colour.share_in((table() * 0.6).astype(np.uint8), QUAD) > 0.9
    assert colour.share_in(with_card(table()), QUAD) < 0.1
    hand = table()
    hand[:, :] = (222, 176, 150)
    assert colour.share_in(hand, QUAD) == 0.0


def test_a_colour_measured_with_a_hand_beside_the_card_is_not_clean() -> None:
    picture = with_card(table())
    picture[:, 118:] = (222, 176, 150)
    picture[:, :58] = (30, 40, 140)
    colour = TableColour.round_card(picture, QUAD)
    assert colour is None or not colour.is_clean


def test_other_cards_beside_it_are_left_out_of_the_tables_colour() -> None:
    picture = with_card(table())
    other = QUAD + np.array([62, 0])
    picture[40:118, 122:178] = 235
    colour = TableColour.round_card(picture, QUAD, (other,))
    assert colour is not None
    assert colour.share_in(table(), QUAD) > 0.95
