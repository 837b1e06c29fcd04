"""Faces of a film that nobody shall recognise: found anew, and where they were seen while it was watched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol

from kemps_server.traces.reader import Traces
from kemps_vision.draw.people import blur_faces
from kemps_vision.frame import Frame, Image
from kemps_vision.people.landmarks import Box

EVERY: Final = 4  # frames: so far apart faces are looked for; between two looks both looks' faces are hidden


class _Found(Protocol):
    @property
    def box(self) -> Box: ...


class _Search(Protocol):
    def read(self, pixels: Image) -> Iterable[_Found]: ...


Blur = Callable[[Iterable[Frame]], Iterator[tuple[Frame, Image]]]


def faces_of(frame: Frame, search: _Search, traces: Traces) -> list[Box]:
    """Where faces are in a frame."""
    trace = traces.at(frame.camera, frame.at_ms)
    seen = [] if trace is None else [face.box for face in trace.faces]
    return [*seen, *(face.box for face in search.read(frame.pixels))]


def blurred(frames: Iterable[Frame], search: _Search, traces: Traces) -> Iterator[tuple[Frame, Image]]:
    """Each frame with its picture in which no face can be recognised."""
    held: list[Frame] = []
    before: list[Box] = []
    for frame in frames:
        if len(held) == EVERY:
            now = faces_of(frame, search, traces)
            yield from _hidden(held, [*before, *now])
            held, before = [], now
        elif not held and not before:
            before = faces_of(frame, search, traces)
        held.append(frame)
    if held:
        yield from _hidden(held, [*before, *faces_of(held[-1], search, traces)])


def _hidden(frames: Iterable[Frame], boxes: list[Box]) -> Iterator[tuple[Frame, Image]]:
    for frame in frames:
        yield frame, blur_faces(frame.pixels, boxes)


def face_search() -> _Search:
    """Looks for all faces of a picture, also small ones.

    Raises:
        ModelError: MediaPipe's files are not there; the text says how to fetch them.
    """
    from kemps_vision.people.face_search import FaceSearch  # noqa: PLC0415 - large
    from kemps_vision.people.tasks import FaceFinder, FaceReader  # noqa: PLC0415

    return FaceSearch(FaceFinder(), FaceReader())
