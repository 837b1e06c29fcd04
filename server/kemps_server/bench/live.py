"""``kemps bench live``: clips played at their pace as cameras, watched and recorded as long as is asked."""

from __future__ import annotations

import json
import os
import time
from array import array
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from kemps_server.bench.live_budget import PROCESSORS, LiveBudget, face_costs, live_budget, table_costs
from kemps_server.bench.played_film import PlayedFilm
from kemps_server.bench.report_files import write_report
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_server.observers.telling import memory_mb
from kemps_server.people import PeopleWatch, people_watch
from kemps_server.recording.status import LiveStatus, Meter
from kemps_server.rows import LiveOptions
from kemps_server.shipped import shipped_clip
from kemps_server.watching import watch
from kemps_vision.cards.reader import default_reader
from kemps_vision.people.face_search import FaceSearch
from kemps_vision.people.tasks import FaceFinder, FaceReader
from kemps_vision.sources import open_source
from kemps_vision.sources.webcam import Webcam
from kemps_vision.zones import CameraZones, TableConfig, load_config

FACES: Final = "faces"
SETTLING: Final = 1 / 6  # of the time is left out of slopes: models load, caches fill
THREADS: Final = 2
SAMPLE_MS: Final = 5000


@dataclass(frozen=True, slots=True)
class LiveSpeed:
    """How a live game kept up.

    Attributes:
        minutes: How long it was watched.
        cameras: Of the table, and of faces if there was one.
        events: Lines of the journal that were told while it ran.
        event_p50_ms: From the capture of the frame that settled an event until it stood in the journal.
        event_p95_ms: The same for 95 of 100 events.
        event_most_ms: The same for all.
        frame_p95_ms: From a table frame's capture until it was worked through.
        table_fps: Frames of the table camera watched a second; ``faces_fps`` those of faces.
        dropped: Frames of the table camera for which there was no time.
        lag_ms_per_h: By how much frames are later after an hour, by least squares.
        memory_mb_per_h: By how much more memory is held after an hour, likewise; None where it is not known.
        memory_mb: Held at the end.
        cpus: Processors used on average.
        recorded_mb: Video written.
    """

    minutes: float
    cameras: int
    events: int
    event_p50_ms: float
    event_p95_ms: float
    event_most_ms: float
    frame_p95_ms: float
    table_fps: float
    faces_fps: float
    dropped: int
    lag_ms_per_h: float
    memory_mb_per_h: float | None
    memory_mb: float
    cpus: float
    recorded_mb: float


class KeptMeter(Meter):
    """Keeps how late frames and events were, in 8 bytes each: what it holds must not look like a leak."""

    def __init__(self) -> None:
        super().__init__()
        self.events = array("i")
        self.frame_ms = array("i")
        self.frames = array("i")

    def frame(self, at_ms: int, latency_ms: int) -> None:
        """A frame of the table."""
        super().frame(at_ms, latency_ms)
        self.frame_ms.append(at_ms)
        self.frames.append(latency_ms)

    def event(self, latency_ms: int) -> None:
        """An event."""
        self.events.append(latency_ms)


class _Run:
    """What is seen of a run from outside."""

    def __init__(self, minutes: float) -> None:
        self.until_ms = minutes * 60_000
        self.last: LiveStatus | None = None
        self.memory: list[tuple[int, float]] = []

    def on_status(self, status: LiveStatus) -> None:
        """Once a second: memory now and then, and the end."""
        self.last = status
        if not self.memory or status.at_ms - self.memory[-1][0] >= SAMPLE_MS:
            self.memory.append((status.at_ms, memory_mb()))
        if status.is_running and status.at_ms >= self.until_ms:
            raise KeyboardInterrupt


