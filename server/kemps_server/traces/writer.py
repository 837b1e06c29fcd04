"""Traces written while a game is watched; whatever goes wrong with them, the game goes on."""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from kemps_server.marking import marks_of
from kemps_server.traces.chunks import CHUNK_MS, TRACES, chunk_name, write_chunk
from kemps_server.traces.trace import CardTrace, FaceTrace, HandTrace, Trace
from kemps_vision.people.hand_seats import SeatedHand
from kemps_vision.people.landmarks import FacePose
from kemps_vision.pipeline import Snapshot
from kemps_vision.sources.recorded import folder_name
from kemps_vision.zones import TableZones

_log = logging.getLogger(__name__)


class TraceWriter:
    """Keeps what is seen in the watched frames; use it as a context manager.

    Faces are told by the thread that looks at them, tables by another.

    Args:
        folder: The game's.
        goes_on: What an earlier run left stays there.
    """

    def __init__(self, folder: Path, *, goes_on: bool = False) -> None:
        self._folder = folder / TRACES
        self._waiting: dict[str, list[Trace]] = {}
        self._lock = threading.Lock()
        self._is_broken = False
        self._hands: Sequence[SeatedHand] = ()
        if not goes_on:
            shutil.rmtree(self._folder, ignore_errors=True)

    def see_table(self, snapshot: Snapshot | None, hands: Sequence[SeatedHand] = ()) -> None:
        """A frame of the table camera was watched; ``hands`` are another list when they were looked for."""
        if snapshot is None:
            return
        fresh = hands if hands is not self._hands else ()
        self._hands = hands
        self._keep(
            snapshot.frame.camera,
            Trace(
                at_ms=snapshot.frame.at_ms,
                cards=tuple(CardTrace(mark.card, mark.score, mark.quad) for mark in marks_of(snapshot)),
                hands=tuple(HandTrace(hand.seat or "", hand.pose.landmarks) for hand in fresh),
                zones=_zones(snapshot.zones),
            ),
        )

    def see_faces(self, camera: str, at_ms: int, faces: Mapping[str, FacePose]) -> None:
        """A frame of a camera that looks at faces was watched."""
        found = tuple(FaceTrace(seat, pose.box) for seat, pose in sorted(faces.items()))
        self._keep(camera, Trace(at_ms=at_ms, faces=found))

    def close(self) -> None:
        """Write what is left; may be called twice."""
        with self._lock:
            for camera in list(self._waiting):
                self._write(camera)

    def __enter__(self) -> TraceWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _keep(self, camera: str, trace: Trace) -> None:
        with self._lock:
            waiting = self._waiting.setdefault(camera, [])
            if waiting and trace.at_ms - waiting[0].at_ms >= CHUNK_MS:
                self._write(camera)
                waiting = self._waiting.setdefault(camera, [])
            if not waiting or trace.at_ms > waiting[-1].at_ms:
                waiting.append(trace)

    def _write(self, camera: str) -> None:
        traces = self._waiting.pop(camera)
        if self._is_broken or not traces:
            return
        try:
            write_chunk(self._folder / folder_name(camera) / chunk_name(traces[0].at_ms), traces)
        except OSError as error:
            self._is_broken = True
            _log.warning("traces are not kept: %s; the game goes on", error.strerror or error)


def _zones(zones: TableZones) -> dict[str, object]:
    return {
        "centre": None if zones.centre is None else [[round(x, 1), round(y, 1)] for x, y in zones.centre],
        "seats": {seat: [round(x, 1), round(y, 1)] for seat, (x, y) in zones.seats.items()},
    }
