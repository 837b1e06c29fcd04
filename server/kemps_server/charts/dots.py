"""Figures as dots on lines that are their intervals, a row each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kemps_server.charts.marks import LABELS, RIGHT, WIDTH, Frame, Mark, Row, Tick, framed, row_middle
from kemps_server.charts.scales import Scale, ticks_up_to
from kemps_server.page.words import Phrase


@dataclass(frozen=True, slots=True, kw_only=True)
class DotValue:
    """A row's figure; ``value`` None is a row in which there was no occasion.

    ``expected`` is where the figure would stand if nothing were special.
    """

    label: str | Phrase
    text: Phrase
    value: float | None
    low: float | None = None
    high: float | None = None
    expected: float | None = None
    number: int = -1
    letter: str = ""
    is_weak: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DotLine:
    """A row as it is drawn; ``whisker`` is its interval, ``expected`` a stroke across.

    ``runs_on`` tells that the interval ends beyond the chart.
    """

    row: Row
    mark: Mark | None
    whisker: tuple[float, float] | None
    runs_on: bool
    expected: float | None
    text: Phrase


@dataclass(frozen=True, slots=True, kw_only=True)
class DotChart:
    """The whole drawing."""

    frame: Frame
    lines: tuple[DotLine, ...]


def draw_dots(
    values: Sequence[DotValue],
    *,
    title: Phrase,
    unit: Phrase,
    percent: bool = False,
    left: float = LABELS,
) -> DotChart:
    """The chart of these figures; shares from 0 to 1 as ``percent``, all others from 0 up; names ``left``."""
    # A figure on a handful of occasions may have any interval; it must not squeeze all others.
    sure = [one for one in values if not one.is_weak] or values
    bounds = [bound for one in values for bound in (one.value, one.expected) if bound is not None]
    bounds += [one.high for one in sure if one.high is not None]
    steps = tuple(step / 4 for step in range(5)) if percent else ticks_up_to(max(bounds, default=1.0))
    scale = Scale(0, steps[-1], left, WIDTH - RIGHT)
    ticks = tuple(Tick(scale.at(step), f"{step * 100:.0f}" if percent else f"{step:g}") for step in steps)
    lines = tuple(_line(one, number, scale) for number, one in enumerate(values))
    return DotChart(frame=framed(len(values), ticks, unit=unit, title=title, left=left), lines=lines)


def _line(one: DotValue, number: int, scale: Scale) -> DotLine:
    y = row_middle(number)
    has_whisker = one.value is not None and one.low is not None
    return DotLine(
        row=Row(y=y, label=one.label, number=one.number, letter=one.letter),
        mark=None
        if one.value is None
        else Mark(x=scale.at(one.value), y=y, number=one.number, text=one.text, is_weak=one.is_weak),
        whisker=(scale.at(one.low or 0), scale.at(scale.high if one.high is None else one.high))
        if has_whisker
        else None,
        runs_on=has_whisker and (one.high is None or one.high > scale.high),
        expected=None if one.expected is None else scale.at(one.expected),
        text=one.text,
    )
