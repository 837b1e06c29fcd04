"""A camera's change as lines of a journal."""

from __future__ import annotations

import numpy as np

from kemps_rules.writer import format_event
from kemps_vision.calibration.alignment import Alignment
from kemps_vision.calibration.drift import Change
from kemps_vision.calibration.events import events_of

STILL = Alignment.still((1280, 720))
SHIFT = Alignment(np.array([[1.0, 0, 30], [0, 1, 40], [0, 0, 1]]), (1280, 720))


def lines(change: Change) -> list[str]:
    return [format_event(event) for event in events_of(change, "table")]


def test_a_move_is_a_span_and_a_note() -> None:
    assert lines(Change(9000, 7000, SHIFT, SHIFT, is_aligned=True)) == [
        '{"kind":"not_observed","at_ms":7000,"until_ms":9000,"camera":"table"}',
        '{"kind":"camera_moved","at_ms":9000,"camera":"table","shift_px":50.0,"turn_deg":0.0,"zoom":1.0}',
    ]


def test_a_lost_view_is_a_note_and_its_return_the_whole_span() -> None:
    assert lines(Change(22000, 7000, STILL, STILL, is_aligned=False)) == [
        '{"kind":"camera_lost_place","at_ms":22000,"camera":"table"}'
    ]
    assert lines(Change(40000, 7000, STILL, STILL, is_aligned=True, is_back=True)) == [
        '{"kind":"not_observed","at_ms":7000,"until_ms":40000,"camera":"table"}'
    ]
