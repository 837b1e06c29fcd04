"""``frames.idx``: which frames of its cameras a live run used, in the order in which it used them.

::

    kemps-frames 1
    table 0                          a frame of the camera "table", at 0 ms
    faces 12
    table 66
    #gap faces 1200 4600             nothing came from it in this span, or it could not be used
    #call {"kind":"called", …}       a call that was made meanwhile
    #end 61200                       the run came to its end, and was not killed

Names of cameras are percent-encoded. Lines are appended as frames are used; a last line that was not written
to its end is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import quote, unquote

from kemps_rules.errors import KempsRulesError
from kemps_rules.events import Called
from kemps_rules.journal import parse_line
from kemps_rules.writer import format_event
from kemps_vision.errors import SourceError

FRAMES_INDEX: Final = "frames.idx"
HEADER: Final = "kemps-frames 1"


@dataclass(frozen=True, slots=True)
class Used:
    """A frame that was used."""

    camera: str
    at_ms: int

    def line(self) -> str:
        """As it stands in the file."""
        return f"{quote(self.camera, safe='')} {self.at_ms}"


@dataclass(frozen=True, slots=True)
class Gap:
    """A span in which a camera was not observed."""

    camera: str
    at_ms: int
    until_ms: int

    def line(self) -> str:
        """As it stands in the file."""
        return f"#gap {quote(self.camera, safe='')} {self.at_ms} {self.until_ms}"


@dataclass(frozen=True, slots=True)
class Made:
    """A call that became known between two frames."""

    call: Called

    def line(self) -> str:
        """As it stands in the file."""
        return f"#call {format_event(self.call)}"


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A call that was made known and of which a person says that it was none."""

    call: Called

    def line(self) -> str:
        """As it stands in the file."""
        return f"#withdrawn {format_event(self.call)}"


@dataclass(frozen=True, slots=True)
class End:
    """The run ended at this time of its clock."""

    at_ms: int

    def line(self) -> str:
        """As it stands in the file."""
        return f"#end {self.at_ms}"


Entry: TypeAlias = Used | Gap | Made | Withdrawn | End


def read_frames_index(path: Path) -> Iterator[Entry]:
    """What a live run used, in its order.

    Raises:
        SourceError: It cannot be read, or a line other than an unfinished last one makes no sense.
    """
    try:
        with path.open(encoding="utf-8") as rows:
            if rows.readline().rstrip("\n") != HEADER:
                raise SourceError(f"{path}: is no list of used frames of this version; delete it")
            for number, row in enumerate(rows, 2):
                if row.endswith("\n"):
                    yield _entry(row.rstrip("\n"), f"{path}: line {number}")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


_ABOUT_CALLS: Final[dict[str, type[Made | Withdrawn]]] = {"#call": Made, "#withdrawn": Withdrawn}


def _entry(row: str, where: str) -> Entry:
    first, _, rest = row.partition(" ")
    words = rest.split()
    try:
        if first in _ABOUT_CALLS:
            event = parse_line(rest)
            if isinstance(event, Called):
                return _ABOUT_CALLS[first](event)
        elif first == "#gap" and len(words) == 3:
            return Gap(unquote(words[0]), int(words[1]), int(words[2]))
        elif first == "#end":
            return End(int(rest))
        elif len(words) == 1:
            return Used(unquote(first), int(rest))
    except (ValueError, KempsRulesError):
        pass
    raise SourceError(f"{where}: makes no sense: {row[:60]!r}; delete the file to watch all frames")
