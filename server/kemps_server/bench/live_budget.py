"""How late a live game would be on a machine that does nothing else: from the processor time of each frame.

A machine that others compute on cannot tell how late events are. Here each frame is worked through in a row
and charged with the processor time of all it needs; then cameras, table and faces share two made-up
processors as ``LiveRow`` would have them do: the newest frame first, faces while the table is not late.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Final, Self

import numpy as np

from kemps_rules.events import Event
from kemps_server.face_worker import LONGEST_MS
from kemps_server.people import PeopleWatch
from kemps_server.recording.disk import Disk, free_bytes
from kemps_server.recording.recorder import CameraTap
from kemps_server.rows import BEHIND_MS
from kemps_server.watching import watch
from kemps_vision.cards.reading import CardReader
from kemps_vision.frame import Frame, FrameSource, SourceState
from kemps_vision.people.face_watch import FaceWatch
from kemps_vision.pipeline import Snapshot
from kemps_vision.zones import TableConfig

PROCESSORS: Final = 2
STEP_MS: Final = 1.0
BUDGET: Final = 10**10


@dataclass(slots=True)
class Costs:
    """Processor time in ms of each frame of a clip: to record it, and to work it through.

    ``events`` says how many events each made known.
    """

    interval_ms: float
    record_ms: list[float] = field(default_factory=list)
    watch_ms: list[float] = field(default_factory=list)
    events: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LiveBudget:
    """What came of it.

    Attributes:
        minutes: Of the game that was made up.
        record_ms: Processor time to encode, decode and write a picture, median.
        table_ms: Processor time to work a frame of the table through, median; ``table_p95_ms`` of 95 of 100.
        faces_ms: Likewise of a frame of faces; 0 without a camera for them.
        table_fps: Frames of the table watched a second; ``faces_fps`` those of faces.
        event_p50_ms: From a frame's capture until its events stand in the journal.
        event_p95_ms: The same for 95 of 100 events.
        frame_p95_ms: The same for frames of the table.
        dropped: Frames of the table for which there was no time.
        used: Processors on average.
    """

    minutes: float
    record_ms: float
    table_ms: float
    table_p95_ms: float
    faces_ms: float
    table_fps: float
    faces_fps: float
    event_p50_ms: float
    event_p95_ms: float
    frame_p95_ms: float
    dropped: int
    used: float


class _Charged:
    """A recording whose frames are recorded as a camera's would be, and charged with what follows."""

    def __init__(self, source: FrameSource, costs: Costs, folder: Path) -> None:
        self._source = source
        self._costs = costs
        self._tap = CameraTap(folder, source.info, Disk(folder, BUDGET, print, free=free_bytes))
        self.info = source.info
        self.state = SourceState.OPEN
        self.dropped = self.skipped = 0
        self.notes: tuple[str, ...] = ()
        self.lost_spans: tuple[tuple[int, int | None], ...] = ()

    def __iter__(self) -> Iterator[Frame]:
        for frame in self._source:
            bgr = np.ascontiguousarray(frame.pixels[:, :, ::-1])
            started = time.process_time()
            shown = self._tap.encode(frame.at_ms, bgr)
            self._costs.record_ms.append(1000 * (time.process_time() - started))
            if shown is None:
                continue
            self._costs.events.append(0)
            started = time.process_time()
            yield Frame(frame.camera, frame.index, frame.at_ms, shown.rgb())
            self._costs.watch_ms.append(1000 * (time.process_time() - started))
        self._tap.close()

    def close(self) -> None:
        """The source is its opener's."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def table_costs(
    source: FrameSource, config: TableConfig, reader: CardReader, people: PeopleWatch | None
) -> Costs:
    """What the frames of a table cost, recording, evidence and journal among it."""
    costs = Costs(1000 / source.info.fps)

    def hear(_: Event, __: Snapshot | None) -> None:
        if costs.events:
            costs.events[-1] += 1

    with TemporaryDirectory() as folder:
        charged = _Charged(source, costs, Path(folder) / "video")
        Path(folder, "video").mkdir()
        watch(charged, Path(folder) / "game", config, reader=reader, people=people, on_event=hear)
    return costs


def face_costs(source: FrameSource, faces: FaceWatch) -> Costs:
    """What the frames of a face camera cost."""
    costs = Costs(1000 / source.info.fps)
    with TemporaryDirectory() as folder:
        for frame in _Charged(source, costs, Path(folder)):
            costs.events[-1] += len(faces.step(frame.at_ms, frame.pixels))
    return costs


class _Worker:
    """A thread of the made-up machine: the newest frame of its camera, one at a time."""

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self.left_ms = 0.0
        self.taken_ms = 0.0
        self.dropped = 0
        self.late_ms: list[float] = []
        self.event_ms: list[float] = []
        self._waiting: int | None = None
        self._current = 0

    def offer(self, number: int) -> None:
        """A frame has been recorded and may be watched."""
        self.dropped += self._waiting is not None
        self._waiting = number

    def take(self, now_ms: float) -> None:
        """Begin with the newest frame, if there is one."""
        if self.left_ms <= 0 and self._waiting is not None:
            self.taken_ms = now_ms
            self._current, self._waiting = self._waiting, None
            self.left_ms = self.costs.watch_ms[self._current % len(self.costs.watch_ms)]

    def work(self, share_ms: float, now_ms: float) -> None:
        """Some time of a processor."""
        if self.left_ms <= 0:
            return
        self.left_ms -= share_ms
        if self.left_ms <= 0:
            late_ms = now_ms - self._current * self.costs.interval_ms
            self.late_ms.append(late_ms)
            self.event_ms += [late_ms] * self.costs.events[self._current % len(self.costs.events)]


class _Camera:
    """A capture thread of the made-up machine: each picture is recorded before it may be watched."""

    def __init__(self, costs: Costs, worker: _Worker) -> None:
        self.left_ms = 0.0
        self._costs = costs
        self._worker = worker
        self._next = 0

    def look(self, now_ms: float) -> None:
        """A picture that is due is taken in."""
        if self.left_ms <= 0 and now_ms >= self._next * self._costs.interval_ms:
            self.left_ms = self._costs.record_ms[self._next % len(self._costs.record_ms)]

    def work(self, share_ms: float) -> None:
        """Some time of a processor."""
        if self.left_ms <= 0:
            return
        self.left_ms -= share_ms
        if self.left_ms <= 0:
            self._worker.offer(self._next)
            self._next += 1


def live_budget(table: Costs, faces: Costs | None, minutes: float) -> LiveBudget:
    """The made-up game; the clips' costs come over and over."""
    workers = [_Worker(costs) for costs in (table, faces) if costs is not None]
    cameras = [_Camera(worker.costs, worker) for worker in workers]
    smooth_ms = used_ms = now_ms = 0.0
    while now_ms < minutes * 60_000:
        now_ms += STEP_MS
        for camera in cameras:
            camera.look(now_ms)
        workers[0].take(now_ms)
        for worker in workers[1:]:
            if smooth_ms < BEHIND_MS or now_ms - worker.taken_ms >= LONGEST_MS:
                worker.take(now_ms)
        busy = sum(camera.left_ms > 0 for camera in cameras) + sum(one.left_ms > 0 for one in workers)
        share_ms = STEP_MS * min(1.0, PROCESSORS / max(1, busy))
        used_ms += share_ms * busy
        done = len(workers[0].late_ms)
        for camera in cameras:
            camera.work(share_ms)
        for worker in workers:
            worker.work(share_ms, now_ms)
        for late_ms in workers[0].late_ms[done:]:
            smooth_ms += 0.2 * (late_ms - smooth_ms)
    return _told(table, faces, workers, now_ms, used_ms)


def _told(
    table: Costs, faces: Costs | None, workers: Sequence[_Worker], now_ms: float, used_ms: float
) -> LiveBudget:
    events = [late_ms for worker in workers for late_ms in worker.event_ms]
    frames = workers[0].late_ms
    return LiveBudget(
        minutes=now_ms / 60_000,
        record_ms=float(np.median(table.record_ms)),
        table_ms=float(np.median(table.watch_ms)),
        table_p95_ms=float(np.percentile(table.watch_ms, 95)),
        faces_ms=0.0 if faces is None else float(np.median(faces.watch_ms)),
        table_fps=len(frames) * 1000 / now_ms,
        faces_fps=sum(len(worker.late_ms) for worker in workers[1:]) * 1000 / now_ms,
        event_p50_ms=float(np.percentile(events, 50)) if events else 0.0,
        event_p95_ms=float(np.percentile(events, 95)) if events else 0.0,
        frame_p95_ms=float(np.percentile(frames, 95)) if frames else 0.0,
        dropped=workers[0].dropped,
        used=used_ms / now_ms,
    )
