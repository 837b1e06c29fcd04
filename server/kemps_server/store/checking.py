"""What may be appended to a journal: whole lines, possible events, the header first and once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kemps_rules.errors import JournalError
from kemps_rules.events import Event, GameOpened
from kemps_rules.journal import VERSION, check_seats, format_event, parse_line


@dataclass(frozen=True, slots=True)
class CheckedLine:
    """A line that may be stored, and the kind of its event; no kind for a blank one."""

    text: str
    kind: str


def texts_of(events: Sequence[Event], first: int) -> list[str]:
    """The events as lines, the first of which gets the number ``first`` if nobody else takes it.

    Raises:
        JournalError: One cannot be written as JSON.
    """
    texts = []
    for line, event in enumerate(events, first):
        try:
            texts.append(format_event(event) + "\n")
        except (ValueError, TypeError) as error:
            raise JournalError(f"not written, {error}", line + 1) from None
    return texts


def checked(texts: Sequence[str], first: int, header: GameOpened | None) -> list[CheckedLine]:
    """The lines, when they may follow the ``first`` lines of a journal with this header.

    Raises:
        JournalError: One may not; the text names its line.
    """
    rows = []
    for number, text in enumerate(texts, first):
        if "\n" in text.removesuffix("\n"):
            raise JournalError("two lines where one is to be appended", number + 1)
        bare = text.removeprefix("\ufeff") if number == 0 else text
        if not bare.strip():
            rows.append(CheckedLine(text, ""))
            continue
        event = parse_line(bare, number)
        if not _is_writable(text):
            raise JournalError(
                "half a character (\\ud800 to \\udfff alone), which no file can hold", number + 1
            )
        header = _checked(event, number, header)
        rows.append(CheckedLine(text, event.kind))
    return rows


def _is_writable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _checked(event: Event, number: int, header: GameOpened | None) -> GameOpened:
    """The header that holds from this event on."""
    if isinstance(event, GameOpened):
        if header is not None:
            raise JournalError("a second header; one journal holds one game", number + 1)
        if not 1 <= event.version <= VERSION:
            raise JournalError(
                f"journal version {event.version}, but this program reads up to {VERSION}; update it",
                number + 1,
            )
        return event
    if header is None:
        raise JournalError(
            'a journal begins with its header, {"kind":"game_opened",…,"seats":{…}}', number + 1
        )
    check_seats(event, header.seats, number)
    return header
