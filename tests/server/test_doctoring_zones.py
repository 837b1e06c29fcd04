"""What the doctor says of the zones of a table.toml."""

from __future__ import annotations

import numpy as np
import pytest

from kemps_server.doctoring.card_sizes import size_table
from kemps_server.doctoring.findings import Finding, Level
from kemps_server.doctoring.zones import check_places, moved, plane_of
from kemps_vision.calibration.alignment import Alignment
from kemps_vision.calibration.plane import TablePlane
from kemps_vision.zones import parse_config

SIZE = (1280, 720)
CENTRE = "[[500, 300], [780, 300], [780, 420], [500, 420]]"
SEATS = {"A": (640, 760), "B": (100, 360), "C": (640, -40), "D": (1180, 360)}


def found(
    centre: str = CENTRE, seats: dict[str, tuple[int, int]] | None = None, px_per_mm: float | None = None
) -> list[Finding]:
    text = f"[[camera]]\nsize = [1280, 720]\ncentre = {centre}\n"
    for seat, (x, y) in (SEATS | (seats or {})).items():
        text += f'[[seat]]\nid = "{seat}"\nat = [{x}, {y}]\n'
    plane = None
    if px_per_mm is not None:
        matrix = np.array([[px_per_mm, 0, 640], [0, px_per_mm, 360], [0, 0, 1]])
        plane = TablePlane(matrix, 0.0, 1280.0, 0.0)
    return check_places(parse_config(text), plane, SIZE, size_table())


def test_zones_that_fit_are_no_matter() -> None:
    assert found(px_per_mm=1.2) == []


def test_a_centre_that_reaches_out_of_the_picture_is_to_be_fixed() -> None:
    (finding,) = [
        one for one in found("[[500, 600], [780, 600], [780, 840], [500, 840]]") if one.about == "centre"
    ]
    assert finding.level is Level.FIX
    assert finding.says == "50 % of the centre is out of the picture"


def test_a_seat_in_the_centre_and_seats_in_one_direction_are_to_be_fixed() -> None:
    told = found(seats={"D": (700, 350), "B": (630, -100)})
    says = [one.says for one in told if one.level is Level.FIX]
    assert "seat D is in the centre" in says
    assert any("seats B and C are only" in line for line in says)


def test_a_hand_that_would_be_shown_out_of_the_picture_is_noted() -> None:
    (finding,) = found(seats={"A": (640, 1300)})
    assert finding.level is Level.NOTE
    assert finding.says == "where A lays a hand open is out of the picture"


def test_cards_that_are_too_small_before_a_player_are_noted_with_their_size() -> None:
    told = found(px_per_mm=0.3)
    assert {one.says.split(" ")[2] for one in told} == {"A", "B", "C", "D"}
    assert all("about 26 px long" in one.says for one in told)


def test_without_zones_there_is_nothing_to_say() -> None:
    assert check_places(parse_config(""), None, SIZE, size_table()) == []
    assert plane_of([], SIZE) is None


@pytest.mark.parametrize(
    ("shift", "level", "says"),
    [
        (0.0, Level.OK, "stands as it was calibrated"),
        (3.0, Level.OK, "stands as it was calibrated"),
        (12.0, Level.NOTE, "moved by 12 px"),
        (60.0, Level.FIX, "moved by 60 px"),
    ],
)
def test_a_moved_camera_is_told_by_how_far(shift: float, level: Level, says: str) -> None:
    finding = moved(Alignment(np.array([[1.0, 0, shift], [0, 1, 0], [0, 0, 1]]), SIZE), SIZE)
    assert finding.level is level
    assert says in finding.says


def test_a_turned_camera_is_told_by_how_much_and_one_that_is_not_known_as_such() -> None:
    turn = np.radians(3.0)
    matrix = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    assert "turned by 3.0 degrees" in moved(Alignment(matrix, SIZE), SIZE).says
    assert moved(None, SIZE).level is Level.NOTE
