"""What lies over the table that no hand explains."""

from __future__ import annotations

import cv2
import numpy as np

from kemps_vision.people.contact.strays import Strays
from kemps_vision.people.landmarks import HandPose

TABLE = ((40, 40), (600, 40), (600, 440), (40, 440))
CENTRE = ((270, 200), (370, 200), (370, 280), (270, 280))
SCALE = 0.5


def hand(x: float, y: float, size: float = 40.0) -> HandPose:
    """A hand whose fingers point up."""
    points = np.zeros((21, 3), np.float32)
    points[:, 0], points[:, 1] = x, y - size / 2
    points[0, 1], points[9, 1] = y + size * 0.8, y - size * 0.2
    points[[5, 17], 0] = x - size / 3, x + size / 3
    return HandPose(points, 0.9, is_left=False)


def differing(*boxes: tuple[int, int, int, int]) -> np.ndarray:
    mask = np.zeros((240, 320), np.uint8)
    for left, top, right, bottom in boxes:
        cv2.rectangle(mask, (left // 2, top // 2), (right // 2 - 1, bottom // 2 - 1), 1, -1)
    return mask


def test_what_differs_over_the_table_is_measured_in_px_of_the_picture() -> None:
    strays = Strays(TABLE, CENTRE)
    assert strays.largest_px(differing(), SCALE, []) == 0
    area = strays.largest_px(differing((100, 100, 140, 140), (500, 100, 520, 120)), SCALE, [])
    assert 0.8 * 1600 <= area <= 1600


def test_cards_in_the_centre_and_what_is_beside_the_table_are_no_stray_hand() -> None:
    strays = Strays(TABLE, CENTRE)
    assert strays.largest_px(differing((280, 210, 360, 270), (0, 0, 36, 36)), SCALE, []) == 0


def test_a_hand_explains_what_is_at_it_and_its_forearm() -> None:
    strays, arm = Strays(TABLE, CENTRE), differing((80, 250, 120, 430))
    assert strays.largest_px(arm, SCALE, []) > 5000
    assert strays.largest_px(arm, SCALE, [hand(100, 290)]) < 1000


def test_a_lone_pixel_is_nothing() -> None:
    mask = differing()
    mask[50, 60] = 1
    assert Strays(TABLE, CENTRE).largest_px(mask, SCALE, []) == 0
