"""``kemps bench calibration``: how well tables are found and moved cameras followed; games with it."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import typer
from rich.console import Console

from kemps_models.landmarkers import are_fetched
from kemps_server.bench import calibration_games, calibration_nudges, calibration_tables
from kemps_server.bench.calibration_games import ClipFiles, GameResult
from kemps_server.bench.calibration_nudges import NudgeResult
from kemps_server.bench.calibration_tables import TableResult
from kemps_server.errors import KempsServerError
from kemps_vision.cards.reader import default_reader
from kemps_vision.people.tasks import HandReader

SHIPPED: Final = Path("samples") / "clips"
_LEAST_HAND: Final = 0.3


def calibration(
    tables: int = typer.Option(36, min=0, metavar="N", help="Made-up tables, each with six pictures."),
    games: int = typer.Option(6, min=0, metavar="N", help="Made-up games with a nudged camera."),
    minutes: float = typer.Option(6.0, min=0.5, metavar="N", help="How long each of those lasts."),
    clips: int = typer.Option(5, min=0, metavar="N", help="Made-up clips watched with what was found."),
    data: list[Path] = typer.Option(
        [],
        metavar="DIR",
        help="Folders of clips with their table.toml, watched too; samples/clips always is.",
    ),
    as_json: bool = typer.Option(False, "--json", help="One JSON object with each table, game and clip."),
) -> int:
    """Measure kemps calibrate and the watch for moved cameras; the made-up table needs a checkout."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    folders = [folder for folder in (SHIPPED, *data) if folder is not SHIPPED or folder.is_dir()]
    files = _clips(folders, clips)
    reader = default_reader(threads=min(2, os.cpu_count() or 1))
    report: dict[str, Any] = {}
    hands = HandReader(most=8, least_score=_LEAST_HAND) if are_fetched() else None
    try:
        found = calibration_tables.calibrate_tables(tables, reader, hands, lambda one: _say(console, one))
        report["tables"] = {**calibration_tables.summary(found), "each": [asdict(one) for one in found]}
        nudged = calibration_nudges.nudged_games(games, minutes, lambda one: _say(console, one))
        report["nudges"] = {**calibration_nudges.summary(nudged), "each": [asdict(one) for one in nudged]}
        watched = calibration_games.compare_games(files, reader, hands, lambda one: _say(console, one))
        report["games"] = {**calibration_games.summary(watched), "each": [asdict(one) for one in watched]}
    finally:
        if hands is not None:
            hands.close()
    _tell(report, as_json=as_json)
    return 0


def _clips(folders: list[Path], made_up: int) -> list[ClipFiles]:
    files = []
    for folder in folders:
        there = calibration_games.clip_files(folder)
        if not there:
            raise KempsServerError(f"{folder}: holds no clip with its .table.toml beside it")
        files += there
    return [*files, *(calibration_games.made_up_clips(made_up) if made_up else [])]


def _say(console: Console, result: TableResult | NudgeResult | GameResult) -> None:
    match result:
        case TableResult():
            console.print(
                f"{result.names}: overlap {result.overlap:.2f}, {result.inside} of 4 places, "
                f"{result.right} of {result.seats} seats, {result.seen} seen"
            )
        case NudgeResult():
            console.print(f"{result.names}: {result.false_alarms} false, {result.lost} lost, {result.nudges}")
        case GameResult():
            only = f"only given {list(result.only_given)}, only found {list(result.only_found)}"
            console.print(
                f"{result.name}: {result.both} events alike, {only}, {result.seats_right} of {result.seats} "
                f"seats, overlap {result.overlap:.2f}"
            )


def _tell(report: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(report, ensure_ascii=False))  # noqa: T201 - the answer
        return
    console = Console(highlight=False, soft_wrap=True)
    for part, figures in report.items():
        console.print(part, style="bold")
        for name, value in figures.items():
            if name != "each":
                console.print(f"  {name}: {value}")
