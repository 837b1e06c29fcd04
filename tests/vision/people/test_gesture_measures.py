"""A face as numbers that a turned head keeps, how it is at rest, and hysteresis over scores."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_vision.people.gestures.holding import OFF, ON, Holding, confidence_of
from kemps_vision.people.gestures.measures import Measures, measures_of
from kemps_vision.people.gestures.neutral import Neutral, neutral_of
from kemps_vision.people.landmarks import BLENDSHAPE_PLACES, FacePose

LEFT_UPPER_LID, RIGHT_UPPER_LID = (385, 386, 387), (158, 159, 160)
LEFT_LOWER_LID, RIGHT_LOWER_LID = (380, 374, 373), (153, 145, 144)
LEFT_BROW, RIGHT_BROW = (
    (300, 293, 334, 296, 336, 276, 283, 282, 295, 285),
    (70, 63, 105, 66, 107, 46, 53, 52, 65, 55),
)


def mesh(*, left_lids: float = 9.0, right_lids: float = 9.0, left_brow: float = 20.0) -> NDArray[np.float64]:
    """A face (478, 3), px, that looks at the camera: x right, y up, z to the camera."""
    points = np.zeros((478, 3))
    points[[33, 133, 362, 263], 0] = (-45, -15, 15, 45)
    for uppers, lowers, middle, apart in (
        (RIGHT_UPPER_LID, RIGHT_LOWER_LID, -30, right_lids),
        (LEFT_UPPER_LID, LEFT_LOWER_LID, 30, left_lids),
    ):
        for upper, lower, x in zip(uppers, lowers, (-6, 0, 6), strict=True):
            points[upper], points[lower] = (middle + x, apart / 2, 3), (middle + x, -apart / 2, 3)
    points[list(RIGHT_BROW)] = (-30, 20, 8)
    points[list(LEFT_BROW)] = (30, left_brow, 8)
    return points


def face(
    points: NDArray[np.float64], *, turn: tuple[float, float, float] = (0.0, 0.0, 0.0), **shapes: float
) -> FacePose:
    """The mesh turned by angles about x, y and z in degrees, in a picture; other blendshapes are 0."""
    rotation, _ = cv2.Rodrigues(np.radians(turn))
    seen = points @ np.asarray(rotation, np.float64).T * np.array([1, -1, -1]) + np.array([320, 240, 0])
    blendshapes = np.zeros(52, np.float32)
    for name, value in shapes.items():
        blendshapes[BLENDSHAPE_PLACES[name]] = value
    head = np.eye(4, dtype=np.float32)
    head[:3, :3] = rotation
    return FacePose(seen.astype(np.float32), blendshapes, head)


def measured(pose: FacePose) -> Measures:
    measures = measures_of(pose)
    assert measures is not None
    return measures


def test_lids_brows_and_span_are_told_of_the_right_side() -> None:
    seen = measured(face(mesh(left_lids=3.0, left_brow=29.0)))
    assert (seen.open_left, seen.open_right) == pytest.approx((0.1, 0.3), abs=1e-6)
    assert seen.span_px == pytest.approx(90, abs=1e-3)
    assert seen.brow_left - seen.brow_right == pytest.approx(0.25 * 50 * 9 / 90, abs=1e-4)


@pytest.mark.parametrize(
    "turn", [(25, 0, 0), (-20, 0, 0), (0, 35, 0), (0, -35, 0), (0, 0, 40), (15, -20, 10)]
)
def test_a_turned_head_keeps_its_measures(turn: tuple[float, float, float]) -> None:
    straight, turned = (measured(face(mesh(), turn=angles)) for angles in ((0.0, 0.0, 0.0), turn))
    assert turned[:4] == pytest.approx(straight[:4], abs=1e-4)
    assert turned.span_px == pytest.approx(straight.span_px, abs=1e-2)
    assert (turned.yaw, turned.pitch, turned.roll) != pytest.approx((0, 0, 0), abs=5)


def test_gaze_and_brows_are_the_persons_own_left_and_right() -> None:
    left = measured(face(mesh(), eyeLookOutLeft=0.8, eyeLookInRight=0.8, browOuterUpLeft=0.5))
    assert left.gaze_left == pytest.approx(0.8)
    assert left.brow_left > left.brow_right + 2
    assert measured(face(mesh(), eyeLookDownLeft=0.5, eyeLookDownRight=0.7)).gaze_up == pytest.approx(-0.6)


@pytest.mark.parametrize("turn", [(0, 0, 0), (-20, 0, 0), (15, -20, 10)])
def test_irises_are_measured_from_the_corners_of_their_eyes(turn: tuple[float, float, float]) -> None:
    points = mesh()
    points[[468, 473]] = (-30, 2, 0), (30, 4, 0)
    assert measured(face(points, turn=turn)).iris_up == pytest.approx(3 / 30, abs=1e-4)


def test_a_smile_of_one_corner_is_none_and_a_frown_counts_by_its_stronger_side() -> None:
    seen = measured(face(mesh(), mouthSmileLeft=0.9, browDownLeft=0.6))
    assert (seen.smile, seen.brow_down) == pytest.approx((0.0, 0.6))


def test_a_face_of_unknown_pose_has_no_measures() -> None:
    pose = face(mesh())
    assert measures_of(FacePose(pose.landmarks, pose.blendshapes)) is None


def test_rest_is_how_a_face_mostly_is_and_blinks_and_raises_are_not_part_of_it() -> None:
    calm = measured(face(mesh()))
    blink = calm._replace(open_left=0.02, open_right=0.02, gaze_up=-0.8)
    raised = calm._replace(brow_left=calm.brow_left + 4, brow_right=calm.brow_right + 4)
    neutral = neutral_of([calm] * 60 + [blink] * 15 + [raised] * 25)
    assert neutral is not None
    assert neutral.rest == pytest.approx(calm)
    assert neutral.spread.brow_left == pytest.approx(0.0), "a raise is no ordinary spread"


def test_who_frowns_half_of_the_time_has_brows_at_rest_as_in_the_other_half() -> None:
    calm = measured(face(mesh()))
    frown = calm._replace(brow_down=0.6, brow_left=calm.brow_left - 3, brow_right=calm.brow_right - 3)
    neutral = neutral_of([calm, frown] * 40)
    assert neutral is not None
    assert neutral.rest.brow_left == pytest.approx(calm.brow_left)


def test_nothing_seen_gives_no_rest_and_one_look_gives_one() -> None:
    assert neutral_of([]) is None
    calm = measured(face(mesh()))
    assert neutral_of([calm]) == Neutral(calm, Measures(*[0.0] * len(calm)))


def test_a_rest_moves_towards_another_by_a_share() -> None:
    calm = measured(face(mesh()))
    one, other = neutral_of([calm]), neutral_of([calm._replace(roll=10.0)])
    assert one is not None
    assert other is not None
    assert one.nearer_to(other, 0.25).rest.roll == pytest.approx(2.5)


def test_an_episode_begins_over_one_number_and_ends_under_the_other() -> None:
    holding = Holding("smile", 0)
    middle = (ON + OFF) / 2
    told = [
        holding.step(40 * i, s) for i, s in enumerate([0, middle, middle, 0.9, middle, middle, 0, 0, 0, 0, 0])
    ]
    (one,) = [episode for episode in told if episode is not None]
    assert (one.at_ms, one.until_ms, one.strength) == (40, 200, 0.9)
    assert all(holding.step(1000 + 40 * i, middle) is None for i in range(20))
    assert holding.end() is None, "in between nothing begins"


def test_a_short_dip_breaks_no_episode_and_a_short_episode_is_not_told() -> None:
    holding = Holding("smile", 200)
    for i, score in enumerate([0.8, 0.8, 0, 0, 0.8, 0.8, 0.8]):
        assert holding.step(40 * i, score) is None
    one = holding.end()
    assert one is not None
    assert (one.at_ms, one.until_ms) == (0, 240)
    for i, score in enumerate([0.8, 0.8, 0, 0, 0, 0, 0, 0]):
        assert holding.step(1000 + 40 * i, score) is None


def test_confidence_is_a_half_at_the_edge_and_falls_with_the_trust_in_the_face() -> None:
    assert confidence_of(ON, 1.0) == pytest.approx(0.5)
    assert confidence_of(1.0, 1.0) > 0.9
    assert confidence_of(1.0, 0.5) == pytest.approx(confidence_of(1.0, 1.0) / 2)
