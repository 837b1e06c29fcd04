"""The live benchmark on a clip of two seconds, and what is said of its figures."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from kemps_server.bench import live as bench
from kemps_server.bench.live import (
    LiveSpeed,
    live_speed,
    print_budget,
    print_live,
    slope_per_h,
)
from kemps_server.bench.live_budget import Costs, live_budget, table_costs
from kemps_server.bench.played_film import PlayedFilm
from kemps_server.cli import main
from kemps_server.errors import KempsServerError
from kemps_server.observers.telling import memory_mb
from kemps_vision.cards.reading import Reading
from kemps_vision.draw.video import VideoWriter
from kemps_vision.frame import Image
from kemps_vision.sources import open_source
from kemps_vision.zones import TableConfig

FIGURES = LiveSpeed(
    minutes=10.0,
    cameras=2,
    events=120,
    event_p50_ms=80.0,
    event_p95_ms=210.0,
    event_most_ms=300.0,
    frame_p95_ms=120.0,
    table_fps=14.9,
    faces_fps=7.5,
    dropped=12,
    lag_ms_per_h=1.5,
    memory_mb_per_h=2.25,
    memory_mb=700.0,
    cpus=1.7,
    recorded_mb=410.0,
)


def picture(number: int) -> Image:
    pixels = np.full((64, 96, 3), (90, 110, 130), np.uint8)
    pixels[10:50, number * 3 % 80 : number * 3 % 80 + 12] = (240, 200, 30)
    return pixels


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    path = tmp_path / "table.mp4"
    with VideoWriter(path, fps=15) as video:
        for number in range(30):
            video.add(picture(number), round(number * 1000 / 15))
    return path


class NoCards:
    """Reads nothing."""

    def read(
        self, pixels: Image, *, card_length_px: float | None = None, alphabet: str | None = None
    ) -> Reading:
        del pixels, card_length_px, alphabet
        return Reading((), unread=0, face_down=0, alphabet="international", ms=0.0)


def test_a_film_is_played_over_and_over_and_never_gives_the_same_picture_twice(clip: Path) -> None:
    film = PlayedFilm(clip)
    shown = [film.read()[1] for _ in range(34)]
    assert all(one is not None for one in shown)
    before = None
    for one in shown:
        assert one is not None
        assert before is None or not np.array_equal(before, one)
        before = one


def test_a_short_live_game_has_its_figures(clip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "default_reader", lambda **_: NoCards())
    found = live_speed(clip, TableConfig(), 0.04, with_people=False)
    assert found.cameras == 1
    assert found.minutes >= 0.04
    assert found.events >= 1
    assert found.table_fps > 0
    assert found.event_p50_ms <= found.event_p95_ms <= found.event_most_ms
    assert found.recorded_mb > 0
    assert found.cpus > 0


def test_a_slope_is_what_grows_in_an_hour() -> None:
    assert slope_per_h([]) == 0
    assert slope_per_h([(5, 3.0)]) == 0
    points = [(at_ms, 100 + at_ms / 3_600_000 * 7) for at_ms in range(0, 600_000, 5000)]
    assert slope_per_h(points) == pytest.approx(7)


def test_memory_is_known_where_the_system_tells_it() -> None:
    assert memory_mb() > 10 or not Path("/proc/self/statm").exists()


def test_people_get_a_table() -> None:
    console = Console(file=io.StringIO(), width=120, color_system=None)
    print_live(console, FIGURES)
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    assert "95 of 100 within 210 ms" in shown
    assert "+2.2 MB an hour" in shown


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    monkeypatch.setattr(bench, "live_speed", lambda *_, **__: FIGURES)

    def left(*words: str) -> int:
        with pytest.raises(SystemExit) as out:
            main(["bench", "live", *words])
        return int(out.value.code or 0)

    return left


def test_figures_come_as_json_and_as_a_file(
    run: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--json", "--out", str(tmp_path / "r" / "live.json")) == 0
    report = json.loads(capsys.readouterr().out)
    assert report == json.loads((tmp_path / "r" / "live.json").read_text(encoding="utf-8"))
    assert report["live"]["event_p95_ms"] == 210.0


def test_no_time_is_no_measurement(run: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--minutes", "0") == 2
    assert "--minutes" in capsys.readouterr().err


@pytest.mark.people
def test_a_clip_without_a_face_is_told(clip: Path) -> None:
    with pytest.raises(KempsServerError, match="there is no face"):
        live_speed(clip, TableConfig(), 0.01, faces=clip)


def costs(record_ms: float, watch_ms: float, *, each: int = 1, frames: int = 30) -> Costs:
    """Frames that all cost the same; each ``each``-th makes an event known."""
    return Costs(
        1000 / 15, [record_ms] * frames, [watch_ms] * frames, [int(n % each == 0) for n in range(frames)]
    )


def test_a_machine_with_time_to_spare_drops_nothing_and_is_as_late_as_a_frame_takes() -> None:
    found = live_budget(costs(10, 40), None, 0.2)
    assert found.dropped == 0
    assert found.table_fps == pytest.approx(15, abs=0.2)
    assert found.event_p50_ms == pytest.approx(50, abs=3)
    assert found.event_p95_ms == pytest.approx(50, abs=3)
    assert found.used == pytest.approx(15 * 50 / 1000, abs=0.02)


def test_frames_that_take_longer_than_they_last_are_dropped_and_lateness_does_not_grow() -> None:
    found = live_budget(costs(10, 150), None, 0.5)
    assert found.table_fps == pytest.approx(1000 / 150, abs=0.3)
    assert found.dropped > 200
    # The newest is taken: it has waited for one frame's length at most.
    assert found.event_p95_ms <= 150 + 10 + 67 + 3


def test_faces_wait_for_a_table_that_is_late_and_share_what_it_leaves() -> None:
    late = live_budget(costs(10, 300), costs(10, 50), 0.5)
    assert 0.8 < late.faces_fps < 2  # one a second, whatever happens; more until it is known to be late
    easy = live_budget(costs(10, 60), costs(10, 90), 0.5)
    assert easy.table_fps == pytest.approx(15, abs=1.5)
    assert 5 < easy.faces_fps < 12
    assert easy.used <= 2.0


def test_each_frame_of_a_clip_is_charged_with_what_it_takes(clip: Path) -> None:
    with open_source(str(clip)) as source:
        found = table_costs(source, TableConfig(), NoCards(), None)
    assert len(found.record_ms) == len(found.watch_ms) == len(found.events) == 30
    assert min(found.record_ms) > 0
    assert min(found.watch_ms) > 0
    assert sum(found.events) >= 1


def test_people_get_a_table_of_the_made_up_machine() -> None:
    console = Console(file=io.StringIO(), width=120, color_system=None)
    print_budget(console, live_budget(costs(10, 40), None, 0.1))
    assert isinstance(console.file, io.StringIO)
    assert "by processor time" in console.file.getvalue()
    assert "15.0 frames of the table" in console.file.getvalue()
