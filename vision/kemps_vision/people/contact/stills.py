"""Everybody in a still: faces, hands, bodies, and the contacts between them.

One look at the whole picture finds the nearest body or two, and clasped hands mostly not at all. So bodies
and hands are looked for in a dozen overlapping parts too, some of them stretched: photos are often squeezed
into a square, and a body that is too narrow is not found. That takes most of a second, which a still is
worth; a live picture is looked at this way only now and then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final, Self

import cv2
import numpy as np

from kemps_vision.frame import Image
from kemps_vision.people.contact.evidence import Evidence, touch_evidence
from kemps_vision.people.contact.persons import Person, is_made_of, is_within, persons_of
from kemps_vision.people.face_search import LEAST_SCORE, FaceSearch, FoundFace
from kemps_vision.people.hand_on_face import FaceOutline, FaceTouch, touches_of
from kemps_vision.people.landmarks import BodyPose, HandPose, Landmarks
from kemps_vision.people.tasks import BodyReader, FaceFinder, FaceReader, HandReader

# left, top, right, bottom as shares of the picture, and how much wider the part is made
PARTS: Final = (
    (0.0, 0.0, 1.0, 1.0, 1.4),
    *((left, 0.0, left + 0.62, 1.0, wider) for left in (0.0, 0.19, 0.38) for wider in (1.0, 1.4)),
    *((left, top, left + 0.6, top + 0.6, 1.2) for left, top in ((0, 0), (0.4, 0), (0, 0.4), (0.4, 0.4))),
    (0.2, 0.2, 0.8, 0.8, 1.2),
)
PART_PX: Final = 448  # the shorter side of a part, enlarged
SURE_HAND: Final = 0.3  # for hands that are told
EAGER_HAND: Final = 0.2  # for hands that are only evidence
EAGER_BODY: Final = 0.3


@dataclass(frozen=True, slots=True)
class StillReading:
    """What is seen of people in a still; ``hands`` and ``bodies`` once each, contacts the surest first."""

    faces: list[FoundFace]
    hands: list[HandPose]
    bodies: list[BodyPose]
    touches: list[Evidence]
    face_touches: list[FaceTouch]


class StillReader:
    """Reads stills; each is looked at by itself. Close it, or use it as a context manager."""

    def __init__(self) -> None:
        with ExitStack() as stack:
            finder = stack.enter_context(FaceFinder(least_score=LEAST_SCORE))
            self._faces = FaceSearch(finder, stack.enter_context(FaceReader()))
            self._hands = stack.enter_context(HandReader(most=8, least_score=SURE_HAND))
            self._closer = CloserLook(stack)
            self._stack = stack.pop_all()

    def read(self, pixels: Image, known: Sequence[FoundFace] = ()) -> StillReading:
        """The people in the picture (h, w, 3); ``known`` are faces of the picture before."""
        faces = self._faces.read(pixels, known)
        hands = self._hands.read(pixels)
        persons, seen_hands = self._closer.read(pixels)
        outlines = [outline_of(face) for face in faces]
        bodies = [person.body for person in persons]
        return StillReading(
            faces,
            hands,
            bodies,
            touch_evidence(persons, [*hands, *seen_hands]),
            touches_of(outlines, hands, persons),
        )

    def glance(self, pixels: Image, faces: Sequence[FoundFace]) -> StillReading:
        """The next picture of a video, in a tenth of the time: known faces, hands, and hands on faces."""
        followed = self._faces.follow(pixels, faces)
        hands = self._hands.read(pixels)
        outlines = [outline_of(face) for face in followed]
        return StillReading(followed, hands, [], [], touches_of(outlines, hands))

    def close(self) -> None:
        """Give back the landmarkers."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class CloserLook:
    """Bodies and hands in the whole picture and in its parts; the landmarkers are closed by ``stack``."""

    def __init__(self, stack: ExitStack) -> None:
        self._bodies = stack.enter_context(BodyReader(most=6, least_score=EAGER_BODY))
        self._hands = stack.enter_context(HandReader(most=6, least_score=EAGER_HAND))

    def read(self, pixels: Image) -> tuple[list[Person], list[HandPose]]:
        """Who is there, and the hands of all parts: a hand stands there once for each part that shows it."""
        bodies, hands = list(self._bodies.read(pixels)), list[HandPose]()
        for part in parts_of(pixels):
            bodies += [
                BodyPose(part.back(body.landmarks), body.visibility)
                for body in self._bodies.read(part.pixels)
            ]
            hands += [
                HandPose(part.back(hand.landmarks), hand.score, hand.is_left)
                for hand in self._hands.read(part.pixels)
            ]
        height, width = pixels.shape[:2]
        found = [person for person in persons_of(bodies) if is_within(person, width, height)]
        return [one for one in found if not any(is_made_of(one, hand) for hand in hands)], hands


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A part of a picture, cut out at ``left``, ``top`` and enlarged by ``across`` and ``down``."""

    pixels: Image
    left: int
    top: int
    across: float
    down: float

    def back(self, landmarks: Landmarks) -> Landmarks:
        """Landmarks (n, 3) in px of the part, as px of the whole picture; depth is scaled like y."""
        size = np.array([self.across, self.down, self.down], np.float32)
        return np.asarray(landmarks / size + np.array([self.left, self.top, 0], np.float32), np.float32)


def parts_of(pixels: Image) -> Iterator[Part]:
    """The parts of a picture (h, w, 3) in the order of ``PARTS``."""
    height, width = pixels.shape[:2]
    for left, top, right, bottom, wider in PARTS:
        x, y = int(left * width), int(top * height)
        cut = pixels[y : max(y + 1, int(bottom * height)), x : max(x + 1, int(right * width))]
        scale = max(1.0, PART_PX / min(cut.shape[:2]))
        size = max(1, round(cut.shape[1] * scale * wider)), max(1, round(cut.shape[0] * scale))
        enlarged = np.asarray(cv2.resize(cut, size, interpolation=cv2.INTER_CUBIC), np.uint8)
        yield Part(enlarged, x, y, size[0] / cut.shape[1], size[1] / cut.shape[0])


def outline_of(face: FoundFace) -> FaceOutline:
    """The shape of a face, with landmarks or without."""
    return FaceOutline.of_spot(face.spot) if face.pose is None else FaceOutline.of_pose(face.pose)
