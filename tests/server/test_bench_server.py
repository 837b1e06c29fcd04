from __future__ import annotations

from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest

from kemps_rules.events import GameOpened
from kemps_rules.journal import format_event
from kemps_rules.seats import seats_of
from kemps_server.bench.served_game import public_events
from kemps_server.bench.server import lateness, socket_speed
from kemps_server.bench.server_clients import Heard
from kemps_server.bench.server_tables import BEGIN, END, bars_of, put_into
from kemps_server.live.cursor import Cursor
from kemps_server.live.public_state import public_state
from kemps_server.store.journals import Line

FIGURES: dict[str, Any] = {"p50_ms": 40.0, "p95_ms": 60.0, "most_ms": 90.0, "lost": 0, "disordered": 0}


def report(**overlays: object) -> dict[str, Any]:
    sockets = FIGURES | {
        "events": 90,
        "per_s": 20.0,
        "memory_before_mb": 100.0,
        "memory_after_mb": 101.0,
        "cpus": 0.4,
    }
    made: dict[str, Any] = {
        "cpus": 2,
        "overlays": FIGURES | {"overlays": 20, "page_p95_ms": 50.0} | overlays,
        "sockets": sockets | {"clients": 200, "stuck": 0},
        "beside_stuck": sockets | {"clients": 50, "stuck": 1},
        "idle": {"seconds": 60.0, "browser_percent": 0.4, "server_percent": 1.0},
    }
    return made | {"bars": bars_of(made)}


def test_each_event_of_the_bench_changes_what_the_public_sees() -> None:
    cursor = Cursor("bench")
    header = GameOpened(at_ms=0, seats={seat: seat for seat in seats_of(4)})
    cursor.take(Line(0, format_event(header)))
    states = []
    for number, event in enumerate(islice(public_events(), 150), 1):
        cursor.take(Line(number, format_event(event)))
        assert cursor.seen is not None
        states.append(public_state(cursor.seen))
    assert all(one != other for one, other in pairwise(states))
    assert all(
        (one["centre"], one["deal"]["number"]) != (other["centre"], other["deal"]["number"])
        for one, other in pairwise(states)
    )


def test_a_socket_that_misses_repeats_or_starts_anew_is_not_in_order() -> None:
    assert Heard((4, 5, 6), (0.0, 0.0, 0.0), 1).is_in_order
    assert not Heard((4, 6), (0.0, 0.0), 1).is_in_order
    assert not Heard((4, 4), (0.0, 0.0), 1).is_in_order
    assert not Heard((5, 4), (0.0, 0.0), 1).is_in_order
    assert not Heard((4, 5), (0.0, 0.0), 2).is_in_order


def test_lateness_goes_by_the_number_of_the_delta_and_not_by_how_many_came() -> None:
    missing_one = Heard((7, 9), (10.0, 330.0), 1)
    assert lateness([0.0, 100.0, 200.0], [missing_one]) == [10.0, 130.0]


@pytest.mark.parametrize(
    ("overlays", "verdict"),
    [
        ({}, "met"),
        ({"p95_ms": 151.0}, "missed"),
        ({"lost": 1}, "missed"),
        ({"p95_ms": float("inf")}, "missed"),
    ],
)
def test_a_bar_is_met_by_its_figure_alone(overlays: dict[str, object], verdict: str) -> None:
    assert bars_of(report(**overlays))[0]["verdict"] == verdict


def test_the_table_goes_between_the_marks_of_a_document(tmp_path: Path) -> None:
    document = tmp_path / "figures.md"
    document.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    put_into(document, report())
    text = document.read_text()
    assert text.startswith("before\n")
    assert text.endswith(f"{END}\nafter\n")
    assert "old" not in text
    assert text.count("**met**") == 4


@pytest.mark.e2e
def test_a_served_game_is_told_to_all_sockets_beside_one_that_never_reads() -> None:
    speed = socket_speed(clients=3, stuck=1, events=12, per_s=40)
    assert (speed.lost, speed.disordered) == (0, 0)
    assert speed.p95_ms < float("inf")


def test_a_journal_that_lost_something_misses_its_bar() -> None:
    kills = {"kills": 50, "calls": 130, "events": 1_000, "lost": 0, "not_opened": 0, "not_resumed": 0}
    speeds = [{"batch": 1, "events_per_s": 90.0}, {"batch": 100, "events_per_s": 4_000.0}]
    desks = {"decisions": 30, "p50_ms": 300.0, "p95_ms": 500.0, "most_ms": 1_200.0}
    made = report() | {"kills": kills, "journal": speeds, "desks": desks}
    assert [bar["verdict"] for bar in bars_of(made)[4:]] == ["met", "met", "missed"]
    made |= {"kills": kills | {"lost": 1}, "desks": desks | {"most_ms": 900.0}}
    assert [bar["verdict"] for bar in bars_of(made)[4:]] == ["met", "missed", "met"]
