"""Watching a source into a folder: journal, evidence and a note of the recording.

``watch`` is what ``kemps observe`` and ``kemps demo`` run; ``on_frame`` and ``on_event`` let them
show what happens.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from kemps_rules.errors import JournalError
from kemps_rules.events import Called, Event
from kemps_rules.journal import read_journal
from kemps_rules.writer import JournalWriter
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_server.games import JOURNAL_NAME
from kemps_server.keeping import EVIDENCE, EvidenceKeeper, note_recording
from kemps_server.people import PeopleWatch
from kemps_vision.cards.reading import CardReader
from kemps_vision.errors import SourceError
from kemps_vision.frame import Frame, FrameSource
from kemps_vision.pipeline import Observer, Snapshot
from kemps_vision.sources.together import Together
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


class Mode(StrEnum):
    """What to do with a game that is in the folder already."""

    NEW = "new"  # refuse
    RESUME = "resume"  # watch the same recording again, and write what is not there yet
    OVERWRITE = "overwrite"


def watch(  # noqa: PLR0913 - each is a choice of its own
    source: FrameSource,
    out: Path,
    config: TableConfig | None = None,
    calls: Sequence[Called] = (),
    *,
    reader: CardReader,
    people: PeopleWatch | None = None,
    mode: Mode = Mode.NEW,
    on_frame: OnFrame | None = None,
    on_event: OnEvent | None = None,
) -> Summary:
    """Watch a source to its end and write its game into the folder ``out``.

    Each event is on disk before ``on_event`` hears of it. Ctrl-C ends the watching, not the game:
    what is known is in the journal, of a live source also what was held back. ``people`` follows hands and
    faces, too.

    Raises:
        KempsServerError: There is a game in the folder, or it cannot be made.
        KempsVisionError: The zones do not fit, or a camera vanished for good.
        WorkFailedError: The journal cannot be written; it is whole up to there.
    """
    observer = Observer(source.info, reader, config, calls=calls)
    existing = _prepare(out, source, mode)
    keeper = EvidenceKeeper(out)
    with _as_work_failed(), JournalWriter(out / JOURNAL_NAME) as journal:
        note_recording(out, source.info)
        watching = _Watching(observer, people, journal, keeper, existing, on_event)
        frames, last_ms, is_whole = watching.run(source, on_frame)
    return Summary(
        folder=out,
        journal=out / JOURNAL_NAME,
        events=watching.lines,
        pictures=keeper.pictures,
        frames=frames,
        dropped=source.dropped,
        skipped=source.skipped,
        last_ms=last_ms,
        notes=(*source.notes, *watching.failures),
        is_whole=is_whole,
    )


@dataclass(slots=True)
class _Watching:
    """One run: frames to the observer, its events to disk and to whoever listens."""

    observer: Observer
    people: PeopleWatch | None
    journal: JournalWriter
    keeper: EvidenceKeeper
    existing: _Existing
    on_event: OnEvent | None
    lines: int = 0
    together: Together | None = None

    def run(self, source: FrameSource, on_frame: OnFrame | None) -> tuple[int, int, bool]:
        """How many frames there were, the last one's time, and whether that was the end."""
        frames, last_ms, is_whole = 0, 0, True
        header = self.observer.open()
        self._tell(header if self.people is None else self.people.noted(header))
        try:
            for frame in self._frames(source):
                if self.people is not None and frame.camera in self.people.faces:
                    self._tell([*self.people.see_faces(frame), *self.people.lost()])
                    continue
                self.keeper.see(frame)
                self._tell([*self.observer.step(frame), *self._look_at_hands(frame)])
                self._tell(self.observer.lost(source.lost_spans))
                frames, last_ms = frames + 1, frame.at_ms
                if on_frame is not None:
                    on_frame(frame, self.observer.snapshot)
        except KeyboardInterrupt:
            is_whole = False
        except SourceError:
            self._finish(source)
            raise
        # An interrupted file is left as a beginning of the whole journal, so that it can be resumed.
        if is_whole or source.info.is_live:
            self._finish(source)
        self.keeper.finish()
        return frames, last_ms, is_whole

    @property
    def failures(self) -> tuple[str, ...]:
        """What became of cameras beside the table's, a line each."""
        return () if self.together is None else tuple(self.together.failed.values())

    def _finish(self, source: FrameSource) -> None:
        self._tell(self.observer.lost(source.lost_spans))
        self._tell(self.people.finish() if self.people is not None else ())
        self._tell(self.observer.finish())
        self.keeper.finish()

    def _frames(self, source: FrameSource) -> Iterable[Frame]:
        """The table camera's frames, and in between those of the cameras that look at people."""
        if self.people is None or not self.people.others:
            return source
        self.together = Together(source, [(other.source, other.ahead_ms) for other in self.people.others])
        return self.together

    def _look_at_hands(self, frame: Frame) -> list[Event]:
        if self.people is None or not self.observer.is_watched:
            return []
        return self.people.see_table(frame, self.observer.zones)

    def _tell(self, events: Sequence[Event]) -> None:
        for event in events:
            if not self.existing.covers(event):
                self.journal.append(event)
            self.keeper.note(self.lines, event)
            self.lines += 1
            if self.on_event is not None:
                self.on_event(event, self.observer.snapshot)


def check_folder(out: Path, mode: Mode) -> None:
    """Nothing, when a game may be written into ``out``.

    Raises:
        KempsServerError: It is a file, or has a game already and the mode is ``NEW``.
    """
    if out.exists() and not out.is_dir():
        raise KempsServerError(f"{out}: is a file; --out names a folder")
    if mode is Mode.NEW and (out / JOURNAL_NAME).exists():
        raise KempsServerError(
            f"{out}: there is a game in this folder; choose another, go on with it by --resume, "
            "or replace it by --overwrite"
        )


def _prepare(out: Path, source: FrameSource, mode: Mode) -> _Existing:
    check_folder(out, mode)
    journal = out / JOURNAL_NAME
    if mode is Mode.RESUME and source.info.is_live:
        raise KempsServerError(
            f"{out}: a camera cannot be watched again from the start; choose another folder"
        )
    try:
        out.mkdir(parents=True, exist_ok=True)
        if mode is Mode.OVERWRITE:
            journal.unlink(missing_ok=True)
            shutil.rmtree(out / EVIDENCE, ignore_errors=True)
    except OSError as error:
        raise KempsServerError(
            f"{out}: cannot be written: {(error.strerror or str(error)).lower()}"
        ) from None
    is_there = journal.exists() and journal.stat().st_size > 0
    return _Existing(read_journal(journal).events if is_there else ())


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


__all__: Final = ["Mode", "OnEvent", "OnFrame", "Summary", "check_folder", "watch"]
