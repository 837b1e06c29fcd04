"""Hands on the shipped clip: each reach into the centre is its seat's, and nobody touches anybody."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from kemps_rules.events import CardLaid, CardTaken, CentreSwept, Event, HandHidden, HandReached, HandsTouched
from kemps_rules.journal import read_journal
from kemps_vision.people.table_watch import TableWatch
from kemps_vision.people.tasks import HandReader
from kemps_vision.sources import open_source
from kemps_vision.zones import load_config

pytestmark = pytest.mark.long

DEMO = Path(str(resources.files("kemps_server") / "demo"))
TRUTH = read_journal(DEMO / "demo.game.jsonl").events


@pytest.fixture(scope="module")
def told() -> list[Event]:
    config = load_config(DEMO / "demo.table.toml")
    with open_source(str(DEMO / "demo.mp4")) as source:
        zones = config.zones(source.info.width, source.info.height)
        watch = TableWatch(HandReader(is_video=True))
        events = [event for frame in source for event in watch.step(frame.at_ms, frame.pixels, zones)]
        return events + watch.finish()


@pytest.mark.e2e
@pytest.mark.people
def test_each_swap_and_sweep_is_a_reach_of_its_seat(told: list[Event]) -> None:
    reaches = [event for event in told if isinstance(event, HandReached)]
    for event in TRUTH:
        if isinstance(event, CardTaken | CardLaid | CentreSwept):
            seats = {
                one.seat for one in reaches if one.at_ms - 200 <= event.at_ms <= (one.until_ms or 0) + 200
            }
            assert event.seat in seats, event


@pytest.mark.e2e
@pytest.mark.people
def test_hands_that_reach_past_each_other_neither_touch_nor_hide(told: list[Event]) -> None:
    assert [event for event in told if isinstance(event, HandsTouched | HandHidden)] == []
