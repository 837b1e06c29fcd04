"""Intervals against published values and against what an interval must be."""

from __future__ import annotations

import doctest
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kemps_server.analysis import estimates, phrases, players, sign_looks, spans
from kemps_server.analysis.estimates import Rate, Share, Spread, Times, chance_of_so_many
from kemps_server.analysis.spans import common, length_of, union, without
from kemps_server.charts import scales
from kemps_server.charts.scales import ticks_up_to, time_ticks_up_to

SPANS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted).map(tuple), max_size=8)


@pytest.mark.parametrize("module", [estimates, phrases, players, scales, sign_looks, spans])
def test_examples_in_docstrings_hold(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize(
    ("count", "low", "high"), [(0, 0.0, 3.689), (1, 0.0253, 5.572), (10, 4.795, 18.39), (30, 20.24, 42.83)]
)
def test_rates_have_the_exact_interval_of_a_poisson_count(count: int, low: float, high: float) -> None:
    rate = Rate.of_count(count, 60_000)
    assert (rate.low, rate.high) == pytest.approx((low, high), abs=0.01)


@pytest.mark.parametrize(
    ("count", "of", "low", "high"), [(0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0), (81, 263, 0.255, 0.366)]
)
def test_shares_have_wilsons_interval(count: int, of: int, low: float, high: float) -> None:
    share = Share.of_count(count, of)
    assert (share.low, share.high) == pytest.approx((low, high), abs=0.001)


@given(st.integers(0, 500), st.integers(1, 500))
def test_a_share_lies_within_its_interval(count: int, of: int) -> None:
    share = Share.of_count(min(count, of), of)
    assert 0 <= (share.low or 0) <= (share.share or 0) <= (share.high or 0) <= 1


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=40))
def test_a_median_lies_within_its_interval_which_few_times_do_not_have(times: list[int]) -> None:
    spread = Spread.of_times(times)
    assert spread.median_ms is not None
    assert min(times) <= spread.median_ms <= max(times)
    assert (spread.low_ms is None) == (len(times) < 6)
    if spread.low_ms is not None and spread.high_ms is not None:
        assert spread.low_ms <= spread.median_ms <= spread.high_ms


def test_how_many_times_as_often_needs_both_kinds_of_time() -> None:
    seen = Rate.of_count(3, 60_000)
    assert Times.of_rates(seen, Rate.of_count(0, 0)) == Times(None, None, None)
    alone = Times.of_rates(seen, Rate.of_count(0, 60_000))
    assert (alone.times, alone.high) == (None, None)
    assert (alone.low or 0) > 0
    same = Times.of_rates(seen, seen)
    assert same.times == 1
    assert (same.low or 0) < 1 < (same.high or 0)


def test_the_chance_of_so_many_is_the_binomials_where_chances_are_equal() -> None:
    assert chance_of_so_many(3, [0.5] * 4) == pytest.approx(5 / 16)
    assert chance_of_so_many(0, []) == 1
    assert chance_of_so_many(2, [0.1, 0.2, 0.3]) == pytest.approx(0.098)


@given(SPANS, SPANS)
def test_what_two_spans_share_and_what_one_has_alone_is_all_of_it(
    some: list[tuple[int, int]], others: list[tuple[int, int]]
) -> None:
    one, other = union(some), union(others)
    covered = {moment for start, end in some for moment in range(start, end)}
    shared = covered & {moment for start, end in others for moment in range(start, end)}
    assert length_of(one) == len(covered)
    assert length_of(common(one, other)) == len(shared)
    assert length_of(without(one, other)) == len(covered - shared)
    assert all(end < start for (_, end), (start, _) in pairwise(one))


@given(st.floats(0.001, 1e6))
def test_an_axis_reaches_what_stands_on_it_with_few_marks(high: float) -> None:
    ticks = ticks_up_to(high)
    assert ticks[0] == 0
    assert ticks[-1] >= high * (1 - 1e-6)
    assert 2 <= len(ticks) <= 7


@given(st.integers(1, 10**9))
def test_an_axis_of_time_does_too(high_ms: int) -> None:
    ticks = time_ticks_up_to(high_ms)
    assert ticks[-1] >= high_ms
    assert 2 <= len(ticks) <= 10
