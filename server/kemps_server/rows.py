"""What a watcher meets, one after the other: frames of several cameras, spans without any, and calls.

``FileRow`` merges recordings by time, ``GameRow`` repeats a recorded live game, ``LiveRow`` takes what
cameras show now. What comes out of a live row is noted in ``frames.idx``, so that ``GameRow`` gives the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from kemps_rules.events import Called, Event
from kemps_server.face_worker import FaceWorker, Looked
from kemps_server.people import OtherCamera
from kemps_server.recording.disk import Tell
from kemps_server.recording.recorder import Recorder
from kemps_server.recording.status import CameraStatus, LiveStatus, Meter, StatusFile
from kemps_vision.errors import SourceError
from kemps_vision.frame import Frame, FrameSource
from kemps_vision.schedule import frame_step
from kemps_vision.sources.frames_index import End, Gap, Made, Used, Withdrawn
from kemps_vision.sources.live import Clock, LiveSource
from kemps_vision.sources.recorded import RecordedCamera, RecordedGame
from kemps_vision.sources.skew import SkewGuard
from kemps_vision.sources.together import Together

TAKE_S: Final = 0.1  # how often a silent camera is asked again, and somebody may stop the game
BEHIND_MS: Final = 200  # the table camera is late by so much: faces wait, so that events come in time

Item: TypeAlias = Frame | Gap | Made | Withdrawn | Looked


class Row(Protocol):
    """Items in the order in which they are used."""

    def __iter__(self) -> Iterator[Item]: ...

    def stop(self) -> None:
        """Come to an end with the next item."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What went wrong with cameras beside the table's, a line each."""
        ...

    def told(self, event: Event) -> None:
        """An event of the last item stands in the journal."""
        ...


class Gaps:
    """The spans in which sources sent nothing, each told once when it has ended."""

    def __init__(self, sources: Sequence[tuple[str, FrameSource, int]]) -> None:
        self._sources = sources
        self._told: dict[str, int] = {}

    def ended(self) -> Iterator[Gap]:
        """Those that have ended since."""
        for name, source, ahead_ms in self._sources:
            for start, end in source.lost_spans[self._told.get(name, 0) :]:
                if end is None:
                    break
                self._told[name] = self._told.get(name, 0) + 1
                yield Gap(name, max(0, start - ahead_ms), max(0, end - ahead_ms))

    def still_open(self, now_ms: int) -> Iterator[Gap]:
        """Those that go on at the end of the game."""
        for name, source, ahead_ms in self._sources:
            for start, end in source.lost_spans[self._told.get(name, 0) :]:
                if end is None and start - ahead_ms < now_ms:
                    yield Gap(name, max(0, start - ahead_ms), now_ms)


class FileRow:
    """Recordings merged by their times."""

    def __init__(self, table: FrameSource, camera: str, others: Sequence[OtherCamera]) -> None:
        self._camera = camera
        self._together = Together(table, [(other.source, other.ahead_ms) for other in others])
        self._guard = SkewGuard(camera, {other.name: other.ahead_ms for other in others})
        self._gaps = Gaps(
            [(camera, table, 0), *((other.name, other.source, other.ahead_ms) for other in others)]
        )
        self._is_stopped = False

    @property
    def notes(self) -> tuple[str, ...]:
        """What became of the other cameras."""
        return (*self._together.failed.values(), *self._guard.notes)

    def stop(self) -> None:
        """Come to an end with the next item."""
        self._is_stopped = True

    def told(self, event: Event) -> None:
        """Nothing: a recording is not late."""

    def __iter__(self) -> Iterator[Item]:
        """Frames by time; gaps after the frames that end them."""
        last_ms = 0
        for frame in self._together:
            last_ms = max(last_ms, frame.at_ms)
            if self._guard.admits(frame):
                yield frame
            yield from self._gaps.ended()
            if self._is_stopped:
                break
        yield from self._guard.gaps(last_ms)


