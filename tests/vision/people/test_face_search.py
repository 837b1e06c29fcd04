"""Faces of a whole picture: small ones in tiles, each once, none without a face behind it."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from kemps_vision.frame import Image
from kemps_vision.people.face_search import (
    LEAST_SCORE,
    SURE_SCORE,
    FaceSearch,
    FoundFace,
    merge_spots,
    tiles_of,
    widened,
)
from kemps_vision.people.landmarks import Box, FacePose, FaceSpot
from kemps_vision.people.tasks import FaceFinder, FaceReader

GREY: Image = np.full((240, 320, 3), 128, np.uint8)


def spot(left: float, top: float, side: float, score: float = 0.9) -> FaceSpot:
    return FaceSpot(Box(left, top, left + side, top + side), score, np.zeros((6, 2), np.float32))


def pose(box: Box) -> FacePose:
    landmarks = np.zeros((478, 3), np.float32)
    landmarks[:, 0] = np.linspace(box.left, box.right, 478)
    landmarks[:, 1] = np.linspace(box.top, box.bottom, 478)
    return FacePose(landmarks, np.zeros(52, np.float32))


class Finder:
    """Sees the faces that lie whole in the part shown and fill a tenth of it."""

    def __init__(self, *spots: FaceSpot) -> None:
        self.spots = spots
        self.looks = 0

    def read(self, pixels: Image, box: Box | None = None) -> list[FaceSpot]:
        self.looks += 1
        part = box or Box(0, 0, pixels.shape[1], pixels.shape[0])
        return [
            one
            for one in self.spots
            if one.box.left >= part.left
            and one.box.top >= part.top
            and one.box.right <= part.right
            and one.box.bottom <= part.bottom
            and one.box.width >= 0.1 * part.width
        ]


class Reader:
    """Has the landmarks of some boxes, when they are within what is shown."""

    def __init__(self, *boxes: Box) -> None:
        self.boxes = boxes

    def read(
        self, pixels: Image, box: Box | None = None, at_ms: int | None = None, *, least_px: int = 0
    ) -> list[FacePose]:
        assert box is not None
        del pixels, at_ms, least_px
        return [
            pose(one)
            for one in self.boxes
            if one.left >= box.left and one.right <= box.right and one.top >= box.top
        ]


@pytest.mark.parametrize("size", [(640, 480), (480, 640), (1920, 1080), (300, 300), (90, 400)])
def test_tiles_cover_the_whole_picture(size: tuple[int, int]) -> None:
    width, height = size
    covered = np.zeros((height, width), np.uint8)
    for tile in tiles_of(width, height)[1:]:
        assert tile is not None
        covered[int(tile.top) : int(tile.bottom), int(tile.left) : int(tile.right)] += 1
    assert covered.min() >= 1


def test_a_small_face_is_found_in_a_tile_and_told_once() -> None:
    small, large = spot(200, 100, 14), spot(20, 20, 90)
    search = FaceSearch(Finder(small, large), Reader(small.box, large.box))
    found = search.read(GREY)
    assert [face.box.width for face in found] == [90, 14]
    assert all(face.pose is not None for face in found)


def test_what_looks_a_little_like_a_face_needs_landmarks() -> None:
    doubtful = spot(100, 100, 60, (LEAST_SCORE + SURE_SCORE) / 2)
    assert FaceSearch(Finder(doubtful), Reader()).read(GREY) == []
    assert len(FaceSearch(Finder(doubtful), Reader(doubtful.box)).read(GREY)) == 1


def test_a_sure_face_without_landmarks_is_told_and_its_angles_are_not_known() -> None:
    (face,) = FaceSearch(Finder(spot(100, 100, 60, 0.95)), Reader()).read(GREY)
    assert face.pose is None
    assert face.angles is None
    assert face.box == Box(100, 100, 160, 160)


def test_a_known_face_that_the_detector_loses_is_found_where_it_was() -> None:
    known = FoundFace(spot(100, 100, 60), pose(Box(100, 100, 160, 160)))
    moved = Box(105, 100, 165, 160)
    (face,) = FaceSearch(Finder(), Reader(moved)).read(GREY, [known])
    assert face.box.left == 105
    assert FaceSearch(Finder(), Reader()).read(GREY, [known]) == []


def test_a_followed_face_that_is_covered_stays_where_it_was_without_landmarks() -> None:
    known = FoundFace(spot(100, 100, 60), pose(Box(98, 96, 162, 164)))
    (face,) = FaceSearch(Finder(), Reader()).follow(GREY, [known])
    assert face.pose is None
    assert face.box == Box(100, 100, 160, 160)


def test_landmarks_of_the_neighbour_are_not_taken_for_its_own() -> None:
    one, other = spot(100, 100, 40, 0.9), spot(150, 100, 40, 0.85)
    found = FaceSearch(Finder(one, other), Reader(one.box)).read(GREY)
    assert [face.pose is not None for face in found] == [True, False]


def test_the_surest_of_overlapping_spots_stays_also_when_one_is_within_the_other() -> None:
    whole, shifted, eye = spot(0, 0, 100, 0.8), spot(10, 5, 100, 0.9), spot(30, 30, 25, 0.7)
    away = spot(200, 0, 50, 0.6)
    assert merge_spots([whole, shifted, eye, away]) == [shifted, away]


def test_a_widened_box_keeps_its_middle() -> None:
    assert widened(Box(10, 20, 30, 30), 2.0) == Box(0, 5, 40, 45)


@pytest.mark.people
@pytest.mark.shared
def test_people_at_a_long_table_are_found(shared: Path) -> None:
    stored = cv2.imread(str(shared / "data" / "people" / "davisking-examples__faces__2008_002470.jpg"))
    assert stored is not None
    pixels = np.asarray(cv2.cvtColor(stored, cv2.COLOR_BGR2RGB), np.uint8)
    with FaceFinder(least_score=LEAST_SCORE) as finder, FaceReader() as reader:
        found = FaceSearch(finder, reader).read(pixels)
    assert 6 <= len(found) <= 7  # of seven, one is turned away
    assert all(face.angles is not None for face in found)


@pytest.mark.people
def test_nobody_is_found_where_nobody_is() -> None:
    with FaceFinder(least_score=LEAST_SCORE) as finder, FaceReader() as reader:
        assert FaceSearch(finder, reader).read(GREY) == []
