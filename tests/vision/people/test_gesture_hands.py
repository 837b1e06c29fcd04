"""Hands at the face, hands before the eyes, and what fingers show."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_vision.people.gestures.hand_places import places_of
from kemps_vision.people.gestures.hand_shapes import shape_of
from kemps_vision.people.gestures.rubbing import thumb_at_tips
from kemps_vision.people.gestures.sights import LEAST_SPAN_PX, sight_of
from kemps_vision.people.landmarks import FacePose, HandPose

# Where some points of the mesh are on a face of 140 x 190 px, from its middle.
POINTS = {
    10: (0, -95),
    151: (0, -75),
    67: (-30, -85),
    297: (30, -85),
    152: (0, 95),
    199: (0, 78),
    234: (-70, 0),
    454: (70, 0),
    33: (-45, -25),
    133: (-15, -25),
    362: (15, -25),
    263: (45, -25),
    159: (-30, -29),
    145: (-30, -21),
    386: (30, -29),
    374: (30, -21),
    1: (0, 15),
    4: (0, 12),
    13: (0, 48),
    14: (0, 52),
    61: (-25, 50),
    291: (25, 50),
    50: (-45, 15),
    205: (-42, 28),
    280: (45, 15),
    425: (42, 28),
}


def face(x: float = 400, y: float = 300, scale: float = 1.0) -> FacePose:
    angles = np.linspace(0, 2 * np.pi, 478)
    outline = np.stack([70 * np.sin(angles), 95 * np.cos(angles)], axis=1)
    for place, at in POINTS.items():
        outline[place] = at
    landmarks = np.zeros((478, 3), np.float32)
    landmarks[:, :2] = outline * scale + (x, y)
    return FacePose(landmarks, np.zeros(52, np.float32), np.eye(4, dtype=np.float32))


def hand(
    stretched: str = "timrl",
    *,
    wrist: tuple[float, float] = (0.0, 0.0),
    up: tuple[float, float] = (0.0, -1.0),
    palm: float = 80.0,
) -> HandPose:
    """A hand with some fingers stretched: t, i, m, r, l for thumb to little finger; others are folded."""
    along, aside = np.array(up), np.array([-up[1], up[0]])
    points = np.zeros((21, 3))
    for finger, letter in enumerate("timrl"):
        base = along * (0.4 if letter == "t" else 1.0) + aside * (finger - 2) * 0.22
        way = along if letter != "t" else along * 0.35 - aside * 0.8
        for joint in range(4):
            points[1 + 4 * finger + joint, :2] = base + way * _along(joint, letter in stretched)
            if letter == "t" and letter not in stretched:
                points[1 + 4 * finger + joint, :2] = base + aside * 0.3 * joint + along * 0.1 * joint
    points[:, :2] = points[:, :2] * palm + np.array(wrist)
    return HandPose(points.astype(np.float32), 0.9, is_left=True)


def _along(joint: int, is_stretched: bool) -> float:
    return (0.0, 0.4, 0.65, 0.85)[joint] if is_stretched else (0.0, 0.35, 0.2, 0.05)[joint]


@pytest.mark.parametrize(
    ("stretched", "shape"),
    [
        ("", "hand_fist"),
        ("t", "hand_thumb"),
        ("i", "hand_point"),
        ("im", "fingers_2"),
        ("imr", "fingers_3"),
        ("tim", "fingers_3"),
        ("imrl", "fingers_4"),
        ("timrl", "hand_open"),
        ("il", None),
    ],
)
@pytest.mark.parametrize("up", [(0.0, -1.0), (1.0, 0.0), (0.6, 0.8)])
def test_fingers_that_are_stretched_make_the_shape(
    stretched: str, shape: str | None, up: tuple[float, float]
) -> None:
    assert shape_of(hand(stretched, up=up)) == shape


def test_a_half_bent_finger_makes_no_shape() -> None:
    pose = hand("")
    points: NDArray[np.float32] = pose.landmarks.copy()
    points[5:9, :2] = points[5, :2] + np.array([(0, 0), (0, -32), (15, -50), (30, -55)])
    assert shape_of(HandPose(points, 0.9, is_left=True)) is None


def pinched(thumb: tuple[float, float]) -> HandPose:
    """A hand that points up, index and middle finger bent, the thumb's tip so far from theirs, in palms."""
    points = hand("im").landmarks.copy()
    points[8, :2], points[12, :2] = (-6, -110), (6, -110)
    points[4, :2] = (thumb[1] * 80, -110 - thumb[0] * 80)
    return HandPose(points, 0.9, is_left=True)


