"""``kemps bench speed``: events judged and kept a second, the reader's milliseconds, watching clips."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from kemps_rules.events import Event
from kemps_rules.replay import judge
from kemps_server.bench.card_speed import CardSpeed, card_speeds
from kemps_server.bench.journal_speed import JournalSpeed, journal_speeds
from kemps_server.bench.report_files import write_report
from kemps_server.called import read_calls
from kemps_server.errors import KempsServerError
from kemps_server.shipped import CLIP, shipped_clip
from kemps_server.watching import watch
from kemps_vision.cards.reader import default_reader
from kemps_vision.sources import open_source
from kemps_vision.zones import load_config

_DEALS: Final = 80
_SEED: Final = 7
_REPEATS: Final = 5
_WATCH_THREADS: Final = 2


@dataclass(frozen=True, slots=True)
class JudgeSpeed:
    """A long simulated game folded and judged on one core; it is in memory already.

    Attributes:
        events: Lines of the journal.
        cpu_s: Seconds of the processor that it takes, median of the repetitions.
        events_per_s: Events a second of the processor, in the median.
        fastest_per_s: The same in the fastest repetition.
    """

    events: int
    cpu_s: float
    events_per_s: float
    fastest_per_s: float


@dataclass(frozen=True, slots=True)
class WatchSpeed:
    """The shipped clip watched into a journal with evidence, decoding and writing included."""

    clip_s: float
    wall_s: float
    cpu_s: float
    threads: int
    times_real_time: float


def speed(
    as_json: bool = typer.Option(False, "--json", help="The figures as one JSON object."),
    out: Path | None = typer.Option(None, metavar="FILE", help="Also write the JSON object to this file."),
) -> None:
    """Speed of this machine: rules, journal, card reader, and watching the shipped clip."""
    events = simulated_events()
    judged, kept, read, watched = judge_speed(events), journal_speeds(), card_speeds(), watch_speed()
    report = {
        "cpus": os.cpu_count(),
        "rules": _rounded(asdict(judged)),
        "journal": [_rounded(asdict(one)) for one in kept],
        "cards": [_rounded(asdict(one)) for one in read],
        "observe": {"clip": CLIP, **_rounded(asdict(watched))},
    }
    if out is not None:
        write_report(out, report)
    if as_json:
        print(json.dumps(report))  # noqa: T201 - the answer
    else:
        print_speeds(Console(highlight=False), judged, kept, read, watched)


def simulated_events(deals: int = _DEALS) -> list[Event]:
    """A long game by random legal players.

    Raises:
        KempsServerError: The simulator is not here, because it is not part of the installed package.
    """
    try:
        from kemps_scenes.simulate import simulate_game  # noqa: PLC0415 - the wheel has no samples
    except ImportError:
        raise KempsServerError(
            "kemps bench speed needs the simulator of the project's checkout; there run: pip install -e ."
        ) from None
    return simulate_game(_SEED, deals=deals)


def judge_speed(events: list[Event], repeats: int = _REPEATS) -> JudgeSpeed:
    """How fast a journal that is in memory already is folded and judged."""
    times = _times(lambda: judge(events), repeats)
    median = float(np.median(times))
    return JudgeSpeed(len(events), median, len(events) / median, len(events) / min(times))


def watch_speed() -> WatchSpeed:
    """How fast the shipped clip is watched."""
    reader = default_reader(threads=_WATCH_THREADS)
    with shipped_clip() as clip, TemporaryDirectory() as folder:
        config = load_config(clip.table)
        calls = read_calls(clip.calls, config.seat_names)
        with open_source(str(clip.video), camera=config.table_camera.name) as source:
            wall, cpu = time.perf_counter(), time.process_time()
            summary = watch(source, Path(folder) / "game", config, calls, reader=reader)
            wall_s, cpu_s = time.perf_counter() - wall, time.process_time() - cpu
    clip_s = summary.last_ms / 1000
    return WatchSpeed(clip_s, wall_s, cpu_s, _WATCH_THREADS, clip_s / wall_s)


def print_speeds(
    console: Console,
    judged: JudgeSpeed,
    kept: list[JournalSpeed],
    read: list[CardSpeed],
    watched: WatchSpeed,
) -> None:
    """The figures for people."""
    table = Table(title="Speed on this machine", title_justify="left", show_header=False)
    table.add_row(
        "rules: events folded and judged a second",
        f"{judged.events_per_s:,.0f}",
        f"{judged.events} events, fastest {judged.fastest_per_s:,.0f}",
    )
    for row in kept:
        table.add_row(
            f"journal: events on disk a second, {row.batch} to a transaction",
            f"{row.events_per_s:,.0f}",
            f"{row.events} events, {row.cpu_us:.0f} µs of CPU each",
        )
    for one in read:
        work = f"card reader: {one.width}x{one.height}, {one.crops} indices, {one.threads} thread"
        table.add_row(
            work, f"{one.fastest_ms:.1f} ms", f"median {one.find_ms:.1f} + {one.classify_ms:.1f} ms"
        )
    table.add_row(
        f"observe: the shipped clip of {watched.clip_s:.0f} s, {watched.threads} threads",
        f"{watched.times_real_time:.1f} × real time",
        f"{watched.wall_s:.1f} s, {watched.cpu_s:.1f} s of CPU",
    )
    console.print(table)


def _times(work: Callable[[], object], repeats: int) -> list[float]:
    """Seconds of the processor for each repetition; the waiting for other programs does not count."""
    times = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return times


def _rounded(figures: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 3) if isinstance(value, float) else value for name, value in figures.items()}
