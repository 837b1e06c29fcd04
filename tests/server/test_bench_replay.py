"""``kemps bench replay``: what counts as a wrong frame, and which bars are met."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kemps_server.bench import replay_seeks
from kemps_server.bench.replay import BEGIN, END, bars_of
from kemps_server.bench.replay_seeks import seek_all
from kemps_server.film.film import Film

SEEKS = {"seeks": 1000, "wrong": 0, "p50_ms": 20.0, "p95_ms": 60.0, "index_ms": 90.0}
PAGE = {
    "events": 5700,
    "first_most_ms": 1100.0,
    "again_p50_ms": 400.0,
    "steps": 400,
    "work_p95_ms": 12.0,
    "work_most_ms": 30.0,
    "rows": 25,
}


def verdicts(seeks: dict[str, Any] | None = None, page: dict[str, Any] | None = None) -> list[str]:
    report = {"cpus": 2, "seeks": {"constant rate": SEEKS | (seeks or {})}, "page": PAGE | (page or {})}
    return [bar["verdict"] for bar in bars_of(report)]


def test_frames_are_right_in_films_of_both_rates() -> None:
    found = seek_all(20, frames=60)
    assert [(one.seeks, one.wrong) for one in found.values()] == [(20, 0), (20, 0)]
    assert list(found) == ["constant rate", "variable rate"]


def test_a_film_that_shows_the_frame_after_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    class Late(Film):
        """Shows one frame too late."""

        def shot_at(self, camera: str, at_ms: int) -> Any:  # noqa: ANN401 - as its own
            return self.beside_shot(camera, super().shot_at(camera, at_ms), 1)

    monkeypatch.setattr(replay_seeks, "Film", Late)
    assert all(one.wrong >= 18 for one in seek_all(20, frames=60).values())


def test_bars_are_met_or_missed() -> None:
    assert verdicts() == ["met"] * 3
    assert verdicts({"wrong": 1}) == ["missed", "met", "met"]
    assert verdicts(page={"first_most_ms": 1501.0}) == ["met", "missed", "met"]
    assert verdicts(page={"events": 4999}) == ["met", "missed", "met"]
    assert verdicts(page={"work_p95_ms": 33.1}) == ["met", "met", "missed"]


def test_the_document_has_room_for_the_figures() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert BEGIN in text
    assert END in text
