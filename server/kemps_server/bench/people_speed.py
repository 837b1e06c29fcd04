"""How long people take to be followed: MediaPipe alone, what follows them round it, and a whole update.

An update is what two cameras bring at one time: a frame of the table's, hands and cards, and one of the
faces' camera with four faces, and one body in turn. The pictures are the first clips of made-up people.
What an update costs is measured with one thing after the other; how many there are in a second, as live
games have them: hands beside the cards of the same frame, and faces in a thread of their own, which waits for
no table. The slower of the two counts.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final

from kemps_server.bench.people_clips import BodyClip, DrawnClip, body_clips, drawn
from kemps_vision.cards.reader import default_reader
from kemps_vision.frame import Frame
from kemps_vision.people.face_search import widened
from kemps_vision.people.face_watch import FaceWatch
from kemps_vision.people.landmarks import Box
from kemps_vision.people.table_watch import TableWatch
from kemps_vision.people.tasks import BodyReader, FaceReader, HandReader
from kemps_vision.people.views import View
from kemps_vision.pipeline import Observer
from kemps_vision.sources import open_source
from kemps_vision.zones import load_config

FRAMES: Final = 150
WARM_UP: Final = 15  # frames that are not counted: landmarkers are made, faces found
FACES: Final = 4
_ROUND_BODY: Final = 5.0  # face sizes
_Pair = tuple[Frame, Frame]  # of the table's camera and of the faces'


@dataclass(slots=True)
class Spent:
    """What calls of one kind of landmarker took together."""

    cpu_s: float = 0.0
    calls: int = 0

    def as_json(self) -> dict[str, Any]:
        """The mean of a call."""
        return {"cpu_ms": round(1000 * self.cpu_s / max(1, self.calls), 2), "calls": self.calls}


@dataclass(slots=True)
class Clocks:
    """What landmarkers took, by kind."""

    kinds: dict[str, Spent] = field(default_factory=dict)

    @property
    def cpu_s(self) -> float:
        """All together."""
        return sum(spent.cpu_s for spent in self.kinds.values())

    @contextmanager
    def taking(self, kind: str) -> Iterator[None]:
        """Takes the processor's time, over all threads, of one call of MediaPipe."""
        start = time.process_time()
        yield
        spent = self.kinds.setdefault(kind, Spent())
        spent.cpu_s += time.process_time() - start
        spent.calls += 1


class ClockedFaces(FaceReader):
    """A face landmarker that is timed."""

    def __init__(self, clocks: Clocks) -> None:
        super().__init__(is_video=True)
        self._clocks = clocks

    def _detect(self, view: View, at_ms: int | None) -> Any:  # noqa: ANN401 - MediaPipe's own
        with self._clocks.taking("a face"):
            return super()._detect(view, at_ms)


class ClockedHands(HandReader):
    """A hand landmarker that is timed, by how many hands it found."""

    def __init__(self, clocks: Clocks, where: str) -> None:
        super().__init__(is_video=True)
        self._clocks = clocks
        self._where = where

    def _detect(self, view: View, at_ms: int | None) -> Any:  # noqa: ANN401 - MediaPipe's own
        with self._clocks.taking(f"all hands {self._where}"):
            return super()._detect(view, at_ms)


class ClockedBodies(BodyReader):
    """A pose landmarker that is timed."""

    def __init__(self, clocks: Clocks) -> None:
        super().__init__(is_video=True)
        self._clocks = clocks

    def _detect(self, view: View, at_ms: int | None) -> Any:  # noqa: ANN401 - MediaPipe's own
        with self._clocks.taking("a body"):
            return super()._detect(view, at_ms)


def people_speed(work: Path, frames: int = FRAMES) -> dict[str, Any]:
    """The figures of this machine; clips that are not there yet are drawn.

    Raises:
        KempsServerError: The renderer is not here.
    """
    clips = [drawn(clip, work / "clips") for clip in (_first_table(), _first_faces())]
    pairs = list(zip(_frames(clips[0], frames), _frames(clips[1], frames), strict=False))
    load = os.getloadavg()[0]
    table, faces = _TableCamera(clips[0]), _FaceCamera(clips[1])
    spent = _one_after_the_other(table, faces, pairs)
    beside = _side_by_side(_TableCamera(clips[0]), _FaceCamera(clips[1]), pairs)
    bare_s = sum(clocks.cpu_s for clocks in (table.clocks, faces.clocks))
    updates = len(pairs) - WARM_UP
    return {
        "updates": updates,
        "update_cpu_ms": round(1000 * spent.cpu_s / updates, 1),
        "updates_a_second": round(updates / beside.wall_s, 2),
        "side_by_side_cpu_ms": round(1000 * beside.cpu_s / updates, 1),
        "updates_a_second_by_one": round(updates / spent.wall_s, 2),
        "cpus": os.cpu_count(),
        "load_before": round(load, 1),
        "times_bare": round((table.cpu_s + faces.cpu_s) / bare_s, 3),
        "table_cpu_ms": round(1000 * table.cpu_s / updates, 1),
        "faces_cpu_ms": round(1000 * faces.cpu_s / updates, 1),
        "cards_cpu_ms": round(1000 * table.cards_s / updates, 1),
        "landmarkers": {
            name: spent.as_json()
            for clocks in (table.clocks, faces.clocks, faces.bodies)
            for name, spent in clocks.kinds.items()
        },
        "clips": [made.clip.name for made in clips],
    }


