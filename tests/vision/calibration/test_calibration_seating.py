"""Seats round the table, by hands and packets."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kemps_vision.calibration.plane import TablePlane
from kemps_vision.calibration.seating import Sign, holding, lay_out_seats, signs_of

# From straight above, a px a mm, the middle of the cards in the middle of the picture.
PLANE = TablePlane(np.array([[1.0, 0, 640], [0, 1.0, 360], [0, 0, 1]]), 0.0, 1280.0, 0.0)
PICTURE = (1280, 720)


def hands_at(*angles: float, reach: float = 400.0) -> list[Sign]:
    """A pair of hands before each player, 0 to the right in the picture and 90 to its lower edge."""
    pairs = [angle + side for angle in angles for side in (-15, 15)]
    return [
        Sign(reach * math.cos(math.radians(angle)), reach * math.sin(math.radians(angle)), 1.0)
        for angle in pairs
    ]


def angles_of(signs: list[Sign], count: int = 4, *, first: tuple[float, float] | None = None) -> list[int]:
    places = lay_out_seats(PLANE, count, signs, picture=PICTURE, first=first)
    return [round(math.degrees(math.atan2(one.at[1] - 360, one.at[0] - 640))) % 360 for one in places]


@pytest.mark.parametrize(("count", "angles"), [(4, [90, 180, 270, 0]), (6, [90, 150, 210, 270, 330, 30])])
def test_without_anybody_seats_are_even_clockwise_from_the_lower_edge(count: int, angles: list[int]) -> None:
    assert angles_of([], count) == angles


def test_nobody_seen_is_told_for_each_seat() -> None:
    places = lay_out_seats(PLANE, 4, hands_at(90, 180), picture=PICTURE)
    assert [place.is_seen for place in places] == [True, True, False, False]


def test_a_table_that_is_turned_has_its_seats_where_hands_are() -> None:
    found = angles_of(hands_at(60, 150, 240, 330))
    assert all(abs(a - b) <= 3 for a, b in zip(found, [60, 150, 240, 330], strict=True))


def test_a_hand_or_two_do_not_turn_the_ring() -> None:
    assert angles_of([Sign(400.0, 0.0, 0.6)], 6)[0] == 90


def test_of_two_at_the_lower_edge_the_right_one_is_a() -> None:
    found = angles_of(hands_at(45, 135, 225, 315))
    assert abs(found[0] - 45) <= 3


def test_who_is_a_can_be_said() -> None:
    found = angles_of(hands_at(90, 180, 270, 0), first=(640.0, 20.0))
    assert [round(angle / 90) % 4 for angle in found] == [3, 0, 1, 2]


def test_seats_move_towards_their_own_player() -> None:
    found = angles_of(hands_at(90, 180, 270, 20))
    assert 8 < found[3] <= 20


def test_a_player_sits_beyond_resting_hands_and_those_that_reach_do_not_count() -> None:
    outline = ((140.0, 60.0), (1140.0, 60.0), (1140.0, 660.0), (140.0, 660.0))
    places = lay_out_seats(
        PLANE, 4, [*hands_at(90, reach=330), *hands_at(0, reach=200)], outline=outline, picture=PICTURE
    )
    assert places[0].at[1] == pytest.approx(360 + 330 + 90, abs=15)
    assert places[3].at[0] == pytest.approx(1140, abs=15)  # at the table's edge


def test_a_packet_lies_at_its_players_left() -> None:
    # Before the player at the lower edge, who looks up in the picture, left is left.
    packet = [Sign(-100.0, 300.0, 1.0, "packet")]
    assert packet[0].angle_deg == pytest.approx(90, abs=6)
    opposite = Sign(100.0, -300.0, 1.0, "packet")
    assert opposite.angle_deg % 360 == pytest.approx(270, abs=6)


def test_a_hand_that_holds_a_packet_is_a_left_one() -> None:
    signs = holding([Sign(-100.0, 300.0, 1.0, "packet"), Sign(-90.0, 350.0, 1.0), Sign(120.0, 350.0, 1.0)])
    assert [sign.kind for sign in signs] == ["packet", "packet", "hand"]


def test_hands_over_the_middle_are_nobodys_place() -> None:
    points = [np.array([660.0, 380.0]), np.array([640.0, 700.0])]
    assert len(signs_of(PLANE, points, "hand", looks=2)) == 1
