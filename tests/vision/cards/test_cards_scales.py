"""At which sizes a picture is looked at."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from kemps_vision.cards.backs import BackCandidates
from kemps_vision.cards.reading import IndexReading
from kemps_vision.cards.scales import LONG_SIDES_PX, Level, best_levels, ladder, scale_for

Maker = Callable[..., IndexReading]


def a_level(indices: list[IndexReading], *, backs: int = 0, heat: float = 0.9) -> Level:
    places = np.zeros((backs, 2))
    return Level(indices, BackCandidates(places, places, places, np.full(backs, heat), np.zeros(backs)))


def test_a_known_card_size_leads_to_one_scale() -> None:
    assert scale_for(240.0, (720, 1280)) == pytest.approx(0.5)
    assert scale_for(120.0, (720, 1280)) == 1.0


def test_small_cards_are_not_enlarged_without_limit() -> None:
    assert scale_for(10.0, (720, 1280)) == 1.5
    assert scale_for(0.0, (720, 1280)) == 1.5


def test_a_wrong_card_size_does_not_ask_for_a_giant_picture() -> None:
    assert scale_for(5.0, (6000, 8000)) == pytest.approx((8 / 48) ** 0.5)


def test_the_ladder_reaches_from_small_to_twice_enlarged() -> None:
    assert [round(factor * 1280) for factor in ladder(1280)] == list(LONG_SIDES_PX)
    assert [round(factor * 640) for factor in ladder(640)] == [240, 340, 480, 680, 960, 1360]
    assert ladder(20) == [1.5]


def test_what_is_read_clearly_is_worth_far_more_than_what_is_only_seen(an_index: Maker) -> None:
    assert a_level([an_index("9s", belief=0.9)]).worth == pytest.approx(0.9 + 0.05, abs=0.01)
    assert a_level([an_index("9s", belief=0.3)]).worth == pytest.approx(0.05, abs=0.01)
    assert a_level([an_index("9s", belief=0.3, none_p=0.9)]).worth == 0


def test_a_back_is_worth_as_much_as_an_index_that_is_only_seen() -> None:
    assert a_level([], backs=2).worth == pytest.approx(0.09)
    assert a_level([], backs=2, heat=0.2).worth == 0


def test_the_best_scales_are_kept_best_first_and_hopeless_large_ones_are_not_tried(an_index: Maker) -> None:
    counts = {0.1: 0, 0.2: 3, 0.3: 4, 0.4: 1, 0.5: 0, 0.6: 9}
    tried: list[float] = []

    def read_at(factor: float) -> Level:
        tried.append(factor)
        return a_level([an_index("9s")] * counts[factor])

    levels = best_levels(list(counts), read_at, keep=2)
    assert [len(level.indices) for level in levels] == [4, 3]
    assert tried == [0.1, 0.2, 0.3, 0.4, 0.5]


def test_a_stray_index_in_a_small_picture_does_not_end_the_search(an_index: Maker) -> None:
    counts = {0.1: 1, 0.2: 0, 0.3: 0, 0.4: 0, 0.5: 7}
    levels = best_levels(list(counts), lambda factor: a_level([an_index("9s")] * counts[factor]), keep=1)
    assert len(levels[0].indices) == 7


def test_an_empty_picture_is_looked_at_in_all_sizes() -> None:
    tried: list[float] = []

    def read_at(factor: float) -> Level:
        tried.append(factor)
        return a_level([])

    assert [level.indices for level in best_levels([0.1, 0.2, 0.3, 0.4], read_at, keep=2)] == [[], []]
    assert tried == [0.1, 0.2, 0.3, 0.4]
