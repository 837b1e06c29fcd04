"""A game's journal as a store keeps it: lines with numbers, appended, read, and followed while they come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from kemps_rules.events import Event
from kemps_rules.journal import parse_line

PATIENCE_S: Final = 0.5  # how often whoever follows looks whether it is over
_MARK: Final = "\ufeff"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a journal, ``text`` exactly as it stands in the file, its newline included.

    ``written_ms`` is when it came into the store, in ms since 1970; 0 where nobody noted it.
    """

    number: int
    text: str
    written_ms: int = field(default=0, compare=False)

    @property
    def is_blank(self) -> bool:
        """Whether there is no event in it."""
        return not self.text.strip().removeprefix(_MARK)

    @property
    def event(self) -> Event:
        """What it tells.

        Raises:
            JournalError: The line is blank; others were checked when they were appended.
        """
        return parse_line(self.text.removeprefix(_MARK), self.number)


class Journal(Protocol):
    """The lines of one game: the header first, numbered from 0 without gaps, never changed."""

    @property
    def game(self) -> str:
        """The game's id."""
        ...

    def append(self, *events: Event) -> range:
        """The numbers of the lines now written for these events: all of them or none.

        When it returns they are kept, whatever happens to this process.

        Raises:
            JournalError: An event is impossible, names a seat that is not there, or is a second header.
            StoreError: The store refused.
        """
        ...

    def append_texts(self, texts: Sequence[str]) -> range:
        """As ``append``, for lines that are written already and are to stay as they are, blank ones too."""
        ...

    def read(self, start: int = 0, stop: int | None = None) -> tuple[Line, ...]:
        """The lines from number ``start`` on, up to and without ``stop``.

        Raises:
            StoreError: The store cannot be read.
        """
        ...

    def __len__(self) -> int:
        """How many lines there are now, which is the number of the next."""
        ...

    def wait(self, beyond: int, timeout_s: float) -> int:
        """How many lines there are, as soon as there are more than ``beyond`` or the time is up."""
        ...


def content_of(lines: Iterable[Line]) -> bytes:
    """The lines as the content of a file; a newline is added where another line follows one without."""
    texts = [line.text for line in lines]
    whole = [text if text.endswith("\n") else f"{text}\n" for text in texts[:-1]]
    return "".join([*whole, *texts[-1:]]).encode()


def follow(journal: Journal, start: int, is_over: Callable[[], bool]) -> Iterator[Line]:
    """Each line from number ``start`` on, waiting for those to come, whoever writes them.

    It ends when ``is_over()`` holds and all that was there then has been given.
    """
    position = start
    while True:
        ends = is_over()
        found = journal.read(position)
        yield from found
        position += len(found)
        if ends and not found:
            return
        if not found:
            journal.wait(position, PATIENCE_S)
