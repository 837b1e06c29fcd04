"""``kemps bench table``: how well a game at a table is understood, on clips whose truth is known."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import typer
from rich.console import Console
from rich.progress import track

from kemps_models.registry import load_manifest
from kemps_server.bench.report_files import read_report, write_report
from kemps_server.bench.table_bars import bars
from kemps_server.bench.table_comparison import TOLERANCE, fallen
from kemps_server.bench.table_report import report_of
from kemps_server.bench.table_results import (
    BodySource,
    RenderedSource,
    Source,
    TableResult,
    results,
    shared_sources,
)
from kemps_server.bench.table_sheet import write_strips
from kemps_server.bench.table_tables import print_sheets, put_into, sheets
from kemps_server.bench.table_watching import default_work
from kemps_server.errors import KempsServerError

FELL: Final = 1
GAMES: Final = 16
RESTLESS: Final = 5
CALLS: Final = 308
FIRST_SEED: Final = 60_001
_FOULS_FROM: Final = 900  # seeds after the first one
_FOUL_SCRIPTS: Final = ("passes", "contacts", "hidden", "near_misses", "reaches")
FOULS: Final = 20


def table(  # noqa: PLR0913, PLR0917 - each is an option of the command
    data: Path | None = typer.Option(
        None, metavar="DIR", help="Also score recordings: a folder of CLIP.mp4 with CLIP.json beside it."
    ),
    games: int = typer.Option(GAMES, metavar="N", min=0, help="So many made-up games of a minute."),
    restless: int = typer.Option(RESTLESS, metavar="N", min=0, help="So many minutes in which nobody swaps."),
    calls: int = typer.Option(CALLS, metavar="N", min=0, help="So many calls with a shown hand."),
    fouls: int = typer.Option(
        FOULS, metavar="N", min=0, help="So many half minutes of made-up people who touch, pass and hide."
    ),
    speed: bool = typer.Option(False, "--speed", help="Also measure how long a 720p30 recording takes."),
    seed: int = typer.Option(FIRST_SEED, metavar="N", min=0, help="The first seed; others make new clips."),
    people: bool = typer.Option(
        True, "--people/--no-people", help="Follow hands, as observe does where seats are known."
    ),
    as_json: bool = typer.Option(False, "--json", help="The figures as one JSON object."),
    out: Path | None = typer.Option(None, metavar="FILE", help="Also write the JSON object to this file."),
    sheet: Path | None = typer.Option(
        None, metavar="DIR", help="Also draw what went wrong as strips of frames, a PNG a kind."
    ),
    docs: Path | None = typer.Option(
        None, metavar="FILE.md", help="Also put the tables into this document, between its two marks."
    ),
    compare: Path | None = typer.Option(
        None, metavar="FILE", help="An earlier report of the same clips: exit 1 when a figure of it fell."
    ),
    tolerance: float = typer.Option(TOLERANCE, min=0.0, help="By how much a share may fall."),
    work: Path | None = typer.Option(None, metavar="DIR", help="Where clips and journals are kept."),
    jobs: int = typer.Option(min(2, os.cpu_count() or 1), metavar="N", min=1, help="So many processes."),
) -> int:
    """Swaps, seats, times, centre, verdicts, fouls and speed, and the bars they are held to.

    All clips but those of --data are drawn by the project's checkout from their seeds. Clips and journals are
    kept, so that a run that was broken off goes on where it stopped, and a second one only counts anew.
    """
    earlier = None if compare is None else read_report(compare, "table")
    sources: list[Source] = [*_rendered(seed, games, restless, calls), *_bodies(seed, fouls)]
    if data is not None:
        sources += shared_sources(data)
    if not sources and not speed:
        raise KempsServerError("nothing to measure: ask for games, calls, fouls, --speed or --data")
    folder = work or default_work()
    watched = _watched(sources, folder, jobs, with_people=people)
    if speed:
        fast = _fast(seed)
        watched += _watched([fast], folder, 1, with_people=True)
        watched += _watched([fast], folder, 1, with_people=False)
    report = _head(seed, watched) | report_of(watched)
    judged = bars(report)
    report["bars"] = [bar.as_json() for bar in judged]
    shown = sheets(report, judged)
    if out is not None:
        write_report(out, report)
    if docs is not None:
        put_into(docs, shown)
    if sheet is not None:
        write_strips(sheet, watched)
    if as_json:
        print(json.dumps(report))  # noqa: T201 - the answer
    else:
        print_sheets(Console(), shown)
    return 0 if earlier is None else _compared(earlier, report, tolerance)


def _rendered(seed: int, games: int, restless: int, calls: int) -> list[Source]:
    try:
        from kemps_scenes.table_clips import (  # noqa: PLC0415 - the wheel has no samples
            call_clips,
            game_clips,
            restless_clips,
        )
    except ImportError:
        raise _no_checkout() from None
    clips = [*game_clips(games, seed), *restless_clips(restless, seed), *call_clips(calls, seed)]
    return [RenderedSource.of(clip) for clip in clips]


def _bodies(seed: int, count: int) -> list[Source]:
    scripts = len(_FOUL_SCRIPTS)
    return [
        BodySource(_FOUL_SCRIPTS[number % scripts], seed + _FOULS_FROM + number) for number in range(count)
    ]


def _fast(seed: int) -> Source:
    try:
        from kemps_scenes.table_clips import fast_clip  # noqa: PLC0415 - the wheel has no samples
    except ImportError:
        raise _no_checkout() from None
    return RenderedSource.of(fast_clip(seed))


def _no_checkout() -> KempsServerError:
    return KempsServerError(
        "made-up clips need the project's checkout; there run: pip install -e . (or ask only for --data)"
    )


def _watched(sources: Sequence[Source], folder: Path, jobs: int, *, with_people: bool) -> list[TableResult]:
    console = Console(stderr=True)
    made = results(sources, folder, jobs=jobs, with_people=with_people)
    told = track(made, "clips", total=len(sources), console=console, disable=not console.is_terminal)
    return list(told)


def _head(seed: int, watched: Sequence[TableResult]) -> dict[str, Any]:
    return {
        "first_seed": seed,
        "people": any(result.has_people for result in watched),
        "weights": {name: entry.sha256 for name, entry in load_manifest().items()},
    }


def _compared(earlier: dict[str, Any], report: dict[str, Any], tolerance: float) -> int:
    lines = fallen(earlier, report, tolerance)
    for line in lines:
        print(line, file=sys.stderr)  # noqa: T201 - a line a figure
    return FELL if lines else 0
