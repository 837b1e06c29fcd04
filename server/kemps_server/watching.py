"""Watching a source into a folder: journal, evidence and a note of the recording.

``watch`` is what ``kemps observe`` and ``kemps demo`` run; ``on_frame`` and ``on_event`` let them
show what happens.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol

from kemps_rules.errors import JournalError
from kemps_rules.events import Called, Event, NotObserved
from kemps_rules.writer import JournalWriter
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_server.game_folder import Mode, check_folder, is_same_folder, prepare_folder
from kemps_server.games import JOURNAL_NAME
from kemps_server.keeping import EvidenceKeeper, cameras_note, files_note, note_recording
from kemps_server.people import PeopleWatch
from kemps_server.recording.recorder import Recorder
from kemps_server.rows import Item, LiveOptions, LiveRow, Looked, Row, row_of, watched_fps
from kemps_server.sound.ears import Ears, LiveEars, RecordedEars, hearing_too
from kemps_server.sound.notes import listened
from kemps_server.sound.recording import SoundRecorder
from kemps_server.traces.writer import TraceWriter
from kemps_vision.calibration.record import CameraRecord
from kemps_vision.cards.reading import CardReader
from kemps_vision.errors import SourceError
from kemps_vision.frame import Frame, FrameSource
from kemps_vision.interpret.held_cards import skin_points
from kemps_vision.pipeline import Observer, Snapshot
from kemps_vision.sources.frames_index import Gap, Made, Withdrawn
from kemps_vision.sources.live import LiveSource
from kemps_vision.zones import TableConfig

OnFrame = Callable[[Frame, Snapshot | None], None]
OnEvent = Callable[[Event, Snapshot | None], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What came of watching a source."""

    folder: Path
    journal: Path
    events: int  # lines of the journal, the header among them
    pictures: int  # written as evidence
    frames: int
    dropped: int
    skipped: int
    last_ms: int
    notes: tuple[str, ...]
    is_whole: bool  # false: interrupted
    is_live: bool = False


