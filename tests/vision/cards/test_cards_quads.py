"""Where the card lies, told from its indices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kemps_vision.cards.instances import card_of
from kemps_vision.cards.quads import (
    IndexLayout,
    in_plane_of,
    is_inside,
    layout_seen,
    length_in_mm,
    overlap,
    quad_beside,
    quad_from_layout,
    quad_from_one,
    quad_from_two,
)
from kemps_vision.cards.reading import Floats, IndexReading

Maker = Callable[..., IndexReading]
UPRIGHT = np.array(
    [[37.0, 12.0], [163.0, 12.0], [163.0, 188.0], [37.0, 188.0]]
)  # 2 px a mm around (100, 100)
fixture_is_stateless = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def true_quad(at: tuple[float, float], turned: float, mm: float = 2.0) -> Floats:
    """A card's corners, its middle ``at`` px, turned by radians, ``mm`` px a millimetre."""
    cosine, sine = np.cos(turned), np.sin(turned)
    shape = np.array([[-31.5, -44.0], [31.5, -44.0], [31.5, 44.0], [-31.5, 44.0]]) * mm
    return np.asarray(shape @ np.array([[cosine, sine], [-sine, cosine]]) + at, dtype=np.float64)


def test_a_card_is_found_from_its_upper_left_index(an_index: Maker) -> None:
    quad = quad_from_one(an_index("9s", at=(100, 100)))
    assert quad == pytest.approx(UPRIGHT, abs=3)


def test_a_card_is_found_from_an_index_that_does_not_tell_its_middle(an_index: Maker) -> None:
    quad = quad_from_one(replace(an_index("9s", at=(100, 100)), card_centre=None))
    assert quad == pytest.approx(UPRIGHT, abs=9)


def test_corners_start_where_the_index_stands_upright(an_index: Maker) -> None:
    quad = quad_from_one(an_index("9s", at=(100, 100), corner="second"))
    assert quad == pytest.approx(UPRIGHT[[2, 3, 0, 1]], abs=3)


@fixture_is_stateless
@given(turned=st.floats(-3.1, 3.1), mm=st.floats(0.6, 12.0))
def test_two_indices_give_the_card_at_any_turn_and_size(an_index: Maker, turned: float, mm: float) -> None:
    first = an_index("9s", at=(300, 200), turned=turned, mm=mm)
    second = an_index("9s", at=(300, 200), turned=turned, mm=mm, corner="second")
    quad = quad_from_two(first, second)
    assert np.abs(quad - true_quad((300, 200), turned, mm)).max() < 0.03 * 88 * mm


@pytest.mark.parametrize("turned", [0.0, 0.7, -2.5])
def test_two_indices_side_by_side_give_the_card_although_its_middle_is_misjudged(
    an_index: Maker, turned: float
) -> None:
    first = an_index("9s", at=(200, 150), turned=turned)
    aside = np.array([np.cos(turned), np.sin(turned)]) * 2 * 51.0
    second = replace(first, centre=first.centre + aside, card_centre=None)
    for one, other in ((first, second), (second, first)):
        assert quad_beside(one, other) == pytest.approx(true_quad((200, 150), turned), abs=4)


@pytest.mark.parametrize("turned", [0.0, 0.6, 1.3, 2.4])
def test_a_rectangle_becomes_a_card_under_the_tilt_of_another(turned: float) -> None:
    tilt = np.array([[1.0, 0.2], [0.0, 0.5]])  # seen from low, and from one side
    other, card = (true_quad((0, 0), turn, mm=1.0) @ tilt.T for turn in (0.3, turned))
    long = (card[3] - card[0] + card[2] - card[1]) / 4
    along = long / np.linalg.norm(long)
    short = np.array([along[1], -along[0]]) * np.linalg.norm(card[1] - card[0]) / 2
    rectangle = np.stack([-long - short, -long + short, long + short, long - short])
    found = in_plane_of(other, rectangle)
    assert min(np.abs(np.roll(found, turn, axis=0) - card).max() for turn in (0, 2)) < 5


def test_quads_overlap_by_the_share_of_what_both_cover() -> None:
    square = np.array([[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]])
    assert overlap(square, square) == pytest.approx(1.0)
    assert overlap(square, square + np.array([5.0, 0.0])) == pytest.approx(1 / 3)
    assert overlap(square, square + np.array([10.5, 0.0])) == 0
    assert overlap(square * 0, square * 0) == 0


def test_jumbo_indices_do_not_make_the_card_larger(an_index: Maker) -> None:
    jumbo = [
        replace(
            index,
            centre=index.centre + sign * np.array([0.0, 10.0]),
            up=index.up * 1.5,
            right=index.right * 1.5,
        )
        for index, sign in (
            (an_index("9s", at=(100, 100)), 1),
            (an_index("9s", at=(100, 100), corner="second"), -1),
        )
    ]
    assert quad_from_two(jumbo[0], jumbo[1]) == pytest.approx(UPRIGHT, abs=6)


def test_cards_with_two_indices_tell_how_their_deck_is_printed(an_index: Maker) -> None:
    pairs = [(an_index("9s", at=(90 * n, 50), turned=n), n) for n in range(1, 4)]
    cards = [
        card_of((index, an_index("9s", at=(90 * n, 50), turned=n, corner="second"))) for index, n in pairs
    ]
    layout = layout_seen([*cards, card_of((an_index("Kd", mm=5.0),))])
    assert layout is not None
    assert layout.half_height == pytest.approx(10.0, rel=0.03)
    assert layout.sideways == pytest.approx(6.0, abs=0.5)
    assert layout.down == pytest.approx(13.0, abs=0.5)
    assert layout.px_per_mm == pytest.approx(2.0, rel=0.03)


def test_without_such_a_card_nothing_is_known_of_the_deck(an_index: Maker) -> None:
    assert layout_seen([card_of((an_index("Kd"),))]) is None


def test_a_known_deck_places_a_card_of_one_index_whose_size_was_misjudged(an_index: Maker) -> None:
    layout = IndexLayout(half_height=10.0, sideways=6.0, down=13.0, px_per_mm=2.0)
    index = an_index("Kd", at=(100, 100))
    misjudged = replace(
        index, up=index.up * 1.2, right=index.right * 1.1, card_centre=np.array([150.0, 140.0])
    )
    assert quad_from_layout(misjudged, layout) == pytest.approx(UPRIGHT, abs=8)
    assert np.abs(quad_from_one(misjudged) - UPRIGHT).max() > 30


def test_inside_means_away_from_the_sides_by_the_inset() -> None:
    assert is_inside(UPRIGHT, np.array([100.0, 100.0]))
    assert is_inside(UPRIGHT, np.array([40.0, 100.0]))
    assert not is_inside(UPRIGHT, np.array([40.0, 100.0]), inset=0.1)
    assert not is_inside(UPRIGHT, np.array([170.0, 100.0]))


def test_nothing_is_inside_a_quad_without_area() -> None:
    assert not is_inside(np.zeros((4, 2)), np.zeros(2))


def test_lengths_on_the_card_are_in_millimetres_whatever_the_tilt() -> None:
    tilted = UPRIGHT * [1.0, 0.4]
    assert length_in_mm(tilted, np.array([0.0, 8.0])) == pytest.approx(10.0)
    assert length_in_mm(np.ones((4, 2)), np.array([0.0, 8.0])) == 0.0
