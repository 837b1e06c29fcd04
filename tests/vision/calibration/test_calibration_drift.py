"""Cameras that are watched while a game goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from kemps_vision.calibration.anchors import find_anchors, small_view
from kemps_vision.calibration.drift import EVERY_MS, LEARNT_FROM, LOST_MS, CameraDrift, Change, standing
from kemps_vision.frame import Image

if TYPE_CHECKING:
    from tests.vision.calibration.conftest import NudgedView

SIZE = (1280, 720)


class Watched:
    """A camera that is watched once a second."""

    def __init__(self, drift: CameraDrift) -> None:
        self.drift, self.second = drift, 0

    def see(self, *pictures: Image) -> list[Change]:
        """What these pictures, a second apart, make known."""
        told = []
        for picture in pictures:
            change = self.drift.watch(self.second * EVERY_MS, picture)
            told += [] if change is None else [change]
            self.second += 1
        return told


@pytest.fixture
def learnt(nudged: NudgedView) -> Watched:
    watched = Watched(CameraDrift(SIZE))
    assert watched.see(*[nudged.seen(noise=n + 1) for n in range(LEARNT_FROM + 1)]) == []
    return watched


def test_a_nudge_is_told_once_with_zones_that_fit(nudged: NudgedView, learnt: Watched) -> None:
    told = learnt.see(*[nudged.seen(25.0, -14.0, 1.5, noise=n) for n in range(10, 15)])
    (change,) = told
    assert change.is_aligned
    assert change.at_ms - change.since_ms <= 3 * EVERY_MS
    off = change.alignment.moved(nudged.centre) - nudged.centre_after(25, -14, 1.5)
    assert np.linalg.norm(off, axis=1).max() < 2.0
    assert change.says("above").startswith("camera above was moved by ")


def test_nudges_add_up_and_one_back_ends_where_it_began(nudged: NudgedView, learnt: Watched) -> None:
    first = learnt.see(*[nudged.seen(30.0, 0.0)] * 3)
    second = learnt.see(*[nudged.seen(60.0, 20.0)] * 3)
    back = learnt.see(*[nudged.seen()] * 3)
    assert [len(told) for told in (first, second, back)] == [1, 1, 1]
    off = second[0].alignment.moved(nudged.centre) - nudged.centre_after(60, 20)
    assert np.linalg.norm(off, axis=1).max() < 2.0
    assert back[0].alignment.shift_px < 2.0
    assert back[0].shift_px == pytest.approx(np.hypot(60, 20), abs=2)


def test_a_knock_that_swings_back_within_a_second_is_not_told(nudged: NudgedView, learnt: Watched) -> None:
    assert learnt.see(nudged.seen(20.0, 5.0), nudged.seen(), nudged.seen()) == []


def test_arms_light_and_cards_that_come_and_go_are_no_alarm(nudged: NudgedView, learnt: Watched) -> None:
    rng = np.random.default_rng(4)
    for second in range(24):
        picture = nudged.seen(gain=(1.0, 0.5, 1.2)[second // 7 % 3], noise=second % 2)
        for _ in range(2):
            x, y = (int(value) for value in rng.integers(100, 1100, 2))
            cv2.line(picture, (x, 719), (640, min(y, 500)), (150, 120, 100), 90)
        x = 300 + 90 * (second // 5 % 6)
        cv2.rectangle(picture, (x, 300), (x + 70, 400), (235, 235, 235), -1)
        assert learnt.see(picture) == []


def test_a_view_that_stays_covered_is_told_once_and_again_when_it_is_clear(
    nudged: NudgedView, learnt: Watched
) -> None:
    dark = np.zeros((720, 1280, 3), np.uint8)
    (lost,) = learnt.see(*[dark] * (LOST_MS // EVERY_MS + 20))
    assert not lost.is_aligned
    assert lost.at_ms - lost.since_ms >= LOST_MS
    assert "put it back" in lost.says("table")
    (back,) = learnt.see(*[nudged.seen()] * 3)
    assert back.is_back
    assert back.is_aligned
    assert "stands as it did" in back.says("table")


def test_it_looks_once_a_second_and_lets_other_frames_pass(nudged: NudgedView) -> None:
    anchors = find_anchors([small_view(nudged.seen())])
    drift = CameraDrift(SIZE, anchors)
    moved = nudged.seen(40.0, 0.0)
    told = [drift.watch(n * 66, moved) for n in range(40)]
    assert [n * 66 for n, change in enumerate(told) if change is not None] == [1056]


def test_a_camera_moved_since_its_calibration_is_told_at_once(nudged: NudgedView) -> None:
    anchors = find_anchors([small_view(nudged.seen())])
    watched = Watched(CameraDrift(SIZE, anchors))
    (change,) = watched.see(*[nudged.seen(-18.0, 9.0)] * 2)
    assert change.shift_px == pytest.approx(np.hypot(18, 9), abs=1.5)


def test_a_view_that_has_nothing_of_the_calibrations_is_told_once_and_then_taken_as_it_is(
    nudged: NudgedView,
) -> None:
    """Another cloth, or another table: from then on the camera is followed as if it had no calibration."""
    anchors = find_anchors([np.random.default_rng(1).integers(0, 255, (180, 320), np.uint8)])
    watched = Watched(CameraDrift(SIZE, anchors))
    (lost,) = watched.see(*[nudged.seen(noise=n + 1) for n in range(LOST_MS // EVERY_MS + LEARNT_FROM + 3)])
    assert not lost.is_aligned
    (moved,) = watched.see(*[nudged.seen(25.0, -14.0)] * 3)
    assert moved.is_aligned
    assert not moved.is_back
    assert moved.shift_px == pytest.approx(np.hypot(25, 14), abs=2)


def test_an_even_cloth_tells_nothing_until_it_is_told_as_lost() -> None:
    cloth = np.full((720, 1280, 3), 90, np.uint8)
    watched = Watched(CameraDrift(SIZE))
    told = watched.see(*[cloth] * 40)
    assert [change.is_aligned for change in told] == [False]


def test_how_a_camera_stands_against_its_calibration(nudged: NudgedView) -> None:
    anchors = find_anchors([small_view(nudged.seen())])
    moved = standing(anchors, [nudged.seen(12.0, 0.0, noise=n) for n in (1, 2, 3)])
    assert moved is not None
    assert moved.shift_px == pytest.approx(12, abs=1)
    assert standing(anchors, [np.zeros((720, 1280, 3), np.uint8)]) is None


def test_zones_follow_step_by_step(nudged: NudgedView, learnt: Watched) -> None:
    centre = nudged.centre
    for picture in (nudged.seen(30.0, 0.0), nudged.seen(60.0, 20.0, 2.0)):
        (change,) = learnt.see(*[picture] * 3)
        centre = change.step.moved(centre)
    assert np.linalg.norm(centre - nudged.centre_after(60, 20, 2), axis=1).max() < 2.0
