"""Whose hand was at a card: arms followed to where they end, finger tips, hands that merely stay."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.seats import Seat
from kemps_vision.interpret.reaching import TIPS_WEIGHT, Reaches, clearest
from kemps_vision.zones import TableZones

SEATS: dict[Seat, tuple[float, float]] = {
    "A": (640.0, 800.0),
    "B": (-40.0, 360.0),
    "C": (640.0, -80.0),
    "D": (1320.0, 360.0),
}
CENTRE = ((440.0, 300.0), (840.0, 300.0), (840.0, 420.0), (440.0, 420.0))
ZONES = TableZones(centre=CENTRE, seats=SEATS)
SCALE = 0.2
FRAME_MS = 66


def card(x: float) -> NDArray[np.float64]:
    return np.array([[x - 30, 318], [x + 30, 318], [x + 30, 402], [x - 30, 402]], np.float64)


def mask(*arms: tuple[Seat, float]) -> NDArray[np.uint8]:
    """What differs where these seats' arms end over the card at this x."""
    drawn = np.zeros((144, 256), np.uint8)
    for seat, x in arms:
        start = tuple(round(value * SCALE) for value in SEATS[seat])
        cv2.line(drawn, start, (round(x * SCALE), round(360 * SCALE)), 1, 11)
    return drawn


def watched(arms: dict[Seat, tuple[float, range]]) -> Reaches:
    """Sixty pictures in which seats' arms lie over cards for a range of them."""
    reaches = Reaches(ZONES)
    for i in range(60):
        over = [(seat, x) for seat, (x, when) in arms.items() if i in when]
        reaches.watch(FRAME_MS * i, mask(*over), SCALE)
    return reaches


def test_the_seat_whose_arm_ends_at_the_card_is_told() -> None:
    for seat in SEATS:
        scores = watched({seat: (640.0, range(26, 34))}).seats_at(card(640), FRAME_MS * 30)
        assert clearest(scores, least=0.2, margin=0.1) == seat


def test_an_arm_that_passes_over_a_card_to_another_has_not_moved_it() -> None:
    reaches = watched({"B": (780.0, range(26, 34)), "C": (520.0, range(26, 34))})
    at_ms = FRAME_MS * 30
    assert clearest(reaches.seats_at(card(520), at_ms), least=0.2, margin=0.1) == "C"
    assert clearest(reaches.seats_at(card(780), at_ms), least=0.2, margin=0.1) == "B"


def test_a_hand_that_stays_speaks_less_than_one_that_comes_and_goes() -> None:
    reaches = watched({"A": (640.0, range(60)), "C": (640.0, range(27, 33))})
    scores = reaches.seats_at(card(640), FRAME_MS * 30)
    assert scores["C"] > scores["A"]


def test_finger_tips_at_the_card_speak_too() -> None:
    reaches = Reaches(ZONES)
    for i in range(60):
        at_ms = FRAME_MS * i
        reaches.watch(at_ms, mask(), SCALE)
        if 26 <= i < 34:
            reaches.see_hands(at_ms, [({"D": 1.0}, np.array([[640.0, 360.0], [900.0, 360.0]]))])
    scores = reaches.seats_at(card(640), FRAME_MS * 30)
    assert set(scores) == {"D"}
    assert 0.8 * TIPS_WEIGHT < scores["D"] <= TIPS_WEIGHT
    assert "D" not in reaches.seats_at(card(640), FRAME_MS * 50)


def test_tips_of_another_picture_are_not_mixed_in() -> None:
    reaches = Reaches(ZONES)
    reaches.watch(0, mask(), SCALE)
    reaches.see_hands(66, [({"D": 1.0}, np.array([[640.0, 360.0]]))])
    assert reaches.seats_at(card(640), 0) == {}


def test_nobody_is_named_before_the_centre_is_known_and_afterwards_the_past_is() -> None:
    reaches = Reaches(TableZones(centre=None, seats=SEATS))
    for i in range(60):
        reaches.watch(FRAME_MS * i, mask(("A", 640.0)) if 26 <= i < 34 else mask(), SCALE)
    assert reaches.seats_at(card(640), FRAME_MS * 30) == {}
    reaches.set_zones(ZONES)
    assert clearest(reaches.seats_at(card(640), FRAME_MS * 30), least=0.2, margin=0.1) == "A"


def test_since_when_a_hand_was_on_a_card() -> None:
    reaches = watched({"A": (640.0, range(20, 34))})
    assert reaches.touches(card(640), FRAME_MS * 30) == {"A": FRAME_MS * 20}


def test_two_whose_finger_tips_are_on_one_card_have_both_touched_it() -> None:
    reaches = Reaches(ZONES)
    for i in range(60):
        at_ms = FRAME_MS * i
        arms: list[tuple[Seat, float]] = [("A", 640.0)] if 20 <= i < 34 else []
        arms += [("C", 640.0)] if 24 <= i < 34 else []
        reaches.watch(at_ms, mask(*arms), SCALE)
        reaches.see_hands(at_ms, [({seat: 1.0}, np.array([[640.0, 360.0]])) for seat, _ in arms])
    assert reaches.touches(card(640), FRAME_MS * 30) == {"A": FRAME_MS * 20, "C": FRAME_MS * 24}


def test_the_clearest_needs_enough_and_more_than_any_other() -> None:
    assert clearest({}, least=0.2, margin=0.1) is None
    assert clearest({"A": 0.1}, least=0.2, margin=0.1) is None
    assert clearest({"A": 0.5, "B": 0.45}, least=0.2, margin=0.1) is None
    assert clearest({"A": 0.6, "B": 0.45}, least=0.2, margin=0.1) == "A"
