"""Hands at a drawn table become events: each reach with its seat, cards that lie there none."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from kemps_rules.events import Event, HandHidden, HandReached, HandsTouched
from kemps_vision.frame import Image
from kemps_vision.people.landmarks import Box, HandPose
from kemps_vision.people.table_watch import HandSchedule, TableWatch
from kemps_vision.zones import TableZones

if TYPE_CHECKING:
    from tests.vision.conftest import DrawnTable

ZONES = TableZones(
    centre=((160, 60), (480, 60), (480, 250), (160, 250)),
    seats={"A": (320, 460), "B": (-60, 155), "C": (320, -80), "D": (700, 155)},
)


class Hands:
    """Finds the hands it was told of, and counts how often it was asked."""

    def __init__(self, *hands: HandPose) -> None:
        self.hands = list(hands)
        self.count = 0

    def read(self, pixels: Image, box: Box | None = None, at_ms: int | None = None) -> list[HandPose]:
        assert pixels.ndim == 3
        assert box is None
        assert at_ms is not None
        self.count += 1
        return self.hands


def hand(x: float, y: float, towards: tuple[float, float]) -> HandPose:
    landmarks = np.zeros((21, 3), np.float32)
    landmarks[:, :2] = np.array([x, y]) + 14 * np.asarray(towards)
    landmarks[0, :2] = np.array([x, y]) - 20 * np.asarray(towards)
    return HandPose(landmarks, 0.9, is_left=False)


def watched(drawn: DrawnTable, hands: Hands, zones: TableZones = ZONES) -> list[Event]:
    watch = TableWatch(hands)
    told = [event for frame in drawn.frames() for event in watch.step(frame.at_ms, frame.pixels, zones)]
    return told + watch.finish()


def test_a_reach_is_told_with_its_seat_and_its_span(drawn: DrawnTable) -> None:
    drawn.centre("9c 2h 5d Js", end=[10**6, 3000])
    drawn.takes("D", 1, "2h", 3000)
    drawn.lays("B", 0, "Kd", 6000)
    told = watched(drawn, Hands())
    assert [(event.kind, event.seat) for event in told if isinstance(event, HandReached)] == [
        ("hand_reached", "D"),
        ("hand_reached", "B"),
    ]
    for event, at_ms in zip(told, (3000, 6000), strict=True):
        assert isinstance(event, HandReached)
        assert event.until_ms is not None
        assert at_ms - 700 < event.at_ms < at_ms < event.until_ms < at_ms + 700


def test_cards_that_lie_still_are_no_reach(drawn: DrawnTable) -> None:
    drawn.duration_ms = 3000
    drawn.centre("9c 2h 5d Js")
    assert watched(drawn, Hands()) == []


def test_a_hand_that_is_found_over_the_centre_reaches_though_no_arm_shows(drawn: DrawnTable) -> None:
    drawn.duration_ms = 2000
    drawn.centre("9c 2h 5d Js")
    told = watched(drawn, Hands(hand(320, 235, (0.0, -1.0))))
    assert [event.seat for event in told if isinstance(event, HandReached)] == ["A"]


def test_hands_are_looked_for_less_often_while_nothing_moves(drawn: DrawnTable) -> None:
    drawn.duration_ms = 4000
    drawn.centre("9c 2h 5d Js")
    hands, every = Hands(), HandSchedule()
    watched(drawn, hands)
    frames = sum(1 for _ in drawn.frames())
    assert hands.count == -(-frames // every.calm)


def test_until_the_centre_is_known_nothing_is_told(drawn: DrawnTable) -> None:
    drawn.duration_ms = 2000
    drawn.centre("9c 2h 5d Js")
    hands = Hands(hand(320, 235, (0.0, -1.0)))
    assert watched(drawn, hands, TableZones(seats=ZONES.seats)) == []
    assert hands.count == 0


class Scripted:
    """Finds the hands that are there at a time."""

    def __init__(self, hands: Callable[[int], list[HandPose]]) -> None:
        self._hands = hands

    def read(self, pixels: Image, box: Box | None = None, at_ms: int | None = None) -> list[HandPose]:
        assert pixels.ndim == 3
        assert box is None
        assert at_ms is not None
        return self._hands(at_ms)


def events_of(drawn: DrawnTable, hands: Callable[[int], list[HandPose]]) -> list[Event]:
    watch = TableWatch(Scripted(hands))
    told = [event for frame in drawn.frames() for event in watch.step(frame.at_ms, frame.pixels, ZONES)]
    return told + watch.finish()


def test_hands_of_two_seats_that_touch_are_told_with_both_and_two_of_one_are_not(drawn: DrawnTable) -> None:
    drawn.duration_ms = 5000
    drawn.centre("9c 2h 5d Js")

    def meeting(at_ms: int) -> list[HandPose]:
        nearer = min(1.0, max(0.0, 1.5 - abs(at_ms - 2500) / 1200))
        b = hand(60 + 50 * nearer, 300, (1.0, 0.0))
        a = hand(320 - 178 * nearer, 330 - 30 * nearer, (-1.0, 0.0))
        return [b, a, hand(360, 335, (0.0, -1.0)), hand(375, 335, (0.0, -1.0))]

    touched = [event for event in events_of(drawn, meeting) if isinstance(event, HandsTouched)]
    assert [(event.seats, event.where) for event in touched] == [(("A", "B"), "over_table")]
    assert touched[0].at_ms <= 2500 <= (touched[0].until_ms or 0)
    assert touched[0].confidence >= 0.5
    assert touched[0].extra["reason"]


def test_a_hand_that_is_lost_in_plain_sight_is_not_hidden(drawn: DrawnTable) -> None:
    drawn.duration_ms = 5000
    drawn.centre("9c 2h 5d Js")
    told = events_of(drawn, lambda at_ms: [hand(60, 300, (1.0, 0.0))] if at_ms < 2000 else [])
    assert [event for event in told if isinstance(event, HandHidden)] == []
