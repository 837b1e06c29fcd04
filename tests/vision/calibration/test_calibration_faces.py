"""Faces in the pictures of a camera that looks at players."""

from __future__ import annotations

from kemps_vision.calibration.face_places import faces_of_seats, usual_faces
from kemps_vision.people.landmarks import Box

SEATS = {
    "A": ("Ann", (640.0, 900.0)),
    "B": ("Ben", (-50.0, 300.0)),
    "C": ("Cleo", (640.0, -60.0)),
    "D": ("Dan", (1330.0, 290.0)),
}


def face(x: float) -> Box:
    return Box(x, 200, x + 120, 320)


def test_a_face_that_mostly_is_there_has_its_usual_box() -> None:
    looks = [[face(100 + n), face(700 - n)] for n in range(4)] + [[face(100)], [face(1000)]]
    boxes = usual_faces(looks)
    assert [round(box.left) for box in boxes] == [101, 698]


def test_a_camera_across_the_table_sees_the_far_players_from_left_to_right() -> None:
    found = faces_of_seats([face(100), face(500), face(900)], "faces", SEATS)
    assert [one.seat for one in found] == ["B", "C", "D"]
    assert not any(one.is_sure for one in found)


def test_a_camera_named_after_a_seat_or_its_player_looks_at_that_one() -> None:
    near = Box(300, 100, 600, 400)
    for name in ("A", "ann"):
        found = faces_of_seats([face(50), near], name, SEATS)
        assert [(one.seat, one.is_sure) for one in found] == [(None, False), ("A", True)]


def test_more_faces_than_seats_have_nobody() -> None:
    found = faces_of_seats([face(150 * n) for n in range(5)], "faces", SEATS)
    assert [one.seat for one in found] == ["B", "C", "A", "D", None]
