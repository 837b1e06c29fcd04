"""``kemps doctor``: what is wrong with the installation and the cameras, and what to do."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import typer
from rich.console import Console
from rich.text import Text

from kemps_models.errors import ModelError
from kemps_server.doctoring.cameras import camera_sources
from kemps_server.doctoring.card_sizes import size_table
from kemps_server.doctoring.examination import examine
from kemps_server.doctoring.findings import Diagnosis, Finding, Level, is_fine
from kemps_server.doctoring.installation import check_installation
from kemps_server.doctoring.skew import check_skew
from kemps_vision.calibration.record import CameraRecord, load_record, record_path
from kemps_vision.cards.reader import default_reader
from kemps_vision.errors import ImageError, SourceError
from kemps_vision.sources import kind_of, open_source
from kemps_vision.sources.stills import PICTURE_ENDINGS
from kemps_vision.zones import CameraZones, TableConfig, load_config

_FIX: Final = 1
_INPUT_WRONG: Final = 2
_CLOCKS: Final = "clocks"
_SIGNS: Final = {Level.OK: ("ok  ", "green"), Level.NOTE: ("note", "yellow"), Level.FIX: ("FIX ", "bold red")}


def doctor(
    sources: list[str] = typer.Argument(
        None,
        metavar="SOURCE…",
        help="A camera's number, a video file, a still, a folder of stills, or a stream's URL.",
        show_default=False,
    ),
    config: Path | None = typer.Option(None, metavar="FILE", help="table.toml: cameras, centre and seats."),
    as_json: bool = typer.Option(False, "--json", help="One JSON object with findings and figures."),
) -> int:
    """Say what is wrong with installation, cameras, light and card size, and what to do about it.

    Lay some cards face up where they lie in the game. Without SOURCE only the installation is looked at. The
    exit code is 0 when all is fine, 1 when there is something to put right, 2 when a source cannot be opened.
    """
    table = TableConfig() if config is None else load_config(config)
    record = None if config is None else load_record(record_path(config))
    cameras = camera_sources(sources or [], table)
    diagnoses = [check_installation(size_table())]
    failed = 0
    for camera, where in cameras:
        try:
            stood = None if record is None else record.cameras.get(camera.name)
            diagnoses.append(_examined(camera, where, table, stood))
        except ModelError:
            break  # told under "models" already, and no other camera can be read either
        except (SourceError, ImageError) as error:
            print(f"kemps doctor: {error}", file=sys.stderr)  # noqa: T201 - the one line a person gets
            failed += 1
    clocks = _clocks(cameras) if not failed and len(cameras) > 1 else []
    if clocks:
        diagnoses.append(Diagnosis(_CLOCKS, tuple(clocks)))
    _tell(diagnoses, failed, as_json=as_json)
    return _INPUT_WRONG if failed else 0 if is_fine(diagnoses) else _FIX


def _clocks(cameras: Sequence[tuple[CameraZones, str]]) -> list[Finding]:
    """How far cameras are apart, of those that move."""
    moving = [
        (camera, where)
        for camera, where in cameras
        if kind_of(where) != "stills" and Path(where).suffix.lower() not in PICTURE_ENDINGS
    ]
    try:
        return check_skew(moving, lambda where, name: open_source(where, camera=name))
    except SourceError as error:
        return [Finding(Level.NOTE, "clocks", f"not compared: {error}")]


def _examined(camera: CameraZones, where: str, table: TableConfig, record: CameraRecord | None) -> Diagnosis:
    console = Console(stderr=True)
    reader = default_reader(threads=min(2, os.cpu_count() or 1))
    if not console.is_terminal:
        return examine(camera, where, table, reader, size_table(), record=record)
    with console.status(f"looking through {camera.name}: {where}"):
        return examine(camera, where, table, reader, size_table(), record=record)


def _tell(diagnoses: Sequence[Diagnosis], failed: int, *, as_json: bool) -> None:
    if as_json:
        clocks = [one.as_json() for each in diagnoses if each.name == _CLOCKS for one in each.findings]
        installation, *cameras = (each.as_json() for each in diagnoses if each.name != _CLOCKS)
        answer = {
            "fine": is_fine(diagnoses) and not failed,
            "installation": installation["findings"],
            "cameras": cameras,
            "clocks": clocks,
        }
        print(json.dumps(answer, ensure_ascii=False))  # noqa: T201 - the answer
        return
    console = Console(highlight=False, soft_wrap=True)
    for diagnosis in diagnoses:
        source = diagnosis.figures.get("source")
        console.print(Text(diagnosis.name if source is None else f"{diagnosis.name}: {source}", style="bold"))
        for finding in diagnosis.findings:
            for line in finding_lines(finding):
                console.print(line)
    console.print(_summary(diagnoses, failed))


def finding_lines(finding: Finding) -> Iterator[Text]:
    """A finding as it is shown: the line, and what to do under it."""
    sign, style = _SIGNS[finding.level]
    yield Text.assemble("  ", (sign, style), f"  {finding.about}: {finding.says}")
    if finding.todo:
        yield Text(f"        → {finding.todo}")


def _summary(diagnoses: Sequence[Diagnosis], failed: int) -> str:
    levels = [finding.level for diagnosis in diagnoses for finding in diagnosis.findings]
    fixes, notes = levels.count(Level.FIX), levels.count(Level.NOTE)
    parts = [f"{failed} not looked through" if failed else "", f"{fixes} to put right" if fixes else ""]
    told = [part for part in parts if part] or ["nothing to put right"]
    return ", ".join([*told, f"{notes} to know"] if notes else told)
