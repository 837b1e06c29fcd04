"""Faces found in a span of a film, so that they can be blurred on each of its frames."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

from kemps_server.film.film import Film
from kemps_server.traces.reader import Traces
from kemps_vision.draw.people import blur_faces
from kemps_vision.frame import Frame, Image
from kemps_vision.people.face_search import merge_spots, tiles_of
from kemps_vision.people.landmarks import Box, FaceSpot
from kemps_vision.people.tasks import FaceFinder

EVERY_MS: Final = 200  # a face is looked for so often
AROUND_MS: Final = 1000  # and blurred so long before and after: it turns away and comes back
LEAST_SCORE: Final = (
    0.55  # less than is told of as a face: a shoulder blurred harms nobody, a face missed does
)
_SAME: Final = 0.25  # overlap of what is the same face a moment later


class Finds(Protocol):
    """Finds faces in a part of a picture, such as ``FaceFinder``."""

    def read(self, pixels: Image, box: Box | None = None) -> list[FaceSpot]:
        """Where faces are."""
        ...


def face_finder() -> FaceFinder:
    """The detector; a context manager.

    Raises:
        WeightsError: MediaPipe's files were not fetched yet.
    """
    return FaceFinder(least_score=LEAST_SCORE)


@dataclass(slots=True)
class FacesInSpan:
    """Where faces were in a camera's pictures, by time."""

    times: list[int] = field(default_factory=list)
    boxes: list[list[Box]] = field(default_factory=list)

    def near(self, at_ms: int) -> list[Box]:
        """Where faces were about then: for each all that it covered."""
        first = bisect_left(self.times, at_ms - AROUND_MS)
        last = bisect_right(self.times, at_ms + AROUND_MS)
        covered: list[Box] = []
        for box in (box for boxes in self.boxes[first:last] for box in boxes):
            same = next((place for place, one in enumerate(covered) if one.overlap(box) > _SAME), None)
            if same is None:
                covered.append(box)
            else:
                covered[same] = _both(covered[same], box)
        return covered

    def blur(self, frame: Frame) -> Image:
        """The frame without a face that can be recognised, as far as one was found."""
        return blur_faces(frame.pixels, self.near(frame.at_ms))


def _both(one: Box, other: Box) -> Box:
    left, top = min(one.left, other.left), min(one.top, other.top)
    return Box(left, top, max(one.right, other.right), max(one.bottom, other.bottom))


def faces_in(
    film: Film, camera: str, span: tuple[int, int], finder: Finds, heed: Callable[[], None] = lambda: None
) -> FacesInSpan:
    """The faces in a span and a little round it.

    Args:
        film: Of the game.
        camera: Which one.
        span: First and last ms.
        finder: Finds them.
        heed: Called for each frame that was looked at.

    Raises:
        NoPictureError: There is no such camera, or a picture cannot be decoded.
    """
    found, next_ms = FacesInSpan(), span[0] - AROUND_MS
    traces = Traces.beside(film.folder)
    for shot in film.shots(camera, span[0] - AROUND_MS, span[1] + AROUND_MS):
        if shot.at_ms < next_ms:
            continue
        next_ms = shot.at_ms + EVERY_MS
        pixels = film.frame(camera, shot).pixels
        tiles = tiles_of(pixels.shape[1], pixels.shape[0])
        spots = merge_spots(spot for tile in tiles for spot in finder.read(pixels, tile))
        trace = traces.at(camera, shot.at_ms)
        known = [] if trace is None else [face.box for face in trace.faces]
        found.times.append(shot.at_ms)
        found.boxes.append([*(spot.box for spot in spots), *known])
        heed()
    return found
