"""A table found from a few looks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_rules.cards import DECK_52
from kemps_vision.calibration.finding import TableLook, cards_at_rest, find_table, look_for_hands
from kemps_vision.cards.reading import CardReading, Reading
from kemps_vision.errors import CalibrationError
from kemps_vision.frame import Image
from kemps_vision.people.landmarks import Box, HandPose

if TYPE_CHECKING:
    from tests.vision.calibration.conftest import Pinhole

Floats = NDArray[np.float64]
FELT = np.full((720, 1280, 3), (40, 95, 60), np.uint8)


def reading(quads: Sequence[Floats], *, named: int = 9) -> Reading:
    """Cards with these quads, of which the first ``named`` could be read."""
    cards = tuple(
        CardReading(DECK_52[n] if n < named else None, 0.9, quad, np.zeros(52), ())
        for n, quad in enumerate(quads)
    )
    return Reading(cards, unread=0, face_down=0, alphabet="international", ms=0.0)


def looks(*readings: Reading) -> list[TableLook]:
    return [TableLook(FELT, one) for one in readings]


def hand(x: float, y: float) -> HandPose:
    """A hand of 60 px at a place."""
    landmarks = np.zeros((21, 3), np.float32)
    landmarks[:, :2] = (x, y)
    landmarks[9, 1] -= 60
    return HandPose(landmarks, 0.9, is_left=False)


def test_a_row_of_four_gives_centre_plane_and_even_seats(pinhole: type[Pinhole]) -> None:
    camera = pinhole(tilt_deg=20.0)
    found = find_table(looks(*[reading(camera.row())] * 3), 4)
    assert len(found.cards) == 4
    assert found.card_px == pytest.approx(98, abs=4)
    assert [place.seat for place in found.seats] == list("ABCD")
    assert found.seats[0].at[1] > 600
    assert any("nothing was seen of A, B, C, D" in note for note in found.notes)


def test_cards_that_come_and_go_are_not_at_rest(pinhole: type[Pinhole]) -> None:
    camera = pinhole()
    passing = [reading([*camera.row(), camera.card(-300 + 60 * n, 300)]) for n in range(4)]
    assert len(cards_at_rest(passing)) == 4


def test_a_card_read_by_its_other_index_is_the_same_card(pinhole: type[Pinhole]) -> None:
    quad = pinhole().card(0, 0)
    (card,) = cards_at_rest([reading([quad]), reading([np.roll(quad, 2, axis=0)]), reading([quad])])
    assert np.allclose(card.quad, quad)


def test_cards_that_could_not_be_named_still_make_a_centre(pinhole: type[Pinhole]) -> None:
    camera = pinhole()
    found = find_table(looks(*[reading(camera.row(), named=1)] * 2), 4)
    assert len(found.cards) == 4


def test_fewer_cards_are_told_and_so_is_a_centre_out_of_the_picture(pinhole: type[Pinhole]) -> None:
    camera = pinhole()
    notes = find_table(looks(reading(camera.row()[:3])), 4).notes
    assert any("only 3 cards were seen" in note for note in notes)
    shifted = [quad + np.array([520.0, 0.0]) for quad in camera.row()]
    notes = find_table(looks(reading(shifted)), 4).notes
    assert any("reaches out of the picture" in note for note in notes)


def test_no_card_or_only_a_heap_is_one_line_that_says_what_to_do(pinhole: type[Pinhole]) -> None:
    camera = pinhole()
    heap = [camera.card(70 * (n % 3), 95 * (n // 3)) for n in range(9)]
    for quads, says in (([], "no face-up card"), (heap, "9 face-up cards are seen")):
        with pytest.raises(CalibrationError, match=says) as told:
            find_table(looks(reading(quads)), 4)
        assert "--clicks" in str(told.value)
        assert "\n" not in str(told.value)


def test_given_corners_are_taken_as_they_are_with_or_without_cards(pinhole: type[Pinhole]) -> None:
    clicks = ((440.0, 300.0), (840.0, 300.0), (840.0, 420.0), (440.0, 420.0))
    for quads in ([], pinhole().row()):
        found = find_table(looks(reading(quads)), 6, clicks=clicks)
        assert found.centre == clicks
        assert len(found.seats) == 6


def test_five_seats_are_no_table(pinhole: type[Pinhole]) -> None:
    with pytest.raises(CalibrationError, match="4, 6, 8"):
        find_table(looks(reading(pinhole().row())), 5)


class TwoHands:
    """Sees one hand in the whole picture, and in one corner of it that and another."""

    def read(self, pixels: Image, box: Box | None = None) -> list[HandPose]:
        del pixels
        if box is None:
            return [hand(200, 300)]
        return [hand(205, 303), hand(100, 500)] if box.left == 0 and box.top > 0 else []


def test_hands_are_looked_for_in_parts_and_told_once() -> None:
    assert [tuple(one.palm.round()) for one in look_for_hands(FELT, TwoHands())] == [(200, 288), (100, 488)]
