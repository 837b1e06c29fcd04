"""Whose a take or lay was, when hands and what a round of swaps can be both have a say."""

from __future__ import annotations

import numpy as np

from kemps_rules.seats import Seat
from kemps_vision.changes import Appeared, Left
from kemps_vision.interpret.moving_hands import Sight
from kemps_vision.interpret.swap_seats import MEMORY_MS, SwapSeats

QUAD = np.array([[0, 0], [60, 0], [60, 84], [0, 84]], np.float64)


class Played(SwapSeats):
    """Takes and lays by what speaks for each seat, told as they come or ahead of it."""

    def take(self, at_ms: int, scores: dict[Seat, float]) -> Left:
        left = Left(spot=0, card=None, quad=QUAD, covered_ms=0, shown_ms=at_ms, bare_ms=at_ms, is_sharp=False)
        self.saw(left, Sight(at_ms, scores))
        return left

    def lay(self, at_ms: int, scores: dict[Seat, float]) -> Appeared:
        card = Appeared(
            spot=0, card=None, quad=QUAD, rest_ms=at_ms, clear_ms=at_ms, settled_ms=at_ms, confidence=1.0
        )
        self.saw(card, Sight(at_ms, scores))
        return card


def test_what_is_clearly_seen_is_told() -> None:
    seats = Played()
    assert seats.seat_of(seats.take(0, {"A": 1.0, "B": 0.2})) == "A"
    assert seats.seat_of(seats.lay(1000, {"A": 0.9, "B": 0.0})) == "A"


def test_nobody_is_named_whose_hand_was_not_seen() -> None:
    seats = Played()
    assert seats.seat_of(seats.take(0, {})) is None
    assert seats.seat_of(seats.take(500, {"A": 1.0, "B": 0.0})) == "A"
    # Only A has a swap open; but nothing was seen of whose hand it was.
    assert seats.seat_of(seats.lay(1500, {"A": 0.1, "B": 0.0})) is None


def test_two_hands_alike_name_nobody() -> None:
    seats = Played()
    assert seats.seat_of(seats.take(0, {"A": 0.9, "B": 0.88})) is None


def test_an_open_swap_settles_whose_of_two_hands_laid_and_one_that_is_closed_does_not() -> None:
    seats = Played()
    assert seats.seat_of(seats.take(0, {"A": 0.0, "B": 1.0})) == "B"
    assert seats.seat_of(seats.lay(1000, {"A": 0.9, "B": 0.85})) == "B"
    assert seats.seat_of(seats.lay(2000, {"A": 0.9, "B": 0.88})) is None


def test_an_open_swap_speaks_against_another_take() -> None:
    seats = Played()
    assert seats.seat_of(seats.take(0, {"A": 0.0, "B": 1.0})) == "B"
    assert seats.seat_of(seats.take(500, {"A": 0.9, "B": 0.95})) == "A"


def test_who_lays_afterwards_settles_who_took() -> None:
    seats = Played()
    taken = seats.take(0, {"A": 0.9, "B": 0.9, "C": 0.0})
    seats.lay(1000, {"A": 0.0, "B": 1.0, "C": 0.0})
    assert seats.seat_of(taken) == "B"


def test_moves_count_in_the_order_in_which_they_happened() -> None:
    seats = Played()
    assert seats.seat_of(seats.take(0, {"A": 1.2, "B": 0.0})) == "A"
    later = seats.take(3000, {"A": 0.9, "B": 0.9})
    # Told late: A took while a swap of A's had been closed between.
    seats.lay(1000, {"A": 1.2, "B": 0.0})
    seats.lay(4000, {"A": 1.2, "B": 0.0})
    assert seats.seat_of(later) == "A"


def test_takes_at_once_are_weighed_together() -> None:
    seats = Played()
    either = seats.take(0, {"B": 0.8, "D": 0.85})
    clear = seats.take(100, {"B": 0.0, "D": 1.1})
    assert seats.seat_of(either) == "B"
    assert seats.seat_of(clear) == "D"


def test_a_clear_sight_outweighs_open_swaps() -> None:
    seats = Played()
    assert seats.seat_of(seats.take(0, {"A": 0.0, "B": 1.0})) == "B"
    assert seats.seat_of(seats.lay(1000, {"A": 1.2, "B": 0.3})) == "A"


def test_a_sweep_forgets_all_swaps() -> None:
    seats = Played()
    seats.take(0, {"A": 0.0, "B": 1.0})
    seats.swept()
    assert seats.seat_of(seats.lay(1000, {"A": 0.9, "B": 0.88})) is None


def test_what_is_long_ago_has_no_say() -> None:
    seats = Played()
    seats.take(0, {"A": 0.0, "B": 1.0})
    assert seats.seat_of(seats.lay(MEMORY_MS + 1, {"A": 0.9, "B": 0.88})) is None
