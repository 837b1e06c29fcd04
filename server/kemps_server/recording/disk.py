"""Space for a recording: a budget for the game, a reserve for all else, and what is never deleted."""

from __future__ import annotations

import json
import logging
import re
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from kemps_server.errors import KempsServerError
from kemps_vision.sources.segments import Segment, closed_until, segments_in

HELD: Final = "held.jsonl"
RESERVE: Final = 300_000_000  # bytes left free for the journal, the evidence and the system
RESUME: Final = 100_000_000  # more than that are free again before recording goes on
DEFAULT_BUDGET: Final = "20G"
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([kKMGT]?)i?[Bb]?")
_UNITS: Final = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}

Tell = Callable[[str], None]

_log = logging.getLogger(__name__)


class RecordingState(StrEnum):
    """What a recording does."""

    ON = "on"
    FULL = "full"  # no space: nothing is recorded until there is some
    FAILED = "failed"  # it cannot be written or encoded at all
    OFF = "off"


def bytes_of(text: str) -> int:
    """The number of bytes that ``20G``, ``500 MB`` or ``1.5T`` names.

    >>> bytes_of("20G"), bytes_of("500 MB")
    (20000000000, 500000000)

    Raises:
        KempsServerError: It names none, or nothing could be recorded in it.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise KempsServerError(f"--disk-budget {text!r}: write it as in 20G or 500M")
    size = round(float(match[1]) * _UNITS[match[2]])
    if size < 10_000_000:
        raise KempsServerError(
            f"--disk-budget {text!r}: is less than half a minute of video; give 500M or more"
        )
    return size


@dataclass(frozen=True, slots=True)
class HeldSpan:
    """A span of a game whose recording is kept."""

    from_ms: int
    until_ms: int
    why: str = ""


def hold(folder: Path, span: HeldSpan) -> None:
    """Never delete the recording of this span: one more line in ``held.jsonl`` of the game's folder.

    Raises:
        OSError: It cannot be written.
    """
    row = {"from_ms": span.from_ms, "until_ms": span.until_ms, "why": span.why}
    with (folder / HELD).open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")


class Held:
    """What ``held.jsonl`` of a game says, read again when it has changed."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / HELD
        self._stamp: tuple[int, int] | None = None
        self._spans: tuple[HeldSpan, ...] = ()
        self._is_broken = False

    def covers(self, from_ms: int, until_ms: int) -> bool:
        """Whether something in this span is held; all is while the list cannot be read."""
        self._read()
        return self._is_broken or any(
            span.from_ms <= until_ms and from_ms <= span.until_ms for span in self._spans
        )

    def _read(self) -> None:
        try:
            status = self._path.stat()
        except FileNotFoundError:
            self._stamp, self._spans, self._is_broken = None, (), False
            return
        except OSError:
            self._is_broken = True
            return
        stamp = (status.st_mtime_ns, status.st_size)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._spans = spans_in(self._path)
            self._is_broken = False
        except (OSError, ValueError, KeyError, TypeError) as error:
            self._is_broken = True
            _log.warning("%s: cannot be read (%s); nothing is deleted until it is mended", self._path, error)


def spans_in(path: Path) -> tuple[HeldSpan, ...]:
    """The spans in a ``held.jsonl``; none where there is no such file.

    Raises:
        OSError: It cannot be read.
        ValueError: A line is no span.
        KeyError: A line lacks a time.
        TypeError: A time is none.
    """
    try:
        rows = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return ()
    return tuple(_held_span(row) for row in rows if row.strip())


def _held_span(row: str) -> HeldSpan:
    data = json.loads(row)
    return HeldSpan(int(data["from_ms"]), int(data["until_ms"]), str(data.get("why", "")))


def free_bytes(folder: Path) -> int:
    """What the disk of a folder has left."""
    return shutil.disk_usage(folder).free


class Disk:
    """Says whether a recording may grow, and deletes its oldest files that nobody holds.

    Args:
        folder: The game's.
        budget: Bytes that its video may take.
        tell: Hears each change of the state as one line for people.
        free: Bytes that the disk has left; tests inject their own.
    """

    def __init__(
        self,
        folder: Path,
        budget: int,
        tell: Tell,
        *,
        free: Callable[[Path], int] = free_bytes,
    ) -> None:
        self.state = RecordingState.ON
        self.used = 0
        self._folder = folder
        self._budget = budget
        self._tell = tell
        self._free = free
        self._held = Held(folder)
        self._kept: list[Segment] = []
        self._lock = threading.RLock()

    @property
    def budget(self) -> int:
        """Bytes that the video may take."""
        return self._budget

    def watch_over(self, folder: Path) -> None:
        """The files of one camera count, too; those that are there already among them."""
        with self._lock:
            found = segments_in(folder)
            ends = [closed_until(found, place) for place in range(len(found))]
            for segment, end in zip(found, ends, strict=True):
                self.keep(Segment(segment.at_ms, end, segment.path))

    def keep(self, segment: Segment) -> None:
        """A file is finished."""
        with self._lock:
            self._kept.append(segment)
            self.used += segment.size

    def may_write(self) -> bool:
        """Whether another file may be begun; makes room within the budget first."""
        with self._lock:
            if self.state is RecordingState.FAILED:
                return False
            is_within = self._make_room()
            free = self._free_now()
            needed = RESERVE + (RESUME if self.state is RecordingState.FULL else 0)
            if not is_within:
                self._fill(f"all {_size(self.used)} of its budget are held evidence")
            elif free < needed:
                self._fill(f"the disk is full ({_size(free)} free)")
            else:
                self._go_on()
            return self.state is RecordingState.ON

    def refused(self, error: OSError) -> None:
        """The disk did not take a file's bytes."""
        with self._lock:
            self._fill(f"{(error.strerror or str(error)).lower()} ({_size(self._free_now())} free)")

    def fail(self, reason: str) -> None:
        """Nothing can be recorded at all."""
        with self._lock:
            if self.state is not RecordingState.FAILED:
                self.state = RecordingState.FAILED
                self._tell(f"nothing is recorded: {reason}; the game goes on without a recording")

    def _fill(self, why: str) -> None:
        if self.state is RecordingState.ON:
            self.state = RecordingState.FULL
            self._tell(
                f"recording stopped: {why}; the game goes on without pictures; "
                "free some space and it is recorded again"
            )

    def _go_on(self) -> None:
        if self.state is RecordingState.FULL:
            self.state = RecordingState.ON
            self._tell("there is space again: the game is recorded from here on")

    def _free_now(self) -> int:
        try:
            return self._free(self._folder)
        except OSError:
            return 0

    def _make_room(self) -> bool:
        """Whether the video is within its budget, after the oldest files that may go are gone."""
        if self.used < self._budget:
            return True
        for segment in sorted(self._kept, key=lambda one: one.at_ms):
            if self.used < self._budget:
                break
            if not self._held.covers(segment.at_ms, segment.until_ms or segment.at_ms):
                self._delete(segment)
        return self.used < self._budget

    def _delete(self, segment: Segment) -> None:
        size = segment.size
        try:
            segment.path.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("%s: cannot be deleted: %s", segment.path, error.strerror or error)
            return
        self._kept.remove(segment)
        self.used -= size


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
