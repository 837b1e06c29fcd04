"""Cards that lie face down: from the detector's grid to places, and which of these are believed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kemps_vision.cards.backs import BackCandidates, back_candidates, face_down_among
from kemps_vision.cards.instances import card_of
from kemps_vision.cards.reading import CardReading, FaceDownCard, Floats, IndexReading

AnIndex = Callable[..., IndexReading]


def empty_grid(rows: int = 40, columns: int = 60) -> NDArray[np.float32]:
    grid = np.zeros((16, rows, columns), np.float32)
    grid[[0, 8, 11]] = -9.0
    return grid


def mark_back(
    grid: NDArray[np.float32],
    at: tuple[float, float],
    *,
    long: float = 44.0,
    short: float = 31.5,
    turn: float = 0.0,
    heat: float = 0.95,
) -> None:
    """The bump of a card with its middle ``at`` px, half sides in px, its long sides turned by radians."""
    rows, columns = np.mgrid[0 : grid.shape[1], 0 : grid.shape[2]]
    x, y = (np.asarray(at) - 1.5) / 4
    bump = heat * np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * 2.0**2))
    hot = np.log(np.clip(bump, 1e-4, 1 - 1e-6) / (1 - np.clip(bump, 1e-4, 1 - 1e-6)))
    near = bump > 0.2
    grid[11] = np.maximum(grid[11], hot)
    values = np.log(long / 24), np.log(short / 24), np.cos(2 * turn), np.sin(2 * turn)
    for channel, value in enumerate(values, 12):
        grid[channel, near] = value


@given(
    x=st.floats(60, 180), y=st.floats(60, 100), turn=st.floats(-1.5, 1.5), long=st.floats(25, 100),
    squeeze=st.floats(0.5, 0.9),
)  # fmt: skip
def test_a_bump_becomes_a_card_with_its_middle_size_and_turn(
    x: float, y: float, turn: float, long: float, squeeze: float
) -> None:
    grid = empty_grid()
    mark_back(grid, (x, y), long=long, short=long * squeeze, turn=turn)
    found = back_candidates(grid)
    assert len(found) == 1
    assert found.centre[0] == pytest.approx([x, y], abs=0.4)
    along = found.long[0] / np.linalg.norm(found.long[0])
    assert abs(along @ [np.cos(turn), np.sin(turn)]) == pytest.approx(1.0, abs=1e-6)
    assert np.linalg.norm(found.long[0]) == pytest.approx(long, rel=1e-3)
    assert np.linalg.norm(found.short[0]) == pytest.approx(long * squeeze, rel=1e-3)
    quad = found.quads[0]
    assert np.linalg.norm(quad[1] - quad[0]) == pytest.approx(2 * long * squeeze, rel=1e-3)
    assert np.linalg.norm(quad[2] - quad[1]) == pytest.approx(2 * long, rel=1e-3)
    assert quad.mean(axis=0) == pytest.approx(found.centre[0])


@pytest.mark.parametrize(
    "sides", [{"long": 100.0, "short": 15.0}, {"long": 8.0, "short": 6.0}, {"long": 300.0, "short": 200.0}]
)
def test_what_has_not_the_shape_or_size_of_a_card_is_none(sides: dict[str, float]) -> None:
    grid = empty_grid()
    mark_back(grid, (120, 80), **sides)
    assert len(back_candidates(grid)) == 0


def test_cool_places_are_no_cards() -> None:
    grid = empty_grid()
    mark_back(grid, (120, 80), heat=0.05)
    assert len(back_candidates(grid)) == 0


def test_a_card_counts_from_the_least_heat_on() -> None:
    assert len(face_down_among([lying((100, 100, 0.6))], [], least=0.6)) == 1
    assert face_down_among([lying((100, 100, 0.6))], [], least=0.61) == []


def test_where_a_face_is_seen_is_no_back() -> None:
    grid = empty_grid()
    mark_back(grid, (120, 80))
    assert len(believed([back_candidates(grid)], [])) == 1
    grid[8] = 9.0
    assert back_candidates(grid).face_up[0] > 0.99
    assert believed([back_candidates(grid)], []) == []


def test_places_follow_their_picture_when_it_is_resized() -> None:
    grid = empty_grid()
    mark_back(grid, (120, 80), turn=0.4)
    found = back_candidates(grid)
    back = found.rescaled(0.37).rescaled(1 / 0.37)
    assert back.quads == pytest.approx(found.quads)
    assert found.rescaled(2.0).long == pytest.approx(found.long * 2)


def believed(candidates: list[BackCandidates], cards: list[CardReading]) -> list[FaceDownCard]:
    return face_down_among(candidates, cards, least=0.5)


def lying(*places: tuple[float, float, float], mm: float = 1.0) -> BackCandidates:
    """Backs upright at x, y with a heat, ``mm`` px a millimetre."""
    count = len(places)
    return BackCandidates(
        centre=np.array([place[:2] for place in places]).reshape(-1, 2),
        long=np.tile([0.0, 44.0 * mm], (count, 1)),
        short=np.tile([31.5 * mm, 0.0], (count, 1)),
        heat=np.array([place[2] for place in places]),
        face_up=np.zeros(count),
    )


@pytest.fixture
def a_card(an_index: AnIndex) -> Callable[[Floats], CardReading]:
    """A card read at two corners, its middle at a place, 1 px a millimetre."""

    def make(at: Floats) -> CardReading:
        return card_of((an_index("9s", at=at, mm=1.0), an_index("9s", at=at, mm=1.0, corner="second")))

    return make


def test_one_card_seen_at_two_scales_is_one() -> None:
    found = believed([lying((100, 100, 0.9)), lying((104, 99, 0.95))], [])
    assert [back.score for back in found] == [0.95]


def test_cards_that_lie_beside_each_other_are_as_many() -> None:
    assert len(believed([lying((100, 100, 0.9), (130, 100, 0.8), (100, 200, 0.7))], [])) == 3


def test_a_card_in_sight_of_both_indices_has_no_back_on_it(a_card: Callable[..., CardReading]) -> None:
    card = a_card(np.array([100.0, 100.0]))
    assert believed([lying((112, 125, 0.9))], [card]) == []
    assert len(believed([lying((170, 100, 0.9))], [card])) == 1
    covered = replace(card, indices=card.indices[:1])
    assert len(believed([lying((112, 125, 0.9))], [covered])) == 1


def test_a_back_hides_what_lies_under_it_so_an_index_in_it_makes_it_none(
    a_card: Callable[..., CardReading],
) -> None:
    card = a_card(np.array([100.0, 100.0]))
    one_index = replace(card, indices=card.indices[:1])
    assert believed([lying((105, 95, 0.9))], [one_index]) == []


def test_a_court_card_seen_as_a_back_turned_by_a_right_angle_is_none(
    a_card: Callable[..., CardReading],
) -> None:
    card = a_card(np.array([100.0, 100.0]))
    upright = lying((100, 108, 0.9))
    across = replace(upright, long=np.array([[44.0, 0.0]]), short=np.array([[0.0, -31.5]]))
    assert believed([across], [replace(card, indices=card.indices[:1])]) == []


def test_a_back_is_as_large_as_the_cards_beside_it(a_card: Callable[..., CardReading]) -> None:
    card = a_card(np.array([100.0, 100.0]))
    for mm, count in ((0.5, 0), (0.8, 1), (1.3, 1), (2.2, 0)):
        assert len(believed([lying((400, 400, 0.9), mm=mm)], [card])) == count
    assert len(believed([lying((400, 400, 0.9), mm=2.2)], [])) == 1
    sizes = [lying((400, 400, 0.9)), lying((700, 400, 0.8), mm=2.2)]
    assert [back.score for back in believed(sizes, [])] == [0.9]
