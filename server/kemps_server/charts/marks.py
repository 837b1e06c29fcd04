"""What all charts are made of: a mark with what it says, a value on an axis, the frame round them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kemps_server.page.words import Phrase

WIDTH: Final = 960.0
RIGHT: Final = 24.0
LABELS: Final = 176.0  # px for the names on the left
TOP: Final = 30.0  # the line in which a chosen mark says what it is
BOTTOM: Final = 46.0
ROW: Final = 38.0


@dataclass(frozen=True, slots=True)
class Tick:
    """A value on an axis."""

    at: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A mark that can be chosen: its place, its look and what it says.

    Attributes:
        x: Its place.
        y: Its place.
        number: Of the pair whose colour and shape it has.
        text: What it says when it is pointed at or reached by the keyboard.
        look: Another look than the pair's, such as a ruling.
        is_weak: Whether it rests on few occasions; drawn hollow.
        href: Where it leads, or empty.
    """

    x: float
    y: float
    number: int
    text: Phrase
    look: str = ""
    is_weak: bool = False
    href: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A name on the left, with the badge of a pair, or none when ``number`` is -1."""

    y: float
    label: str | Phrase
    number: int = -1
    letter: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The size of a chart, its axis below, and what stands on it."""

    height: float
    bottom: float
    ticks: tuple[Tick, ...]
    unit: Phrase
    title: Phrase
    width: float = WIDTH
    left: float = LABELS
    right: float = WIDTH - RIGHT
    top: float = TOP


def framed(rows: int, ticks: tuple[Tick, ...], *, unit: Phrase, title: Phrase, left: float = LABELS) -> Frame:
    """The frame of a chart with this many rows, whose names take ``left`` px."""
    bottom = TOP + ROW * max(rows, 1)
    return Frame(height=bottom + BOTTOM, bottom=bottom, ticks=ticks, unit=unit, title=title, left=left)


def row_middle(number: int) -> float:
    """The middle of a row."""
    return TOP + ROW * number + ROW / 2