class GameRow:
    """A live game again, from its recording; of other cameras than the table's only those named."""

    def __init__(self, game: RecordedGame, others: Collection[str]) -> None:
        self._game = game
        self._cameras = {game.table.camera, *others}
        self._is_stopped = False

    @property
    def notes(self) -> tuple[str, ...]:
        """How many frames are not there any more."""
        return self._game.table.notes

    def stop(self) -> None:
        """Come to an end with the next item."""
        self._is_stopped = True

    def told(self, event: Event) -> None:
        """Nothing: a recording is not late."""

    def __iter__(self) -> Iterator[Item]:
        """What the live row gave."""
        for item in self._game.row():
            if not isinstance(item, Frame) or item.camera in self._cameras:
                yield item
            if self._is_stopped:
                return


def _ignore(_: LiveStatus) -> None:
    """Nobody looks."""


def no_calls() -> list[Called]:
    """Nobody calls."""
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveOptions:
    """How a live game is watched.

    Attributes:
        record: Whether it is recorded.
        budget: Bytes that its video may take.
        tell: Hears what people must know at once, a line each.
        on_status: Hears about once a second how it goes.
        calls: Calls that have been made since it was last asked; ``at_ms`` by the game's clock.
        withdrawn: Calls that were made known and taken back since it was last asked.
        meter: Measures how late events are.
        clock: Seconds that never go back, the same for all cameras.
        zero_s: What the clock showed when the game began, for one that goes on; None for one that begins now.
        on_used: Hears each frame that is used, of any camera.
    """

    record: bool = True
    budget: int = 20_000_000_000
    tell: Tell = print
    on_status: Callable[[LiveStatus], None] = _ignore
    calls: Callable[[], Sequence[Called]] = no_calls
    withdrawn: Callable[[], Sequence[Called]] = no_calls
    meter: Meter = field(default_factory=Meter)
    clock: Clock = time.monotonic
    zero_s: float | None = None
    on_used: Callable[[Frame], None] | None = None


