"""``kemps bench cards``: how well the card reader reads labelled photos."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import track
from rich.table import Table

from kemps_models.registry import load_manifest
from kemps_server.bench.card_photos import (
    TUNING_SOURCES,
    Outcome,
    Photo,
    Score,
    groups,
    load_photos,
    outcome,
    recall_by_colour,
    score,
)
from kemps_server.bench.card_sheet import tile, write_sheet
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_vision.cards.reader import Thresholds, default_reader
from kemps_vision.cards.reading import CardReader, Pixels
from kemps_vision.cards.stills import load_still

NATIVE: Final = 0
_JPEG_QUALITY: Final = 92


def cards(
    data: Path | None = typer.Option(None, metavar="DIR", help="Folder of photos with a labels.csv."),
    width: list[int] = typer.Option([NATIVE, 1280], metavar="N", help="Long side in px; 0 = as it is."),
    as_json: bool = typer.Option(False, "--json", help="The figures as one JSON object."),
    out: Path | None = typer.Option(None, metavar="FILE", help="Also write the JSON object to this file."),
    sheet: Path | None = typer.Option(None, metavar="FILE.png", help="Also draw the photos with errors."),
) -> None:
    """Precision, recall, F1 and exactly read photos by layout and source, with 95 % intervals."""
    if data is None:
        raise KempsServerError("no labelled photos are shipped; name a folder with labels.csv: --data DIR")
    photos = load_photos(data)
    reader = default_reader(threads=min(2, os.cpu_count() or 1))
    tiles: list[Pixels] = []
    results = {
        _name(size): list(_outcomes(photos, reader, size, tiles if sheet and size == width[0] else None))
        for size in width
    }
    report = _report(results)
    if out is not None:
        _write(out, report)
    if sheet is not None:
        write_sheet(sheet, tiles)
    if as_json:
        print(json.dumps(report))  # noqa: T201 - the answer
    else:
        _print_tables(results)


def shrunk(pixels: Pixels, long_side_px: int) -> Pixels:
    """The picture as a camera of that width would store it: smaller, and JPEG again; never enlarged."""
    factor = long_side_px / max(pixels.shape[:2])
    if long_side_px == NATIVE or factor >= 1:
        return pixels
    small = cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    bgr = cv2.cvtColor(small, cv2.COLOR_RGB2BGR)
    _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    return np.ascontiguousarray(cv2.imdecode(data, cv2.IMREAD_COLOR_RGB), dtype=np.uint8)


def _outcomes(
    photos: Sequence[Photo], reader: CardReader, size: int, tiles: list[Pixels] | None
) -> Iterator[Outcome]:
    console = Console(stderr=True)
    shown = track(photos, f"reading at {_name(size)}", console=console, disable=not console.is_terminal)
    for photo in shown:
        pixels = shrunk(load_still(photo.path), size)
        reading = reader.read(pixels)
        known = [card.card for card in reading.known if card.card]
        result = outcome(photo, known, reading.ms, reading.unread)
        if tiles is not None and not result.is_exact and not photo.has_other_letters:
            tiles.append(tile(pixels, reading, result))
        yield result


def _name(size: int) -> str:
    return "native" if size == NATIVE else f"{size} px"


def _report(results: dict[str, list[Outcome]]) -> dict[str, Any]:
    return {
        "reader": {"deck": "any", "alphabet": "international", "thresholds": asdict(Thresholds())},
        "weights": {name: entry.sha256 for name, entry in load_manifest().items()},
        "tuning_sources": list(TUNING_SOURCES),
        "sizes": {
            size: {name: _rounded(score(group)) for name, group in groups(outcomes).items()}
            for size, outcomes in results.items()
        },
        "recall_by_colour": {
            size: {
                colour: round(share, 4)
                for colour, share in recall_by_colour(
                    [o for o in some if not o.photo.has_other_letters]
                ).items()
            }
            for size, some in results.items()
        },
        "errors": {
            size: [
                {"image": o.photo.path.name, "missed": [*map(str, o.missed)], "extra": [*map(str, o.extra)]}
                for o in outcomes
                if not o.is_exact
            ]
            for size, outcomes in results.items()
        },
    }


def _rounded(figures: Score) -> dict[str, Any]:
    return {
        name: [round(part, 4) for part in value] if isinstance(value, tuple) else round(value, 4)
        for name, value in asdict(figures).items()
    }


def _write(path: Path, report: dict[str, Any]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise WorkFailedError(f"{path}: cannot be written ({error.strerror})") from None


def _print_tables(results: dict[str, list[Outcome]]) -> None:
    console = Console()
    for size, outcomes in results.items():
        table = Table(
            title=f"Cards in photos, {size}", title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0)
        )
        table.add_column("photos of", min_width=18)
        for head in ("cards", "P", "R", "F1", "95 %", "exact", "ms"):
            table.add_column(head, justify="right", no_wrap=True)
        for name, group in groups(outcomes).items():
            table.add_row(name.removeprefix("source "), *_cells(score(group)))
        console.print(table)


def _cells(figures: Score) -> list[str]:
    shares = (figures.precision, figures.recall, figures.f1)
    return [
        str(figures.cards),
        *(f"{share:.3f}" for share in shares),
        f"{figures.f1_95[0]:.3f}–{figures.f1_95[1]:.3f}",
        f"{round(figures.exact * figures.photos)}/{figures.photos}",
        f"{figures.ms_median:.0f}",
    ]
