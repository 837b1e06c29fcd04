"""The report of ``kemps bench cards`` as tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from kemps_server.bench.card_bars import Bar


def print_report(console: Console, report: Mapping[str, Any]) -> None:
    """The figures of each part that was measured."""
    for size, part in report.get("photos", {}).items():
        print_groups(console, f"Cards in photos, {size}", part["groups"])
    for size, part in report.get("german", {}).items():
        print_groups(console, f"German letters, {size}, by how they are told", part["groups"])
    if rendered := report.get("rendered"):
        first, last = rendered["seeds"]
        title = f"Made-up hands that overlap, {rendered['size']}, seeds {first} to {last}"
        print_groups(console, title, rendered["groups"])


def print_groups(console: Console, title: str, groups: Mapping[str, Mapping[str, Any]]) -> None:
    """A table with a line a group."""
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("pictures", min_width=18)
    for head in ("cards", "P", "R", "F1", "95 %", "exact", "ms"):
        table.add_column(head, justify="right", no_wrap=True)
    for name, figures in groups.items():
        table.add_row(name.removeprefix("source "), *_cells(figures))
    console.print(table)


def print_bars(console: Console, bars: Sequence[Bar]) -> None:
    """What was asked for, what was measured, and whether that is enough."""
    table = Table(title="Bars", title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for head in ("what", "bar", "figure", ""):
        table.add_column(head)
    for bar in bars:
        figures = "\n".join(f"{where}: {figure}" for where, figure in bar.figures.items())
        table.add_row(bar.what, bar.bar, figures or "–", bar.verdict)
    console.print(table)


def _cells(figures: Mapping[str, Any]) -> list[str]:
    low, high = figures["f1_95"]
    return [
        str(figures["cards"]),
        *(f"{figures[name]:.3f}" for name in ("precision", "recall", "f1")),
        f"{low:.3f}–{high:.3f}",
        f"{round(figures['exact'] * figures['photos'])}/{figures['photos']}",
        f"{figures['ms_median']:.0f}",
    ]