def live(
    minutes: float = typer.Option(1.0, metavar="MINUTES", help="How long to watch; the first sixth settles."),
    table: Path | None = typer.Option(
        None, metavar="FILE", help="A clip of a table; without it the shipped one is played."
    ),
    config: Path | None = typer.Option(None, metavar="FILE", help="The table.toml of that clip."),
    faces: Path | None = typer.Option(None, metavar="FILE", help="A clip of a face, played beside it."),
    people: bool = typer.Option(True, "--people/--no-people", help="Follow hands, and the face."),
    by_cpu: bool = typer.Option(
        False, help="Not in real time: from the processor time of each frame, for a machine that is busy."
    ),
    as_json: bool = typer.Option(False, "--json", help="The figures as one JSON object."),
    out: Path | None = typer.Option(None, metavar="FILE", help="Also write the JSON object to this file."),
) -> None:
    """A live game: how late its events are, what it takes, and whether that grows.

    The clips are played at their pace, over and over, and recorded as cameras are.
    """
    if minutes <= 0:
        raise KempsServerError("--minutes: give more than 0")
    with ExitStack() as opened:
        if table is None:
            clip = opened.enter_context(shipped_clip())
            table, config = clip.video, config or clip.table
        zones = TableConfig() if config is None else load_config(config)
        figures: LiveSpeed | LiveBudget = (
            budget_of(table, zones, minutes, faces=faces, with_people=people)
            if by_cpu
            else live_speed(table, zones, minutes, faces=faces, with_people=people)
        )
    report: dict[str, object] = {
        "cpus": PROCESSORS if by_cpu else os.cpu_count(),
        "live": {
            name: round(value, 2) if isinstance(value, float) else value
            for name, value in asdict(figures).items()
        },
    }
    if out is not None:
        write_report(out, report)
    if as_json:
        print(json.dumps(report))  # noqa: T201 - the answer
    elif isinstance(figures, LiveBudget):
        print_budget(Console(highlight=False), figures)
    else:
        print_live(Console(highlight=False), figures)


def print_budget(console: Console, one: LiveBudget) -> None:
    """The figures of the made-up machine for people."""
    table = Table(
        title=f"A live game on {PROCESSORS} processors that do nothing else, by processor time",
        title_justify="left",
        show_header=False,
    )
    table.add_row("a picture recorded", f"{one.record_ms:.1f} ms", "of processor time, median")
    table.add_row("a frame of the table", f"{one.table_ms:.1f} ms", f"95 of 100 in {one.table_p95_ms:.0f} ms")
    table.add_row("a frame of faces", f"{one.faces_ms:.1f} ms", "median")
    table.add_row(
        "watched a second",
        f"{one.table_fps:.1f} frames of the table, {one.faces_fps:.1f} of faces",
        f"{one.dropped} of the table's dropped in {one.minutes:.0f} minutes",
    )
    table.add_row(
        "events after the frame that settled them",
        f"95 of 100 within {one.event_p95_ms:.0f} ms",
        f"median {one.event_p50_ms:.0f} ms",
    )
    table.add_row("processors used", f"{one.used:.2f}", f"95 of 100 frames within {one.frame_p95_ms:.0f} ms")
    console.print(table)


def print_live(console: Console, one: LiveSpeed) -> None:
    """The figures for people."""
    table = Table(title="A live game on this machine", title_justify="left", show_header=False)
    table.add_row(
        f"{one.cameras} cameras for {one.minutes:.1f} minutes",
        f"{one.table_fps:.1f} frames a second of the table, {one.faces_fps:.1f} of faces",
        f"{one.dropped} dropped",
    )
    table.add_row(
        f"{one.events} events after the frame that settled them",
        f"95 of 100 within {one.event_p95_ms:.0f} ms",
        f"median {one.event_p50_ms:.0f}, most {one.event_most_ms:.0f} ms",
    )
    memory = "not known" if one.memory_mb_per_h is None else f"{one.memory_mb_per_h:+.1f} MB an hour"
    table.add_row("what grows: memory", memory, f"{one.memory_mb:.0f} MB held")
    table.add_row(
        "what grows: lateness of frames",
        f"{one.lag_ms_per_h:+.0f} ms an hour",
        f"95 of 100 within {one.frame_p95_ms:.0f} ms",
    )
    table.add_row("processors used", f"{one.cpus:.2f}", f"{one.recorded_mb:.0f} MB recorded")
    console.print(table)


def live_speed(
    table: Path, config: TableConfig, minutes: float, *, faces: Path | None = None, with_people: bool = True
) -> LiveSpeed:
    """A clip of a table, and one of a face, watched live and recorded.

    Raises:
        KempsServerError: There is no face in the clip of one.
        WorkFailedError: Nothing was watched.
    """
    meter, run = KeptMeter(), _Run(minutes)
    options = LiveOptions(tell=lambda _: None, on_status=run.on_status, meter=meter)
    with ExitStack() as opened:
        folder = Path(opened.enter_context(TemporaryDirectory()))
        source = opened.enter_context(
            Webcam("0", camera=config.table_camera.name, opener=PlayedFilm(table).open)
        )
        people = _people(config, faces, opened) if with_people else None
        reader = default_reader(threads=THREADS)
        wall, cpu = time.monotonic(), time.process_time()
        watch(source, folder / "game", config, reader=reader, people=people, live=options)
        cpus = (time.process_time() - cpu) / (time.monotonic() - wall)
    if run.last is None or not meter.frames:
        raise WorkFailedError("nothing was watched: the clip did not play")
    return _told(meter, run, run.last, cpus)