def test_a_thumb_at_the_finger_tips_is_told_where_it_is_there() -> None:
    place = thumb_at_tips([pinched((-0.2, 0.1))])
    assert place is not None
    assert place == pytest.approx((-0.2, 0.1), abs=0.02)


def test_a_thumb_away_from_the_tips_a_fist_and_two_hands_say_nothing_of_a_rub() -> None:
    assert thumb_at_tips([pinched((-0.7, 0.1))]) is None
    assert thumb_at_tips([hand("")]) is None
    assert thumb_at_tips([hand("i")]) is None
    assert thumb_at_tips([pinched((-0.2, 0.1)), pinched((-0.2, 0.0))]) is None


def test_a_hand_on_the_face_does_not_rub() -> None:
    seen = pinched((-0.2, 0.1))
    away = HandPose(seen.landmarks + np.array([700, 400, 0], np.float32), 0.9, is_left=True)
    on = HandPose(seen.landmarks + np.array([400, 430, 0], np.float32), 0.9, is_left=True)
    assert sight_of(0, face(), [away]).thumb is not None
    assert sight_of(0, face(), [on]).thumb is None


@pytest.mark.parametrize(
    ("place", "at"),
    [
        ("nose", (402, 320)),
        ("mouth", (400, 352)),
        ("chin", (400, 388)),
        ("cheek", (446, 326)),
        ("forehead", (400, 222)),
    ],
)
def test_a_finger_at_the_face_is_told_with_its_place(place: str, at: tuple[float, float]) -> None:
    up = (-0.45, -0.89) if place == "forehead" else (0.45, -0.89)
    tip = hand("i", up=up, palm=75).landmarks[8, :2]
    moved = hand("i", wrist=tuple(np.array(at) - tip), up=up, palm=75)
    assert max(places_of(face(), [moved]).items(), key=lambda one: one[1])[0] == place


def test_fingers_above_the_forehead_are_in_the_hair_and_a_raised_arm_beside_is_not() -> None:
    at_hair = hand("timrl", wrist=(480, 310), up=(-0.34, -0.94), palm=75)
    assert places_of(face(), [at_hair]).get("hair") == 1.0
    beside = hand("timrl", wrist=(640, 310), up=(0.0, -1.0), palm=75)
    assert all(score < 0.01 for score in places_of(face(), [beside]).values())


def test_a_hand_near_the_camera_lies_on_no_face_but_covers_it() -> None:
    near = hand("t", wrist=(330, 480), palm=170)
    seen = sight_of(0, face(), [near])
    assert all(score < 0.5 for score in seen.places.values())
    assert seen.hidden == "covered"


def test_a_hand_at_the_chin_covers_nothing() -> None:
    tip = hand("i", up=(0.45, -0.89), palm=75).landmarks[8, :2]
    at_chin = hand("i", wrist=tuple(np.array((400, 388)) - tip), up=(0.45, -0.89), palm=75)
    seen = sight_of(0, face(), [at_chin])
    assert seen.face is not None
    assert seen.shapes == {"hand_point"}


@pytest.mark.parametrize(("scale", "what"), [(1.0, ""), (LEAST_SPAN_PX / 90 * 0.9, "too_small")])
def test_a_small_face_is_not_measured(scale: float, what: str) -> None:
    assert sight_of(0, face(scale=scale), []).hidden == what


@pytest.mark.parametrize(("degrees", "what"), [(0, ""), (35, ""), (45, "turned_away"), (-45, "turned_away")])
def test_a_face_turned_away_is_not_measured(degrees: float, what: str) -> None:
    angle = np.radians(degrees)
    head = np.eye(4, dtype=np.float32)
    head[:3, :3] = [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]
    pose = face()
    seen = sight_of(0, FacePose(pose.landmarks, pose.blendshapes, head), [])
    assert seen.hidden == what
    assert (seen.face is None) == bool(what)


def test_trust_falls_with_a_face_that_is_small_or_turned() -> None:
    large, small = (sight_of(0, face(scale=scale), []).trust for scale in (1.0, 0.4))
    assert large == 1.0
    assert 0.6 <= small < 0.9
