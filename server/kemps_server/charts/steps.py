"""Counts that go up at moments, a line for each who counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kemps_server.charts.marks import BOTTOM, RIGHT, TOP, WIDTH, Frame, Mark, Tick
from kemps_server.charts.scales import Scale, time_ticks_up_to
from kemps_server.page.words import Phrase

_LEFT: Final = 54.0
_RISE: Final = 40.0  # px a count
_APART: Final = 4.0  # px between lines that would lie on each other
_PLOT: Final = (160.0, 360.0)  # px of height, least and most


@dataclass(frozen=True, slots=True, kw_only=True)
class Rise:
    """From ``at_ms`` on the count is ``count``."""

    at_ms: int
    count: int
    text: Phrase
    href: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Who counts, and where they began."""

    number: int
    label: str
    start: int
    rises: tuple[Rise, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepLine:
    """A line as it is drawn, with its name at its end."""

    number: int
    path: str
    marks: tuple[Mark, ...]
    label: str
    end: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepChart:
    """The whole drawing; ``levels`` are the counts on the upright axis."""

    frame: Frame
    levels: tuple[Tick, ...]
    lines: tuple[StepLine, ...]


def draw_steps(
    counted: Sequence[Counted], *, until_ms: int, names: Sequence[str], title: Phrase, unit: Phrase
) -> StepChart:
    """The chart of these counts.

    Args:
        counted: Who counts.
        until_ms: The end of the axis of time.
        names: What the counts are called from 1 on, as K, E, M, P, S; numbers where it is empty.
        title: What the chart shows.
        unit: What stands at the axis of time.
    """
    reached = [count for one in counted for count in (one.start, *(rise.count for rise in one.rises))]
    low, high = min(0, *reached, 0), max(len(names), *reached, 1)
    plot = min(max(_RISE * (high - low), _PLOT[0]), _PLOT[1])
    right = WIDTH - RIGHT - 70
    steps = time_ticks_up_to(until_ms)
    time = Scale(0, max(until_ms, 1), _LEFT, right)
    level = Scale(low, high, TOP + plot, TOP)
    ticks = tuple(Tick(time.at(at_ms), _clock(at_ms)) for at_ms in steps if at_ms <= until_ms)
    every = max(1, (high - low) // 8)
    levels = tuple(Tick(level.at(count), _name(count, names)) for count in range(low, high + 1, every))
    frame = Frame(
        height=TOP + plot + BOTTOM,
        bottom=TOP + plot,
        ticks=ticks,
        unit=unit,
        title=title,
        left=_LEFT,
        right=right,
    )
    lines = [_line(one, place, time, level) for place, one in enumerate(counted)]
    return StepChart(frame=frame, levels=levels, lines=tuple(_spread_names(lines)))


def _line(one: Counted, place: int, time: Scale, level: Scale) -> StepLine:
    lift = place * _APART
    y = level.at(one.start) - lift
    path, marks = [f"M{time.start_px} {y:g}"], []
    for rise in one.rises:
        x, y = time.at(rise.at_ms), round(level.at(rise.count) - lift, 1)
        path.append(f"H{x}V{y}")
        marks.append(Mark(x=x, y=y, number=one.number, text=rise.text, href=rise.href))
    path.append(f"H{time.end_px}")
    return StepLine(
        number=one.number, path="".join(path), marks=tuple(marks), label=one.label, end=(time.end_px + 10, y)
    )


def _spread_names(lines: list[StepLine]) -> list[StepLine]:
    """The same lines with names that do not lie on each other."""
    below = sorted(lines, key=lambda line: -line.end[1])
    last = float("inf")
    placed: dict[int, float] = {}
    for line in below:
        last = placed[line.number] = min(line.end[1], last - 20)
    return [
        StepLine(
            number=line.number,
            path=line.path,
            marks=line.marks,
            label=line.label,
            end=(line.end[0], placed[line.number] + 5),
        )
        for line in lines
    ]


def _name(count: int, names: Sequence[str]) -> str:
    return names[count - 1] if 0 < count <= len(names) else str(count)


def _clock(at_ms: int) -> str:
    minutes, seconds = divmod(at_ms // 1000, 60)
    return (
        f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}" if minutes >= 60 else f"{minutes}:{seconds:02d}"
    )
