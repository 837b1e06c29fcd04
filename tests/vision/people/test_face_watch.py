"""Faces of a camera become gestures of seats: looked for at their places, followed, taken in turns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from kemps_rules.events import Event, Gesture, NotMeasurable
from kemps_rules.seats import Seat
from kemps_vision.frame import Image
from kemps_vision.people.face_watch import FaceWatch
from kemps_vision.people.gestures import Told
from kemps_vision.people.landmarks import Box, FacePose, HandPose

PICTURE: Image = np.full((720, 1280, 3), 120, np.uint8)
BOXES: dict[Seat, Box] = {
    seat: Box(x - 50, 200, x + 50, 330) for seat, x in zip("ABCD", (200.0, 480.0, 760.0, 1040.0), strict=True)
}


class Faces:
    """Finds the faces whose middle lies in the part it is shown; all readers of a test share one."""

    def __init__(self, *places: tuple[float, float]) -> None:
        self.places = list(places)
        self.parts: list[Box] = []

    def __call__(self) -> Faces:
        return self

    def read(self, pixels: Image, box: Box | None = None, at_ms: int | None = None) -> list[FacePose]:
        assert pixels.shape == PICTURE.shape
        assert box is not None
        assert at_ms is not None
        self.parts.append(box)
        x0, y0, x1, y1 = box
        return [face(x, y) for x, y in self.places if x0 <= x < x1 and y0 <= y < y1]


def face(x: float, y: float) -> FacePose:
    landmarks = np.zeros((478, 3), np.float32)
    landmarks[:2, :2] = [(x - 50, y - 65), (x + 50, y + 65)]
    landmarks[2:, :2] = (x, y)
    return FacePose(landmarks, np.zeros(52, np.float32), np.eye(4, dtype=np.float32))


def watched(watch: FaceWatch, frames: int) -> list[Event]:
    told = [event for i in range(frames) for event in watch.step(66 * i, PICTURE)]
    return told + watch.finish()


def test_each_seats_face_is_found_at_its_place() -> None:
    watch = FaceWatch(BOXES, Faces((200, 265), (480, 265), (760, 265), (1040, 265)))
    watch.step(0, PICTURE)
    assert {seat: face.box.centre[0] for seat, face in watch.faces.items()} == {
        "A": 200,
        "B": 480,
        "C": 760,
        "D": 1040,
    }


def test_a_seat_without_a_face_is_not_measurable_with_its_span() -> None:
    told = watched(FaceWatch(BOXES, Faces((200, 265), (760, 265), (1040, 265))), 30)
    spans = [(one.seat, one.what, one.at_ms, one.until_ms) for one in told if isinstance(one, NotMeasurable)]
    assert ("B", "no_face", 0, 66 * 29) in spans
    assert all(one.extra["camera"] == "faces" for one in told)


def test_a_face_that_moves_is_followed_out_of_its_first_part_and_looked_for_at_home_when_lost() -> None:
    faces = Faces((200, 265))
    watch = FaceWatch({"A": BOXES["A"]}, faces)
    for i in range(20):
        faces.places = [(200 + 8 * i, 265)]
        watch.step(66 * i, PICTURE)
    assert watch.faces["A"].box.centre[0] == 200 + 8 * 19
    faces.places = []
    for i in range(20, 40):
        watch.step(66 * i, PICTURE)
    assert "A" not in watch.faces
    assert faces.parts[-1] == faces.parts[0]


def test_the_part_stays_while_the_face_hardly_moves() -> None:
    faces = Faces((200, 265))
    watch = FaceWatch({"A": BOXES["A"]}, faces)
    for i in range(20):
        faces.places = [(200 + i % 3, 265)]
        watch.step(66 * i, PICTURE)
    assert len(set(faces.parts)) == 1


def test_more_seats_than_a_frame_takes_have_their_turns() -> None:
    faces = Faces((200, 265), (480, 265), (760, 265), (1040, 265))
    watch = FaceWatch(BOXES, faces, each_frame=2)
    for i in range(8):
        watch.step(66 * i, PICTURE)
    assert len(faces.parts) == 16
    assert len(watch.faces) == 4


def test_one_face_in_two_parts_is_one_seats() -> None:
    near: dict[Seat, Box] = {"A": Box(250, 200, 350, 330), "B": Box(450, 200, 550, 330)}
    faces = Faces()
    watch = FaceWatch(near, faces)
    for i in range(16):
        faces.places = [(300 + 6 * i, 265)]
        watch.step(66 * i, PICTURE)
    assert all(part.left < faces.places[0][0] < part.right for part in faces.parts[-2:])
    assert list(watch.faces) == ["A"]


def test_a_frame_with_the_time_of_the_one_before_is_left_out() -> None:
    faces = Faces((200, 265))
    watch = FaceWatch(BOXES, faces)
    watch.step(100, PICTURE)
    looks = len(faces.parts)
    assert watch.step(100, PICTURE) == []
    assert len(faces.parts) == looks


def test_a_still_face_gives_no_gesture() -> None:
    told = watched(FaceWatch({"A": BOXES["A"]}, Faces((200, 265))), 60)
    assert [one for one in told if isinstance(one, Gesture)] == []


class Hand:
    """Finds one hand at the face of a seat."""

    def __init__(self, x: float, y: float) -> None:
        self.pose = HandPose(np.zeros((21, 3), np.float32), 0.9, is_left=False)
        self.pose.landmarks[:, :2] = (x, y)
        self.pose.landmarks[[8, 12], 1] -= 30

    def read(self, pixels: Image, box: Box | None = None, at_ms: int | None = None) -> list[HandPose]:
        assert pixels.shape == PICTURE.shape
        assert box is None
        assert at_ms is not None
        return [self.pose]


class Listener:
    """A watcher that counts the hands it is given."""

    def __init__(self) -> None:
        self.hands: list[int] = []

    def step(self, at_ms: int, face: FacePose | None, hands: Sequence[HandPose] = ()) -> list[Told]:
        assert at_ms >= 0
        assert face is not None or not hands
        self.hands.append(len(hands))
        return []


def test_a_hand_goes_with_the_face_it_is_at_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    listeners: list[Listener] = []

    def made() -> Listener:
        listeners.append(Listener())
        return listeners[-1]

    monkeypatch.setattr("kemps_vision.people.face_watch.GestureWatcher", made)
    watch = FaceWatch(BOXES, Faces((200, 265), (480, 265)), hands=Hand(200, 300))
    for i in range(4):
        watch.step(66 * i, PICTURE)
    assert [one.hands for one in listeners] == [[1] * 4, [0] * 4, [0] * 4, [0] * 4]
