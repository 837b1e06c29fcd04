"""The report of ``kemps bench server`` for people: bars met or not, and a table of a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from rich.table import Table

from kemps_server.bench.marked_document import markdown_table, put_between

BEGIN: Final = "<!-- kemps bench server --docs: begin -->"
END: Final = "<!-- kemps bench server --docs: end -->"
FLAT_MB: Final = 8.0  # the allocator's own ups and downs over a minute

Report = Mapping[str, Any]


def bars_of(report: Report) -> list[dict[str, Any]]:
    """What was asked for, what came of it, and whether that is enough."""
    overlays, sockets, stuck = report["overlays"], report["sockets"], report["beside_stuck"]
    idle = report["idle"]
    return [
        _bar(
            f"event on disk → seen in {overlays['overlays']} overlays, one a page in a browser",
            "p95 ≤ 150 ms, none lost",
            f"{overlays['p95_ms']:.0f} ms (half of them in {overlays['p50_ms']:.0f}, all in "
            f"{overlays['most_ms']:.0f}; the page {overlays['page_p95_ms']:.0f}); lost: {overlays['lost']}",
            is_met=overlays["p95_ms"] <= 150 and not overlays["lost"],
        ),
        _bar(
            f"{sockets['clients']} sockets, {sockets['per_s']:g} events a second, {sockets['events']} events",
            "none lost, in order, p95 ≤ 300 ms, memory flat",
            f"{_told(sockets)}; {_memory(sockets)}; {sockets['cpus']:.2f} processors",
            is_met=_is_whole(sockets) and sockets["p95_ms"] <= 300 and _growth(sockets) <= FLAT_MB,
        ),
        _bar(
            f"{stuck['stuck']} socket that never reads beside {stuck['clients']} that do",
            "the others as if it were not there",
            f"{_told(stuck)}; {_memory(stuck)}",
            is_met=_is_whole(stuck) and stuck["p95_ms"] <= 300 and _growth(stuck) <= FLAT_MB,
        ),
        _bar(
            f"an overlay while nothing happens, {idle['seconds']:g} s",
            "< 2 % of a core",
            f"{idle['browser_percent']:.2f} % the browser, {idle['server_percent']:.2f} % the server",
            is_met=idle["browser_percent"] < 2,
        ),
        *_kept(report),
    ]


def _kept(report: Report) -> Iterator[dict[str, Any]]:
    """What is kept of a journal, and what is seen of decisions; of those that were measured."""
    if speeds := report.get("journal"):
        best = max(speeds, key=lambda speed: speed["events_per_s"])
        yield _bar(
            "events kept on disk by SQLite, acknowledged after the commit",
            "≥ 2,000 a second, in batches",
            ", ".join(f"{speed['events_per_s']:,.0f} in batches of {speed['batch']}" for speed in speeds),
            is_met=best["events_per_s"] >= 2000,
        )
    if kills := report.get("kills"):
        yield _bar(
            f"server, observer or both killed at {kills['kills']} random moments",
            "the journal opens each time, nothing acknowledged is lost",
            f"of {kills['calls']} calls and {kills['events']} events lost: {kills['lost']}; not opened: "
            f"{kills['not_opened']}; not gone on with: {kills['not_resumed']}",
            is_met=not (kills["lost"] or kills["not_opened"] or kills["not_resumed"]),
        )
    if desks := report.get("desks"):
        yield _bar(
            f"decided at one desk, seen at another, {desks['decisions']} times",
            "within 1 s",
            f"p95 {desks['p95_ms']:.0f} ms (half of them in {desks['p50_ms']:.0f}, all in "
            f"{desks['most_ms']:.0f})",
            is_met=desks["most_ms"] <= 1000,
        )


def table_of(report: Report) -> Table:
    """The bars for a terminal."""
    table = Table(title="The server under load", title_justify="left")
    for head in ("what", "bar", "figure", ""):
        table.add_column(head)
    for bar in report["bars"]:
        table.add_row(bar["what"], bar["bar"], bar["figure"], bar["verdict"])
    return table


def put_into(path: Path, report: Report) -> None:
    """Writes the bars into a document in place of those between its marks.

    Raises:
        KempsServerError: The document is not there, or lacks the marks.
        WorkFailedError: It cannot be written.
    """
    rows = [[bar["what"], bar["bar"], bar["figure"], f"**{bar['verdict']}**"] for bar in report["bars"]]
    text = "\n".join(markdown_table(["what", "bar", f"figure ({report['cpus']} cores)", ""], rows))
    put_between(path, BEGIN, END, f"{text}\n")


def _bar(what: str, bar: str, figure: str, *, is_met: bool) -> dict[str, Any]:
    return {"what": what, "bar": bar, "figure": figure, "verdict": "met" if is_met else "missed"}


def _told(figures: Report) -> str:
    return (
        f"p95 {figures['p95_ms']:.0f} ms (half of them in {figures['p50_ms']:.0f}, all in "
        f"{figures['most_ms']:.0f}); lost: {figures['lost']}, out of order: {figures['disordered']}"
    )


def _memory(figures: Report) -> str:
    return f"{figures['memory_before_mb']:.0f} → {figures['memory_after_mb']:.0f} MB"


def _growth(figures: Report) -> float:
    return float(figures["memory_after_mb"] - figures["memory_before_mb"])


def _is_whole(figures: Report) -> bool:
    return not figures["lost"] and not figures["disordered"]
