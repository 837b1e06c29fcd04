"""A hand that the landmarker lost is still there while its place looks as it did."""

from __future__ import annotations

import cv2
import numpy as np

from kemps_vision.frame import Image
from kemps_vision.people.contact.spans import OwnedHand
from kemps_vision.people.landmarks import HandPose
from kemps_vision.people.lingering import FORGET_LOOKS, Lingering


def picture(*, hand: bool = True, arm: bool = False, light: float = 1.0) -> Image:
    canvas = np.random.default_rng(1).integers(60, 70, (240, 320, 3)).astype(np.float64)
    if hand:
        fingers = np.random.default_rng(7).integers(120, 230, (10, 10, 1)).repeat(3, axis=2)
        canvas[80:160, 120:200] = np.kron(fingers, np.ones((8, 8, 1)))
    if arm:
        cv2.rectangle(canvas, (100, 60), (220, 180), (40, 60, 120), -1)
    return np.clip(canvas * light, 0, 255).astype(np.uint8)


def found(x: float = 160, y: float = 120, track: int = 3) -> OwnedHand:
    landmarks = np.zeros((21, 3), np.float32)
    landmarks[:, :2] = (x, y)
    landmarks[0, 1] = y + 20
    landmarks[9, 1] = y - 20
    landmarks[[5, 17], 0] = x - 10, x + 10
    return OwnedHand(track, "A", HandPose(landmarks, 0.9, is_left=False))


def test_a_hand_that_is_only_not_found_lingers_in_changing_light_too() -> None:
    lingering = Lingering()
    assert lingering.step(picture(), [found()]) == []
    for light in (1.0, 0.9, 0.8):
        (kept,) = lingering.step(picture(light=light), [])
        assert kept.track == 3


def test_a_hand_whose_place_has_changed_is_gone() -> None:
    lingering = Lingering()
    lingering.step(picture(), [found()])
    assert lingering.step(picture(hand=False), []) == []


def test_a_bare_checked_cloth_is_not_the_hand_that_lay_on_it() -> None:
    checks = np.kron(np.indices((15, 20)).sum(axis=0) % 2, np.ones((16, 16)))
    cloth = np.stack([90 + 130 * checks, 120 + 100 * checks, 160 + 70 * checks], axis=2).astype(np.uint8)
    with_hand = cloth.copy()
    cv2.ellipse(with_hand, (160, 120), (11, 18), 0, 0, 360, (200, 150, 120), -1)
    lingering = Lingering()
    lingering.step(with_hand, [found()])
    assert [hand.track for hand in lingering.step(with_hand, [])] == [3]
    assert lingering.step(cloth, []) == []


def test_a_hand_is_there_again_once_the_arm_over_it_has_passed() -> None:
    lingering = Lingering()
    lingering.step(picture(), [found()])
    assert lingering.step(picture(arm=True), []) == []
    assert [hand.track for hand in lingering.step(picture(), [])] == [3]


def test_a_hand_that_is_found_there_under_another_number_takes_its_place() -> None:
    lingering = Lingering()
    lingering.step(picture(), [found()])
    assert lingering.step(picture(), [found(x=164, track=9)]) == []
    assert [hand.track for hand in lingering.step(picture(), [])] == [9]


def test_a_place_that_stays_changed_is_forgotten() -> None:
    lingering = Lingering()
    lingering.step(picture(), [found()])
    for _ in range(FORGET_LOOKS):
        assert lingering.step(picture(arm=True), []) == []
    assert lingering.step(picture(), []) == []
