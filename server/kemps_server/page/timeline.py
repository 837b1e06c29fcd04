"""The timeline of a game as places in a picture: lanes of seats, centre and flags, marks in time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kemps_server.page.story import SpanLook, StepLook, Story
from kemps_server.page.words import Phrase

LEFT: Final = 16
RIGHT: Final = 28
TOP: Final = 34
LANE: Final = 34
WIDTH: Final = (980, 9000)  # px of the drawing, least and most
PX_A_STEP: Final = 16
TICKS_MS: Final = (
    500,
    1000,
    2000,
    5000,
    10_000,
    15_000,
    30_000,
    60_000,
    120_000,
    300_000,
    600_000,
    1_800_000,
)
LEAST_SPAN: Final = 9.0


@dataclass(frozen=True, slots=True)
class Lane:
    """A row: a seat's, or ``centre``, ``someone``, ``flags`` with no seat."""

    sort: str
    seat: str | None
    name: str
    y: float


@dataclass(frozen=True, slots=True)
class Mark:
    """A thing in the drawing at ``x``, ``width`` wide when it lasts; ``step`` is where a click leads."""

    sort: str
    x: float
    y: float
    width: float
    step: int
    text: Phrase
    at_ms: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """The whole drawing, ``width`` x ``height``."""

    width: float
    height: float
    lanes: tuple[Lane, ...]
    ticks: tuple[tuple[float, int], ...]
    marks: tuple[Mark, ...]
    px_per_ms: float

    def x(self, at_ms: int) -> float:
        """Where a time stands."""
        return round(LEFT + at_ms * self.px_per_ms, 1)


def draw_timeline(story: Story) -> Timeline:
    """The timeline of a story; long games become wide drawings that scroll."""
    width = float(min(max(WIDTH[0], LEFT + RIGHT + PX_A_STEP * len(story.steps)), WIDTH[1]))
    px_per_ms = (width - LEFT - RIGHT) / max(story.duration_ms, 1)
    lanes = tuple(_lanes(story))
    height = lanes[-1].y + LANE + 6
    y_of = {(lane.sort, lane.seat): lane.y for lane in lanes}
    marks = tuple(_marks(story, y_of, px_per_ms))
    ticks = tuple(_ticks(story.duration_ms, px_per_ms))
    return Timeline(width, height, lanes, ticks, marks, px_per_ms)


def _lanes(story: Story) -> Iterator[Lane]:
    y = float(TOP)
    rows: list[tuple[str, str | None, str]] = [("seat", seat.id, seat.name) for seat in story.seats]
    if any(span.seat is None and span.sort != "unobserved" for span in story.spans):
        rows.append(("someone", None, ""))
    rows += [("centre", None, ""), ("flags", None, "")]
    for sort, seat, name in rows:
        yield Lane(sort, seat, name, y)
        y += LANE


def _marks(story: Story, y_of: dict[tuple[str, str | None], float], px_per_ms: float) -> Iterator[Mark]:
    for span in story.spans:
        y = (
            TOP
            if span.sort == "unobserved"
            else y_of[("seat", span.seat) if span.seat else ("someone", None)]
        )
        yield _mark_of_span(span, y, px_per_ms)
    for step in story.steps:
        sort = _sort_of(step)
        if sort:
            seat = step.seats[0] if step.seats else None
            y = y_of.get(("seat", seat), float(TOP)) if sort == "call" else y_of["centre", None]
            yield Mark(sort, round(LEFT + step.at_ms * px_per_ms, 1), y, 0, step.index, step.text, step.at_ms)
    for flag in story.flags:
        text = Phrase(f"rule.{flag.rule}.name")
        x = round(LEFT + flag.at_ms * px_per_ms, 1)
        yield Mark(f"flag {flag.rule}", x, y_of["flags", None], 0, flag.step or 0, text, flag.at_ms)


def _mark_of_span(span: SpanLook, y: float, px_per_ms: float) -> Mark:
    width = max((span.to_ms - span.from_ms) * px_per_ms, LEAST_SPAN)
    x = LEFT + span.from_ms * px_per_ms
    if span.from_ms == span.to_ms:
        x -= LEAST_SPAN / 2
    return Mark(span.sort, round(x, 1), y, round(width, 1), span.step, span.text, span.from_ms)


def _sort_of(step: StepLook) -> str:
    return {"centre_turned": "turn", "centre_swept": "sweep", "called": "call"}.get(step.kind, "")


def _ticks(duration_ms: int, px_per_ms: float) -> Iterator[tuple[float, int]]:
    every = next((tick for tick in TICKS_MS if tick * px_per_ms >= 80), TICKS_MS[-1])
    while every * px_per_ms < 80:  # one late line must not make millions of ticks
        every *= 2
    for at_ms in range(0, duration_ms + 1, every):
        yield round(LEFT + at_ms * px_per_ms, 1), at_ms
