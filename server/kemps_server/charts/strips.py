"""Occasions along a line of time, a row for each who had them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kemps_server.charts.marks import LABELS, RIGHT, WIDTH, Frame, Mark, Row, Tick, framed, row_middle
from kemps_server.charts.scales import Scale, time_ticks_up_to
from kemps_server.page.words import Phrase


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """Something that took ``ms``; ``is_weak`` when it may have been less."""

    ms: int
    text: Phrase
    look: str = ""
    is_weak: bool = False
    href: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StripRow:
    """Whose occasions these are, and their median."""

    label: str
    number: int
    letter: str
    occasions: tuple[Occasion, ...]
    median_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StripLine:
    """A row as it is drawn; ``median`` is a stroke across."""

    row: Row
    marks: tuple[Mark, ...]
    median: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StripChart:
    """The whole drawing."""

    frame: Frame
    lines: tuple[StripLine, ...]


def draw_strips(rows: Sequence[StripRow], *, title: Phrase, unit: Phrase) -> StripChart:
    """The chart of these occasions, in seconds from 0."""
    longest = max((one.ms for row in rows for one in row.occasions), default=1_000)
    steps = time_ticks_up_to(longest)
    scale = Scale(0, steps[-1], LABELS, WIDTH - RIGHT)
    ticks = tuple(Tick(scale.at(step), f"{step / 1000:g}") for step in steps)
    lines = tuple(_line(row, number, scale) for number, row in enumerate(rows))
    return StripChart(frame=framed(len(rows), ticks, unit=unit, title=title), lines=lines)


def _line(row: StripRow, number: int, scale: Scale) -> StripLine:
    y = row_middle(number)
    marks = tuple(
        Mark(
            x=scale.at(one.ms),
            y=y,
            number=row.number,
            text=one.text,
            look=one.look,
            is_weak=one.is_weak,
            href=one.href,
        )
        for one in row.occasions
    )
    return StripLine(
        row=Row(y=y, label=row.label, number=row.number, letter=row.letter),
        marks=marks,
        median=None if row.median_ms is None else scale.at(row.median_ms),
    )
