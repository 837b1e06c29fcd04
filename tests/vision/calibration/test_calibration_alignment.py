"""Moves of a camera, told by one look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from kemps_vision.calibration.alignment import Alignment, View, compare, in_pictures
from kemps_vision.calibration.anchors import Anchors, find_anchors, small_view
from kemps_vision.zones import TableZones

if TYPE_CHECKING:
    from tests.vision.calibration.conftest import NudgedView

SIZE = (1280, 720)


@pytest.fixture(scope="module")
def anchors(nudged: NudgedView) -> Anchors:
    return find_anchors([small_view(nudged.seen(noise=n)) for n in (1, 2, 3)])


@pytest.mark.parametrize(
    "move",
    [
        (5.0, 0.0, 0.0, 1.0),
        (0.0, -6.0, 0.0, 1.0),
        (30.0, 20.0, -1.0, 1.01),
        (80.0, 0.0, 0.0, 1.0),
        (-50.0, -60.0, -4.0, 1.04),
        (0.0, 0.0, 5.0, 1.0),
        (0.0, 0.0, 0.0, 0.95),
        (60.0, -20.0, 5.0, 0.95),
    ],
)
def test_a_nudge_is_told_with_how_points_lie_now(
    nudged: NudgedView, anchors: Anchors, move: tuple[float, float, float, float]
) -> None:
    look = compare(anchors, small_view(nudged.seen(*move, gain=0.8, noise=9)), np.eye(3))
    assert look.view is View.MOVED
    found = in_pictures(look.move, SIZE)
    assert np.linalg.norm(found.moved(nudged.centre) - nudged.centre_after(*move), axis=1).max() < 2.0
    assert found.turn_deg == pytest.approx(move[2], abs=0.3)
    assert found.zoom == pytest.approx(move[3], abs=0.005)


def test_a_camera_that_stands_still_is_steady_in_any_light_and_behind_arms(
    nudged: NudgedView, anchors: Anchors
) -> None:
    picture = nudged.seen(gain=0.4, noise=5)
    cv2.line(picture, (0, 100), (700, 360), (90, 70, 60), 130)
    cv2.line(picture, (1279, 600), (800, 400), (60, 60, 90), 130)
    assert compare(anchors, small_view(picture), np.eye(3)).view is View.STEADY


def test_a_tremble_of_two_px_is_no_move(nudged: NudgedView, anchors: Anchors) -> None:
    assert compare(anchors, small_view(nudged.seen(1.5, -1.5)), np.eye(3)).view is View.STEADY


def test_things_that_were_pushed_together_are_no_move_of_the_camera(
    nudged: NudgedView, anchors: Anchors
) -> None:
    picture = nudged.seen()
    part = picture[200:460, 420:860].copy()
    picture[200:460, 450:890] = part
    assert compare(anchors, small_view(picture), np.eye(3)).view is View.STEADY


def test_darkness_and_another_scene_are_unclear(anchors: Anchors) -> None:
    other = np.random.default_rng(8).integers(0, 255, (180, 320)).astype(np.uint8)
    for view in (np.zeros((180, 320), np.uint8), other):
        assert compare(anchors, view, np.eye(3)).view is View.UNCLEAR


def test_without_anchors_nothing_is_told() -> None:
    none = find_anchors([np.full((180, 320), 90, np.uint8)])
    assert compare(none, np.full((180, 320), 90, np.uint8), np.eye(3)).view is View.UNCLEAR


def test_a_known_move_is_steady_and_a_further_one_is_told_from_the_first_view(
    nudged: NudgedView, anchors: Anchors
) -> None:
    first = compare(anchors, small_view(nudged.seen(40.0, 10.0, 2.0)), np.eye(3))
    assert compare(anchors, small_view(nudged.seen(40.0, 10.0, 2.0, noise=3)), first.move).view is View.STEADY
    second = compare(anchors, small_view(nudged.seen(-30.0, 10.0, 2.0)), first.move)
    found = in_pictures(second.move, SIZE)
    assert np.linalg.norm(found.moved(nudged.centre) - nudged.centre_after(-30, 10, 2), axis=1).max() < 2.0


def test_zones_follow_a_move() -> None:
    shift = Alignment(np.array([[1.0, 0, 30], [0, 1, -10], [0, 0, 1]]), SIZE)
    zones = TableZones(((100.0, 100.0), (200.0, 100.0), (200.0, 200.0)), {"A": (640.0, 900.0)})
    moved = shift.zones(zones)
    assert moved.centre == ((130.0, 90.0), (230.0, 90.0), (230.0, 190.0))
    assert moved.seats == {"A": (670.0, 890.0)}
    assert shift.zones(TableZones()).centre is None
    assert shift.shift_px == pytest.approx(np.hypot(30, 10))


def test_a_camera_that_stands_still_moves_nothing() -> None:
    still = Alignment.still(SIZE)
    assert (still.shift_px, still.turn_deg, still.zoom) == (0.0, 0.0, 1.0)
