from __future__ import annotations

import doctest

import numpy as np
import pytest

from kemps_server.bench import card_photos, confidence
from kemps_server.bench.confidence import f1_interval, f1_of, wilson


def test_wilsons_interval_of_all_right_is_not_just_one() -> None:
    low, high = wilson(20, 20)
    assert low == pytest.approx(0.839, abs=0.001)
    assert high == 1.0


def test_nothing_counted_leaves_everything_open() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert f1_interval(np.zeros((0, 3))) == (0.0, 1.0)
    assert f1_of(0, 0, 0) == 0.0


def test_intervals_hold_the_figure_and_narrow_with_more_pictures() -> None:
    def interval(pictures: int) -> tuple[float, float]:
        return f1_interval(np.array([[n % 2, 2.0, 0.0] for n in range(pictures)], dtype=np.float64))

    f1 = f1_of(1, 4, 0)
    few, many = interval(8), interval(400)
    assert few[0] < many[0] < f1 < many[1] < few[1]


def test_faultless_pictures_leave_as_much_doubt_as_their_cards_do() -> None:
    low, high = f1_interval(np.array([[4.0, 4.0, 0.0]] * 5))
    share = wilson(20, 20)[0]
    assert low == pytest.approx(2 * share / (1 + share))
    assert high == pytest.approx(1.0)


def test_the_examples_of_the_figures_are_right() -> None:
    for module in (confidence, card_photos):
        result = doctest.testmod(module)
        assert result.failed == 0
        assert result.attempted > 0
