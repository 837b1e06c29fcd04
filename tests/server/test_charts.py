"""Charts as places in a picture: where marks stand, and what they never do."""

from __future__ import annotations

from itertools import combinations

from kemps_server.charts.dots import DotValue, draw_dots
from kemps_server.charts.steps import Counted, Rise, draw_steps
from kemps_server.charts.strips import Occasion, StripRow, draw_strips
from kemps_server.page.words import Phrase

TEXT = Phrase("figures.title")


def dot(value: float | None, low: float, high: float | None, *, is_weak: bool = False) -> DotValue:
    return DotValue(label="Ann", text=TEXT, value=value, low=low, high=high, is_weak=is_weak)


def test_a_dot_stands_within_its_interval_and_in_proportion() -> None:
    chart = draw_dots([dot(0.5, 0.25, 1.0)], title=TEXT, unit=TEXT, percent=True)
    (line,) = chart.lines
    left, right = chart.frame.ticks[0].at, chart.frame.ticks[-1].at
    assert line.mark is not None
    assert line.whisker == ((3 * left + right) / 4, right)
    assert line.mark.x == (left + right) / 2
    assert not line.runs_on
    assert [tick.text for tick in chart.frame.ticks] == ["0", "25", "50", "75", "100"]


def test_a_figure_on_few_occasions_does_not_squeeze_the_others() -> None:
    chart = draw_dots(
        [dot(3.0, 2.5, 3.6), dot(2.0, 0.1, 80.0, is_weak=True), dot(1.0, 0.2, None)], title=TEXT, unit=TEXT
    )
    assert float(chart.frame.ticks[-1].text) <= 4
    assert [line.runs_on for line in chart.lines] == [False, True, True]
    ends = [line.whisker[1] for line in chart.lines if line.whisker]
    assert max(ends) <= chart.frame.right


def test_where_there_was_no_occasion_nothing_is_drawn() -> None:
    chart = draw_dots([DotValue(label="Ann", text=TEXT, value=None)], title=TEXT, unit=TEXT)
    assert chart.lines[0].mark is None
    assert chart.lines[0].whisker is None
    strip = draw_strips([StripRow(label="Ann", number=0, letter="A", occasions=())], title=TEXT, unit=TEXT)
    assert strip.lines[0].marks == ()


def test_occasions_stand_in_the_order_of_their_times() -> None:
    times = (500, 12_000, 95_000)
    row = StripRow(
        label="Ann",
        number=1,
        letter="B",
        occasions=tuple(Occasion(ms=ms, text=TEXT) for ms in times),
        median_ms=12_000,
    )
    chart = draw_strips([row], title=TEXT, unit=TEXT)
    places = [mark.x for mark in chart.lines[0].marks]
    assert places == sorted(places)
    assert chart.lines[0].median == places[1]
    assert places[-1] <= chart.frame.right


def test_lines_of_counts_that_are_equal_can_be_told_apart_and_so_can_their_names() -> None:
    rises = (Rise(at_ms=30_000, count=1, text=TEXT), Rise(at_ms=60_000, count=2, text=TEXT))
    counted = [Counted(number=number, label="KE", start=0, rises=rises) for number in range(4)]
    chart = draw_steps(counted, until_ms=90_000, names="KEMPS", title=TEXT, unit=TEXT)
    assert len({line.path for line in chart.lines}) == 4
    for one, other in combinations(chart.lines, 2):
        assert abs(one.end[1] - other.end[1]) >= 20
    assert [level.text for level in chart.levels] == ["0", "K", "E", "M", "P", "S"]


def test_points_below_zero_have_their_place() -> None:
    rises = (Rise(at_ms=1_000, count=-1, text=TEXT), Rise(at_ms=2_000, count=1, text=TEXT))
    one = Counted(number=0, label="1", start=0, rises=rises)
    chart = draw_steps([one], until_ms=3_000, names="", title=TEXT, unit=TEXT)
    low, high = chart.lines[0].marks
    assert low.y > high.y
    assert low.y <= chart.frame.bottom
    assert [level.text for level in chart.levels] == ["-1", "0", "1"]
