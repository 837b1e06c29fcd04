"""``kemps observe``: from a recording or a camera to the journal of the game."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from kemps_models.landmarkers import HAND, are_fetched, landmarker_path
from kemps_rules.events import Event
from kemps_rules.house import load_house
from kemps_rules.writer import format_event
from kemps_server.called import late_calls, merged, read_calls, typed_call
from kemps_server.cli.enrol import DATA_HELP, DECKS_FOLDER
from kemps_server.cli.listen_words import WORDS_FOLDER
from kemps_server.cli.read import ALPHABET_HELP, DECK_HELP
from kemps_server.cli.standard_output import forget_stdout
from kemps_server.doctoring.cameras import camera_sources
from kemps_server.errors import KempsServerError
from kemps_server.people import PeopleWatch, people_watch
from kemps_server.recording.disk import DEFAULT_BUDGET, bytes_of
from kemps_server.recording.status import LiveStatus
from kemps_server.rows import LiveOptions
from kemps_server.sound.beside import heard_beside
from kemps_server.watching import Mode, Summary, check_folder, watch
from kemps_vision.calibration.record import CameraRecord, load_record, record_path
from kemps_vision.cards.reader import ANY_DECK, check_deck, default_reader
from kemps_vision.cards.reading import CardReader
from kemps_vision.enrolment.reader import deck_reader
from kemps_vision.errors import CalibrationError
from kemps_vision.frame import Frame, FrameSource, SourceInfo
from kemps_vision.pipeline import Snapshot
from kemps_vision.sources import RecordedGame, kind_of, open_source
from kemps_vision.sources.recorded import RecordedCamera
from kemps_vision.zones import CameraZones, TableConfig, load_config

INTERRUPTED: Final = 130


def observe(  # noqa: PLR0913, PLR0917 - one for each option of the command
    sources: list[str] = typer.Argument(
        None,
        metavar="SOURCE…",
        help="A video file, a folder of stills, a camera's number, or a stream's URL.",
    ),
    out: Path = typer.Option(..., metavar="DIR", help="The folder that the game is written into."),
    config: Path | None = typer.Option(None, metavar="FILE", help="table.toml: where centre and seats are."),
    calls: Path | None = typer.Option(None, metavar="FILE", help="Calls as JSON Lines of 'called' events."),
    deck: str | None = typer.Option(None, metavar="NAME", help=DECK_HELP),
    alphabet: str | None = typer.Option(None, metavar="NAME", help=ALPHABET_HELP),
    call: list[str] = typer.Option(
        [], metavar="TEXT", help='One call, as in "41.25 C kemps" or "1:02 B stop A"; may be repeated.'
    ),
    as_json: bool = typer.Option(False, "--json", help="Print each event as a line when it is known."),
    resume: bool = typer.Option(False, help="Go on with the game in DIR: the same recording, watched again."),
    overwrite: bool = typer.Option(False, help="Replace the game in DIR."),
    people: bool | None = typer.Option(
        None,
        "--people/--no-people",
        help="Follow hands, and faces by cameras for them; by default where seats and models are there.",
    ),
    audio: bool = typer.Option(
        True,
        "--audio/--no-audio",
        help="Listen for calls, in the recording's sound or at the table's microphones.",
    ),
    consent: str = typer.Option(
        "", metavar="TEXT", help="Who agreed to be followed, as a note in the game's header."
    ),
    record: bool | None = typer.Option(
        None, "--record/--no-record", help="Record cameras and streams as video; they are by default."
    ),
    disk_budget: str = typer.Option(
        DEFAULT_BUDGET,
        metavar="SIZE",
        help="What the video of this game may take; its oldest parts that nobody holds are deleted then.",
    ),
    data: Path | None = typer.Option(None, metavar="DIR", help=DATA_HELP),
) -> int:
    """Watch a table and write the journal of the game.

    DIR gets game.jsonl, the frames round each event in evidence/, and what cameras showed in video/, or a
    note of where the recording is. Ctrl-C ends the watching; what is known stays in the journal. The folder
    of a game that was recorded is a SOURCE, too: it is watched again as it was.
    """
    if resume and overwrite:
        raise KempsServerError("--resume goes on with the game, --overwrite deletes it: give one")
    budget = bytes_of(disk_budget)
    table = TableConfig() if config is None else load_config(config)
    if alphabet is not None:
        table = replace(table, alphabet=alphabet)
    if deck is not None:
        table = replace(table, deck=deck)
    reader = _reader(table, data)
    seats = table.seat_names
    house = load_house(table.rules)
    told = merged(
        () if calls is None else read_calls(calls, seats), [typed_call(text, house, seats) for text in call]
    )
    mode = Mode.OVERWRITE if overwrite else Mode.RESUME if resume else Mode.NEW
    check_folder(out, mode)
    where = table_source(sources or [], table)
    if people and not are_fetched():
        landmarker_path(HAND)  # says what to do, before any camera is opened
    with (
        open_source(where, camera=table.table_camera.name) as source,
        _people(sources or [], table, source, wanted=people, consent=consent) as followed,
        _progress(source.info) as bar,
        heard_beside(
            source,
            out,
            table,
            where,
            told,
            followed,
            tell=bar.tell,
            wanted=audio,
            words=None if data is None else data / WORDS_FOLDER,
        ) as ears,
    ):
        if consent and followed is None:
            _warn("nobody is followed, so the note of --consent is not written")
        if record and not source.info.is_live:
            _warn("what is watched is a recording already, so nothing is recorded")
        for text in late_calls(told, source.info.duration_ms):
            _warn(text)
        summary = watch(
            source,
            out,
            table,
            told,
            reader=reader,
            people=followed,
            ears=ears,
            mode=mode,
            on_frame=bar.on_frame,
            on_event=_EventLines() if as_json else None,
            stood=_stood(config, table),
            live=LiveOptions(
                record=record is not False, budget=budget, tell=bar.tell, on_status=bar.on_status
            ),
        )
    _tell(summary, as_json=as_json)
    return 0 if summary.is_whole else INTERRUPTED


def _stood(config: Path | None, table: TableConfig) -> CameraRecord | None:
    """How the table camera stood when it was calibrated, where ``kemps calibrate`` left a record of it.

    A record that cannot be read is told, and the camera's first seconds are how it stands.
    """
    try:
        record = None if config is None else load_record(record_path(config))
    except CalibrationError as error:
        _warn(str(error))
        return None
    return None if record is None else record.cameras.get(table.table_camera.name)


def _reader(table: TableConfig, data: Path | None) -> CardReader:
    threads = min(2, os.cpu_count() or 1)
    if table.deck != ANY_DECK:
        return deck_reader(table.deck, threads=threads, folder=None if data is None else data / DECKS_FOLDER)
    check_deck(table.deck, table.alphabet)
    return default_reader(threads=threads)


def table_source(sources: Sequence[str], table: TableConfig) -> str:
    """The source of the table camera, among those given in the order of the cameras or as NAME=SOURCE.

    Raises:
        KempsServerError: There is none, or one names a camera that is not in the configuration.
    """
    if not table.cameras and len(sources) > 1:
        raise KempsServerError(
            f"{sources[1]}: one source too many; the cameras are {table.table_camera.name}"
        )
    for camera, where in camera_sources(sources, table):
        if camera.name == table.table_camera.name:
            return where
    if table.cameras and all(camera.role != "table" for camera in table.cameras):
        raise KempsServerError('no camera of the table.toml has the role "table"; give one that role')
    raise KempsServerError(
        "nothing to watch: give a video file, a folder of stills, a camera's number or a URL"
    )


def face_sources(
    sources: Sequence[str], table: TableConfig, watched: FrameSource
) -> list[tuple[CameraZones, str]]:
    """The cameras that look at faces, each with its source; of a recorded game those that it recorded.

    Raises:
        KempsServerError: A recording would be watched together with a camera, which shows another time.
    """
    cameras = [camera for camera in table.cameras if camera.role == "faces"]
    if isinstance(watched, RecordedCamera):
        folder = watched.info.where
        recorded = RecordedGame(Path(folder)).cameras
        return [(camera, folder) for camera in cameras if camera.name in recorded]
    found = [(camera, where) for camera, where in camera_sources(sources, table) if camera in cameras]
    for camera, where in found:
        is_live = kind_of(where) in {"webcam", "stream"}
        if is_live != watched.info.is_live:
            raise KempsServerError(
                f"camera {camera.name!r} is {'live' if is_live else 'a recording'} and the table's is not; "
                f"give the source of both, as in {camera.name}=FILE"
            )
    return found


@contextmanager
def _people(
    sources: Sequence[str],
    table: TableConfig,
    watched: FrameSource,
    *,
    wanted: bool | None,
    consent: str = "",
) -> Iterator[PeopleWatch | None]:
    """What follows people, with the cameras that look at faces opened; None where nobody is followed."""
    if wanted is None:
        wanted = any(seat.at is not None for seat in table.seats)
        if wanted and not are_fetched():
            _warn("hands and faces are not followed, as their models are not there; run kemps models once")
            wanted = False
    if not wanted:
        yield None
        return
    with ExitStack() as opened:
        others = [
            (camera, opened.enter_context(open_source(where, camera=camera.name)))
            for camera, where in face_sources(sources, table, watched)
        ]
        yield people_watch(table, others, consent=consent)


class _Bar:
    """What is shown while a game is watched; lines alone where there is no terminal."""

    def __init__(self, progress: Progress | None, info: SourceInfo) -> None:
        self._progress = progress
        self._is_live = info.is_live
        if progress is not None:
            self._task = progress.add_task(f"watching {info.name}", total=info.duration_ms, at="")

    def on_frame(self, frame: Frame, _: Snapshot | None) -> None:
        """How far it is."""
        if self._progress is not None:
            self._progress.update(self._task, completed=frame.at_ms)
            if not self._is_live:
                self._progress.update(self._task, at=f"{frame.at_ms / 1000:.0f} s")

    def on_status(self, status: LiveStatus) -> None:
        """How a live game goes."""
        if self._progress is not None:
            self._progress.update(self._task, at=status.line())

    def tell(self, line: str) -> None:
        """Something people must know now."""
        if self._progress is None:
            _warn(line)
        else:
            self._progress.console.print(f"kemps observe: {line}", style="bold red", markup=False)


@contextmanager
def _progress(info: SourceInfo) -> Iterator[_Bar]:
    """A bar with the time left on stderr, or nothing when that is no terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Bar(None, info)
        return
    columns: tuple[ProgressColumn, ...] = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %" if info.duration_ms else "{task.fields[at]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    if info.is_live:
        columns = (TextColumn("{task.description}"), TextColumn("{task.fields[at]}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        yield _Bar(progress, info)


class _EventLines:
    """Each event as a line on stdout, for as long as somebody reads there; the game goes on without."""

    def __init__(self) -> None:
        self._is_read = True

    def __call__(self, event: Event, _: Snapshot | None) -> None:
        if not self._is_read:
            return
        try:
            print(format_event(event), flush=True)  # noqa: T201 - the answer
        except BrokenPipeError:
            self._is_read = False
            forget_stdout()  # else the same error comes again when Python flushes at its end
        except OSError as error:
            self._is_read = False
            forget_stdout()
            _warn(f"standard output cannot be written: {error.strerror}; the journal goes on")


def _warn(text: str) -> None:
    print(f"kemps observe: {text}", file=sys.stderr)  # noqa: T201 - for people, beside the answer


def _tell(summary: Summary, *, as_json: bool) -> None:
    for note in () if summary.is_live else summary.notes:  # of a live game they were told at once
        _warn(note)
    if not summary.is_whole:
        _warn(
            f"stopped at {summary.last_ms / 1000:.1f} s; {summary.events} events are in "
            f"{summary.journal}" + ("" if summary.is_live else "; go on with --resume")
        )
    if as_json:
        return
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"{summary.events} events of {summary.last_ms / 1000:.0f} s in {summary.journal}")
    if summary.dropped:
        console.print(f"{summary.dropped} frames came too fast and were left out")
    console.print(
        f"kemps judge {summary.journal} says what they mean, kemps report {summary.folder} makes a page"
    )
