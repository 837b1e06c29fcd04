"""``kemps bench people``: how well faces, gestures, hands and contacts are followed, and how fast."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import typer
from rich.console import Console
from rich.progress import track

from kemps_server.bench.card_tables import print_bars
from kemps_server.bench.people_bars import bars
from kemps_server.bench.people_clip_files import ContactTask, GestureTask, clip_figures, contact_score
from kemps_server.bench.people_clips import BodyClip, chosen_clips, is_drawn, people_folder
from kemps_server.bench.people_comparison import TOLERANCE, fallen
from kemps_server.bench.people_face_figures import face_figures, face_result, people_of
from kemps_server.bench.people_faces import FaceTask
from kemps_server.bench.people_failures import body_strips, shared_strips
from kemps_server.bench.people_kept import Answer, Store, Task
from kemps_server.bench.people_labels import Scene, load_scenes
from kemps_server.bench.people_markdown import put_into
from kemps_server.bench.people_sheet import write_people_sheet
from kemps_server.bench.people_stills import ON_FACE, StillTask, best_score, claims, still_figures
from kemps_server.bench.people_table_figures import table_figures
from kemps_server.bench.people_tables import TableTask, own_result, shared_result, shared_tasks
from kemps_server.bench.report_files import read_report, write_report
from kemps_server.errors import KempsServerError
from kemps_vision.cards.reading import Pixels

FELL: Final = 1

_T = TypeVar("_T")


def people(  # noqa: PLR0913, PLR0917 - each is an option of the command
    data: Path | None = typer.Option(
        None, metavar="DIR", help="Folder of photos and clips of people with a labels.csv."
    ),
    tables: Path | None = typer.Option(
        None, metavar="DIR", help="Folder of table clips of another renderer, truth beside them."
    ),
    rendered: bool = typer.Option(False, "--rendered", help="Also draw and watch made-up people (hours)."),
    minutes: float = typer.Option(
        0.0, metavar="N", min=0.0, help="So many minutes of made-up clips, of each kind a share; 0 = all."
    ),
    only_drawn: bool = typer.Option(
        False, "--only-drawn", help="Of the made-up clips only those that were drawn before."
    ),
    speed: bool = typer.Option(False, "--speed", help="Also measure speed; the machine should be idle."),
    as_json: bool = typer.Option(False, "--json", help="The figures as one JSON object."),
    out: Path | None = typer.Option(None, metavar="FILE", help="Also write the JSON object to this file."),
    sheet: Path | None = typer.Option(
        None, metavar="FILE.png", help="Also draw what went wrong, the clips' beside it as FILE-clips.png."
    ),
    docs: Path | None = typer.Option(
        None, metavar="FILE.md", help="Also put the tables into this document, between its two marks."
    ),
    compare: Path | None = typer.Option(
        None, metavar="FILE", help="An earlier report: exit 1 when a figure of it fell."
    ),
    tolerance: float = typer.Option(TOLERANCE, min=0.0, help="By how much a figure may fall."),
    work: Path | None = typer.Option(
        None, metavar="DIR", help="Where clips and answers are kept; else in the cache."
    ),
    jobs: int = typer.Option(min(2, os.cpu_count() or 1), metavar="N", min=1, help="So many processes."),
) -> int:
    """Every figure of following people, by kind of picture and clip, and the bars it is held to.

    Photos and clips need --data; made-up people need the project's checkout. Clips, what landmarkers saw in
    them and all answers are kept, so that a run that was broken off goes on where it stopped.
    """
    earlier = None if compare is None else read_report(compare, "people")
    store = Store(work or people_folder(), jobs)
    report: dict[str, Any] = {}
    stills: list[tuple[Scene, Answer]] = []
    strips: list[Pixels] = []
    if data is not None:
        stills = _open_part(load_scenes(data), store, report)
    if tables is not None:
        _tables_part(tables, store, report)
        if sheet is not None:
            strips += shared_strips(tables, report["other_tables"]["failures"])
    if rendered:
        clips = _clips(minutes, store.work, only_drawn=only_drawn)
        _rendered_part(clips, store, report)
        if sheet is not None:
            strips += body_strips(clips, report["rendered"], store.work)
    if speed:
        from kemps_server.bench.people_speed import people_speed  # noqa: PLC0415 - loads the observer

        report["speed"] = people_speed(store.work)
    judged = bars(report)
    report["bars"] = [bar.as_json() for bar in judged]
    if out is not None:
        write_report(out, report)
    if docs is not None:
        put_into(docs, report)
    if sheet is not None:
        write_people_sheet(sheet, stills, [])
        write_people_sheet(sheet.with_name(f"{sheet.stem}-clips{sheet.suffix}"), [], strips)
    if as_json:
        print(json.dumps(report))  # noqa: T201 - the answer
    else:
        print_bars(Console(), judged)
    return 0 if earlier is None else _compared(earlier, report, tolerance)


def _clips(minutes: float, work: Path, *, only_drawn: bool) -> tuple[BodyClip, ...]:
    clips = chosen_clips(minutes)
    if only_drawn:
        clips = tuple(clip for clip in clips if is_drawn(clip, work / "clips"))
    if not clips:
        raise KempsServerError(f"{work}: no made-up clip was drawn there yet; leave out --only-drawn")
    return clips


def _open_part(scenes: Sequence[Scene], store: Store, report: dict[str, Any]) -> list[tuple[Scene, Answer]]:
    """Adds the figures of photos and clips; gives the photos with what was seen in them."""
    photos = [scene for scene in scenes if not scene.is_clip]
    clips = [scene for scene in scenes if scene.is_clip]
    stills = _answered(photos, [StillTask(scene.path) for scene in photos], store, "photos")
    contacts = _answered(clips, [ContactTask(scene.path) for scene in clips], store, "contacts in clips")
    gestures = _answered(clips, [GestureTask(scene.path) for scene in clips], store, "gestures in clips")
    moving = [(scene, one | other) for (scene, one), (_, other) in zip(contacts, gestures, strict=True)]
    report["stills"] = still_figures(stills)
    report["clips"] = clip_figures(moving)
    on_face = [
        *((scene.hand_on_face, best_score(answer, ON_FACE)) for scene, answer in stills),
        *((scene.hand_on_face, contact_score(answer, ON_FACE)) for scene, answer in moving),
    ]
    report[ON_FACE] = claims([(score, label) for label, score in on_face if label is not None])
    return stills


def _tables_part(folder: Path, store: Store, report: dict[str, Any]) -> None:
    tasks = shared_tasks(folder)
    if not tasks:
        raise KempsServerError(f"{folder}: has none of the table clips with their truth; see --tables")
    answered = _answered(tasks, tasks, store, "tables of another renderer")
    report["other_tables"] = table_figures([shared_result(task, answer) for task, answer in answered])


def _rendered_part(clips: Sequence[BodyClip], store: Store, report: dict[str, Any]) -> None:
    tasks = [TableTask(clip) if clip.is_of_table else FaceTask(clip) for clip in clips]
    answered = _answered(clips, tasks, store, "made-up people")
    report["rendered"] = {
        "minutes": round(sum(clip.seconds for clip in clips) / 60, 1),
        "clips": sorted(clip.name for clip in clips),
        "people": people_of(clips),
        "faces": face_figures([face_result(clip, one) for clip, one in answered if not clip.is_of_table]),
        "tables": table_figures(
            [own_result(clip, one, store.work) for clip, one in answered if clip.is_of_table]
        ),
    }


def _answered(items: Sequence[_T], tasks: Sequence[Task], store: Store, what: str) -> list[tuple[_T, Answer]]:
    """Each item with the answer to its task; people see how far it is."""
    console = Console(stderr=True)
    answers = track(
        store.answers(tasks), what, total=len(tasks), console=console, disable=not console.is_terminal
    )
    return list(zip(items, answers, strict=True))


def _compared(earlier: dict[str, Any], report: dict[str, Any], tolerance: float) -> int:
    """Tells which figures fell; the exit code."""
    lines = fallen(earlier, report, tolerance)
    for line in lines:
        print(line, file=sys.stderr)  # noqa: T201 - a line a figure
    return FELL if lines else 0
