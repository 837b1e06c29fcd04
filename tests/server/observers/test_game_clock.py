"""A game's time."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_server.observers.clock import CLOCK, GameClock, at_ms_now, begin_clock, clock_of


def test_a_game_that_was_never_watched_has_no_time(tmp_path: Path) -> None:
    assert clock_of(tmp_path) is None
    with pytest.raises(KempsServerError, match="start its table first"):
        at_ms_now(tmp_path)


def test_the_clock_is_begun_once_and_goes_on_for_all_who_ask(tmp_path: Path) -> None:
    first = begin_clock(tmp_path / "game")
    assert begin_clock(tmp_path / "game") == first
    assert clock_of(tmp_path / "game") == first
    before = at_ms_now(tmp_path / "game")
    time.sleep(0.02)
    assert before + 15 <= at_ms_now(tmp_path / "game") < before + 5000


def test_after_a_reboot_the_time_of_day_tells(tmp_path: Path) -> None:
    begin_clock(tmp_path)
    told = json.loads((tmp_path / CLOCK).read_text())
    told |= {"boot": "another", "zero_s": told["zero_s"] + 1e6, "began_s": time.time() - 90}
    (tmp_path / CLOCK).write_text(json.dumps(told))
    assert 89_000 < at_ms_now(tmp_path) < 95_000


def test_where_the_system_tells_no_boots_apart_the_two_clocks_do() -> None:
    same = GameClock(time.monotonic() - 5, time.time() - 5)
    assert 4900 < same.at_ms < 6000
    other = GameClock(time.monotonic() + 5000, time.time() - 60)
    assert 59_000 < other.at_ms < 65_000


def test_a_clock_that_makes_no_sense_is_told(tmp_path: Path) -> None:
    (tmp_path / CLOCK).write_text("{}")
    with pytest.raises(WorkFailedError, match="begin the next"):
        at_ms_now(tmp_path)
