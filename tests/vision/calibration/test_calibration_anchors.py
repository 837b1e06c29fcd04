"""Pieces of a view that stay, and how they are found again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from kemps_vision.calibration.anchors import HALF, Anchors, find_anchors, shifts_of, small_view
from kemps_vision.errors import CalibrationError

if TYPE_CHECKING:
    from tests.vision.calibration.conftest import NudgedView


def test_anchors_are_corners_all_over_the_view(nudged: NudgedView) -> None:
    view = small_view(nudged.seen())
    anchors = find_anchors([view])
    assert len(anchors) > 50
    assert (np.ptp(anchors.places, axis=0) > 0.7 * np.array([320, 180])).all()
    shifts, scores = shifts_of(anchors, view, 3)
    assert scores.min() > 0.99
    assert np.abs(shifts).max() < 0.51


def test_what_moves_while_they_are_learnt_is_none(nudged: NudgedView) -> None:
    views = []
    for n in range(5):
        picture = nudged.seen(noise=n + 1)
        cv2.circle(picture, (400 + 90 * n, 360), 70, (210, 160, 140), -1)
        views.append(small_view(picture))
    places = find_anchors(views).places * 4
    assert not ((places[:, 0] > 360) & (places[:, 0] < 800) & (np.abs(places[:, 1] - 360) < 50)).any()
    assert len(places) > 30


def test_a_lamp_that_is_switched_while_they_are_learnt_does_not_matter(nudged: NudgedView) -> None:
    steady = find_anchors([small_view(nudged.seen())] * 3)
    switched = find_anchors([small_view(nudged.seen(gain=gain)) for gain in (1.0, 1.0, 0.97)])
    assert len(switched) > 0.8 * len(steady)


def test_an_even_cloth_has_none() -> None:
    assert len(find_anchors([np.full((180, 320), 90, np.uint8)])) == 0


def test_a_straight_edge_has_none() -> None:
    view = np.full((180, 320), 60, np.uint8)
    view[:, 160:] = 180
    assert len(find_anchors([view])) == 0


@pytest.mark.parametrize("gain", [0.5, 1.0, 1.2])
def test_they_are_found_to_a_fraction_of_a_px_in_any_light(nudged: NudgedView, gain: float) -> None:
    anchors = find_anchors([small_view(nudged.seen())])
    shifts, scores = shifts_of(anchors, small_view(nudged.seen(7.0, -5.0, gain=gain, noise=4)), 4)
    good = scores > 0.9
    assert good.mean() > 0.6
    assert np.allclose(np.median(shifts[good], axis=0), [1.75, -1.25], atol=0.15)


def test_new_ones_keep_away_from_those_that_are_known(nudged: NudgedView) -> None:
    view = small_view(nudged.seen())
    known = find_anchors([view], most=40)
    new = find_anchors([view], known, most=40)
    apart = np.linalg.norm(known.places[:, None] - new.places[None], axis=2)
    assert len(new) > 0
    assert apart.min() >= 7
    assert len(known.joined(new)) == len(known) + len(new)


def test_they_are_kept_as_plain_values_and_read_back(nudged: NudgedView) -> None:
    anchors = find_anchors([small_view(nudged.seen())], most=7)
    again = Anchors.of_json(anchors.as_json())
    assert np.array_equal(again.places, anchors.places)
    assert np.array_equal(again.patches, anchors.patches)
    assert again.patches.shape[1:] == (2 * HALF + 1, 2 * HALF + 1)


@pytest.mark.parametrize(
    "broken", [{}, {"places": [[1, 2]], "patches": "AAAA"}, {"places": [[1]], "patches": "!"}]
)
def test_broken_values_are_told(broken: dict[str, object]) -> None:
    with pytest.raises(CalibrationError, match="anchors"):
        Anchors.of_json(broken)
