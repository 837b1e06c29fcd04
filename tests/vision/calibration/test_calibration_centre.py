"""The centre's outline round its cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from kemps_vision.calibration.centre import cards_of_centre, centre_round
from kemps_vision.calibration.plane import fit_plane
from kemps_vision.zones import Polygon

if TYPE_CHECKING:
    from tests.vision.calibration.conftest import Pinhole


def holds(outline: Polygon, point: np.ndarray) -> bool:
    area = np.asarray(outline, np.float32)
    return cv2.pointPolygonTest(area, tuple(map(float, point)), measureDist=False) >= 0


@pytest.mark.parametrize("turn", [0.0, 30.0, -50.0, 90.0])
def test_a_row_has_room_for_a_card_more_at_both_ends_however_it_is_turned(
    pinhole: type[Pinhole], turn: float
) -> None:
    camera = pinhole()
    quads = camera.row(turn)
    plane = fit_plane(quads, camera.size)
    assert plane is not None
    outline = centre_round(plane, quads)
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    for x in (-190, 190):
        assert all(holds(outline, corner) for corner in camera.card(0.97 * c * x, 0.97 * s * x, turn))
    for y in (-120, 120):
        assert not holds(outline, camera.pixels(np.array([[-s * y, c * y]]))[0])


def test_cards_that_lie_all_ways_get_a_box_round_them(pinhole: type[Pinhole]) -> None:
    camera = pinhole(tilt_deg=0.0)
    quads = [camera.card(x, y, turn) for x, y, turn in ((-60, 0, 0), (60, 10, 90), (0, 90, 45))]
    plane = fit_plane(quads, camera.size)
    assert plane is not None
    outline = centre_round(plane, quads)
    assert all(holds(outline, corner) for quad in quads for corner in quad)


def test_a_hand_that_is_shown_beside_the_centre_is_no_part_of_it(pinhole: type[Pinhole]) -> None:
    camera = pinhole()
    shown = [camera.card(x, 420) for x in (-114, -38, 38, 114)]
    assert len(cards_of_centre([*camera.row(), *shown[:2]], camera.size)) == 4


def test_a_card_of_a_hand_shown_close_by_is_no_part_of_it(pinhole: type[Pinhole]) -> None:
    camera = pinhole()
    cards = cards_of_centre([*camera.row(), camera.card(-38, 165)], camera.size)
    assert len(cards) == 4


def test_cards_that_lie_wide_apart_are_still_a_centre(pinhole: type[Pinhole]) -> None:
    camera = pinhole()
    wide = [camera.card(x, 0) for x in (-225, -75, 75, 225)]
    assert len(cards_of_centre(wide, camera.size)) == 4


def test_one_or_two_cards_are_taken_for_the_centre_and_a_heap_of_nine_is_not(pinhole: type[Pinhole]) -> None:
    camera = pinhole()
    assert len(cards_of_centre(camera.row()[:2], camera.size)) == 2
    heap = [camera.card(70 * (n % 3), 95 * (n // 3)) for n in range(9)]
    assert cards_of_centre(heap, camera.size) == []
