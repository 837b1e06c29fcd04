from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from kemps_server.bench import speed
from kemps_server.bench.card_speed import CardSpeed
from kemps_server.bench.journal_speed import JournalSpeed, journal_speeds
from kemps_server.cli import main
from kemps_server.errors import KempsServerError


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short work in the place of the long: what is tested here is what is said of it."""
    monkeypatch.setattr(speed, "_DEALS", 2)
    monkeypatch.setattr(speed, "journal_speeds", lambda: [JournalSpeed(100, 20_000, 7_569.9, 32.8)])
    monkeypatch.setattr(speed, "card_speeds", lambda: [CardSpeed(640, 384, 8, 1, 20.0, 5.0, 24.0, 23.0)])
    monkeypatch.setattr(speed, "watch_speed", lambda: speed.WatchSpeed(20.0, 10.0, 12.0, 2, 2.0))


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(["bench", "speed", *words])
    return int(left.value.code or 0)


@pytest.mark.usefixtures("quick")
def test_figures_come_as_json_and_as_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--json", "--out", str(tmp_path / "reports/speed.json")) == 0
    report = json.loads(capsys.readouterr().out)
    assert report == json.loads((tmp_path / "reports/speed.json").read_text(encoding="utf-8"))
    assert report["rules"]["events"] > 100
    assert report["rules"]["events_per_s"] > 0
    assert report["journal"] == [{"batch": 100, "events": 20_000, "events_per_s": 7569.9, "cpu_us": 32.8}]
    assert report["cards"][0]["width"] == 640
    assert report["observe"]["times_real_time"] == 2.0


@pytest.mark.usefixtures("quick")
def test_figures_come_as_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    shown = capsys.readouterr().out
    assert "× real time" in shown
    assert "24.0 ms" in shown
    assert "7,570" in shown


def test_a_simulated_game_is_judged_event_by_event() -> None:
    events = speed.simulated_events(deals=2)
    judged = speed.judge_speed(events, repeats=1)
    assert judged.events == len(events)
    assert judged.events_per_s == pytest.approx(len(events) / judged.cpu_s)


def test_events_are_counted_as_they_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEMPS_CACHE", str(tmp_path / "cache"))
    one, ten = journal_speeds({1: 3, 10: 20})
    assert (one.batch, one.events, ten.batch, ten.events) == (1, 3, 10, 20)
    assert ten.events_per_s > 0
    assert ten.cpu_us > 0
    assert list((tmp_path / "cache").iterdir()) == []


def test_without_a_checkout_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kemps_scenes.simulate", None)
    with pytest.raises(KempsServerError, match="needs the simulator"):
        speed.simulated_events()


@pytest.mark.usefixtures("quick")
def test_a_report_that_cannot_be_written_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert run("--out", str(tmp_path / "file/speed.json")) == 1
    assert capsys.readouterr().err.count("\n") == 1
