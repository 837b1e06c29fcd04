"""Arms over the centre are seen and belong to whoever they lead to; cards that were laid are no arms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import cv2
import numpy as np
import pytest

from kemps_rules.seats import Seat
from kemps_vision.frame import Image
from kemps_vision.people import usual as usual_module
from kemps_vision.people.arms import Arms
from kemps_vision.people.arms_meeting import ArmsMeeting
from kemps_vision.people.usual import Usual

CENTRE: Final = ((520.0, 300.0), (760.0, 300.0), (760.0, 420.0), (520.0, 420.0))
SEATS: Final[dict[Seat, tuple[float, float]]] = {
    "A": (640.0, 800.0),
    "B": (0.0, 360.0),
    "C": (640.0, -80.0),
    "D": (1280.0, 360.0),
}
FRAME_MS: Final = 66


def table(*arms: tuple[Seat, tuple[int, int]], card: bool = False) -> Image:
    canvas = np.random.default_rng(1).integers(70, 84, (720, 1280, 3)).astype(np.uint8)
    if card:
        cv2.rectangle(canvas, (600, 320), (660, 400), (235, 235, 230), -1)
    for seat, (x, y) in arms:
        start = (round(SEATS[seat][0]), round(SEATS[seat][1]))
        cv2.line(canvas, start, (x, y), (190, 150, 130), 60)
    return canvas


def seen(pictures: Callable[[int], Image], count: int = 60) -> list[frozenset[Seat | None]]:
    arms, usual = Arms(CENTRE, SEATS), Usual()
    return [arms.over_centre(*usual.differing(FRAME_MS * i, pictures(i))) for i in range(count)]


@pytest.mark.parametrize("seat", "ABCD")
def test_an_arm_over_the_centre_is_its_seats(seat: Seat) -> None:
    over = seen(lambda i: table((seat, (640, 360))) if 30 <= i < 45 else table())
    assert over[:30] == [frozenset()] * 30
    assert over[30:45] == [frozenset({seat})] * 15
    assert over[45:] == [frozenset()] * 15


def test_two_arms_that_meet_over_the_cards_are_two() -> None:
    over = seen(lambda i: table(("A", (640, 370)), ("C", (640, 350))) if i >= 40 else table())
    assert over[-1] == {"A", "C"}


def test_a_card_that_was_laid_is_no_arm() -> None:
    assert seen(lambda i: table(card=i >= 30))[-1] == frozenset()


def test_a_hand_that_sticks_out_beyond_the_centre_is_nobody_elses_arm() -> None:
    over = seen(lambda i: table(("A", (640, 240))) if i >= 40 else table())
    assert over[-1] == {"A"}


def test_an_arm_that_does_not_reach_the_centre_is_none() -> None:
    assert seen(lambda i: table(("B", (380, 360))) if i >= 40 else table())[-1] == frozenset()


def test_where_the_owner_is_not_clear_it_is_an_arm_without_a_seat() -> None:
    arms, usual = Arms(CENTRE, {"A": (640.0, 800.0), "B": (690.0, 800.0)}), Usual()
    for i in range(60):
        picture = table(("A", (640, 360))) if i >= 40 else table()
        over = arms.over_centre(*usual.differing(FRAME_MS * i, picture))
    assert over == {None}


def met(paths: Mapping[Seat, Callable[[int], tuple[int, int]]]) -> list[tuple[Seat | None, ...]]:
    """The pairs that met, picture by picture, of arms whose ends go along paths from picture 60 on."""
    usual, meeting = Usual(), ArmsMeeting((640.0, 360.0), SEATS)
    told: list[tuple[Seat | None, ...]] = []
    for i in range(100):
        arms = [(seat, path(i - 30)) for seat, path in paths.items()] if i >= 60 else []
        signs = meeting.step(FRAME_MS * i, *usual.differing(FRAME_MS * i, table(*arms)))
        told += [sign.owners for sign in signs]
    return told


def test_two_hands_that_meet_are_told_for_as_long_as_they_do() -> None:
    def to_the_right(i: int) -> tuple[int, int]:
        return min(250 + (i - 30) * 20, 500), 200

    told = met({"B": to_the_right, "C": lambda _: (560, 190)})
    assert set(told) == {("B", "C")}
    assert len(told) > 20


def test_hands_that_pass_near_each_other_have_not_met() -> None:
    assert met({"B": lambda i: (min(250 + (i - 30) * 20, 480), 200), "C": lambda _: (580, 190)}) == []


def test_an_arm_across_another_is_no_meeting() -> None:
    def across(i: int) -> tuple[int, int]:
        return min(250 + (i - 30) * 20, 900), 150

    assert met({"B": across, "C": lambda _: (640, 420)}) == []


@pytest.mark.parametrize("count", [1, 2, 3, 8, 15])
def test_the_usual_picture_is_the_median_of_each_value(count: int) -> None:
    pictures = [np.random.default_rng(i).integers(0, 256, (9, 16, 3)).astype(np.uint8) for i in range(count)]
    usual = usual_module._middle_of(pictures)
    assert np.array_equal(usual, np.sort(np.stack(pictures), axis=0)[count // 2])
