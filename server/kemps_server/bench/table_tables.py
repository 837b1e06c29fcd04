"""The report of ``kemps bench table`` as tables: on the screen, and in a document between its two marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from kemps_server.bench.card_bars import Bar
from kemps_server.bench.marked_document import markdown_table, put_between

BEGIN: Final = "<!-- kemps bench table --docs: begin -->"
END: Final = "<!-- kemps bench table --docs: end -->"
_FOULS: Final = ("card_passed", "hands_touched", "hand_hidden")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: its title, its heads, its rows of words."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def sheets(report: Mapping[str, Any], bars: Sequence[Bar]) -> list[Sheet]:
    """The bars, and what they stand on."""
    return [_bars(bars), *_looks(report), *_calls(report), *_shared(report), *_fouls(report)]


def _bars(bars: Sequence[Bar]) -> Sheet:
    rows = tuple(
        (bar.what, bar.bar, "; ".join(f"{where}: {one}" for where, one in bar.figures.items()), bar.verdict)
        for bar in bars
    )
    return Sheet("Bars", ("what", "bar", "figure", ""), rows)


def _looks(report: Mapping[str, Any]) -> Iterator[Sheet]:
    games = report.get("games")
    if games is None:
        return
    rows = tuple(
        (f"{name} {value}", str(one["swaps"]), *(_share(one[part]) for part in _PARTS))
        for name, values in games["by"].items()
        for value, one in values.items()
    )
    heads = ("games", "taken and laid", "recall", "precision", "right seat", "centre right")
    yield Sheet(f"Games, {games['clips']} clips, {games['minutes']} minutes", heads, rows)


_PARTS: Final = ("recall", "precision", "seats", "centre")


def _calls(report: Mapping[str, Any]) -> Iterator[Sheet]:
    calls = report.get("calls")
    if calls is None:
        return
    for head, part in (("call", "by_kind"), ("shown", "by_style")):
        rows = tuple(
            (
                name.replace("_", " "),
                str(one["calls"]),
                str(one["right_rulings"]),
                str(one["open"]),
                str(one["wrong"]),
                f"{one['well_shown_open']}/{one['well_shown']}",
            )
            for name, one in calls[part].items()
        )
        heads = (head, "calls", "ruled as it is", "left open", "ruled wrongly", "open though shown well")
        yield Sheet(f"Calls by {'kind' if head == 'call' else 'style of the shown hand'}", heads, rows)


def _shared(report: Mapping[str, Any]) -> Iterator[Sheet]:
    part = report.get("shared")
    if part is None:
        return
    verdicts = part["verdicts"]
    rows = (
        ("taken and laid: recall", _counted(part["swaps"]["recall"])),
        ("taken and laid: precision", _counted(part["swaps"]["precision"])),
        ("right seat", _counted(part["seats"])),
        ("centre right", _counted(part["centre"])),
        ("sweeps", f"{part['sweeps']['found']} found, {part['sweeps']['extra']} invented"),
        ("hands shown, seat and all cards right", _counted(part["reveals"]["recall"])),
        (
            "verdicts",
            f"{verdicts['right_rulings']} of {verdicts['calls']} ruled as it is, {verdicts['wrong']} wrong",
        ),
        *((kind.replace("_", " "), _counted(part["fouls"]["recall"][kind])) for kind in _FOULS),
        ("false fouls", str(sum(part["fouls"]["false"].values()))),
    )
    yield Sheet(f"Clips of another renderer, {part['clips']} of them", ("what", "figure"), rows)


def _fouls(report: Mapping[str, Any]) -> Iterator[Sheet]:
    parts = {
        "made-up people": report.get("fouls"),
        "made-up table, where nobody does any": report.get("false_flags_made_up_table"),
    }
    rows = tuple(
        (
            name,
            f"{part['minutes']}",
            *(_found(part, kind) for kind in _FOULS),
            f"{part['false_in_10_minutes']}",
        )
        for name, part in parts.items()
        if part
    )
    heads = ("clips", "minutes", "cards passed", "hands touched", "hands hidden", "false in 10 minutes")
    if rows:
        yield Sheet("Fouls: found of those there are, and false ones", heads, rows)


def _found(part: Mapping[str, Any], kind: str) -> str:
    false = f"{part['false'][kind]} false"
    return f"{_counted(part['recall'][kind])}, {false}" if "recall" in part else false


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _counted(part: Mapping[str, Any]) -> str:
    return f"{part['right']}/{part['of']}"


def print_sheets(console: Console, all_sheets: Sequence[Sheet]) -> None:
    """The tables for people."""
    for sheet in all_sheets:
        table = Table(title=sheet.title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
        for head in sheet.heads:
            table.add_column(head)
        for row in sheet.rows:
            table.add_row(*row)
        console.print(table)


def markdown(all_sheets: Sequence[Sheet]) -> str:
    """The tables for a document."""
    parts = []
    for sheet in all_sheets:
        lines = [f"### {sheet.title}", "", *markdown_table(sheet.heads, sheet.rows), ""]
        parts.append("\n".join(lines))
    return "\n".join(parts)


def put_into(path: Path, all_sheets: Sequence[Sheet]) -> None:
    """Writes the tables into a document in place of those between its marks.

    Raises:
        KempsServerError: The document is not there, or lacks the marks.
        WorkFailedError: It cannot be written.
    """
    put_between(path, BEGIN, END, markdown(all_sheets))
