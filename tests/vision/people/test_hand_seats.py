"""Whose hand it is comes from forearm and home; what is not clear has no seat, and nobody has three hands."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kemps_rules.seats import Seat
from kemps_vision.people.hand_seats import HandSeats, SeatedHand
from kemps_vision.people.landmarks import HandPose

MIDDLE = (640.0, 360.0)
SEATS: dict[Seat, tuple[float, float]] = {
    "A": (640.0, 760.0),
    "B": (40.0, 360.0),
    "C": (640.0, -40.0),
    "D": (1240.0, 360.0),
}
HOMES = {"A": (700, 620), "B": (180, 300), "C": (580, 100), "D": (1100, 420)}


def hand(at: tuple[float, float], seat: Seat, *, is_left: bool = False, turn: float = 0.0) -> HandPose:
    """A hand whose forearm comes from the seat, but for ``turn`` degrees."""
    x, y = at
    away = math.atan2(y - SEATS[seat][1], x - SEATS[seat][0]) + math.radians(turn)
    fingers = np.array([math.cos(away), math.sin(away)])
    landmarks = np.zeros((21, 3), np.float32)
    landmarks[:, :2] = np.array(at) + 12 * fingers
    landmarks[0, :2] = np.array(at) - 40 * fingers
    return HandPose(landmarks, 0.9, is_left)


def moved(seats: HandSeats, path: list[tuple[float, float]], seat: Seat, start_ms: int = 0) -> SeatedHand:
    for i, at in enumerate(path):
        (seen,) = seats.step(start_ms + 66 * i, [hand(at, seat, is_left=bool(i % 2))])
    return seen


def line(start: tuple[float, float], end: tuple[float, float], steps: int = 24) -> list[tuple[float, float]]:
    return [
        (start[0] + (end[0] - start[0]) * i / (steps - 1), start[1] + (end[1] - start[1]) * i / (steps - 1))
        for i in range(steps)
    ]


@pytest.mark.parametrize("seat", "ABCD")
def test_a_hand_that_reaches_from_its_home_is_its_owners_even_over_the_far_side(seat: Seat) -> None:
    far = (2 * MIDDLE[0] - HOMES[seat][0], 2 * MIDDLE[1] - HOMES[seat][1])
    half = ((MIDDLE[0] + far[0]) / 2, (MIDDLE[1] + far[1]) / 2)
    seen = moved(HandSeats(SEATS, MIDDLE), [*[HOMES[seat]] * 12, *line(HOMES[seat], half, 40)], seat)
    assert seen.seat == seat
    assert seen.share > 0.9


def test_a_hand_that_appears_in_the_middle_across_no_clear_forearm_has_no_seat() -> None:
    (seen,) = HandSeats(SEATS, MIDDLE).step(0, [hand(MIDDLE, "A", turn=45)])
    assert seen.seat is None


def test_handedness_says_nothing() -> None:
    left = HandSeats(SEATS, MIDDLE).step(0, [hand(HOMES["B"], "B", is_left=True)])[0]
    right = HandSeats(SEATS, MIDDLE).step(0, [hand(HOMES["B"], "B", is_left=False)])[0]
    assert left.seat == right.seat == "B"
    assert left.share == right.share


def test_two_hands_that_cross_are_never_exchanged_silently() -> None:
    seats = HandSeats(SEATS, MIDDLE)
    there, back = line(HOMES["A"], (640, 385)), line(HOMES["C"], (650, 340))
    paths = list(zip(there + there[::-1], back + back[::-1], strict=True))
    for i, (a, c) in enumerate(paths):
        seen = seats.step(66 * i, [hand(c, "C"), hand(a, "A")])
        for one, owner in zip(sorted(seen, key=lambda x: x.pose.palm[1]), "CA", strict=True):
            assert one.seat in (owner, None)
    assert {one.seat for one in seen} == {"A", "C"}


def test_nobody_has_three_hands() -> None:
    seats = HandSeats(SEATS, MIDDLE)
    for i in range(10):
        seen = seats.step(66 * i, [hand((560 + 80 * place, 640), "A") for place in range(3)])
    assert sorted(str(one.seat) for one in seen) == ["A", "A", "None"]


def test_a_third_hand_is_not_given_the_seat_when_one_of_the_two_is_lost() -> None:
    seats = HandSeats(SEATS, MIDDLE)
    two = [hand((180, 300), "B"), hand((150, 420), "B")]
    third = hand((330, 150), "B")  # as its forearm is bent it seems to be of B, too
    for i in range(20):
        seen = seats.step(66 * i, [*two, third])
    assert [one.seat for one in seen] == ["B", "B", None]
    for i in range(20, 60):
        seen = seats.step(66 * i, [two[0], third])
        assert seen[0].seat == "B"
        assert seen[1].seat != "B"


def test_without_seats_hands_are_followed_but_belong_to_nobody() -> None:
    seen = HandSeats({}, MIDDLE).step(0, [hand(MIDDLE, "A")])
    assert [(one.seat, one.share) for one in seen] == [(None, 0.0)]
