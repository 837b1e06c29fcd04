"""The live view and its plain twin, fed by hand."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from kemps_rules.cards import Card
from kemps_rules.journal import parse_line
from kemps_server.cli.live import screen
from kemps_server.page.words import load_words
from kemps_vision.frame import Frame, SourceInfo
from kemps_vision.pipeline import Snapshot
from kemps_vision.spots import Spot
from kemps_vision.zones import TableZones

INFO = SourceInfo(
    name="clip.mp4", where="clip.mp4", kind="file", width=160, height=120, fps=15, duration_ms=20_000
)
HEADER = '{"kind":"game_opened","at_ms":0,"seats":{"A":"[b]Anna","B":"Bo","C":"Carla","D":"Di"}}'
LINES = [
    HEADER,
    '{"kind":"deal_started","at_ms":0,"dealer":"B"}',
    '{"kind":"card_taken","at_ms":8400,"seat":"A","card":"9c"}',
    '{"kind":"settled","at_ms":9000}',
]


def snapshot() -> Snapshot:
    centre = ((0.0, 0.0), (160.0, 0.0), (160.0, 120.0), (0.0, 120.0))
    spots = []
    for number, (name, is_settled) in enumerate((("Kh", True), ("9c", True), ("2s", False))):
        left = 100.0 - 40 * number
        quad = np.array([[left, 20.0], [left + 20, 20.0], [left + 20, 50.0], [left, 50.0]])
        spot = Spot(id=number, quad=quad, first_read_ms=0, reads=3)
        spot.card, spot.is_settled = Card.parse(name), is_settled
        spots.append(spot)
    return Snapshot(frame=frame(), zones=TableZones(centre=centre), spots=tuple(spots))


def frame() -> Frame:
    return Frame(camera="table", index=0, at_ms=10_000, pixels=np.zeros((120, 160, 3), np.uint8))


def shown(*, is_terminal: bool, has_events: bool = True) -> str:
    console = Console(file=io.StringIO(), force_terminal=is_terminal, width=80, color_system=None)
    with screen(console, INFO, load_words("en"), has_events=has_events) as view:
        view.begin("watching clip.mp4")
        for line in LINES:
            view.on_event(parse_line(line), None)
        view.on_frame(frame(), snapshot())
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_file_or_a_log_gets_one_plain_line_an_event() -> None:
    assert shown(is_terminal=False).splitlines() == [
        "watching clip.mp4",
        "  0:00.0  Deal 1 begins, Bo deals",
        "  0:08.4  [b]Anna takes 9♣",
    ]


def test_a_terminal_shows_progress_the_centre_and_the_events() -> None:
    text = shown(is_terminal=True)
    assert "watching clip.mp4" in text
    assert "50 %" in text
    # From left to right: the card that is still being read, then the two that voting has settled.
    row = next(line for line in text.splitlines() if "K♥" in line)
    assert row.index("?") < row.index("9♣") < row.index("K♥")
    assert text.rstrip().endswith("[b]Anna takes 9♣")


def test_work_without_events_shows_its_progress_alone() -> None:
    text = shown(is_terminal=True, has_events=False)
    assert "50 %" in text
    assert "centre" not in text


@pytest.mark.parametrize("is_terminal", [True, False])
def test_an_interruption_is_passed_on(is_terminal: bool) -> None:
    console = Console(file=io.StringIO(), force_terminal=is_terminal, width=80)
    with pytest.raises(KeyboardInterrupt), screen(console, INFO, load_words("en")):
        raise KeyboardInterrupt
