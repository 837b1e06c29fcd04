"""Whose face it is comes from place and colours; what they leave open has no seat."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from kemps_rules.seats import Seat
from kemps_vision.frame import Image
from kemps_vision.people.face_seats import FaceSeats, SeatedFace
from kemps_vision.people.landmarks import Box, FacePose

WIDTH, HEIGHT = 100.0, 130.0
BOXES: dict[Seat, Box] = {
    seat: Box(x - WIDTH / 2, 200, x + WIDTH / 2, 200 + HEIGHT)
    for seat, x in zip("ABCD", (200.0, 480.0, 760.0, 1040.0), strict=True)
}
CLOTHES: dict[str, tuple[int, int, int]] = {
    "A": (170, 30, 40),
    "B": (40, 60, 170),
    "C": (30, 140, 60),
    "D": (170, 150, 30),
}


def face(x: float, y: float = 265.0) -> FacePose:
    landmarks = np.zeros((478, 3), np.float32)
    landmarks[:2, :2] = [(x - WIDTH / 2, y - HEIGHT / 2), (x + WIDTH / 2, y + HEIGHT / 2)]
    landmarks[2:, :2] = (x, y)
    return FacePose(landmarks, np.zeros(52, np.float32))


def picture(people: dict[str, float], clothes: dict[str, tuple[int, int, int]]) -> Image:
    """People by seat, farther ones first, with their heads and clothes at x."""
    canvas = np.full((720, 1280, 3), 110, np.uint8)
    for seat, x in people.items():
        cv2.rectangle(canvas, (round(x - 130), 350), (round(x + 130), 560), clothes[seat], -1)
        cv2.rectangle(canvas, (round(x - 60), 170), (round(x + 60), 335), (200, 160, 130), -1)
    return canvas


def watched(
    paths: list[dict[str, float]], clothes: dict[str, tuple[int, int, int]] = CLOTHES
) -> list[list[SeatedFace]]:
    """Each picture's faces, given from right to left: their order says nothing."""
    seats = FaceSeats(BOXES)
    return [
        seats.step(
            66 * i,
            picture(people, clothes),
            [face(people[seat]) for seat in sorted(people, key=lambda seat: -people[seat])],
        )
        for i, people in enumerate(paths)
    ]


def owners(people: dict[str, float]) -> list[str]:
    return sorted(people, key=lambda seat: -people[seat])


HOME = {seat: box.centre[0] for seat, box in BOXES.items()}


def test_four_players_at_their_places_are_themselves() -> None:
    for seen in watched([HOME] * 5):
        assert [one.seat for one in seen] == ["D", "C", "B", "A"]


def test_a_player_who_leans_over_stays_themselves() -> None:
    paths = [{**HOME, "B": HOME["B"] + min(i, 12) * 12} for i in range(30)]
    assert [one.seat for one in watched(paths)[-1]] == owners(paths[-1])


def test_somebody_behind_the_table_is_nobody() -> None:
    seats = FaceSeats(BOXES)
    seen = seats.step(0, picture(HOME, CLOTHES), [face(200), face(1240, 60)])
    assert [one.seat for one in seen] == ["A", None]


def crossing() -> list[dict[str, float]]:
    """A and B go past each other, each ending where the other was, and come back."""
    still = [HOME] * 20
    shift = [(HOME["B"] - HOME["A"]) * i / 24 for i in range(25)]
    there = [{**HOME, "A": HOME["A"] + by, "B": HOME["B"] - by} for by in shift]
    return [*still, *there, *[there[-1]] * 10, *there[::-1], *still]


def test_two_people_who_cross_are_never_exchanged() -> None:
    paths = crossing()
    for people, seen in zip(paths, watched(paths), strict=True):
        for one, owner in zip(seen, owners(people), strict=True):
            assert one.seat in (owner, None)
    assert [one.seat for one in seen] == ["D", "C", "B", "A"]


def test_in_clothes_of_one_colour_who_is_who_stays_open_rather_than_wrong_while_they_pass() -> None:
    paths = crossing()[:33]
    alike = dict.fromkeys("ABCD", (60, 60, 140))
    for people, seen in zip(paths, watched(paths, alike), strict=True):
        for one, owner in zip(seen, owners(people), strict=True):
            assert one.seat in (owner, None)


def test_a_face_that_comes_back_is_its_seats_again() -> None:
    away = {seat: x for seat, x in HOME.items() if seat != "C"}
    seen = watched([HOME] * 10 + [away] * 60 + [HOME] * 3)
    assert [one.seat for one in seen[-1]] == ["D", "C", "B", "A"]


@pytest.mark.parametrize("faces", [[], [face(-500)], [face(5000, 5000)]])
def test_no_face_or_one_outside_the_picture_is_nobodys(faces: list[FacePose]) -> None:
    assert [one.seat for one in FaceSeats(BOXES).step(0, picture(HOME, CLOTHES), faces)] == [None] * len(
        faces
    )
