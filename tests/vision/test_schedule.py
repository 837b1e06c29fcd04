from __future__ import annotations

import numpy as np

from kemps_vision.schedule import ChangedPart, box_of, frame_step, has_moved


def test_about_fifteen_frames_a_second_are_watched() -> None:
    assert [frame_step(fps) for fps in (5.0, 15.0, 24.0, 25.0, 29.97, 30.0, 60.0)] == [1, 1, 2, 2, 2, 2, 4]


def test_a_box_is_grown_and_kept_in_the_picture() -> None:
    outline = np.array([[100.2, 50.0], [200.0, 50.0], [200.0, 90.7]])
    assert box_of(outline, 10, 640, 480) == (90, 40, 210, 101)
    assert box_of(outline, 200, 250, 120) == (0, 0, 250, 120)


def test_only_the_part_that_changed_is_read_the_centre_left_out() -> None:
    before = np.full((360, 640, 3), 90, np.uint8)
    part = ChangedPart()
    assert part.box(before, None, 10) == (0, 0, 640, 360)
    part.remember(before)
    assert part.box(before, None, 10) is None
    after = before.copy()
    after[300:340, 400:460] = 230
    after[150:200, 300:340] = 230
    box = part.box(after, (280, 120, 360, 230), 10)
    assert box is not None
    left, top, right, bottom = box
    assert 380 <= left <= 400
    assert 460 <= right <= 480
    assert 280 <= top <= 300
    assert 340 <= bottom <= 360


def test_noise_is_no_motion_and_a_hand_is() -> None:
    rng = np.random.default_rng(0)
    still = np.full((200, 300, 3), 120, np.uint8)
    noisy = np.clip(still + rng.normal(0, 4, still.shape), 0, 255).astype(np.uint8)
    region = (50, 50, 250, 150)
    assert has_moved(still, None, region)
    assert not has_moved(noisy, still, region)
    hand = still.copy()
    hand[80:110, 100:130] = 200
    assert has_moved(hand, still, region)
    hand = still.copy()
    hand[:30, :30] = 200
    assert not has_moved(hand, still, region)
