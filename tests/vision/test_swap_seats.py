"""Whose a take or lay was, when hands and open swaps both have a say."""

from __future__ import annotations

from kemps_vision.interpret.swap_seats import SwapSeats


def test_what_is_clearly_seen_is_told() -> None:
    seats = SwapSeats()
    assert seats.took({"A": 1.0, "B": 0.2}) == "A"
    assert seats.laid({"A": 0.9}) == "A"


def test_nothing_seen_names_nobody() -> None:
    seats = SwapSeats()
    assert seats.took({}) is None
    assert seats.laid({"A": 0.1}) is None


def test_an_open_swap_settles_whose_of_two_hands_laid() -> None:
    seats = SwapSeats()
    assert seats.took({"B": 1.0}) == "B"
    assert seats.laid({"A": 0.9, "B": 0.85}) == "B"
    assert seats.laid({"A": 0.9, "B": 0.85}) is None  # the swap is closed now


def test_an_open_swap_speaks_against_another_take() -> None:
    seats = SwapSeats()
    assert seats.took({"B": 1.0}) == "B"
    assert seats.took({"A": 0.9, "B": 0.95}) == "A"


def test_a_clear_sight_outweighs_open_swaps() -> None:
    seats = SwapSeats()
    assert seats.took({"B": 1.0}) == "B"
    assert seats.laid({"A": 1.0, "B": 0.3}) == "A"
    assert seats.took({"B": 1.2, "A": 0.4}) == "B"


def test_a_sweep_closes_all_swaps() -> None:
    seats = SwapSeats()
    assert seats.took({"B": 1.0}) == "B"
    seats.swept()
    assert seats.laid({"A": 0.9, "B": 0.85}) is None
