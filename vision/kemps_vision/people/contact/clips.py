"""Contacts in a clip of which nothing is known: no seats, no table.

Most pictures get a glance, which follows faces and finds hands; a closer look, which takes most of a second,
comes once a second, and sooner until a contact that it saw is sure. Which pictures are looked at depends on
them and their times only, so a clip gives the same spans on every machine.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from kemps_vision.frame import Image
from kemps_vision.people.contact.meeting import Sign
from kemps_vision.people.contact.spans import ContactSpan
from kemps_vision.people.contact.stills import StillReading
from kemps_vision.people.contact.watching import ContactWatcher, signs_of
from kemps_vision.people.face_search import FoundFace

HAND_ON_FACE: Final = "hand_on_face"
GLANCE_MS: Final = 200
CLOSER_MS: Final = 1000
UNSURE_MS: Final = 250  # to the next closer look while a contact is not sure
OPEN_MS: Final = 500  # while a sure one goes on
CLOSER_LOOKS: Final = 3  # that make it sure: one in ten may be wrong
TOUCH_BRIDGE_MS: Final = 2500  # hands that stay clasped are not seen so in every closer look
FACE_BRIDGE_MS: Final = 700
FACE_MEMORY_MS: Final = 1500  # a face that is not found for so long may be another's
COVERED_MS: Final = 2500  # a hand may hide a face's landmarks for so long
SAME_FACE: Final = 0.2  # overlap of its boxes from look to look


class _Reader(Protocol):
    def read(self, pixels: Image, known: Sequence[FoundFace] = ()) -> StillReading: ...

    def glance(self, pixels: Image, faces: Sequence[FoundFace]) -> StillReading: ...


@dataclass(frozen=True, slots=True)
class ClipLook:
    """What was seen in one picture of a clip, and whether it was a closer look."""

    at_ms: int
    seen: StillReading
    is_closer: bool


class ClipReader:
    """Looks at the pictures of one clip."""

    def __init__(self, reader: _Reader) -> None:
        self._reader = reader
        self._touches = ContactWatcher(bridge_ms=TOUCH_BRIDGE_MS, least_looks=CLOSER_LOOKS)
        self._face_touches = ContactWatcher(bridge_ms=FACE_BRIDGE_MS)
        self._faces: dict[str, tuple[int, FoundFace]] = {}
        self._landmarks_ms: dict[str, int] = {}  # when each face had landmarks last
        self._glance_ms = self._closer_ms = 0
        self._spans: list[ContactSpan] = []

    def step(self, at_ms: int, pixels: Image) -> ClipLook | None:
        """What is seen in the picture (h, w, 3); None when its turn has not come. Times must rise."""
        is_closer = at_ms >= self._closer_ms
        if not is_closer and at_ms < self._glance_ms:
            return None
        look = self._reader.read if is_closer else self._reader.glance
        known = [face for seen_ms, face in self._faces.values() if at_ms - seen_ms <= FACE_MEMORY_MS]
        seen = look(pixels, known)
        names = self._name(at_ms, seen.faces)
        self._glance_ms = at_ms + GLANCE_MS
        if is_closer:
            # Without seats nobody has a name, so all that is seen is one contact.
            self._spans += self._touches.step(at_ms, signs_of(seen.touches))
            self._closer_ms = at_ms + self._until_closer_ms()
        self._spans += self._face_touches.step(at_ms, _face_signs(seen, names, self._sure(at_ms)))
        return ClipLook(at_ms, seen, is_closer)

    def finish(self) -> list[ContactSpan]:
        """All contacts of the clip in the order they began; a touched face is named by its number."""
        self._spans += [*self._touches.finish(), *self._face_touches.finish()]
        return sorted(self._spans, key=lambda span: (span.at_ms, span.kind))

    def _sure(self, at_ms: int) -> set[str]:
        """The faces that are surely where they are said to be; others are a guess that is carried along."""
        return {name for name, seen_ms in self._landmarks_ms.items() if at_ms - seen_ms <= COVERED_MS}

    def _until_closer_ms(self) -> int:
        if self._touches.is_unsure:
            return UNSURE_MS
        return OPEN_MS if self._touches.is_open else CLOSER_MS

    def _name(self, at_ms: int, faces: Sequence[FoundFace]) -> list[str]:
        """A face that overlaps one that was there a moment ago keeps its number."""
        names = []
        free = [name for name, (seen_ms, _) in self._faces.items() if at_ms - seen_ms <= FACE_MEMORY_MS]
        for face in faces:
            name = max(free, key=lambda each: face.box.overlap(self._faces[each][1].box), default=None)
            if name is None or face.box.overlap(self._faces[name][1].box) <= SAME_FACE:
                name = str(len(self._faces))
            else:
                free.remove(name)
            names.append(name)
            self._faces[name] = at_ms, face
            if face.pose is not None:
                self._landmarks_ms[name] = at_ms
        return names


def _face_signs(seen: StillReading, names: Sequence[str], sure: Collection[str]) -> list[Sign]:
    """Hands on faces, by number; where no face was surely seen of late, no hand is on it."""
    signs = []
    for touch in seen.face_touches:
        if names[touch.face] not in sure:
            continue
        x, y = seen.faces[touch.face].box.centre
        owners = names[touch.face], None
        signs.append(Sign(HAND_ON_FACE, owners, touch.score, (x, y), touch.reason))
    return signs
