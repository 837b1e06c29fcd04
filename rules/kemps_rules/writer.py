"""Appending to a journal: one write a line, so that a killed process loses at most that line."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from kemps_rules.errors import JournalError
from kemps_rules.events import Event, Json
from kemps_rules.wire import event_from_json, event_to_json

if sys.platform != "win32":
    import fcntl


def format_event(event: Event) -> str:
    """An event as one line of JSON with a stable order of keys, without the newline.

    >>> from kemps_rules.events import CentreSwept
    >>> format_event(CentreSwept(at_ms=30100, seat="A"))
    '{"kind":"centre_swept","at_ms":30100,"seat":"A"}'
    """
    return _dump(event_to_json(event))


def _dump(data: Json) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text


class JournalWriter:
    """Appends events to a file that only one writer may hold at a time; a context manager.

    A half-written last line of an earlier run is cut off when the file is opened.

    Raises:
        JournalError: The file cannot be written, or somebody else is writing it.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        except OSError as error:
            raise JournalError(f"cannot write {self.path}: {error.strerror}") from None
        try:
            self._lock()
            self._next_line = self._mend()
        except BaseException:
            os.close(self._file)
            raise
        self._is_open = True

    def _lock(self) -> None:
        if sys.platform == "win32":
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise JournalError(
                f"{self.path} is being written by another process; stop it or choose another folder"
            ) from None
        except OSError as error:
            raise JournalError(f"{self.path} cannot be locked ({error.strerror}); use a local disk") from None

    def _mend(self) -> int:
        """The number of the next line, after the end of the file was put in order."""
        content = self.path.read_bytes()
        head, newline, tail = content.rpartition(b"\n")
        if tail.strip():
            if _is_whole(tail.removeprefix(b"\xef\xbb\xbf")):
                os.write(self._file, b"\n")
                return content.count(b"\n") + 1
            os.ftruncate(self._file, len(head) + len(newline))
        return content.count(b"\n")

    def append(self, event: Event) -> int:
        """The number of the line now written for an event.

        Raises:
            JournalError: The event is impossible, the writer is closed, or the disk refused; the file is
                then as it was.
        """
        if not self._is_open:
            raise JournalError(f"{self.path} has been closed; open a new writer")
        line = self._next_line
        data = event_to_json(event)
        try:
            event_from_json(data)
            row = (_dump(data) + "\n").encode()
        except ValueError as error:
            raise JournalError(f"not written, {error}", line + 1) from None
        self._write(row)
        self._next_line += 1
        return line

    def _write(self, row: bytes) -> None:
        size = os.fstat(self._file).st_size
        try:
            if os.write(self._file, row) == len(row):
                return
            reason = "the disk is full"
        except OSError as error:
            reason = error.strerror or str(error)
        os.ftruncate(self._file, size)
        raise JournalError(f"cannot write {self.path}: {reason}")

    def close(self) -> None:
        """Let the file go; closing twice does no harm."""
        if self._is_open:
            self._is_open = False
            os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _is_whole(tail: bytes) -> bool:
    try:
        json.loads(tail.decode("utf-8"))
    except ValueError:
        return False
    return True
