from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_vision.attention import LOOKS, STILL_FRAMES, Attention

WIDTH, HEIGHT = 640, 360
WHOLE = (0, 0, WIDTH, HEIGHT)
Picture = NDArray[np.uint8]


def table(*cards: tuple[int, int], light: float = 1.0) -> Picture:
    """A plain table with white cards of 40 x 56 px, their left top corners given."""
    picture = np.full((HEIGHT, WIDTH, 3), 90.0)
    for x, y in cards:
        picture[y : y + 56, x : x + 40] = 230.0
    return np.clip(picture * light, 0, 255).astype(np.uint8)


@pytest.fixture
def attention() -> Attention:
    """One that knows the empty table."""
    attention = Attention(WIDTH, HEIGHT)
    attention.watch(table())
    for _ in range(LOOKS):
        attention.looked(WHOLE)
    return attention


def test_at_first_everything_is_looked_at_until_it_is_known() -> None:
    attention = Attention(WIDTH, HEIGHT)
    assert attention.parts([], 10, None) == []
    attention.watch(table())
    for _ in range(LOOKS):
        assert attention.parts([], 10, None) == [WHOLE]
        attention.looked(WHOLE)
    assert attention.parts([], 10, None) == []


def test_a_card_that_came_to_rest_is_looked_at_and_one_that_moves_is_not(attention: Attention) -> None:
    for x in (100, 140, 180):
        attention.watch(table((x, 100)))
        assert attention.parts([], 10, None) == []
    for _ in range(STILL_FRAMES):
        attention.watch(table((180, 100)))
    (left, top, right, bottom) = attention.parts([], 10, None)[0]
    assert 160 <= left <= 172
    assert 80 <= top <= 92
    assert 228 <= right <= 240
    assert 164 <= bottom <= 176


def test_a_part_is_known_after_some_looks_and_unknown_again_when_it_changes(attention: Attention) -> None:
    for _ in range(STILL_FRAMES + 1):
        attention.watch(table((180, 100)))
    for _ in range(LOOKS):
        (box,) = attention.parts([], 10, None)
        attention.looked(box)
    assert attention.parts([], 10, None) == []
    for _ in range(STILL_FRAMES + 1):
        attention.watch(table())
    assert len(attention.parts([], 10, None)) == 1


def test_a_card_without_a_name_is_looked_at_until_it_has_one(attention: Attention) -> None:
    quad = np.array([[300, 200], [340, 200], [340, 256], [300, 256]], np.float64)
    for _ in range(3 * LOOKS):
        (box,) = attention.parts([quad], 10, None)
        assert box == (290, 190, 350, 266)
        attention.looked(box)


def test_what_is_left_out_is_not_looked_at(attention: Attention) -> None:
    for _ in range(STILL_FRAMES + 1):
        attention.watch(table((180, 100), (400, 100)))
    assert len(attention.parts([], 10, None)) == 2
    (box,) = attention.parts([], 10, (160, 80, 240, 180))
    assert box[0] > 300


def test_light_that_fades_is_no_change(attention: Attention) -> None:
    for step in range(20):
        attention.watch(table(light=1 - 0.03 * step))
        assert attention.parts([], 10, None) == []


def test_boxes_that_overlap_are_one_and_many_are_the_whole_picture(attention: Attention) -> None:
    def quad(x: float, y: float, side: float) -> NDArray[np.float64]:
        return np.array([[x, y], [x + side, y], [x + side, y + side], [x, y + side]])

    near = [quad(100, 100, 40), quad(130, 120, 40), quad(400, 100, 40)]
    assert sorted(attention.parts(near, 0, None)) == [(100, 100, 170, 160), (400, 100, 440, 140)]
    assert attention.parts([quad(10, 10, 340), quad(200, 10, 340)], 0, None) == [WHOLE]