class _Existing:
    """Events that an earlier run wrote: a run over the same file writes the same and goes on."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._left = list(events)

    def covers(self, event: Event) -> bool:
        """Whether the event stands in the journal already; raises when another stands there."""
        if not self._left:
            return False
        if self._left.pop(0) != event:
            raise KempsServerError(
                "the journal there is of another recording, configuration or version, or was edited; "
                "choose another folder, or --overwrite"
            )
        return True


class KeepsLines(Protocol):
    """Where events are written down."""

    def keep(self, events: Sequence[Event]) -> Iterable[tuple[int, Event]]:
        """The events that stand in the journal when this returns, each with its line; some may be left out.

        Raises:
            JournalError: One cannot be written.
            StoreError: The store refused.
        """
        ...


class _FileLines:
    """The journal in a file; an event that an earlier run wrote stands there already."""

    def __init__(self, journal: JournalWriter, existing: _Existing) -> None:
        self._journal = journal
        self._existing = existing
        self._count = 0

    def keep(self, events: Sequence[Event]) -> Iterator[tuple[int, Event]]:
        """Each event, once it is written."""
        for event in events:
            if not self._existing.covers(event):
                self._journal.append(event)
            self._count += 1
            yield self._count - 1, event


def watch(  # noqa: PLR0913 - each is a choice of its own
    source: FrameSource,
    out: Path,
    config: TableConfig | None = None,
    calls: Sequence[Called] = (),
    *,
    reader: CardReader,
    people: PeopleWatch | None = None,
    ears: Ears | None = None,
    mode: Mode = Mode.NEW,
    on_frame: OnFrame | None = None,
    on_event: OnEvent | None = None,
    live: LiveOptions | None = None,
    lines: KeepsLines | None = None,
    stood: CameraRecord | None = None,
) -> Summary:
    """Watch a source to its end and write its game into the folder ``out``.

    Each event is on disk before ``on_event`` hears of it. Ctrl-C ends the watching, not the game:
    what is known is in the journal, of a live source also what was held back. ``people`` follows hands and
    faces, too, and ``ears`` hear calls. Cameras are recorded as ``live`` says. With ``lines`` the journal is
    elsewhere, and the folder goes on with what an earlier run left beside it. ``stood`` is how the table
    camera stood when it was calibrated.

    Raises:
        KempsServerError: There is a game in the folder, or it cannot be made.
        KempsVisionError: The zones do not fit, or a camera vanished for good.
        WorkFailedError: The journal cannot be written; it is whole up to there.
    """
    options = live or LiveOptions()
    camera = (config or TableConfig()).table_camera.name
    info = source.info
    if isinstance(source, LiveSource):
        info = replace(info, fps=watched_fps(info.fps))
    observer = Observer(info, reader, config, calls=calls, stood=stood)
    is_elsewhere = lines is not None
    others = () if people is None else people.others
    beside = [other.source for other in others]
    existing = _Existing(() if is_elsewhere else prepare_folder(out, source, mode, beside))
    keeper = EvidenceKeeper(out, goes_on=is_elsewhere)
    with _as_work_failed(), ExitStack() as stack:
        if lines is None:
            lines = _FileLines(stack.enter_context(JournalWriter(out / JOURNAL_NAME)), existing)
        recorder = None
        if isinstance(source, LiveSource) and options.record:
            recorder = stack.enter_context(Recorder(out, options.budget, options.tell, goes_on=is_elsewhere))
        if not is_same_folder(source, out):
            recorded = [] if recorder is None else cameras_note(source, others)
            note_recording(out, source.info, recorded, files_note(camera, source, others))
        tracer = stack.enter_context(TraceWriter(out, goes_on=is_elsewhere))
        if isinstance(ears, LiveEars):
            options = hearing_too(options, ears, SoundRecorder(out, recorder.disk) if recorder else None)
        row: Row = (
            LiveRow(source, others, _looker(people, tracer), out, recorder, options)
            if isinstance(source, LiveSource)
            else row_of(source, camera, others)
        )
        hands = stack.enter_context(ThreadPoolExecutor(1, "hands"))
        watching = _Watching(observer, people, ears, lines, keeper, tracer, row, recorder, on_event, hands)
        is_live = source.info.is_live
        frames, last_ms, is_whole = watching.run(on_frame, is_live=is_live)
    return Summary(
        folder=out,
        journal=out / JOURNAL_NAME,
        events=watching.lines,
        pictures=keeper.pictures,
        frames=frames,
        dropped=source.dropped,
        skipped=source.skipped,
        last_ms=last_ms,
        notes=(*source.notes, *row.notes, *(() if ears is None else ears.notes)),
        is_whole=is_whole,
        is_live=is_live,
    )


@dataclass(slots=True)
class _Watching:
    """One run: frames to the observer, its events to disk and to whoever listens."""

    observer: Observer
    people: PeopleWatch | None
    ears: Ears | None
    journal: KeepsLines
    keeper: EvidenceKeeper
    tracer: TraceWriter
    row: Row
    recorder: Recorder | None
    on_event: OnEvent | None
    beside: ThreadPoolExecutor
    lines: int = 0
    frames: int = 0
    last_ms: int = 0
    is_whole: bool = True

    def run(self, on_frame: OnFrame | None, *, is_live: bool) -> tuple[int, int, bool]:
        """How many frames there were, the last one's time, and whether that was the end."""
        header = self.observer.open()
        header = header if self.people is None else self.people.noted(header)
        self._tell(header if self.ears is None else listened(header, is_recorded=self.records_sound))
        try:
            with _asking_first(self._stop) if is_live else nullcontext():
                self._walk(on_frame, is_live=is_live)
        except SourceError:
            self._finish()
            raise
        # An interrupted file is left as a beginning of the whole journal, so that it can be resumed.
        if self.is_whole or is_live:
            self._finish()
        self.keeper.finish()
        return self.frames, self.last_ms, self.is_whole

    @property
    def records_sound(self) -> bool:
        """Whether the game's sound is recorded, beside its pictures."""
        return self.recorder is not None and isinstance(self.ears, LiveEars) and self.ears.may_record

    def _walk(self, on_frame: OnFrame | None, *, is_live: bool) -> None:
        items = iter(self.row)
        while True:
            try:
                item = next(items, None)
                if item is None:
                    return
                self._take(item, on_frame)
            except KeyboardInterrupt:
                self._stop()
                if not is_live:
                    return

    def _stop(self) -> None:
        """Somebody wants an end: a live row still gives what is known by now."""
        self.is_whole = False
        self.row.stop()

    def _take(self, item: Item, on_frame: OnFrame | None) -> None:
        if isinstance(item, Gap):
            role = "faces" if self.people is not None and item.camera in self.people.faces else ""
            span = NotObserved(at_ms=item.at_ms, until_ms=item.until_ms, camera=item.camera, role=role)
            self._tell([span])
        elif isinstance(item, Made):
            self.observer.add_call(item.call)
        elif isinstance(item, Withdrawn):
            self.observer.withdraw_call(item.call)
            if self.ears is not None:
                self.ears.withdraw(item.call.at_ms, item.call.call)
        elif isinstance(item, Looked):
            self._tell(item.events)
        elif self.people is not None and item.camera in self.people.faces:
            self._tell(_looker(self.people, self.tracer)(item))
        else:
            self._see_table(item, on_frame)

    def _see_table(self, frame: Frame, on_frame: OnFrame | None) -> None:
        self.keeper.see(frame)
        hands = self._look_at_hands(frame)
        if isinstance(self.ears, RecordedEars):
            self._add_calls(self.ears.take(frame.at_ms))
        events = self.observer.step(frame)
        if self.people is not None and hands is not None:
            events += hands.result()
            self.observer.see_hands(frame.at_ms, tips := self.people.hands.tips_at(frame.at_ms))
            if tips:
                self.observer.see_skin([skin_points(hand.pose) for hand in self.people.hands.hands])
        self._tell(events)
        self.frames, self.last_ms = self.frames + 1, frame.at_ms
        self.tracer.see_table(self.observer.snapshot, () if self.people is None else self.people.hands.hands)
        if on_frame is not None:
            on_frame(frame, self.observer.snapshot)

    def _finish(self) -> None:
        self._add_calls(() if self.ears is None else self.ears.finish())
        self._tell(self.people.finish() if self.people is not None else ())
        self._tell(self.observer.finish())
        self.keeper.finish()

    def _add_calls(self, calls: Sequence[Called]) -> None:
        for call in calls:
            self.observer.add_call(call)

    def _look_at_hands(self, frame: Frame) -> Future[list[Event]] | None:
        """Hands are looked for beside the cards, on the second core; what comes out is the same."""
        if self.people is None or not self.observer.watches_next:
            return None
        usual, zones = self.observer.usual, self.observer.zones
        usual.differing(frame.at_ms, frame.pixels)  # worked out once, before two ask for it at a time
        return self.beside.submit(self.people.see_table, frame, zones, usual)

    def _tell(self, events: Sequence[Event]) -> None:
        for line, event in self.journal.keep(events):
            self.keeper.note(line, event)
            self.lines += 1
            self.row.told(event)
            if self.ears is not None:
                self.ears.told(line, event)
            if self.recorder is not None:
                self.recorder.heed(event)
            if self.on_event is not None:
                self.on_event(event, self.observer.snapshot)


def _looker(people: PeopleWatch | None, tracer: TraceWriter) -> Callable[[Frame], list[Event]]:
    """What is seen in a frame of a face camera."""

    def look(frame: Frame) -> list[Event]:
        if people is None:
            return []
        events = people.see_faces(frame)
        if (watch := people.faces.get(frame.camera)) is not None:
            tracer.see_faces(frame.camera, frame.at_ms, watch.faces)
        return events

    return look


@contextmanager
def _asking_first(stop: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C or a request to end comes between two frames; a second Ctrl-C comes at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked = False

    def heed(*_: object) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        stop()

    before = {number: signal.signal(number, heed) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _as_work_failed() -> Iterator[None]:
    try:
        yield
    except JournalError as error:
        raise WorkFailedError(str(error)) from error
    except BrokenPipeError:  # of whoever listens: the folder is no pipe
        raise
    except OSError as error:
        raise WorkFailedError(f"{error.filename or 'the folder'}: {error.strerror or error}") from error


__all__: Final = ["KeepsLines", "Mode", "OnEvent", "OnFrame", "Summary", "check_folder", "watch"]
