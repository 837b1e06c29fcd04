"""All faces of one picture, also small ones and many.

A detector of near faces looks at the whole picture and at overlapping tiles of three sizes (2 ms each); what
several of them saw is one face. The landmarker then looks at each face by itself, enlarged, which also rules
out what only looked like a face.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from kemps_vision.frame import Image
from kemps_vision.people.landmarks import Box, FacePose, FaceSpot, HeadAngles

# Sides of the square tiles as shares of the picture's shorter side: a face of a tenth of the smallest
# tile, 1/28 of the picture, is still found. The whole picture, squeezed, is looked at first.
TILE_SHARES: Final = (1.0, 0.6, 0.36)
OVERLAP: Final = 0.5  # of tiles side by side: a face smaller than this lies whole in one of them

LEAST_SCORE: Final = 0.65  # of a face that the landmarker confirms
SURE_SCORE: Final = 0.8  # of a face without landmarks: half turned away, covered, blurred

_SAME_OVERLAP: Final = 0.3
_SAME_INSIDE: Final = 0.6  # of the smaller one of two: an eye and a nose are no second face
_CROP: Final = 2.0  # times the face's box is shown to the landmarker
_CROP_PX: Final = 256
_NEAR: Final = 0.5  # box sides: landmarks whose middle is further away are of another face


class _Finder(Protocol):
    def read(self, pixels: Image, box: Box | None = None) -> list[FaceSpot]: ...


class _Reader(Protocol):
    def read(
        self, pixels: Image, box: Box | None = None, at_ms: int | None = None, *, least_px: int = ...
    ) -> list[FacePose]: ...


@dataclass(frozen=True, slots=True, eq=False)
class FoundFace:
    """A face of a picture; ``pose`` is None when its landmarks could not be measured."""

    spot: FaceSpot
    pose: FacePose | None = None

    @property
    def box(self) -> Box:
        """Round the landmarks, or where the detector saw it."""
        return self.spot.box if self.pose is None else self.pose.box

    @property
    def score(self) -> float:
        """0..1 how much it looks like a face."""
        return self.spot.score

    @property
    def angles(self) -> HeadAngles | None:
        """How the head is turned, when that is known."""
        return None if self.pose is None else self.pose.angles


class FaceSearch:
    """Finds all faces of stills."""

    def __init__(self, finder: _Finder, reader: _Reader) -> None:
        self._finder = finder
        self._reader = reader

    def read(self, pixels: Image, known: Sequence[FoundFace] = ()) -> list[FoundFace]:
        """The faces in the picture (h, w, 3), the largest first.

        Args:
            pixels: The picture.
            known: Faces of the picture before: half covered they are still found where they were.
        """
        height, width = pixels.shape[:2]
        seen = [spot for tile in tiles_of(width, height) for spot in self._finder.read(pixels, tile)]
        found: list[FoundFace] = []
        for spot in merge_spots(spot for spot in seen if spot.score >= LEAST_SCORE):
            pose = self._pose_of(pixels, spot)
            if pose is not None and any(_is_same(pose.box, other.box) for other in found):
                continue
            if pose is not None or spot.score >= SURE_SCORE:
                found.append(FoundFace(spot, pose))
        lost = [face for face in known if not any(_is_same(face.box, other.box) for other in found)]
        found += [face for face in self.follow(pixels, lost) if face.pose is not None]
        return sorted(found, key=lambda face: -face.box.width * face.box.height)

    def follow(self, pixels: Image, found: Sequence[FoundFace]) -> list[FoundFace]:
        """Faces of the picture before, in this one; a face that is covered now stays where it was."""
        followed = []
        for face in found:
            spot = FaceSpot(face.box, face.spot.score, face.spot.points)
            pose = self._pose_of(pixels, spot)
            # Without landmarks the detector's own box is a better outline than that of a mesh.
            followed.append(FoundFace(face.spot if pose is None else spot, pose))
        return followed

    def _pose_of(self, pixels: Image, spot: FaceSpot) -> FacePose | None:
        """The landmarks of the face at ``spot``, not of its neighbour."""
        side = max(spot.box.width, spot.box.height)
        poses = self._reader.read(pixels, widened(spot.box, _CROP), least_px=_CROP_PX)
        near = [pose for pose in poses if math.dist(pose.box.centre, spot.box.centre) < _NEAR * side]
        return min(near, key=lambda pose: math.dist(pose.box.centre, spot.box.centre), default=None)


def tiles_of(width: int, height: int) -> list[Box | None]:
    """The parts of a picture to look at; None is the whole of it."""
    tiles: list[Box | None] = [None]
    for share in TILE_SHARES:
        side = round(share * min(width, height))
        if side == max(width, height):
            continue
        tiles += [
            Box(left, top, left + side, top + side)
            for top in _starts(height, side)
            for left in _starts(width, side)
        ]
    return tiles


def merge_spots(spots: Iterable[FaceSpot]) -> list[FaceSpot]:
    """One spot for each face, the surest, best first."""
    kept: list[FaceSpot] = []
    for spot in sorted(spots, key=lambda spot: -spot.score):
        if not any(_is_same(spot.box, other.box) for other in kept):
            kept.append(spot)
    return kept


def widened(box: Box, times: float) -> Box:
    """A square round the middle of ``box`` with ``times`` its longer side."""
    x, y = box.centre
    half = max(box.width, box.height) * times / 2
    return Box(x - half, y - half, x + half, y + half)


def _starts(length: int, side: int) -> Sequence[int]:
    """Where tiles begin so that they cover ``length`` px evenly with at least ``OVERLAP``."""
    if length <= side:
        return (0,)
    steps = math.ceil((length - side) / (side * (1 - OVERLAP)))
    return [round(step * (length - side) / steps) for step in range(steps + 1)]


def _is_same(one: Box, other: Box) -> bool:
    union = one.overlap(other)
    if union > _SAME_OVERLAP:
        return True
    sizes = one.width * one.height, other.width * other.height
    both = union / (1 + union) * sum(sizes)
    return both > _SAME_INSIDE * max(min(sizes), 1e-9)
