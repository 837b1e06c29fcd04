"""Faces and hands carry their own geometry: boxes, head angles, named blendshapes."""

from __future__ import annotations

import numpy as np
import pytest

from kemps_vision.people.landmarks import BLENDSHAPES, Box, FacePose, HandPose, HeadAngles


def turned(yaw: float = 0.0, pitch: float = 0.0, roll: float = 0.0) -> np.ndarray:
    """The matrix of a head that is tilted, then looks up, then turns to its left; in degrees."""
    y, p, r = np.radians([yaw, pitch, roll])
    about_y = np.array([[np.cos(y), 0, np.sin(y)], [0, 1, 0], [-np.sin(y), 0, np.cos(y)]])
    about_x = np.array([[1, 0, 0], [0, np.cos(p), np.sin(p)], [0, -np.sin(p), np.cos(p)]])
    about_z = np.array([[np.cos(r), np.sin(r), 0], [-np.sin(r), np.cos(r), 0], [0, 0, 1]])
    head = np.eye(4, dtype=np.float32)
    head[:3, :3] = 1.01 * about_y @ about_x @ about_z
    return head


def face(head: np.ndarray | None = None) -> FacePose:
    landmarks = np.zeros((478, 3), np.float32)
    landmarks[1] = (30, 40, 5)
    shapes = np.linspace(0, 0.51, 52).astype(np.float32)
    return FacePose(landmarks, shapes, head)


@pytest.mark.parametrize(
    "angles", [(0, 0, 0), (35, 0, 0), (0, -20, 0), (0, 0, 15), (-40, 25, -10), (60, 10, 30)]
)
def test_head_angles_are_those_of_the_matrix(angles: tuple[float, float, float]) -> None:
    assert face(turned(*angles)).angles == pytest.approx(HeadAngles(*angles), abs=0.01)


def test_without_a_matrix_the_angles_are_not_known() -> None:
    assert face().angles is None


def test_blendshapes_go_by_name() -> None:
    assert len(BLENDSHAPES) == 52
    assert face().shape("eyeBlinkLeft") == pytest.approx(0.09)
    with pytest.raises(KeyError):
        face().shape("winkLeft")


def test_boxes_lie_round_all_landmarks_and_overlap_by_their_share() -> None:
    assert face().box == Box(0, 0, 30, 40)
    assert Box(0, 0, 10, 10).overlap(Box(5, 0, 15, 10)) == pytest.approx(1 / 3)
    assert Box(0, 0, 10, 10).overlap(Box(20, 0, 30, 10)) == 0


def test_a_hand_is_as_large_as_its_palm() -> None:
    landmarks = np.zeros((21, 3), np.float32)
    landmarks[9] = (3, 4, 100)
    hand = HandPose(landmarks, 0.9, is_left=True)
    assert hand.size_px == 5
    assert hand.palm == pytest.approx([0.6, 0.8])
