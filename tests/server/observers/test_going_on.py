"""A game that goes on: what an earlier run left beside it stays, and what was missed is told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kemps_rules.events import CardTaken, NotObserved
from kemps_server.keeping import EVIDENCE, INDEX, EvidenceKeeper
from kemps_server.observers.gaps import gaps_of
from kemps_server.observers.standing import Standing
from kemps_server.recording.recorder import Recorder
from kemps_vision.frame import Frame
from kemps_vision.sources.frames_index import FRAMES_INDEX, End, Used, read_frames_index
from kemps_vision.zones import CameraZones, TableConfig

CONFIG = TableConfig(cameras=(CameraZones(name="table"), CameraZones(name="faces", role="faces")))
BEFORE = Standing(lines=7, last_ms=20_000, is_dealt=True)


def record(folder: Path, *entries: Used | End, goes_on: bool = True) -> None:
    folder.mkdir(exist_ok=True)
    with Recorder(folder, 10**9, lambda _: None, goes_on=goes_on) as recorder:
        for entry in entries:
            recorder.note(entry)


def test_the_list_of_used_frames_is_gone_on_with_after_a_half_written_line(tmp_path: Path) -> None:
    record(tmp_path, Used("table", 0), Used("table", 66))
    with (tmp_path / FRAMES_INDEX).open("a") as file:
        file.write("table 13")
    record(tmp_path, Used("table", 9000), End(9050))
    told = list(read_frames_index(tmp_path / FRAMES_INDEX))
    assert told == [Used("table", 0), Used("table", 66), Used("table", 9000), End(9050)]
    record(tmp_path, Used("table", 1), goes_on=False)
    assert list(read_frames_index(tmp_path / FRAMES_INDEX)) == [Used("table", 1)]


def test_of_a_killed_observer_what_it_held_back_counts_as_not_observed(tmp_path: Path) -> None:
    record(tmp_path, Used("table", 15_000), Used("table", 19_000))
    assert gaps_of(tmp_path, CONFIG, BEFORE, 25_000) == [
        NotObserved(at_ms=13_000, until_ms=25_000, camera="table"),
        NotObserved(at_ms=13_000, until_ms=25_000, camera="faces", role="faces"),
    ]


def test_one_that_was_stopped_told_all_it_knew(tmp_path: Path) -> None:
    record(tmp_path, Used("table", 19_000), End(19_050))
    assert gaps_of(tmp_path, CONFIG, BEFORE, 25_000)[0] == NotObserved(
        at_ms=19_050, until_ms=25_000, camera="table"
    )


def test_without_a_list_the_journal_tells_how_far_it_came_and_a_new_game_misses_nothing(
    tmp_path: Path,
) -> None:
    assert gaps_of(tmp_path, TableConfig(), BEFORE, 25_000) == [
        NotObserved(at_ms=14_000, until_ms=25_000, camera="table")
    ]
    assert gaps_of(tmp_path, CONFIG, Standing(lines=1), 25_000) == []


@pytest.mark.parametrize("broken", [False, True])
def test_pictures_of_an_earlier_run_stay_listed(tmp_path: Path, broken: bool) -> None:
    def run(line: int, at_ms: int) -> None:
        keeper = EvidenceKeeper(tmp_path, goes_on=True)
        keeper.see(Frame("table", 0, at_ms, np.zeros((8, 8, 3), np.uint8)))
        keeper.note(line, CardTaken(at_ms=at_ms, seat="A", card=None))
        keeper.finish()

    run(3, 1000)
    if broken:
        (tmp_path / EVIDENCE / INDEX).write_text("{")
    run(9, 90_000)
    lines = {row["line"] for row in json.loads((tmp_path / EVIDENCE / INDEX).read_text())["pictures"]}
    assert lines == ({9} if broken else {3, 9})