def budget_of(
    table: Path, config: TableConfig, minutes: float, *, faces: Path | None = None, with_people: bool = True
) -> LiveBudget:
    """The same clips, each frame charged with the processor time that it takes.

    Raises:
        KempsServerError: There is no face in the clip of one.
    """
    people = people_watch(config) if with_people else None
    with open_source(str(table), camera=config.table_camera.name) as source:
        of_table = table_costs(source, config, default_reader(threads=1), people)
    of_faces = None
    if faces is not None and with_people:
        with open_source(str(faces), camera=FACES) as source:
            camera = CameraZones(name=FACES, role=FACES)
            made = people_watch(_with_face(config, _face_box(faces)), [(camera, source)])
            of_faces = face_costs(source, made.faces[FACES])
    return live_budget(of_table, of_faces, minutes)


def _told(meter: KeptMeter, run: _Run, last: LiveStatus, cpus: float) -> LiveSpeed:
    from_ms = last.at_ms * SETTLING
    late = np.array(meter.frames, np.float64)
    events = np.array(meter.events, np.float64)
    seconds = max(1, last.at_ms) / 1000
    memory = [(at_ms, size) for at_ms, size in run.memory if size > 0]
    return LiveSpeed(
        minutes=last.at_ms / 60_000,
        cameras=len(last.cameras),
        events=len(events),
        event_p50_ms=float(np.percentile(events, 50)),
        event_p95_ms=float(np.percentile(events, 95)),
        event_most_ms=float(events.max()),
        frame_p95_ms=float(np.percentile(late, 95)),
        table_fps=last.cameras[0].used / seconds,
        faces_fps=sum(camera.used for camera in last.cameras[1:]) / seconds,
        dropped=last.cameras[0].dropped,
        lag_ms_per_h=slope_per_h(
            [(at, float(one)) for at, one in zip(meter.frame_ms, meter.frames, strict=True) if at >= from_ms]
        ),
        memory_mb_per_h=slope_per_h([one for one in memory if one[0] >= from_ms]) if memory else None,
        memory_mb=memory[-1][1] if memory else 0.0,
        cpus=cpus,
        recorded_mb=last.recorded_bytes / 1e6,
    )


def slope_per_h(points: Sequence[tuple[int, float]]) -> float:
    """By how much a value grows in an hour, by least squares over (ms, value); 0 for fewer than two points.

    >>> round(slope_per_h([(0, 1.0), (60_000, 2.0), (120_000, 3.0)]))
    60
    """
    if len(points) < 2:
        return 0.0
    hours = np.array([at_ms for at_ms, _ in points], np.float64) / 3_600_000
    values = np.array([value for _, value in points], np.float64)
    return float(np.polyfit(hours - hours.mean(), values, 1)[0])


def _people(config: TableConfig, faces: Path | None, opened: ExitStack) -> PeopleWatch:
    if faces is None:
        return people_watch(config)
    camera = CameraZones(name=FACES, role=FACES)
    placed = _with_face(config, _face_box(faces))
    source = opened.enter_context(Webcam("1", camera=FACES, opener=PlayedFilm(faces).open))
    return people_watch(placed, [(camera, source)])


def _with_face(config: TableConfig, box: tuple[float, float, float, float]) -> TableConfig:
    """The table with the first seat's face in the face camera."""
    if not config.seats:
        raise KempsServerError("--faces: the table.toml names no seats; give --config with them")
    first = replace(config.seats[0], face_camera=FACES, face_box=box)
    return replace(config, seats=(first, *config.seats[1:]))


def _face_box(clip: Path) -> tuple[float, float, float, float]:
    with open_source(str(clip)) as source:
        first = next(iter(source)).pixels
    found = FaceSearch(FaceFinder(), FaceReader()).read(first)
    if not found:
        raise KempsServerError(f"{clip}: there is no face in its first picture; give another clip")
    box = max((face.box for face in found), key=lambda one: one.width)
    return box.left, box.top, box.width, box.height