@dataclass(frozen=True, slots=True)
class _Run:
    """What all updates but those of the warm-up took together."""

    wall_s: float
    cpu_s: float


def _one_after_the_other(table: _TableCamera, faces: _FaceCamera, pairs: Sequence[_Pair]) -> _Run:
    for at_table, at_faces in pairs[:WARM_UP]:
        table.update(at_table)
        faces.update(at_faces)
    table.clear()
    faces.clear()
    wall, cpu = time.perf_counter(), time.process_time()
    for at_table, at_faces in pairs[WARM_UP:]:
        table.update(at_table)
        faces.update(at_faces)
    return _Run(time.perf_counter() - wall, time.process_time() - cpu)


def _side_by_side(table: _TableCamera, faces: _FaceCamera, pairs: Sequence[_Pair]) -> _Run:
    _both(table, faces, pairs[:WARM_UP])
    wall, cpu = time.perf_counter(), time.process_time()
    _both(table, faces, pairs[WARM_UP:])
    return _Run(time.perf_counter() - wall, time.process_time() - cpu)


def _both(table: _TableCamera, faces: _FaceCamera, pairs: Sequence[_Pair]) -> None:
    with ThreadPoolExecutor(1, "faces") as other, ThreadPoolExecutor(1, "hands") as beside:
        seen = other.submit(faces.see_all, [at_faces for _, at_faces in pairs])
        for at_table, _ in pairs:
            table.share(at_table)
            hands = beside.submit(table.see_hands, at_table)
            table.see_cards(at_table)
            hands.result()
        seen.result()


class _TableCamera:
    """Hands and cards of the table camera; ``cpu_s`` is what following the hands took."""

    def __init__(self, made: DrawnClip) -> None:
        self.clocks = Clocks()
        self.cpu_s = self.cards_s = 0.0
        self._watch = TableWatch(ClockedHands(self.clocks, "over the table"))
        with open_source(str(made.video), camera="table") as source:
            self._observer = Observer(source.info, default_reader(threads=1), load_config(made.table))

    def update(self, frame: Frame) -> None:
        start = time.process_time()
        self.see_hands(frame)
        middle = time.process_time()
        self.see_cards(frame)
        self.cpu_s += middle - start
        self.cards_s += time.process_time() - middle

    def share(self, frame: Frame) -> None:
        """What hands and cards both ask for is worked out before they do so at one time."""
        self._observer.usual.differing(frame.at_ms, frame.pixels)

    def see_hands(self, frame: Frame) -> None:
        self._watch.step(frame.at_ms, frame.pixels, self._observer.zones, self._observer.usual)

    def see_cards(self, frame: Frame) -> None:
        self._observer.step(frame)

    def clear(self) -> None:
        self.clocks.kinds.clear()
        self.cpu_s = self.cards_s = 0.0


class _FaceCamera:
    """Four faces and one body in turn; ``cpu_s`` is what following the faces took."""

    def __init__(self, made: DrawnClip) -> None:
        self.clocks, self.bodies, self.cpu_s = Clocks(), Clocks(), 0.0
        rows = made.truth()["frames"][0]["faces"]
        boxes = {row["seat"]: Box(*map(float, row["box"])) for row in rows}
        self._watch = FaceWatch(
            boxes, lambda: ClockedFaces(self.clocks), hands=ClockedHands(self.clocks, "before the players")
        )
        # Each seat's body is followed by a landmarker of its own, as its face is: it need not be searched.
        self._turns = cycle(
            [(ClockedBodies(self.bodies), widened(box, _ROUND_BODY)) for box in boxes.values()]
        )

    def update(self, frame: Frame) -> None:
        start = time.process_time()
        self._watch.step(frame.at_ms, frame.pixels)
        self.cpu_s += time.process_time() - start
        self._see_body(frame)

    def see_all(self, frames: Sequence[Frame]) -> None:
        for frame in frames:
            self._watch.step(frame.at_ms, frame.pixels)
            self._see_body(frame)

    def _see_body(self, frame: Frame) -> None:
        body, place = next(self._turns)
        body.read(frame.pixels, place, frame.at_ms)

    def clear(self) -> None:
        self.clocks.kinds.clear()
        self.bodies.kinds.clear()
        self.cpu_s = 0.0


def _frames(made: DrawnClip, count: int) -> list[Frame]:
    with open_source(str(made.video)) as source:
        return list(islice(source, count + WARM_UP))


def _first_table() -> BodyClip:
    return next(clip for clip in body_clips() if clip.script == "reaches")


def _first_faces() -> BodyClip:
    return next(clip for clip in body_clips() if not clip.is_of_table and clip.people == FACES)
