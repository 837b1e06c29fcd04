"""Every face of a clip keeps its number and its hands; a search is not made for each frame."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from kemps_vision.frame import Image
from kemps_vision.people.gestures import Unmeasured
from kemps_vision.people.gestures.following import LOST_MS, SEARCH_EVERY_MS, FaceFollower
from kemps_vision.people.gestures.sketch import draw_gestures
from kemps_vision.people.landmarks import Box, FacePose, HandPose

PICTURE: Image = np.full((480, 640, 3), 90, np.uint8)


def face(x: float, y: float) -> FacePose:
    """A face of 80 x 100 px, without an expression."""
    angles = np.linspace(0, 2 * np.pi, 478)
    landmarks = np.zeros((478, 3), np.float32)
    landmarks[:, :2] = np.stack([x + 40 * np.sin(angles), y + 50 * np.cos(angles)], axis=1)
    for place, (dx, dy) in {33: (-25, -12), 133: (-9, -12), 362: (9, -12), 263: (25, -12)}.items():
        landmarks[place, :2] = x + dx, y + dy
    return FacePose(landmarks, np.zeros(52, np.float32), np.eye(4, dtype=np.float32))


def hand(x: float, y: float) -> HandPose:
    landmarks = np.zeros((21, 3), np.float32)
    landmarks[:, :2] = np.stack([x + np.arange(21), y - 2 * np.arange(21)], axis=1)
    return HandPose(landmarks, 0.9, is_left=False)


class Room:
    """Where faces and hands are now; finds them as the landmarkers would, and counts the searches."""

    def __init__(self, *faces: tuple[float, float], hands: Sequence[tuple[float, float]] = ()) -> None:
        self.faces, self.hands, self.searches = list(faces), list(hands), 0

    def search(self, pixels: Image) -> list[Box]:
        self.searches += 1
        assert pixels is PICTURE
        return [face(*at).box for at in self.faces]

    def read(self, pixels: Image, box: Box | None = None, at_ms: int | None = None) -> list[FacePose]:
        assert box is not None
        assert (pixels is PICTURE, at_ms is None) == (True, False)
        return [face(x, y) for x, y in self.faces if box.left < x < box.right and box.top < y < box.bottom]

    def follower(self) -> FaceFollower:
        return FaceFollower(self.search, lambda: self, lambda *_: [hand(*at) for at in self.hands])


def middles(follower: FaceFollower, at_ms: int) -> dict[int, tuple[float, float]]:
    found = follower.step(at_ms, PICTURE).faces
    return {number: (round(one.box.centre[0]), round(one.box.centre[1])) for number, one in found.items()}


def test_faces_keep_their_numbers_while_they_move() -> None:
    room = Room((150, 200), (450, 200))
    follower = room.follower()
    for i in range(120):
        room.faces = [(150 + i, 200), (450, 200 + i / 2)]
        at = middles(follower, 40 * i)
        assert at.keys() == {0, 1}
        assert at[0][0] == pytest.approx(150 + i, abs=1)
    assert room.searches == 1 + 119 * 40 // SEARCH_EVERY_MS


def test_a_face_that_comes_later_gets_the_next_number() -> None:
    room = Room((150, 200))
    follower = room.follower()
    assert middles(follower, 0).keys() == {0}
    room.faces.append((450, 200))
    assert middles(follower, SEARCH_EVERY_MS + 40).keys() == {0, 1}


def test_a_face_that_was_lost_and_comes_back_to_its_place_is_the_same() -> None:
    room = Room((150, 200))
    follower = room.follower()
    middles(follower, 0)
    room.faces = []
    for at_ms in range(40, LOST_MS + 2000, 40):
        assert middles(follower, at_ms) == {}
    room.faces = [(170, 210)]
    assert middles(follower, LOST_MS + 4000) == {0: (170, 210)}


def test_a_face_elsewhere_is_another() -> None:
    room = Room((150, 200))
    follower = room.follower()
    middles(follower, 0)
    room.faces = []
    middles(follower, LOST_MS + 1000)
    room.faces = [(450, 200)]
    assert middles(follower, LOST_MS + 3000).keys() == {1}


def test_two_landmarkers_that_see_one_face_tell_one() -> None:
    room = Room((200, 200), (300, 200))
    follower = room.follower()
    assert middles(follower, 0).keys() == {0, 1}
    room.faces = [(250, 200)]
    assert len(middles(follower, 40)) == 1


def test_hands_go_to_the_nearest_face_only_when_they_are_near() -> None:
    room = Room((150, 200), (450, 200), hands=[(470, 300), (320, 470)])
    follower = room.follower()
    seen = follower.step(0, PICTURE)
    assert len(seen.hands) == 2
    told = [number for i in range(1, 40) for number, _ in follower.step(40 * i, PICTURE).told]
    assert told == [], "no face has been seen long enough to be known"


def test_a_face_that_leaves_is_told_as_not_in_view() -> None:
    room = Room((150, 200))
    follower = room.follower()
    for at_ms in range(0, 1000, 40):
        follower.step(at_ms, PICTURE)
    room.faces = []
    for at_ms in range(1000, 2000, 40):
        follower.step(at_ms, PICTURE)
    assert (0, Unmeasured("no_face", 1000, 1960)) in follower.finish()


def test_drawing_changes_a_copy_and_a_blurred_face_is_gone() -> None:
    rng = np.random.default_rng(3)
    pixels = rng.integers(0, 255, PICTURE.shape, np.uint8)
    before = pixels.copy()
    drawn = draw_gestures(pixels, {0: face(300, 240)}, [hand(100, 300)], {0: ["wink left"]})
    assert (pixels == before).all()
    assert drawn.shape == pixels.shape
    assert (drawn != pixels).any()
    named = draw_gestures(pixels, {0: face(300, 240)}, [hand(100, 300)], {0: ["wink left"]}, seats={0: "B"})
    assert (named != drawn).any(), "the seat's name stands in the place of the number"
    blurred = draw_gestures(pixels, {0: face(300, 240)}, [], {}, is_blurred=True)
    inside = (slice(255, 275), slice(290, 310))
    assert blurred[inside].std() < 0.35 * pixels[inside].std()
    assert (blurred[:60] == pixels[:60]).all()
