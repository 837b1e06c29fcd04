"""Stills and clips: parts of a picture lead back to it, clips are looked at by their times."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from kemps_vision.frame import Image
from kemps_vision.people.contact.clips import CLOSER_MS, HAND_ON_FACE, ClipReader
from kemps_vision.people.contact.evidence import Evidence
from kemps_vision.people.contact.spans import HANDS_TOUCHED
from kemps_vision.people.contact.stills import PARTS, StillReader, StillReading, parts_of
from kemps_vision.people.face_search import FoundFace
from kemps_vision.people.hand_on_face import FaceTouch
from kemps_vision.people.landmarks import Box, FacePose, FaceSpot

GREY: Image = np.full((120, 160, 3), 128, np.uint8)
CORNERS = np.zeros((478, 3), np.float32)
CORNERS[:, :2] = np.array([(40, 20), (90, 70)])[np.arange(478) % 2]


@pytest.mark.parametrize("size", [(120, 160), (700, 900), (33, 20)])
def test_a_place_in_a_part_leads_back_to_where_it_is_in_the_picture(size: tuple[int, int]) -> None:
    height, width = size
    pixels = np.zeros((height, width, 3), np.uint8)
    row, column = height // 2, width // 2
    pixels[row, column] = 255
    parts = list(parts_of(pixels))
    assert len(parts) == len(PARTS)
    for part in parts:
        found = np.unravel_index(int(part.pixels[..., 0].argmax()), part.pixels.shape[:2])
        place = np.array([[found[1] + 0.5, found[0] + 0.5, 0.0]], np.float32)
        assert part.back(place)[0, :2] == pytest.approx((column + 0.5, row + 0.5), abs=1.0)


class Reader:
    """Sees one face; a contact in closer looks from 2 s to 4 s, a hand on the face from 1 s to 3 s.

    The hand covers the face's landmarks; ``is_sure`` when they were there before.
    """

    def __init__(self, *, is_sure: bool = True) -> None:
        self.is_sure = is_sure
        self.closer = list[int]()
        self.glances = list[int]()
        self.at_ms = 0

    def read(self, pixels: Image, known: Sequence[FoundFace] = ()) -> StillReading:
        del pixels, known
        self.closer.append(self.at_ms)
        is_touched = 2000 <= self.at_ms <= 4000
        return self._seen([Evidence(0.8, (70, 60), "arms", 10)] if is_touched else [])

    def glance(self, pixels: Image, faces: Sequence[FoundFace]) -> StillReading:
        del pixels
        assert len(faces) == 1
        self.glances.append(self.at_ms)
        return self._seen([])

    def _seen(self, touches: list[Evidence]) -> StillReading:
        is_covered = 1000 <= self.at_ms <= 3000
        pose = FacePose(CORNERS, np.zeros(52, np.float32)) if self.is_sure and not is_covered else None
        face = FoundFace(FaceSpot(Box(40, 20, 90, 70), 0.9, np.zeros((6, 2), np.float32)), pose)
        on_face = [FaceTouch(0, 0.9, "nose", "a hand")] if is_covered else []
        return StillReading([face], [], [], touches, on_face)


def watch(until_ms: int, every_ms: int = 40, *, is_sure: bool = True) -> tuple[Reader, ClipReader]:
    reader = Reader(is_sure=is_sure)
    clip = ClipReader(reader)
    for at_ms in range(0, until_ms, every_ms):
        reader.at_ms = at_ms
        clip.step(at_ms, GREY)
    return reader, clip


def test_closer_looks_come_once_a_second_and_sooner_until_a_contact_is_sure() -> None:
    reader, _ = watch(8000)
    assert reader.closer[:3] == [0, CLOSER_MS, 2 * CLOSER_MS]
    assert sum(2000 <= at_ms < 3000 for at_ms in reader.closer) >= 3
    assert len(reader.closer) < 16
    assert len(reader.glances) > 20


def test_contacts_of_a_clip_are_told_from_beginning_to_end() -> None:
    _, clip = watch(8000)
    on_face, touched = clip.finish()
    assert (on_face.kind, on_face.owners) == (HAND_ON_FACE, ("0", None))
    assert on_face.at_ms == pytest.approx(1000, abs=200)
    assert on_face.until_ms == pytest.approx(3000, abs=200)
    assert (touched.kind, touched.at_ms) == (HANDS_TOUCHED, 2000)
    assert touched.until_ms == pytest.approx(4000, abs=500)


def test_no_hand_is_on_a_face_that_never_had_landmarks() -> None:
    _, clip = watch(8000, is_sure=False)
    assert [span.kind for span in clip.finish()] == [HANDS_TOUCHED]


def test_the_same_clip_gives_the_same_looks_and_spans() -> None:
    (one, first), (other, second) = watch(5000), watch(5000)
    assert (one.closer, one.glances) == (other.closer, other.glances)
    assert first.finish() == second.finish()


def still(folder: Path, name: str) -> Image:
    stored = cv2.imread(str(folder / "data" / "people" / name))
    assert stored is not None
    return np.asarray(cv2.cvtColor(stored, cv2.COLOR_BGR2RGB), np.uint8)


@pytest.mark.people
@pytest.mark.shared
def test_a_handshake_is_a_contact_and_two_people_side_by_side_are_none(shared: Path) -> None:
    with StillReader() as reader:
        shaken = reader.read(still(shared, "mhamza19-0--997-_jpg.jpg"))
        apart = reader.read(still(shared, "cleardusk-examples__inputs__trump_hillary.jpg"))
        chin = reader.read(still(shared, "KwaiVGI-assets__examples__driving__d30.jpg"))
    assert shaken.touches[0].score >= 0.8
    assert len(shaken.faces) == 2
    assert not any(touch.score >= 0.5 for touch in apart.touches)
    assert [touch.face for touch in chin.face_touches if touch.score >= 0.5] == [0]
