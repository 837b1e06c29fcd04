from __future__ import annotations

import numpy as np
import pytest

from kemps_scenes.motion import FACE_DOWN, FACE_UP, CardPose, CardTrack, HandTrack, Held, Slide, minimum_jerk


def _track() -> HandTrack:
    track = HandTrack((0.2, -0.6), left=False, seed=3)
    track.add(0, 0.1, -0.2, 0.004, "rest")
    track.add(500, 0.1, -0.2, 0.004, "rest")
    track.add(1000, 0.0, 0.0, 0.007, "grip")
    track.add(1200, 0.0, 0.0, 0.007, "grip")
    track.add(1700, 0.12, -0.2, 0.03, "grip")
    return track


def test_a_reach_starts_and_ends_gently() -> None:
    assert minimum_jerk(0) == 0
    assert minimum_jerk(1) == 1
    assert minimum_jerk(0.5) == pytest.approx(0.5)
    assert minimum_jerk(0.05) < 0.002
    assert minimum_jerk(-1) == 0
    assert minimum_jerk(2) == 1


def test_a_hand_is_exactly_at_its_keys_and_uneven_in_between() -> None:
    track = _track()
    arrived = track.pose(1000)
    assert (arrived.x, arrived.y, arrived.z, arrived.posture) == (0.0, 0.0, 0.007, "grip")
    middle = track.pose(750)
    assert middle.z > 0.02, "it travels in an arc"
    off_the_line = abs((middle.x - 0.1) * 0.2 - (middle.y + 0.2) * -0.1) / np.hypot(0.1, 0.2)
    assert 1e-5 < off_the_line < 0.08


def test_a_held_card_starts_and_ends_in_its_poses_and_moves_with_the_hand() -> None:
    track = _track()
    start, end = CardPose(0.0, 0.04, 0.0, 0.05, FACE_UP), CardPose(0.1, -0.18, 0.03, 0.4, FACE_DOWN)
    held = Held(1200, 1700, track, start, end)
    for at_ms, wanted in ((1200, start), (1700, end)):
        pose = held.pose(at_ms)
        assert (pose.x, pose.y, pose.z) == pytest.approx((wanted.x, wanted.y, wanted.z), abs=1e-6)
        assert np.sin(pose.yaw) == pytest.approx(np.sin(wanted.yaw), abs=1e-6)
        assert pose.turn == pytest.approx(wanted.turn)
    for at_ms in (1300, 1450, 1600):
        pose, hand = held.pose(at_ms), track.pose(at_ms)
        assert np.hypot(pose.x - hand.x, pose.y - hand.y) < 0.06


def test_a_card_in_the_air_never_reaches_through_the_table() -> None:
    for turn in np.linspace(0, np.pi, 13):
        corners = CardPose(0, 0, 0.01, 0.3, float(turn), 0.1).corners((0.0315, 0.044))
        assert corners[:, 2].min() >= 0


def test_a_slide_takes_the_short_way_round() -> None:
    slide = Slide(0, 100, CardPose(0, 0, 0, 3.0), CardPose(1, 0, 0, -3.0))
    assert abs(slide.pose(50).yaw) == pytest.approx(np.pi, abs=0.01)


def test_a_later_plan_replaces_what_was_planned_after_it() -> None:
    track = CardTrack(0, None)
    here, there = CardPose(0, 0), CardPose(1, 1)
    track.put(0, "packet:A", here)
    track.put(900, "packet:A", there)
    track.put(500, "hand:A", here)
    state = track.state(1000)
    assert state is not None
    assert state.where == "hand:A"
    assert track.state(-1) is None
