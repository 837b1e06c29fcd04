"""What is seen picture by picture becomes reaches with a beginning and an end."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kemps_rules.seats import Seat
from kemps_vision.people.reaches import GAP_MS, LEAST_MS, Reach, Reaching


def reaches(pictures: list[tuple[int, set[Seat | None]]]) -> list[Reach]:
    reaching = Reaching()
    told = [reach for at_ms, seats in pictures for reach in reaching.step(at_ms, seats)]
    return told + reaching.finish()


def test_a_reach_lasts_from_its_first_to_its_last_picture() -> None:
    pictures: list[tuple[int, set[Seat | None]]] = [
        (66 * i, {"A"} if 10 <= i <= 20 else set()) for i in range(40)
    ]
    assert reaches(pictures) == [Reach(660, 1320, "A")]


def test_a_short_gap_is_bridged_and_a_flicker_is_none() -> None:
    seen = [*range(5), *range(8, 14), 30]
    assert reaches([(66 * i, {"B"} if i in seen else set()) for i in range(40)]) == [Reach(0, 66 * 13, "B")]


def test_two_seats_reach_at_once() -> None:
    pictures: list[tuple[int, set[Seat | None]]] = [(66 * i, {"A", "C"}) for i in range(5)]
    assert reaches(pictures) == [Reach(0, 264, "A"), Reach(0, 264, "C")]


def test_what_goes_on_is_known() -> None:
    reaching = Reaching()
    assert reaching.oldest_open_ms is None
    reaching.step(100, {"A"})
    reaching.step(200, {"A", None})
    assert reaching.oldest_open_ms == 100


@given(st.lists(st.sets(st.sampled_from(["A", "B", None])), max_size=60))
def test_reaches_of_one_seat_neither_overlap_nor_last_too_short(pictures: list[set[Seat | None]]) -> None:
    told = reaches([(66 * i, seats) for i, seats in enumerate(pictures)])
    assert all(reach.until_ms - reach.at_ms >= LEAST_MS for reach in told)
    for seat in ("A", "B", None):
        own = sorted((reach.at_ms, reach.until_ms) for reach in told if reach.seat == seat)
        assert all(then[0] - before[1] > GAP_MS for before, then in pairwise(own))