class LiveRow:
    """What the cameras of a table show now: of each its newest frame, on one clock, with the table's first.

    Faces are looked at in a thread of their own (``FaceWorker``) while the table camera is not late; what was
    seen in them comes between the table's frames.
    """

    def __init__(
        self,
        table: LiveSource,
        others: Sequence[OtherCamera],
        see_faces: Callable[[Frame], list[Event]],
        folder: Path,
        recorder: Recorder | None,
        options: LiveOptions,
    ) -> None:
        self._table = table
        self._others = [other for other in others if isinstance(other.source, LiveSource)]
        self._options = options
        self._recorder = recorder
        self._status = StatusFile(folder)
        self._guard = SkewGuard(table.camera, {other.name: other.ahead_ms for other in self._others})
        self._gaps = Gaps(
            [(table.camera, table, 0), *((one.name, one.source, one.ahead_ms) for one in self._others)]
        )
        cameras = {other.name: (other.source, other.ahead_ms) for other in self._others}
        self._worker = FaceWorker(cameras, see_faces, self._may_look)
        self._used = dict.fromkeys((table.camera, *cameras), 0)
        self._notes_told: dict[str, int] = {}
        self._current_ms = 0
        self._is_stopped = False

    @property
    def notes(self) -> tuple[str, ...]:
        """What became of the other cameras."""
        theirs = [note for other in self._others for note in other.source.notes]
        return (*theirs, *self._worker.failed.values(), *self._guard.notes)

    def stop(self) -> None:
        """Come to an end with the next item."""
        self._is_stopped = True

    def told(self, event: Event) -> None:
        """How late the events of the current item are."""
        del event
        self._options.meter.event(max(0, self._table.now_ms - self._current_ms))

    def __iter__(self) -> Iterator[Item]:
        """Items as they come, until somebody stops it or the table camera is gone for good."""
        self._begin()
        failure: SourceError | None = None
        try:
            while not self._is_stopped and failure is None:
                frame: Frame | None = None
                try:
                    frame = self._table.take(TAKE_S)
                except SourceError as error:
                    failure = error
                yield from self._between()
                if frame is not None:
                    yield self._use(frame)
                    self._options.meter.frame(frame.at_ms, self._table.now_ms - frame.at_ms)
                self._tick(is_running=True)
        finally:
            self._worker.stop()
        yield from self._last()
        if failure is not None:
            raise failure

    def _begin(self) -> None:
        zero_s = self._options.clock() if self._options.zero_s is None else self._options.zero_s
        sources = [self._table, *(other.source for other in self._others)]
        for source in sources:
            if not isinstance(source, LiveSource):
                continue
            tap = None if self._recorder is None else self._recorder.tap(source.camera, source.info)
            source.begin(zero_s, tap=tap, gap_ms=watching_gap_ms(source.info.fps))
        self._worker.start()

    def _between(self) -> Iterator[Item]:
        """What became known since the last frame."""
        for call in self._options.withdrawn():
            yield self._noted(Withdrawn(call))
        for call in self._options.calls():
            yield self._noted(Made(call))
        for gap in self._gaps.ended():
            yield self._noted(gap)
        for looked in self._worker.take():
            if self._guard.admits(looked.frame):
                self._use(looked.frame)
                yield looked

    def _last(self) -> Iterator[Item]:
        now_ms = self._table.now_ms
        yield from self._between()
        for gap in (*self._gaps.still_open(now_ms), *self._guard.gaps(now_ms)):
            yield self._noted(gap)
        if self._recorder is not None:
            self._recorder.note(End(now_ms))
        self._tick(is_running=False)

    def _use(self, frame: Frame) -> Frame:
        self._used[frame.camera] = self._used.get(frame.camera, 0) + 1
        self._current_ms = frame.at_ms
        if frame.camera == self._table.camera:
            self._guard.admits(frame)
        if self._recorder is not None:
            self._recorder.note(Used(frame.camera, frame.at_ms))
        if self._options.on_used is not None:
            self._options.on_used(frame)
        return frame

    def _noted(self, item: Gap | Made | Withdrawn) -> Item:
        if self._recorder is not None:
            self._recorder.note(item)
        return item

    def _may_look(self) -> bool:
        return self._options.meter.smooth_ms < BEHIND_MS

    def _tick(self, *, is_running: bool) -> None:
        """Lines about cameras at once, the whole of it once a second."""
        for source in (self._table, *(other.source for other in self._others)):
            if isinstance(source, LiveSource) and is_running:
                source.notice()
        notes = {self._table.camera: self._table.notes, **{o.name: o.source.notes for o in self._others}}
        notes["#skew"], notes["#faces"] = tuple(self._guard.notes), tuple(self._worker.failed.values())
        for name, lines in notes.items():
            for line in lines[self._notes_told.get(name, 0) :]:
                self._options.tell(line)
            self._notes_told[name] = len(lines)
        now_ms = self._table.now_ms
        if is_running and not self._status.is_due(now_ms):
            return
        status = self._now(now_ms, is_running=is_running)
        self._status.write(status)
        self._options.on_status(status)

    def _now(self, now_ms: int, *, is_running: bool) -> LiveStatus:
        sources = [self._table, *(other.source for other in self._others)]
        skews = self._guard.measured
        return LiveStatus(
            at_ms=now_ms,
            latency_ms=round(self._options.meter.smooth_ms),
            cameras=tuple(
                CameraStatus(
                    name=source.camera,
                    state=str(source.state),
                    used=self._used[source.camera],
                    dropped=source.dropped,
                    silent_ms=max(0, source.silent_ms),
                    skew_ms=skews.get(source.camera),
                )
                for source in sources
                if isinstance(source, LiveSource)
            ),
            recording="off" if self._recorder is None else str(self._recorder.state),
            recorded_bytes=0 if self._recorder is None else self._recorder.disk.used,
            is_running=is_running,
        )


def watched_fps(fps: float) -> float:
    """How many frames a second of a camera are watched; the others are only recorded."""
    return fps / frame_step(fps)


def watching_gap_ms(fps: float) -> float:
    """The least ms between two watched frames; a frame that comes a little early counts."""
    return 1000 / fps * (frame_step(fps) - 0.5)


def row_of(
    source: FrameSource,
    camera: str,
    others: Sequence[OtherCamera],
) -> FileRow | GameRow:
    """The row of recordings; a recorded live game is repeated as it was."""
    if isinstance(source, RecordedCamera):
        game = RecordedGame(Path(source.info.where))
        if game.is_indexed:
            return GameRow(game, [other.name for other in others])
    return FileRow(source, camera, others)


__all__: Final = [
    "FileRow",
    "GameRow",
    "LiveOptions",
    "LiveRow",
    "Looked",
    "Row",
    "row_of",
    "watched_fps",
]
