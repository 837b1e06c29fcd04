"""The journal: one event a line, JSON, UTF-8, the header first.

A line's number, by which other lines point at it, counts from 0 at the header, blank lines included; messages
for people count from 1, as editors do.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from kemps_rules.errors import JournalError
from kemps_rules.events import Event, GameOpened, HandsTouched, IdentitiesSwapped, Inserted, NotObserved
from kemps_rules.seats import Seat
from kemps_rules.wire import event_from_json
from kemps_rules.writer import JournalWriter, format_event

__all__ = [
    "VERSION",
    "Journal",
    "JournalWriter",
    "format_event",
    "journal_of",
    "parse_line",
    "read_events",
    "read_journal",
    "seats_named",
    "whole_lines",
]

VERSION: Final = 1
_MARK: Final = b"\xef\xbb\xbf"  # some editors begin a file with it
_SEAT_FIELDS: Final = ("seat", "against", "dealer", "from_seat", "to_seat")


@dataclass(frozen=True, slots=True)
class Journal:
    """The events of a file, the line number of each, and what was odd about the file."""

    events: tuple[Event, ...]
    lines: tuple[int, ...]
    warnings: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)

    @property
    def numbered(self) -> Iterator[tuple[int, Event]]:
        """Each event with the number of its line, the header being 0."""
        return zip(self.lines, self.events, strict=True)


def parse_line(text: str, line: int = 0) -> Event:
    """The event of one line; ``line`` counts from 0, messages from 1.

    >>> parse_line('{"kind":"card_taken","at_ms":8400,"seat":"A","card":"9c"}').card
    Card(rank='9', suit='c')

    Raises:
        JournalError: The line is no JSON object or not a possible event.
    """
    try:
        data = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise JournalError(
            f"not readable as JSON ({_reason(error)}): {text.strip()[:60]!r}", line + 1
        ) from None
    if not isinstance(data, dict):
        raise JournalError("a line must be a JSON object {…}", line + 1)
    if "\\ud" in text.lower() and not _is_writable(data):
        raise JournalError("half a character (\\ud800 to \\udfff alone), which no file can hold", line + 1)
    try:
        return event_from_json(data)
    except JournalError as error:
        raise JournalError(str(error), line + 1) from None


def _is_writable(data: object) -> bool:
    """Whether all texts can be written in UTF-8; JSON can name halves of characters, which cannot."""
    try:
        json.dumps(data, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _reason(error: BaseException) -> str:
    return getattr(error, "msg", "") or str(error)


def read_journal(path: Path | str) -> Journal:
    """The journal of a game, checked: header first, seats of its table only.

    A last line that was not written to its end is dropped with a warning.

    Raises:
        JournalError: The file cannot be read, has no header, or has a broken line.
    """
    return journal_of(_content(path))


def journal_of(content: bytes) -> Journal:
    """The journal that a file with this content holds, as ``read_journal`` gives it.

    Raises:
        JournalError: It has no header, or a broken line.
    """
    journal = _events_of(content)
    if not journal.events or not isinstance(journal.events[0], GameOpened):
        line = journal.lines[0] + 1 if journal.lines else 1
        raise JournalError('a journal begins with its header, {"kind":"game_opened",…,"seats":{…}}', line)
    return journal


def read_events(path: Path | str) -> Journal:
    """The events of a file that need not begin with a header, such as a list of calls.

    Raises:
        JournalError: The file cannot be read or has a broken line.
    """
    return _events_of(_content(path))


def whole_lines(content: bytes) -> bytes:
    r"""A journal's content without a last line that was not written to its end.

    >>> whole_lines(b'{"kind":"dry","at_ms":1}\n{"kind":"dr')
    b'{"kind":"dry","at_ms":1}\n'
    """
    head, newline, tail = content.rpartition(b"\n")
    return head + newline if _is_half_written(tail.removeprefix(_MARK)) else content


def _content(path: Path | str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise JournalError(f"cannot read {path}: {error.strerror or error}") from None


def _events_of(content: bytes) -> Journal:
    rows = content.removeprefix(_MARK).split(b"\n")
    warnings: tuple[str, ...] = ()
    if _is_half_written(rows[-1]):
        warnings = (f"line {len(rows)}: the last line was not written to its end and is left out",)
        rows.pop()
    pairs = [(line, _parse_row(row, line)) for line, row in enumerate(rows) if row.strip()]
    _check_table(pairs)
    return Journal(tuple(event for _, event in pairs), tuple(line for line, _ in pairs), warnings)


def _is_half_written(row: bytes) -> bool:
    """Whether the part after the last newline is the beginning of a line, not a whole one."""
    if not row.strip():
        return False
    if not row.strip(b"\0\r\n\t "):
        return True
    try:
        json.loads(row.decode("utf-8"))
    except ValueError:
        return row.lstrip().startswith(b"{")
    except RecursionError:
        return False
    return False


def _parse_row(row: bytes, line: int) -> Event:
    try:
        return parse_line(row.decode("utf-8"), line)
    except UnicodeDecodeError:
        raise JournalError("not written in UTF-8", line + 1) from None


def _check_table(pairs: Iterable[tuple[int, Event]]) -> None:
    table: dict[Seat, str] | None = None
    for number, (line, event) in enumerate(pairs):
        if isinstance(event, GameOpened):
            if number:
                raise JournalError("a second header; one journal holds one game", line + 1)
            if not 1 <= event.version <= VERSION:
                raise JournalError(
                    f"journal version {event.version}, but this program reads up to {VERSION}; update it",
                    line + 1,
                )
            table = event.seats
        elif table is not None:
            check_seats(event, table, line)


def check_seats(event: Event, table: Iterable[Seat], line: int) -> None:
    """Nothing, when all seats an event names sit at the table.

    Raises:
        JournalError: A seat is unknown there.
    """
    for seat in seats_named(event):
        if seat not in table:
            raise JournalError(f"seat {seat} is not at this table ({', '.join(table)})", line + 1)


def seats_named(event: Event) -> Iterator[Seat]:
    """The seats an event names; those that are not known are left out."""
    if isinstance(event, Inserted):
        yield from seats_named(event.as_event)
    elif isinstance(event, HandsTouched | IdentitiesSwapped | NotObserved):
        yield from (seat for seat in event.seats if seat is not None)
    for name in _SEAT_FIELDS:
        seat = getattr(event, name, None)
        if seat is not None:
            yield seat
