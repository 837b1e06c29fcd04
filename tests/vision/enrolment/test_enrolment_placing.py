from __future__ import annotations

import cv2
import numpy as np

from kemps_vision.enrolment.placing import card_areas

TILTED = np.array([[20.0, 18.0], [42.0, 24.0], [36.0, 52.0], [13.0, 45.0]])  # cells of 4 px


def mask_of(*shapes: np.ndarray, belief: float = 0.99) -> np.ndarray:
    mask = np.zeros((90, 120))
    for shape in shapes:
        cv2.fillConvexPoly(mask, np.round(shape).astype(np.int32), belief)
    return mask


def test_a_tilted_card_is_found_with_its_corners_clockwise_and_its_long_sides_first_to_last() -> None:
    (quad,) = card_areas(mask_of(TILTED))
    corners = (TILTED * 4 + 1.5)[:, None]
    assert np.linalg.norm(quad[None] - corners, axis=2).min(axis=0).max() < 8
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    assert max(sides[0], sides[2]) < min(sides[1], sides[3])
    (a, b), (c, d) = quad[1] - quad[0], quad[2] - quad[1]
    assert a * d - b * c > 0


def test_pips_and_court_art_are_holes_that_do_not_matter() -> None:
    mask = mask_of(TILTED)
    cv2.circle(mask, (28, 35), 5, 0.1, -1)
    assert len(card_areas(mask)) == 1


def test_cards_that_touch_part_where_the_belief_is_high() -> None:
    mask = mask_of(TILTED, TILTED + np.array([40.0, 4.0]))
    cv2.line(mask, (40, 30), (60, 34), 0.7, 3)
    assert len(card_areas(mask)) == 2


def test_what_is_no_card_is_left_out() -> None:
    triangle = np.array([[10.0, 10.0], [50.0, 12.0], [14.0, 50.0]])
    strip = np.array([[10.0, 10.0], [90.0, 10.0], [90.0, 18.0], [10.0, 18.0]])
    speck = np.array([[10.0, 10.0], [14.0, 10.0], [14.0, 15.0], [10.0, 15.0]])
    for shape in (triangle, strip, speck):
        assert card_areas(mask_of(shape)) == []
    assert card_areas(np.zeros((90, 120))) == []
