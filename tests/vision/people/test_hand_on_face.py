"""A hand on a face: it reaches the outline, is as large as a hand there, and comes from outside."""

from __future__ import annotations

import numpy as np
import pytest

from kemps_vision.people.contact.persons import Arm, Person
from kemps_vision.people.hand_on_face import FaceOutline, touches_of
from kemps_vision.people.landmarks import BodyPose, Box, FacePose, FaceSpot, HandPose

SIZE = 100.0  # px, of the face


def face() -> FacePose:
    """A round face of ``SIZE`` about (300, 200) with its places where a face has them."""
    landmarks = np.zeros((478, 3), np.float32)
    angle = np.linspace(0, 2 * np.pi, 478, endpoint=False)
    radius = SIZE / np.sqrt(np.pi)
    landmarks[:, 0] = 300 + radius * np.cos(angle)
    landmarks[:, 1] = 200 + radius * np.sin(angle)
    for index, at in {
        1: (300, 210),
        13: (300, 230),
        234: (244, 200),
        454: (356, 200),
        10: (300, 145),
    }.items():
        landmarks[index, :2] = at
    return FacePose(landmarks, np.zeros(52, np.float32))


def hand(fingertip: tuple[float, float], palm: float = 0.5, up: tuple[float, float] = (0, -1)) -> HandPose:
    """An open hand whose middle finger ends at ``fingertip`` and points ``up``; ``palm`` in face sizes."""
    along = np.array(up, float)
    across = np.array([-along[1], along[0]])
    tip = np.array(fingertip, float)
    length = palm * SIZE
    wrist = tip - along * 1.9 * length
    points = np.zeros((21, 3), np.float32)
    points[0, :2] = wrist
    for finger, (aside, reach) in enumerate([(-0.5, 1.1), (-0.25, 1.8), (0, 1.9), (0.2, 1.8), (0.4, 1.6)]):
        knuckle = 0.6 if finger == 0 else 1.0
        for joint in range(4):
            way = knuckle + (reach - knuckle) * joint / 3
            points[1 + 4 * finger + joint, :2] = wrist + along * way * length + across * aside * length
    return HandPose(points, 0.9, is_left=True)


OUTLINE = FaceOutline.of_pose(face())


def score(*hands: HandPose) -> float:
    return max((touch.score for touch in touches_of([OUTLINE], hands)), default=0.0)


def test_a_finger_on_the_mouth_is_told_with_its_place() -> None:
    (touch,) = touches_of([OUTLINE], [hand((300, 230))])
    assert touch.score > 0.9
    assert (touch.face, touch.place) == (0, "mouth")
    assert touch.reason == "a fingertip reaches the mouth"


def test_a_hand_beside_the_face_does_not_touch_it() -> None:
    assert score(hand((400, 200))) < 0.01
    assert score(hand((300, 300))) < 0.01


@pytest.mark.parametrize("palm", [0.85, 1.0, 0.25])
def test_a_hand_nearer_to_the_camera_or_further_away_than_the_face_does_not_touch_it(palm: float) -> None:
    assert score(hand((300, 230), palm)) < 0.05


def test_the_further_a_hand_reaches_onto_the_face_the_longer_it_may_be() -> None:
    assert score(hand((300, 230), 0.72)) > 0.9
    assert score(hand((300, 262), 0.72)) < 0.1
    assert score(hand((300, 262), 0.55)) > 0.5


def test_a_finger_beside_the_tip_of_the_nose_is_on_the_nose_and_one_at_the_lid_on_the_eye() -> None:
    places = FacePose(np.zeros((478, 3), np.float32), np.zeros(52, np.float32))
    points = places.landmarks
    points[:468, :2] = OUTLINE.hull[:, 0].mean(axis=0)
    for index, at in (
        (1, (300, 200)),
        (327, (312, 204)),
        (425, (335, 205)),
        (386, (330, 150)),
        (263, (350, 152)),
    ):
        points[index, :2] = at
    outline = FaceOutline.of_pose(places)
    assert outline.place_of(np.array([(316, 204)], np.float32)) == "nose"
    assert outline.place_of(np.array([(352, 158)], np.float32)) == "eye"


def test_the_score_falls_as_the_hand_leaves_the_face() -> None:
    scores = [score(hand((300, 240 + step))) for step in range(0, 50, 5)]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0.9
    assert scores[-1] < 0.1


def test_a_hand_wholly_within_a_face_is_a_misread_face() -> None:
    assert score(hand((300, 170), 0.4)) < 0.01


def test_a_telephone_hand_between_ear_and_mouth_counts_though_its_knuckles_are_off_the_cheek() -> None:
    points = hand((380, 175), 0.5, (-1, 0)).landmarks.copy()
    wrist = np.array([440.0, 210.0])
    points[:, :2] = wrist - (30, 0)
    points[0, :2] = wrist
    points[9, :2] = wrist - (50, 0)
    for knuckle in (6, 10, 14):
        points[knuckle, :2] = (375, 205)
    points[4, :2] = (385, 165)
    points[20, :2] = (375, 245)
    (touch,) = touches_of([OUTLINE], [HandPose(points, 0.9, is_left=True)])
    assert touch.score > 0.5
    assert touch.place == "ear"


def test_a_hand_touches_only_the_face_it_lies_on() -> None:
    far = FaceOutline.of_spot(FaceSpot(Box(600, 100, 700, 200), 0.9, np.full((6, 2), (650, 150), np.float32)))
    touches = touches_of([far, OUTLINE], [hand((300, 230))])
    assert [touch.face for touch in touches if touch.score > 0.5] == [1]


def arm(
    end: tuple[float, float],
    *,
    visible: float = 0.95,
    nose: tuple[float, float] = (300, 205),
    views: int = 5,
    spread: float = 2.0,
    elbow: tuple[float, float] = (460, 400),
) -> Person:
    """Somebody whose left arm goes from the elbow to ``end``; the right one hangs down."""
    place = np.array(end, np.float32)
    beside = Arm(np.array((150, 420), np.float32), np.array((140, 560), np.float32), 0.9, 2.0)
    left = Arm(np.array(elbow, np.float32), place, visible, spread)
    body = BodyPose(np.zeros((33, 3), np.float32), np.ones(33, np.float32))
    head = np.array(nose, np.float32)
    return Person(views, 250.0, head, head + np.float32(100), (left, beside), body)


def test_an_arm_that_ends_at_its_own_face_stands_in_for_a_hand_that_was_not_found() -> None:
    (touch,) = touches_of([OUTLINE], [], [arm((365, 235))])
    assert 0.5 <= touch.score <= 0.75
    assert touch.reason.startswith("the arm ends at the")


@pytest.mark.parametrize(
    "person",
    [
        arm((365, 235), visible=0.5),
        arm((365, 235), nose=(700, 200)),
        arm((365, 235), views=2),
        arm((365, 235), spread=40.0),
        arm((365, 235), elbow=(400, 300)),
        arm((420, 280)),
    ],
    ids=[
        "hardly seen",
        "of somebody else",
        "in few views",
        "views differ",
        "foreshortened",
        "ends elsewhere",
    ],
)
def test_an_arm_that_is_not_clear_or_ends_elsewhere_says_nothing(person: Person) -> None:
    assert [one.score for one in touches_of([OUTLINE], [], [person]) if one.score >= 0.3] == []
