"""``kemps bench voice``: how well the calls are heard, in a folder of sounds whose calls are known."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from kemps_models.hearing import hearing_entry
from kemps_server.bench.report_files import write_report
from kemps_server.bench.voice_folder import SoundFile, load_folder
from kemps_server.bench.voice_scores import Listened, voice_scores
from kemps_server.bench.voice_tables import bar_rows, plainly, put_into, voice_bars
from kemps_vision.hearing.features import RATE
from kemps_vision.hearing.listener import shipped_listener
from kemps_vision.hearing.listening import Listening
from kemps_vision.hearing.sources import SoundTrack


def voice(
    data: Path = typer.Option(..., metavar="DIR", help="Folder of wav files with a calls.csv."),
    as_json: bool = typer.Option(False, "--json", help="The figures as one JSON object."),
    out: Path | None = typer.Option(None, metavar="FILE", help="Also write the JSON object to this file."),
    lips: int = typer.Option(
        0,
        min=0,
        metavar="N",
        help="Also draw N clips of four made-up people, of whom one calls every 2.3 seconds: do their lips "
        "name the caller? Two minutes of a processor each.",
    ),
    docs: Path | None = typer.Option(
        None, metavar="FILE.md", help="Also put the tables into this document, between its two marks."
    ),
) -> int:
    """Every figure of hearing the calls, by noise, language, voice and engine, and the bars it is held to.

    The folder of the report is made by ``python -m kemps_training.voice bank folders``; players' own calls
    are added as docs/hearing.md tells. Times are CPU times: what else runs does not count.
    """
    files = load_folder(data)
    shipped_listener()
    listened = [
        _listened(file) for file in track(files, "listening", console=Console(stderr=True), transient=True)
    ]
    report = _head(files) | voice_scores(listened)
    if lips:
        from kemps_server.bench.voice_lips import lips_report  # noqa: PLC0415 - draws people: large

        report["lips"] = lips_report(files, lips)
    report["bars"] = [asdict(bar) | {"verdict": bar.verdict} for bar in voice_bars(report)]
    if out is not None:
        write_report(out, report)
    if docs is not None:
        put_into(docs, report)
    _tell(report, as_json=as_json)
    return 0


def _listened(file: SoundFile) -> Listened:
    """What the product's own way from a file to its calls hears."""
    began = time.process_time()
    seconds = 0.0
    with SoundTrack(str(file.path)) as sound:
        heard = tuple(call.heard for call in Listening(sound))
        seconds = sound.duration_ms / 1000 if sound.duration_ms else 0.0
    return Listened(file, heard, seconds, time.process_time() - began)


def _head(files: Sequence[SoundFile]) -> dict[str, Any]:
    ear = asdict(shipped_listener().ear)
    return {
        "weights": hearing_entry().sha256,
        "ear": ear,
        "rate": RATE,
        "files": dict(Counter(f"{file.set}, {file.origin}" for file in files)),
    }


def _tell(report: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(report))  # noqa: T201 - the answer
        return
    console = Console()
    table = Table("what", "bar", "measured", "")
    for row in bar_rows(voice_bars(report)):
        table.add_row(*row)
    console.print(table)
    console.print(plainly(report))
