"""The observer of one table: watches its cameras into the store until the game or its server ends."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

from kemps_models.landmarkers import are_fetched
from kemps_server.errors import KempsServerError
from kemps_server.observers.clock import begin_clock
from kemps_server.observers.gaps import gaps_of
from kemps_server.observers.hearing import table_ears
from kemps_server.observers.lifeline import Task, alone, end_with
from kemps_server.observers.picturing import Pictures
from kemps_server.observers.played_clip import ClipEndedError, PlayedClip
from kemps_server.observers.standing import standing_of
from kemps_server.observers.stood import stood_of
from kemps_server.observers.store_lines import StoreLines
from kemps_server.observers.table_settings import TableSettings
from kemps_server.observers.telling import RecentMeter, Teller
from kemps_server.people import PeopleWatch, people_watch
from kemps_server.rows import LiveOptions
from kemps_server.watching import watch
from kemps_vision.cards.reader import ANY_DECK, check_deck, default_reader
from kemps_vision.cards.reading import CardReader
from kemps_vision.enrolment.reader import deck_reader
from kemps_vision.frame import FrameSource
from kemps_vision.sources import kind_of, open_source
from kemps_vision.zones import TableConfig


def watch_table(task: Task, out: Teller) -> None:
    """Watch the game until its source or somebody ends it.

    Raises:
        KempsServerError: The table is not set up so that it can be watched, or the game is over.
        KempsVisionError: A camera cannot be opened, or vanished for good.
        StoreError: The store refused.
    """
    record = task.store.tables.find(task.table)
    if record is None:
        raise KempsServerError(f"there is no table {task.table!r}; set it up first")
    config, settings = record.parsed, TableSettings.of(record.settings)
    journal = task.store.games.journal(task.game)
    with ExitStack() as opened:
        opened.enter_context(alone(task.folder))
        standing = standing_of(journal.read())
        if standing.is_closed:
            raise KempsServerError("this game is closed; begin the next")
        if set(standing.seats) != set(config.seat_names):
            told = " ".join(sorted(standing.seats))
            raise KempsServerError(
                f"the table has other seats now than its game ({told}); begin the next game"
            )
        where_of(config, config.table_camera.name)
        reader = reader_of(config, task.store.folder.decks)
        source = opened.enter_context(_open(config, settings, config.table_camera.name))
        people = _people(config, settings, opened, out)
        ears = table_ears(config, settings, source, task.folder, people, out.note, task.store.folder.words)
        if ears is not None:
            opened.callback(ears.close)
        pictures = Pictures(task.folder, config.seat_names)
        opened.callback(pictures.clear)
        clock = begin_clock(task.folder)
        lines = StoreLines(journal, standing, gaps_of(task.folder, config, standing, clock.at_ms))
        is_over = threading.Event()
        follower = threading.Thread(target=lines.follow, args=(is_over,), name="calls", daemon=True)
        follower.start()
        opened.callback(is_over.set)
        out.watching(clock.at_ms)
        options = LiveOptions(
            record=settings.record,
            budget=settings.budget,
            tell=out.note,
            on_status=out.status,
            calls=lines.calls,
            withdrawn=lines.withdrawn,
            meter=out.meter,
            zero_s=time.monotonic() - clock.at_ms / 1000,
            on_used=pictures.used,
        )
        try:
            watch(
                source,
                task.folder,
                config,
                reader=reader,
                people=people,
                ears=ears,
                on_frame=pictures.seen,
                live=options,
                lines=lines,
                stood=stood_of(record.settings, config),
            )
        except ClipEndedError as ended:
            out.note(str(ended))


def reader_of(config: TableConfig, decks: Path) -> CardReader:
    """What reads the cards of a table.

    Raises:
        KempsVisionError: There is no such deck.
    """
    threads = min(2, os.cpu_count() or 1)
    if config.deck != ANY_DECK:
        return deck_reader(config.deck, threads=threads, folder=decks)
    check_deck(config.deck, config.alphabet)
    return default_reader(threads=threads)


def where_of(config: TableConfig, name: str) -> str:
    """The source of a camera.

    Raises:
        KempsServerError: It has none, or one that is no camera.
    """
    where = next((camera.source for camera in config.cameras if camera.name == name), None)
    if where is None:
        raise KempsServerError(f"camera {name!r} has no source; choose one on the table's set-up page")
    if kind_of(where) not in {"webcam", "stream", "file"}:
        raise KempsServerError(f"camera {name!r}: {where} is neither a camera nor a video file")
    return where


def _open(config: TableConfig, settings: TableSettings, name: str) -> FrameSource:
    """A camera of the table, opened; a video file is one, too.

    Raises:
        KempsServerError: It has no source, or one that is no camera.
        SourceError: It cannot be opened.
    """
    where = where_of(config, name)
    kind = kind_of(where)
    if kind == "file":
        return PlayedClip(Path(where.removeprefix("file://")), camera=name, loop=settings.loop)
    source = open_source(where, camera=name)
    if not source.info.is_live:
        source.close()
        raise KempsServerError(f"camera {name!r}: {where} is a stream that ends; save it as a file first")
    return source


def _people(
    config: TableConfig, settings: TableSettings, opened: ExitStack, out: Teller
) -> PeopleWatch | None:
    if not settings.people or not any(seat.at is not None for seat in config.seats):
        return None
    if not are_fetched():
        out.note("hands and faces are not followed, as their models are not there; run kemps models once")
        return None
    others = [
        (camera, opened.enter_context(_open(config, settings, camera.name)))
        for camera in config.cameras
        if camera.role == "faces" and camera.source and _has_face(config, camera.name)
    ]
    return people_watch(config, others)


def _has_face(config: TableConfig, camera: str) -> bool:
    return any(seat.face_camera == camera and seat.face_box is not None for seat in config.seats)


def run(task: Task) -> None:
    """Watch, and tell the server on standard output."""
    threading.Thread(target=end_with, args=(sys.stdin.fileno(),), name="server", daemon=True).start()
    watch_table(task, Teller(sys.stdout, RecentMeter()))
