from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kemps_server.errors import KempsServerError
from kemps_server.live.delay import MOST_MS, Promise, promise_at, promise_for, promise_of, set_delay
from kemps_server.store.store import Store

STEPS = st.lists(st.tuples(st.integers(0, 500), st.integers(0, 300)), max_size=6).map(
    lambda steps: tuple(sorted(steps, key=lambda step: step[0]))
)


def holding_at(steps: tuple[tuple[int, int], ...], at_ms: int) -> int:
    before = [delay for from_ms, delay in steps if from_ms <= at_ms]
    return before[-1] if before else steps[0][1] if steps else 0


@given(STEPS, st.integers(0, 600))
def test_a_line_is_never_public_before_what_was_promised_when_it_was_written(
    steps: tuple[tuple[int, int], ...], written_ms: int
) -> None:
    assert Promise(steps).due_ms(written_ms) >= written_ms + holding_at(steps, written_ms)


@given(STEPS, st.integers(0, 600), st.integers(0, 300))
def test_another_step_never_makes_a_line_public_earlier(
    steps: tuple[tuple[int, int], ...], written_ms: int, delay_ms: int
) -> None:
    last = steps[-1][0] if steps else 0
    assume(written_ms < last + 10)  # else the new step is what was promised
    longer = (*(steps or ((0, 0),)), (last + 10, delay_ms))
    assert Promise(longer).due_ms(written_ms) >= Promise(steps).due_ms(written_ms)


def test_a_longer_delay_holds_what_is_still_held_and_not_what_was_public() -> None:
    promise = Promise(((0, 1_000), (100_000, 60_000)))
    assert promise.due_ms(98_900) == 99_900
    assert promise.due_ms(99_500) == 159_500


@pytest.mark.parametrize(
    "settings",
    [
        {"delay_ms": -1},
        {"delay_ms": True},
        {"delay_ms": 5, "delays": 7},
        {"delay_ms": 5, "delays": [[1]]},
        {"delay_ms": 5, "delays": [[9, 5], [1, 5]]},
    ],
)
def test_settings_that_make_no_sense_hold_everything_back_the_longest(settings: dict[str, Any]) -> None:
    assert promise_of(settings).due_ms(0) == MOST_MS


def test_a_delay_written_past_its_route_holds_for_all_lines() -> None:
    settings = {"delay_ms": 900, "delays": [[0, 100], [500, 200]]}
    assert promise_of(settings).due_ms(10) == 910


def test_the_delay_of_a_table_is_kept_with_its_history(store: Store) -> None:
    set_delay(store.tables, "club", 60_000, now_ms=1_000)
    set_delay(store.tables, "club", 0, now_ms=2_000)
    promise = promise_at(store.tables, "club")
    assert promise.now_ms == 0
    assert promise.due_ms(1_500) == 61_500
    assert promise.due_ms(2_000) == 62_000, "which came first in that millisecond nobody knows"
    assert promise.due_ms(2_001) == 2_001


def test_steps_that_can_hold_nothing_any_more_are_forgotten(store: Store) -> None:
    for number in range(20):
        set_delay(store.tables, "club", number, now_ms=number * MOST_MS)
    record = store.tables.find("club")
    assert record is not None
    assert len(record.settings["delays"]) <= 4


def test_a_clock_that_was_set_back_keeps_the_order_of_the_steps(store: Store) -> None:
    set_delay(store.tables, "club", 1_000, now_ms=50_000)
    set_delay(store.tables, "club", 3_000, now_ms=40_000)
    assert promise_at(store.tables, "club").steps == ((0, 0), (50_000, 1_000), (50_000, 3_000))


@pytest.mark.parametrize("delay_ms", [-1, MOST_MS + 1])
def test_an_impossible_delay_is_refused_and_the_old_one_stays(store: Store, delay_ms: int) -> None:
    set_delay(store.tables, "club", 7_000)
    with pytest.raises(KempsServerError, match="three hours"):
        set_delay(store.tables, "club", delay_ms)
    assert promise_at(store.tables, "club").now_ms == 7_000


def test_no_table_no_delay_and_a_removed_table_the_longest(store: Store) -> None:
    with pytest.raises(KempsServerError, match="no table"):
        set_delay(store.tables, "attic", 5)
    assert promise_at(store.tables, "attic").now_ms == MOST_MS
    assert promise_for(store, "never-sat") == Promise()
