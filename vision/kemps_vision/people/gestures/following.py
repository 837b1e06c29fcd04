"""Every face of a clip, each with the hands near it and a watcher of its own.

Faces are searched for about once a second, which costs much, and then followed, each in its own part of the
picture, by a landmarker that steadies what it sees from frame to frame.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from kemps_vision.frame import Image
from kemps_vision.people.gestures.episode import Told
from kemps_vision.people.gestures.watcher import GestureWatcher
from kemps_vision.people.landmarks import Box, FacePose, HandPose

SEARCH_EVERY_MS: Final = 1000
LOST_MS: Final = 600  # unseen so long, a face is no longer looked for where it was
PART: Final = 2.4  # times the face's box, in which it is followed
INNER: Final = 0.4  # of the part, within which its middle may move before the part follows
SAME: Final = 0.8  # face widths: a found face whose middle is so near to one that was lost is the same
NEAR: Final = 2.0  # face widths from the middle of a face to a palm that is near it

FindFaces = Callable[[Image], Sequence[Box]]
FindHands = Callable[[Image, int], Sequence[HandPose]]


class FollowsFace(Protocol):
    """A landmarker that follows one face, such as ``tasks.FaceReader(is_video=True)``."""

    def read(self, pixels: Image, box: Box | None = None, at_ms: int | None = None) -> list[FacePose]:
        """The faces in a part of the picture."""
        ...


@dataclass(slots=True, eq=False)
class _Followed:
    reader: FollowsFace
    box: Box  # where the face was seen last
    part: Box
    seen_ms: int
    watcher: GestureWatcher = field(default_factory=GestureWatcher)

    def is_lost(self, at_ms: int) -> bool:
        return at_ms - self.seen_ms > LOST_MS

    def nearest(self, faces: Sequence[FacePose]) -> FacePose | None:
        """The one among the faces in its part that it is: not a neighbour's."""
        face = min(faces, key=lambda face: math.dist(face.box.centre, self.box.centre), default=None)
        return face if face is not None and _is_same(face.box, self.box) else None

    def see(self, box: Box, at_ms: int) -> None:
        self.box, self.seen_ms = box, at_ms
        x, y = self.part.centre
        off = max(abs(box.centre[0] - x) / self.part.width, abs(box.centre[1] - y) / self.part.height)
        is_size_right = 0.6 < PART * max(box.width, box.height) / self.part.width < 1.6
        if off > INNER / 2 or not is_size_right:
            self.part = _part_of(box)


@dataclass(frozen=True, slots=True)
class Seen:
    """What one frame made known.

    Attributes:
        told: Episodes and spans that have ended, each with the number of its face, counted from 0.
        faces: The faces in view by number.
        hands: All hands in view.
    """

    told: list[tuple[int, Told]]
    faces: Mapping[int, FacePose]
    hands: Sequence[HandPose]


class FaceFollower:
    """Follows all faces of a clip; the same frames give the same answer.

    Args:
        find_faces: Searches a whole picture for faces, the largest first.
        reader: Makes a landmarker that follows one face.
        find_hands: Finds the hands in a picture at a time.
    """

    def __init__(
        self, find_faces: FindFaces, reader: Callable[[], FollowsFace], find_hands: FindHands
    ) -> None:
        self._find_faces = find_faces
        self._reader = reader
        self._find_hands = find_hands
        self._followed: list[_Followed] = []
        self._searched_ms: int | None = None

    def step(self, at_ms: int, pixels: Image) -> Seen:
        """What is seen in this frame, RGB (h, w, 3); times must rise."""
        if self._searched_ms is None or at_ms - self._searched_ms >= SEARCH_EVERY_MS:
            self._searched_ms = at_ms
            self._search(at_ms, pixels)
        faces: dict[int, FacePose] = {}
        for number, one in enumerate(self._followed):
            if one.is_lost(at_ms):
                continue
            face = one.nearest(one.reader.read(pixels, one.part, at_ms))
            if face is not None and not any(_is_same(face.box, other.box) for other in faces.values()):
                faces[number] = face
                one.see(face.box, at_ms)
        hands = self._find_hands(pixels, at_ms)
        owned = _nearest(faces, hands)
        told = [
            (number, ended)
            for number, one in enumerate(self._followed)
            for ended in one.watcher.step(at_ms, faces.get(number), owned.get(number, ()))
        ]
        return Seen(told, faces, hands)

    def finish(self) -> list[tuple[int, Told]]:
        """What was going on or was waiting."""
        return [(number, told) for number, one in enumerate(self._followed) for told in one.watcher.finish()]

    def _search(self, at_ms: int, pixels: Image) -> None:
        for box in self._find_faces(pixels):
            if any(not one.is_lost(at_ms) and _is_same(one.box, box) for one in self._followed):
                continue
            lost = [one for one in self._followed if one.is_lost(at_ms) and _is_same(one.box, box)]
            if lost:
                lost[0].part = _part_of(box)
                lost[0].see(box, at_ms)
            else:
                self._followed.append(_Followed(self._reader(), box, _part_of(box), at_ms))


def _nearest(faces: Mapping[int, FacePose], hands: Sequence[HandPose]) -> dict[int, list[HandPose]]:
    """Each hand with the face it is near, if any."""
    owned: dict[int, list[HandPose]] = {}
    for hand in hands:
        palm = float(hand.palm[0]), float(hand.palm[1])
        away = {
            number: math.dist(palm, face.box.centre) / max(face.box.width, 1e-6)
            for number, face in faces.items()
        }
        nearest = min(away, key=lambda number: away[number], default=None)
        if nearest is not None and away[nearest] <= NEAR:
            owned.setdefault(nearest, []).append(hand)
    return owned


def _is_same(one: Box, other: Box) -> bool:
    return math.dist(one.centre, other.centre) < SAME * max(one.width, other.width)


def _part_of(box: Box) -> Box:
    x, y = box.centre
    half = max(box.width, box.height) * PART / 2
    return Box(x - half, y - half, x + half, y + half)
