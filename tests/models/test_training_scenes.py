"""Made-up pictures: the same seed gives the same picture, and the labels tell the truth about it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_training.cameras import choose_camera, project
from kemps_training.compositing import Table
from kemps_training.crops import HEIGHT_PX, WIDTH_PX, cut_index
from kemps_training.decks import Deck, face_number
from kemps_training.labels import (
    CENTRE,
    MIDDLE,
    RANK,
    RIGHT,
    SUIT,
    SUIT_VISIBLE,
    UP,
    VISIBLE,
    height_and_width,
    is_readable,
    quarter_turns,
)
from kemps_training.light import photograph
from kemps_training.scenes import SceneMaker, indices_of
from kemps_training.sleeves import lay_gloss, lay_sleeve

SEVEN_OF_HEARTS = face_number(6, 2)


def upright_quad(deck: Deck, left: float, top: float, width: float) -> NDArray[np.float64]:
    height = width * deck.faces.shape[1] / deck.faces.shape[2]
    corners: NDArray[np.float64] = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
    return np.asarray(corners + np.array([left, top]), np.float64)


def table(side: int = 256) -> Table:
    return Table(np.full((side, side, 3), 90, np.uint8), 100.0)


def lay(on: Table, deck: Deck, number: int, quad: NDArray[np.float64]) -> NDArray[np.float32]:
    owner = on.lay(deck.face(number), quad, 1.0, face_down=False)
    on.indices += indices_of(deck, number, quad, owner)
    return np.stack([on.label(index).row() for index in on.indices])


def likeness(first: NDArray[np.uint8], second: NDArray[np.uint8]) -> float:
    return float(np.corrcoef(first.mean(2).ravel(), second.mean(2).ravel())[0, 1])


def flat_index(deck: Deck, number: int) -> NDArray[np.uint8]:
    """The index as a crop should show it, cut from the flat face."""
    centre, up = np.array(deck.box.centre), deck.box.half_height
    return cut_index(deck.face(number), centre, np.array([0, -up]), np.array([up, 0]))


def test_the_same_seed_makes_the_same_scene_whatever_was_made_before(decks: list[Deck]) -> None:
    first, second = SceneMaker(decks, []), SceneMaker(decks, [])
    second.make(np.random.default_rng(1))
    made, again = (maker.make(np.random.default_rng(8)) for maker in (first, second))
    assert np.array_equal(made.pixels, again.pixels)
    assert np.array_equal(made.rows, again.rows)
    assert np.array_equal(made.face_up, again.face_up)


def test_a_scene_is_as_large_as_asked_and_its_labels_are_finite(decks: list[Deck]) -> None:
    for seed in range(12):
        scene = SceneMaker(decks, [], side=192).make(np.random.default_rng(seed))
        assert scene.pixels.shape == (192, 192, 3)
        assert scene.pixels.dtype == np.uint8
        assert np.isfinite(scene.rows).all()
        assert ((scene.rows[:, VISIBLE:] >= 0) & (scene.rows[:, VISIBLE:] <= 1)).all()


def test_the_crop_of_both_indices_of_a_turned_and_tilted_card_shows_them_upright(decks: list[Deck]) -> None:
    deck, on = decks[0], table(400)
    quad = np.array([[120.0, 60.0], [250.0, 110.0], [225.0, 330.0], [70.0, 270.0]])
    rows = lay(on, deck, SEVEN_OF_HEARTS, quad)
    wanted = flat_index(deck, SEVEN_OF_HEARTS)
    for row in rows:
        upright = cut_index(on.pixels, row[CENTRE], row[UP], row[RIGHT])
        assert upright.shape == (HEIGHT_PX, WIDTH_PX, 3)
        assert likeness(upright, wanted) > 0.8
        assert likeness(cut_index(on.pixels, row[CENTRE], -row[UP], -row[RIGHT]), wanted) < 0.6
        assert (row[RANK], row[SUIT]) == (6, 2)


def test_indices_of_a_card_are_mirrored_at_its_middle(decks: list[Deck]) -> None:
    on = table(400)
    first, last = lay(on, decks[0], 3, upright_quad(decks[0], 50, 40, 120))[:2]
    assert first[MIDDLE] == pytest.approx(last[MIDDLE])
    assert first[CENTRE] + last[CENTRE] == pytest.approx(2 * first[MIDDLE], abs=1e-3)
    assert first[UP] == pytest.approx(-last[UP], abs=1e-3)


def test_up_leads_to_the_top_of_the_rank_and_right_is_as_long(decks: list[Deck]) -> None:
    deck, width = decks[0], 120.0
    row = lay(table(400), deck, 3, upright_quad(deck, 50, 40, width))[0]
    scale = width / deck.faces.shape[2]
    assert row[CENTRE] + row[UP] == pytest.approx(
        [50 + deck.box.centre[0] * scale, 40 + deck.box.top * scale], abs=0.01
    )
    assert row[RIGHT] == pytest.approx([deck.box.half_height * scale, 0], abs=0.01)


def test_an_index_is_seen_whole_on_an_open_card_and_not_at_all_under_another(decks: list[Deck]) -> None:
    deck, on = decks[0], table()
    rows = lay(on, deck, 3, upright_quad(deck, 20, 20, 100))
    assert rows[:, VISIBLE] == pytest.approx([1, 1])
    rows = lay(on, deck, 9, upright_quad(deck, 20, 20, 100))
    assert rows[:2, VISIBLE] == pytest.approx([0, 0])
    assert rows[2:, VISIBLE] == pytest.approx([1, 1])


def test_an_index_half_covered_is_half_visible(decks: list[Deck]) -> None:
    deck, on = decks[0], table()
    lay(on, deck, 3, upright_quad(deck, 20, 20, 100))
    split = 20 + deck.box.split * 100 / 240
    on.owner[round(split) :, :] = -1
    row = on.label(on.indices[0]).row()
    assert row[VISIBLE] == pytest.approx(
        (deck.box.split - deck.box.top) / (deck.box.bottom - deck.box.top), abs=0.12
    )
    assert row[SUIT_VISIBLE] < 0.1
    assert not is_readable(row[None])[0]


def test_an_index_outside_the_picture_is_not_visible(decks: list[Deck]) -> None:
    row = lay(table(), decks[0], 3, upright_quad(decks[0], -60, 20, 120))[0]
    assert row[VISIBLE] == 0


def test_a_face_down_card_is_not_face_up(decks: list[Deck]) -> None:
    on = table()
    on.lay(decks[0].face(1), upright_quad(decks[0], 10, 10, 80), 1.0, face_down=True)
    assert not on.face_up().any()
    on.lay(decks[0].face(1), upright_quad(decks[0], 130, 10, 80), 1.0, face_down=False)
    share = on.face_up().mean()
    assert share == pytest.approx(80 * 80 * decks[0].faces.shape[1] / 240 / 256**2, rel=0.03)


def test_labels_turn_with_their_picture(decks: list[Deck]) -> None:
    on = table()
    row = lay(on, decks[0], SEVEN_OF_HEARTS, upright_quad(decks[0], 40, 30, 110))[:1]
    wanted = cut_index(on.pixels, row[0, CENTRE], row[0, UP], row[0, RIGHT])
    for turns in (1, 2, 3):
        turned = quarter_turns(row, turns, 256)[0]
        picture = np.ascontiguousarray(np.rot90(on.pixels, turns))
        crop = cut_index(picture, turned[CENTRE], turned[UP], turned[RIGHT])
        assert likeness(crop, wanted) > 0.999


def test_a_large_index_is_cropped_without_jagged_edges() -> None:
    fine = np.zeros((400, 400, 3), np.uint8)
    fine[:, ::2] = 255
    crop = cut_index(fine, np.array([200.0, 200.0]), np.array([0.0, -150.0]), np.array([150.0, 0.0]))
    assert crop[8:-8, 8:-8].std() < 20


def test_height_and_width_are_those_of_the_vectors() -> None:
    row = np.zeros((1, 13), np.float32)
    row[0, UP], row[0, RIGHT] = (0, -20), (5, 3)
    height, width = height_and_width(row)
    assert height[0] == pytest.approx(20)
    assert width[0] == pytest.approx(5)


def test_the_camera_sees_a_card_in_the_middle_about_as_long_as_asked() -> None:
    for seed in range(20):
        homography = choose_camera(np.random.default_rng(seed), 256, 120.0)
        corners = project(homography, np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]]))
        longest = max(np.linalg.norm(corners[3] - corners[0]), np.linalg.norm(corners[2] - corners[1]))
        assert 40 < longest < 200
        assert cv2.contourArea(corners.astype(np.float32)) > 500


def test_a_covered_back_is_told_with_the_share_that_is_seen(decks: list[Deck]) -> None:
    on = table()
    on.lay(decks[0].face(1), upright_quad(decks[0], 20, 20, 80), 1.0, face_down=True)
    assert on.backs()[0, 8] == pytest.approx(1, abs=0.03)  # its corners are round
    on.lay(decks[0].face(2), upright_quad(decks[0], 60, 20, 80), 1.0, face_down=False)
    (row,) = on.backs()
    assert row[8] == pytest.approx(0.5, abs=0.03)
    assert row[:8].reshape(4, 2) == pytest.approx(upright_quad(decks[0], 20, 20, 80), abs=1e-3)


def test_some_scenes_have_cards_face_down(decks: list[Deck]) -> None:
    maker = SceneMaker(decks, [])
    scenes = [maker.make(np.random.default_rng([8, number])) for number in range(12)]
    assert any(len(scene.backs) for scene in scenes)
    assert all(scene.backs.shape[1:] == (9,) for scene in scenes)


def test_a_far_camera_shows_less_detail() -> None:
    stripes = np.repeat(np.where(np.arange(256) % 6 < 3, 230, 20)[None, :, None], 256, axis=0)
    picture = np.repeat(stripes, 3, axis=2).astype(np.uint8)
    near = [photograph(np.random.default_rng(seed), picture, 100.0) for seed in range(6)]
    far = [photograph(np.random.default_rng(seed), picture, 100.0, 0.3) for seed in range(6)]
    detail = [
        np.mean([np.abs(np.diff(seen.mean(2), axis=1)).mean() for seen in kind]) for kind in (near, far)
    ]
    assert detail[1] < 0.5 * detail[0]
    assert far[0].shape == picture.shape


def test_a_sleeve_shows_about_its_card_and_glosses_on_it(decks: list[Deck]) -> None:
    on, quad = table(), upright_quad(decks[0], 60, 60, 80)
    lay_sleeve(np.random.default_rng(1), on.pixels, quad)
    assert on.pixels[58, 100].min() > 95
    on.lay(decks[0].face(1), quad, 0.5, face_down=False)
    before = on.pixels.copy()
    lay_gloss(np.random.default_rng(1), on.pixels, quad)
    lighter = on.pixels.astype(int) - before
    assert lighter.max() > 10
    assert np.flatnonzero((lighter != 0).any(axis=(1, 2))).max() <= 61 + 80 * decks[0].faces.shape[1] / 240
