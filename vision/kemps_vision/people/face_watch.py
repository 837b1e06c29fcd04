"""What the faces at the table do, as events: each seat's face from its own part of the picture.

A landmarker finds few faces in a whole picture, so each seat is looked at in a part of it round its place, or
round its face once that was found, enlarged where it is small. The part stays where it is until the face
nears its edge: a landmarker that follows a face loses it when the part moves along.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from kemps_rules.events import Event, Gesture, Json, NotMeasurable
from kemps_rules.seats import Seat
from kemps_vision.frame import Image
from kemps_vision.people.face_seats import FaceSeats
from kemps_vision.people.gestures import Episode, GestureWatcher, Told
from kemps_vision.people.hand_tracks import without_doubles
from kemps_vision.people.landmarks import Box, FacePose, HandPose
from kemps_vision.people.table_watch import FindsHands

ROUND_HOME: Final = 1.8  # times the calibrated box: a player leans and turns
ROUND_FACE: Final = 2.4  # times the found face
INNER: Final = 0.5  # of the part, within which the face's middle may move
LARGEST: Final = 0.75  # of the part that a face may fill
LOST_MS: Final = 600  # unseen so long, a face is looked for round its home again
HANDS_EVERY: Final = 2  # frames; what was found stands for the one between
NEAR_FACE: Final = 1.3  # face sizes from its middle to a palm
EACH_FRAME: Final = 4  # faces; with more seats they take turns


class FindsFaces(Protocol):
    """A reader of faces, such as ``tasks.FaceReader``."""

    def read(self, pixels: Image, box: Box | None = None, at_ms: int | None = None) -> list[FacePose]:
        """The faces in a part of the picture."""


@dataclass(slots=True)
class _Place:
    """Where a seat's face is looked for."""

    home: Box
    part: Box
    reader: FindsFaces
    seen_ms: int | None = None


class FaceWatch:
    """Follows the faces in one camera's pictures; deterministic for the same frames.

    Args:
        boxes: Where each seat's face mostly is, in px of the pictures.
        reader: Makes a landmarker; each seat has its own, since it follows one face.
        hands: Finds hands in the whole picture, for those at faces; without it nothing is said of them.
        camera: The camera's name.
        each_frame: How many faces are looked at in a frame.
    """

    def __init__(
        self,
        boxes: Mapping[Seat, Box],
        reader: Callable[[], FindsFaces],
        *,
        hands: FindsHands | None = None,
        camera: str = "faces",
        each_frame: int = EACH_FRAME,
    ) -> None:
        self._places = {
            seat: _Place(box, _grown(box, ROUND_HOME), reader()) for seat, box in sorted(boxes.items())
        }
        self._seats = FaceSeats(boxes)
        self._watchers = {seat: GestureWatcher() for seat in self._places}
        self._hand_reader = hands
        self._hands: list[HandPose] = []
        self._frames = 0
        self._camera = camera
        self._each_frame = max(1, each_frame)
        self._next = 0
        self._last_ms: int | None = None
        self.faces: dict[Seat, FacePose] = {}

    def step(self, at_ms: int, pixels: Image) -> list[Event]:
        """The events that this frame makes known; a frame with the time of the one before is left out."""
        if self._last_ms is not None and at_ms <= self._last_ms:
            return []
        self._last_ms = at_ms
        looked_at = self._turn()
        if self._hand_reader is not None and self._frames % HANDS_EVERY == 0:
            self._hands = without_doubles(self._hand_reader.read(pixels, at_ms=at_ms))
        self._frames += 1
        found = [
            face
            for seat in looked_at
            for face in self._places[seat].reader.read(pixels, self._places[seat].part, at_ms)[:1]
        ]
        # Parts of neighbours overlap: one face may be found in both.
        single = _without_doubles(found)
        named = self._seats.step(at_ms, pixels, single)
        seated = {one.seat: one.pose for one in named if one.seat is not None}
        events: list[Event] = []
        for seat in looked_at:
            face = seated.get(seat)
            self._follow(self._places[seat], face, at_ms)
            near = [] if face is None else _near(self._hands, face)
            events += [self._event(seat, told) for told in self._watchers[seat].step(at_ms, face, near)]
        unseen = {seat: face for seat, face in self.faces.items() if seat not in looked_at}
        self.faces = {**unseen, **seated}
        return events

    def finish(self) -> list[Event]:
        """What was still going on."""
        told = [
            self._event(seat, one) for seat, watcher in self._watchers.items() for one in watcher.finish()
        ]
        return sorted(told, key=lambda event: event.at_ms)

    def _turn(self) -> list[Seat]:
        seats = list(self._places)
        if len(seats) <= self._each_frame:
            return seats
        turn = [seats[(self._next + i) % len(seats)] for i in range(self._each_frame)]
        self._next = (self._next + self._each_frame) % len(seats)
        return turn

    def _follow(self, place: _Place, face: FacePose | None, at_ms: int) -> None:
        if face is not None:
            place.seen_ms = at_ms
            if not _lies_in(face.box, place.part, INNER):
                place.part = _grown(face.box, ROUND_FACE)
        elif place.seen_ms is not None and at_ms - place.seen_ms > LOST_MS:
            place.part, place.seen_ms = _grown(place.home, ROUND_HOME), None

    def _event(self, seat: Seat, told: Told) -> Gesture | NotMeasurable:
        extra: dict[str, Json] = {"camera": self._camera}
        if isinstance(told, Episode):
            return Gesture(
                at_ms=told.at_ms,
                until_ms=told.until_ms,
                seat=seat,
                gesture=told.gesture,
                strength=round(told.strength, 3),
                confidence=round(told.confidence, 3),
                extra=dict(extra),
            )
        return NotMeasurable(
            at_ms=told.at_ms, until_ms=told.until_ms, seat=seat, what=told.what, extra=dict(extra)
        )


def _near(hands: Sequence[HandPose], face: FacePose) -> list[HandPose]:
    """The hands at a face; of two people side by side each has their own."""
    x, y = face.box.centre
    reach = NEAR_FACE * max(face.box.width, face.box.height)
    return [hand for hand in hands if np.hypot(hand.palm[0] - x, hand.palm[1] - y) <= reach]


def _grown(box: Box, times: float) -> Box:
    """A square round the box's middle, as many times as large as its longer side."""
    x, y = box.centre
    half = max(box.width, box.height) * times / 2
    return Box(x - half, y - half, x + half, y + half)


def _lies_in(box: Box, part: Box, share: float) -> bool:
    x, y = part.centre
    off = max(abs(box.centre[0] - x) / part.width, abs(box.centre[1] - y) / part.height)
    size = max(box.width / part.width, box.height / part.height)
    return off <= share / 2 and size < LARGEST


def _without_doubles(faces: list[FacePose]) -> list[FacePose]:
    kept: list[FacePose] = []
    for face in faces:
        if all(face.box.overlap(other.box) < 0.4 for other in kept):
            kept.append(face)
    return kept
