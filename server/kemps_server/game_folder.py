"""The folder that a game is written into: whether there is one already, and what is to be done with it."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from kemps_rules.events import Event
from kemps_rules.journal import read_journal
from kemps_rules.writer import JournalWriter
from kemps_server.errors import KempsServerError
from kemps_server.games import JOURNAL_NAME
from kemps_server.keeping import EVIDENCE, RECORDING
from kemps_server.recording.disk import HELD
from kemps_vision.frame import FrameSource
from kemps_vision.sources.frames_index import FRAMES_INDEX
from kemps_vision.sources.segments import VIDEO


class Mode(StrEnum):
    """What to do with a game that is in the folder already."""

    NEW = "new"  # refuse
    RESUME = "resume"  # watch the same recording again, and write what is not there yet
    OVERWRITE = "overwrite"


def check_folder(out: Path, mode: Mode) -> None:
    """Nothing, when a game may be written into ``out``.

    Raises:
        KempsServerError: It is a file, or has a game already and the mode is ``NEW``.
    """
    if out.exists() and not out.is_dir():
        raise KempsServerError(f"{out}: is a file; --out names a folder")
    if mode is Mode.NEW and (out / JOURNAL_NAME).exists():
        raise KempsServerError(
            f"{out}: there is a game in this folder; choose another, go on with it by --resume, "
            "or replace it by --overwrite"
        )


def is_same_folder(source: FrameSource, out: Path) -> bool:
    """Whether a game is watched again into its own folder, which keeps its recording."""
    return source.info.kind == "recording" and Path(source.info.where).resolve() == out.resolve()


def prepare_folder(
    out: Path, source: FrameSource, mode: Mode, others: Iterable[FrameSource] = ()
) -> tuple[Event, ...]:
    """The folder, made or made room in; the events that stand there and that watching again will give.

    ``others`` are what is watched beside ``source``.

    Raises:
        KempsServerError: There is a game that may not be touched, its own recording would be deleted while
            it is watched, some of it is held, or it cannot be written.
        JournalError: The game that is to be replaced is being written by another process, or cannot be read.
    """
    check_folder(out, mode)
    if mode is Mode.OVERWRITE:
        for one in (source, *others):
            _check_source(one, out)
        _check_held(out)
    journal = out / JOURNAL_NAME
    if source.info.is_live and mode is Mode.NEW and (out / FRAMES_INDEX).exists():
        raise KempsServerError(
            f"{out}: there is a recording in this folder; choose another, or replace it by --overwrite"
        )
    if mode is Mode.RESUME and source.info.is_live:
        raise KempsServerError(
            f"{out}: a camera cannot be watched again from the start; choose another folder"
        )
    try:
        out.mkdir(parents=True, exist_ok=True)
        if mode is Mode.OVERWRITE and _has_game(out):
            _clear(out, keeps_video=is_same_folder(source, out))
    except OSError as error:
        raise KempsServerError(
            f"{out}: cannot be written: {(error.strerror or str(error)).lower()}"
        ) from None
    is_there = journal.exists() and journal.stat().st_size > 0
    return read_journal(journal).events if is_there else ()


def _has_game(out: Path) -> bool:
    """Whether a game was written here; else what lies here, a folder ``video`` too, is somebody's own."""
    return any((out / name).exists() for name in (JOURNAL_NAME, RECORDING, FRAMES_INDEX))


def _clear(out: Path, *, keeps_video: bool) -> None:
    """Deletes the game, unless somebody is writing it.

    Raises:
        JournalError: Somebody is.
    """
    journal = out / JOURNAL_NAME
    if journal.exists():
        with JournalWriter(journal):  # only one may hold it
            journal.unlink()
    shutil.rmtree(out / EVIDENCE, ignore_errors=True)
    if not keeps_video:
        shutil.rmtree(out / VIDEO, ignore_errors=True)
        for name in (FRAMES_INDEX, HELD):
            (out / name).unlink(missing_ok=True)


def _check_source(source: FrameSource, out: Path) -> None:
    """Nothing, when replacing the game in ``out`` leaves what is watched.

    A link to a recording elsewhere may go, as the recording stays.
    """
    if source.info.kind not in {"file", "stills"}:
        return
    where = Path(source.info.where).resolve()
    for name in (VIDEO, EVIDENCE):
        if where.is_relative_to((out / name).resolve()):
            raise KempsServerError(
                f"{source.info.where}: --overwrite would delete it with the game in {out}; "
                "choose another folder for --out"
            )


def _check_held(out: Path) -> None:
    """Nothing, unless somebody holds a part of the recording: held evidence is never deleted."""
    held = out / HELD
    if held.exists() and held.stat().st_size > 0:
        raise KempsServerError(
            f"{out}: parts of its recording are held as evidence ({HELD}); choose another folder for --out, "
            "or move that file away first"
        )
