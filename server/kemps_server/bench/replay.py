"""``kemps bench replay``: the frame shown at a moment, and the page of an evening in a browser."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import typer
from rich.console import Console
from rich.table import Table

from kemps_server.bench.marked_document import markdown_table, put_between
from kemps_server.bench.replay_page import page_speed
from kemps_server.bench.replay_seeks import seek_all
from kemps_server.bench.report_files import write_report

BEGIN: Final = "<!-- kemps bench replay --docs: begin -->"
END: Final = "<!-- kemps bench replay --docs: end -->"
USABLE_MS: Final = 1500
STEP_MS: Final = 33


def replay(
    seeks: int = typer.Option(1000, min=10, metavar="N", help="Random moments in each film."),
    steps: int = typer.Option(400, min=10, metavar="N", help="Steps of a drag over the timeline."),
    as_json: bool = typer.Option(False, "--json", help="The figures as one JSON object."),
    out: Path | None = typer.Option(None, metavar="FILE", help="Also write the JSON object to this file."),
    docs: Path | None = typer.Option(
        None, metavar="FILE", help="Also put the table into this document, between its marks."
    ),
) -> None:
    """The replay of a game: frames sought at random, and the page of an evening of an hour in chromium.

    Run it on a machine that does nothing else: its figures are wall time.
    """
    report: dict[str, Any] = {
        "cpus": os.cpu_count(),
        "seeks": {name: _rounded(asdict(found)) for name, found in seek_all(seeks).items()},
        "page": _rounded(asdict(page_speed(steps))),
    }
    report["bars"] = bars_of(report)
    if out is not None:
        write_report(out, report)
    if docs is not None:
        rows = [[bar["what"], bar["bar"], bar["figure"], f"**{bar['verdict']}**"] for bar in report["bars"]]
        heads = ["what", "bar", f"figure ({report['cpus']} cores)", ""]
        put_between(docs, BEGIN, END, "\n".join(markdown_table(heads, rows)) + "\n")
    if as_json:
        print(json.dumps(report))  # noqa: T201 - the answer
    else:
        Console(highlight=False).print(_table(report))


def bars_of(report: dict[str, Any]) -> list[dict[str, str]]:
    """What was asked for, what came of it, and whether that is enough."""
    page = report["page"]
    seeks = [
        _bar(
            f"frame shown at {found['seeks']:,} random moments, {name}",
            "all of them the moment's own",
            f"{found['wrong']} wrong; half of them within {found['p50_ms']:.0f} ms, 95 of 100 within "
            f"{found['p95_ms']:.0f}; the index once in {found['index_ms']:.0f}",
            is_met=found["wrong"] == 0,
        )
        for name, found in report["seeks"].items()
    ]
    usable = _bar(
        f"page of a game of an hour, {page['events']:,} events, with its film",
        f"usable ≤ {USABLE_MS / 1000} s",
        f"{page['first_most_ms'] / 1000:.2f} s the first time, {page['again_p50_ms'] / 1000:.2f} s again",
        is_met=page["events"] >= 5000 and page["first_most_ms"] <= USABLE_MS,
    )
    step = _bar(
        f"script, style and layout of a step, {page['steps']:,} over its timeline",
        f"p95 ≤ {STEP_MS} ms",
        f"{page['work_p95_ms']:.1f} ms, the most {page['work_most_ms']:.1f}; {page['rows']} rows of the list",
        is_met=page["work_p95_ms"] <= STEP_MS,
    )
    return [*seeks, usable, step]


def _bar(what: str, bar: str, figure: str, *, is_met: bool) -> dict[str, str]:
    return {"what": what, "bar": bar, "figure": figure, "verdict": "met" if is_met else "missed"}


def _table(report: dict[str, Any]) -> Table:
    table = Table(title="Replay", title_justify="left")
    for head in ("what", "bar", "figure", ""):
        table.add_column(head)
    for bar in report["bars"]:
        table.add_row(bar["what"], bar["bar"], bar["figure"], bar["verdict"])
    return table


def _rounded(figures: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 1) if isinstance(value, float) else value for name, value in figures.items()}
