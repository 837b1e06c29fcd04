"""``kemps bench cards``: how well the card reader reads labelled photos, made-up hands and scene clips."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, TypeVar

import typer
from rich.console import Console
from rich.progress import track

from kemps_models.registry import FOLDER, load_manifest
from kemps_server.bench.card_bars import Bar, bars
from kemps_server.bench.card_fans import FULL, fan_outcomes, fan_report
from kemps_server.bench.card_letters import GIVEN, letters_figures
from kemps_server.bench.card_looks import (
    NATIVE,
    LookStore,
    PhotoPicture,
    Picture,
    committed_networks,
    float_networks,
    work_folder,
)
from kemps_server.bench.card_markdown import put_into
from kemps_server.bench.card_photos import (
    REPORTING_SOURCES,
    TUNING_SOURCES,
    Outcome,
    Photo,
    load_photos,
    outcome_of,
    photo_headings,
)
from kemps_server.bench.card_scores import error_line, groups, recall_by_colour, score, wrong_and_sure
from kemps_server.bench.card_sheet import failures, write_sheet
from kemps_server.bench.card_speed import card_speeds
from kemps_server.bench.card_tables import print_bars, print_report
from kemps_server.bench.fan_pictures import fan_pictures
from kemps_server.bench.report_comparison import TOLERANCE, fallen
from kemps_server.bench.report_files import read_report, write_report
from kemps_server.errors import KempsServerError
from kemps_vision.cards.reader import Thresholds

SIZES: Final = (NATIVE, 1600, 1280, 960)
FELL: Final = 1

_T = TypeVar("_T")
_TRAINING_REPORT: Final = FOLDER.parent / "reports" / "cards_training.json"
_Shown = list[tuple[Picture, Outcome, str]]


def cards(  # noqa: PLR0913, PLR0917 - each is an option of the command
    data: Path | None = typer.Option(None, metavar="DIR", help="Folder of photos with a labels.csv."),
    width: list[int] = typer.Option([*SIZES], metavar="N", help="Long side in px; 0 = as it is."),
    fans: int = typer.Option(FULL, metavar="N", min=0, help="So many made-up hands that overlap."),
    scenes: bool = typer.Option(False, "--scenes", help="Also watch scene clips (half an hour)."),
    clips: int = typer.Option(0, metavar="N", min=0, help="So many scene clips; 0 = all of them."),
    clips_from: int = typer.Option(
        1, metavar="N", min=1, help="The first scene clip; others than 1 to 160 are new."
    ),
    speed: bool = typer.Option(False, "--speed", help="Also measure the networks' speed."),
    floating: Path | None = typer.Option(
        None, "--float", metavar="DIR", help="Folder of the networks before int8, to tell what that costs."
    ),
    as_json: bool = typer.Option(False, "--json", help="The figures as one JSON object."),
    out: Path | None = typer.Option(None, metavar="FILE", help="Also write the JSON object to this file."),
    sheet: Path | None = typer.Option(None, metavar="FILE.png", help="Also draw the pictures with errors."),
    docs: Path | None = typer.Option(
        None, metavar="FILE.md", help="Also put the tables into this document, between its two marks."
    ),
    compare: Path | None = typer.Option(
        None, metavar="FILE", help="An earlier report: exit 1 when a figure of it fell."
    ),
    tolerance: float = typer.Option(TOLERANCE, min=0.0, help="By how much a figure may fall."),
    work: Path | None = typer.Option(None, metavar="DIR", help="Where looks are kept; else in the cache."),
    jobs: int = typer.Option(min(2, os.cpu_count() or 1), metavar="N", min=1, help="So many processes."),
) -> int:
    """Every figure of the card reader, by layout, source, deck, size and light, and the bars it is held to.

    Photos need --data; made-up hands and scene clips need the project's checkout. What was looked at is kept,
    so that a second run is quick while weights and code are the same.
    """
    earlier = None if compare is None else read_report(compare, "cards")
    networks, folder = committed_networks(), work or work_folder()
    store, shown = LookStore(folder, networks, jobs), list[tuple[Picture, Outcome, str]]()
    report = _head()
    if data is not None:
        report |= _photos_part(load_photos(data), width, store, shown)
        if floating is not None:
            report["int8_loss"] |= _loss(
                load_photos(data), store, LookStore(folder, float_networks(floating), jobs)
            )
    if fans:
        report["rendered"] = _fans_part(fans, store, shown)
    if scenes:
        report["scenes"] = _scenes_part(clips, clips_from, work, sheet, jobs)
    if speed:
        report["speed"] = [_rounded(asdict(one)) for one in card_speeds()]
    judged = bars(report)
    report["bars"] = [bar.as_json() for bar in judged]
    if out is not None:
        write_report(out, report)
    if docs is not None:
        put_into(docs, report)
    if sheet is not None:
        write_sheet(sheet, failures(shown, networks))
    _tell(report, judged, as_json=as_json)
    return 0 if earlier is None else _compared(earlier, report, tolerance)


def _tell(report: dict[str, Any], judged: Sequence[Bar], *, as_json: bool) -> None:
    """Prints the report."""
    if as_json:
        print(json.dumps(report))  # noqa: T201 - the answer
    else:
        console = Console()
        print_report(console, report)
        print_bars(console, judged)


def _compared(earlier: dict[str, Any], report: dict[str, Any], tolerance: float) -> int:
    """Tells which figures fell; the exit code."""
    lines = fallen(earlier, report, tolerance)
    for line in lines:
        print(line, file=sys.stderr)  # noqa: T201 - a line a figure
    return FELL if lines else 0


def _head() -> dict[str, Any]:
    manifest = load_manifest()
    training = _training_loss()
    return {
        "reader": {"deck": "any", "alphabet": "any", "thresholds": asdict(Thresholds())},
        "weights": {name: entry.sha256 for name, entry in manifest.items()},
        "weights_bytes": sum(entry.bytes for entry in manifest.values()),
        "int8_loss": {} if training is None else {"held-out made-up pictures": training},
    }


def _training_loss() -> float | None:
    """How much F1 int8 lost on the pictures that training held out; None where its report is not."""
    try:
        kinds = json.loads(_TRAINING_REPORT.read_text(encoding="utf-8"))
        f1 = {}
        for kind in ("float", "int8"):
            precision, recall = (kinds[kind]["all"][name] for name in ("precision", "recall"))
            f1[kind] = 2 * precision * recall / (precision + recall)
    except (OSError, json.JSONDecodeError, KeyError, ZeroDivisionError):
        return None
    return float(round(f1["float"] - f1["int8"], 4))


def _photos_part(
    photos: Sequence[Photo], widths: Sequence[int], store: LookStore, shown: _Shown
) -> dict[str, Any]:
    part: dict[str, Any] = {
        "tuning_sources": [*TUNING_SOURCES],
        "reporting_sources": [*REPORTING_SOURCES],
        "photos": {},
        "german": {},
    }
    german = [photo for photo in photos if photo.has_other_letters]
    for size in widths:
        pictures = [PhotoPicture(photo.path, size) for photo in photos]
        outcomes = _outcomes(photos, pictures, store, _name(size))
        shown += [
            (picture, one, _name(size))
            for picture, one in zip(pictures, outcomes, strict=True)
            if not one.photo.has_other_letters
        ]
        part["photos"][_name(size)] = _figures(outcomes)
        if german:
            letters = letters_figures(german, store, size)
            part["german"][_name(size)] = letters.as_json()
            shown += [
                (picture, one, f"german, {_name(size)}")
                for picture, one in zip(letters.given, letters.outcomes[GIVEN], strict=True)
            ]
    return part


def _outcomes(
    photos: Sequence[Photo], pictures: Sequence[PhotoPicture], store: LookStore, name: str
) -> list[Outcome]:
    looks = _shown(store.looks(pictures), len(pictures), f"photos, {name}")
    return [outcome_of(photo, look) for photo, look in zip(photos, looks, strict=True)]


def _figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    international = [one for one in outcomes if not one.photo.has_other_letters]
    return {
        "groups": {name: score(some).as_json() for name, some in groups(outcomes, photo_headings).items()},
        "wrong_and_sure": _rounded(asdict(wrong_and_sure(international))),
        "recall_by_colour": recall_by_colour(international),
        "errors": [error_line(one) for one in outcomes if not one.is_exact],
    }


def _loss(photos: Sequence[Photo], store: LookStore, floating: LookStore) -> dict[str, float]:
    """How much lower F1 is with the small networks than with those before, on the photos as they are."""
    international = [photo for photo in photos if not photo.has_other_letters]
    pictures = [PhotoPicture(photo.path) for photo in international]
    small, large = (
        score(_outcomes(international, pictures, one, f"{name} networks")).f1
        for one, name in ((store, "int8"), (floating, "float"))
    )
    return {"photos, native": round(large - small, 4)}


def _fans_part(count: int, store: LookStore, shown: _Shown) -> dict[str, Any]:
    pictures = fan_pictures(count)
    looks = _shown(store.looks(pictures), len(pictures), "made-up hands")
    outcomes = fan_outcomes(pictures, looks)
    shown += [
        (picture, one, f"{one.label['lying']}, {one.label['card_px']:.0f} px")
        for picture, one in zip(pictures, outcomes, strict=True)
    ]
    return fan_report(pictures, outcomes)


def _scenes_part(clips: int, first: int, work: Path | None, sheet: Path | None, jobs: int) -> dict[str, Any]:
    from kemps_server.bench.card_scenes import FULL_CLIPS, measure_scenes  # noqa: PLC0415 - loads the observer

    try:
        report = measure_scenes(
            clips=clips or FULL_CLIPS,
            first=first,
            work=None if work is None else work / "trials",
            sheet=None if sheet is None else sheet.with_name(f"{sheet.stem}-scenes{sheet.suffix}"),
            jobs=jobs,
            on_clip=_progress("scene clips"),
        )
    except ImportError:
        raise KempsServerError(
            "scene clips need the project's checkout; there run: pip install -e . (or leave out --scenes)"
        ) from None
    return report.as_json()


def _progress(what: str) -> Callable[[int, int], None]:
    console = Console(stderr=True)

    def tell(done: int, of: int) -> None:
        if console.is_terminal:
            console.print(f"{what}: {done} of {of}", end="\r")

    return tell


def _shown(items: Iterator[_T], count: int, what: str) -> Iterator[_T]:
    """The same items; people see how far it is."""
    console = Console(stderr=True)
    yield from track(items, what, total=count, console=console, disable=not console.is_terminal)


def _name(size: int) -> str:
    return "native" if size == NATIVE else f"{size} px"


def _rounded(figures: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in figures.items()}
