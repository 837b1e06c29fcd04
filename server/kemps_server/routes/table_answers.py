"""What is told of tables: how each is watched, which game sits there, what its cameras and its disk do."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from kemps_server.access.saying import said_in
from kemps_server.keeping import VIDEO
from kemps_server.observers.clock import clock_of
from kemps_server.observers.observers import Observers
from kemps_server.observers.supervised import Observed, ObserverState
from kemps_server.observers.table_settings import TableSettings
from kemps_server.store.store import Store
from kemps_server.store.tables import TableRecord
from kemps_vision.errors import ConfigError


class CameraAnswer(BaseModel):
    """A camera of a table that is watched."""

    name: str = Field(description="As the table's set-up calls it.")
    role: str = Field(description="table or faces.")
    state: str = Field(description="open, lost, ended or closed; off while nobody watches.")
    used: int = Field(description="Frames that were watched.")
    dropped: int = Field(description="Frames for which there was no time.")
    silent_ms: int = Field(description="For how long nothing has come.")
    skew_ms: int | None = Field(description="How far it is behind the table camera; null if never measured.")


class RecordingAnswer(BaseModel):
    """The recording of the game."""

    state: str = Field(description="on, full, failed or off.")
    used_bytes: int = Field(description="What its video takes.")
    budget_bytes: int = Field(description="What its video may take.")
    free_bytes: int = Field(description="What the disk has left.")


class GameAnswer(BaseModel):
    """The game at a table."""

    id: str = Field(description="Its id, as in addresses.")
    title: str = Field(description="What people call it.")
    begun_at: str = Field(description="When it sat down, ISO 8601.")
    ended_at: str | None = Field(description="When it left the table; null while it is played.")
    lines: int = Field(description="How many lines its journal has.")
    at_ms: int | None = Field(description="This moment by its clock; null before it was ever watched.")


class TableAnswer(BaseModel):
    """A table and its observer."""

    name: str = Field(description="The table's name, as in addresses.")
    state: str = Field(
        description="off, starting, watching, waiting (to be started again), stopping, ended or failed."
    )
    reason: str = Field(description="Why its observer crashed last, or cannot begin; empty when it did not.")
    restarts: int = Field(description="How often its observer was started again.")
    observer_pid: int | None = Field(
        description="The observer's process on the server's machine; null if none."
    )
    heard_ms: int | None = Field(description="How long ago it told anything; null while there is none.")
    game: GameAnswer | None = Field(description="What is played there, or was last.")
    fps: float | None = Field(description="Frames of the table camera watched a second, of late.")
    latency_ms: int | None = Field(description="From a frame's capture until it was worked through, of late.")
    event_p95_ms: int | None = Field(description="95 of 100 of the last events stood in the journal so late.")
    dropped: int = Field(description="Frames of all cameras for which there was no time.")
    cpus: float | None = Field(description="Processors that its observer uses, of late.")
    memory_mb: float | None = Field(description="What its observer holds in memory.")
    cameras: list[CameraAnswer]
    recording: RecordingAnswer
    notes: list[str] = Field(description="What people must know, the last one last.")
    reason_said: str = Field(description="The reason in the language that the header Kemps-Language names.")
    notes_said: list[str] = Field(description="The notes in that language.")
    problem: str = Field(description="Why its set-up cannot be used; empty when it can.")
    problem_said: str = Field(description="The same in the language of the header Kemps-Language.")


def told_table(record: TableRecord, store: Store, observers: Observers, language: str = "en") -> TableAnswer:
    """How a table does now, with what people must know in a language of theirs.

    Raises:
        StoreError: The store cannot be read.
    """
    seen = observers.observed(record.name)
    status = seen.status or {}
    live: dict[str, Any] = status.get("live", {}) if _is_there(seen) else {}
    cameras, problem = _cameras(record, live)
    return TableAnswer(
        name=record.name,
        state=seen.state,
        reason=seen.reason,
        restarts=seen.restarts,
        observer_pid=seen.pid,
        heard_ms=None if seen.heard_s is None or seen.pid is None else round(seen.heard_s * 1000),
        game=_game(record, store),
        fps=status.get("fps") if live else None,
        latency_ms=live.get("latency_ms"),
        event_p95_ms=status.get("event_p95_ms") if live else None,
        dropped=sum(camera.dropped for camera in cameras),
        cpus=status.get("cpus") if live else None,
        memory_mb=status.get("memory_mb") if live else None,
        cameras=cameras,
        recording=_recording(record, store, live),
        notes=list(seen.notes),
        reason_said=said_in(language, seen.reason),
        notes_said=[said_in(language, note) for note in seen.notes],
        problem=problem,
        problem_said=said_in(language, problem),
    )


def _is_there(seen: Observed) -> bool:
    return seen.state in {ObserverState.WATCHING, ObserverState.STOPPING}


def _cameras(record: TableRecord, live: dict[str, Any]) -> tuple[list[CameraAnswer], str]:
    try:
        config = record.parsed
    except ConfigError as error:
        return [], str(error)
    told = {camera["name"]: camera for camera in live.get("cameras", [])}
    return [
        CameraAnswer(
            name=camera.name,
            role=camera.role,
            **{
                "state": "off",
                "used": 0,
                "dropped": 0,
                "silent_ms": 0,
                "skew_ms": None,
                **{name: value for name, value in told.get(camera.name, {}).items() if name != "name"},
            },
        )
        for camera in config.cameras
    ], ""


def _game(record: TableRecord, store: Store) -> GameAnswer | None:
    sitting = store.sittings.latest(record.name)
    game = None if sitting is None else store.games.find(sitting.game)
    if sitting is None or game is None:
        return None
    clock = clock_of(store.folder.beside(game.id))
    return GameAnswer(
        id=game.id,
        title=game.title,
        begun_at=sitting.begun_at,
        ended_at=sitting.ended_at,
        lines=game.lines,
        at_ms=None if clock is None or sitting.ended_at is not None else clock.at_ms,
    )


def _recording(record: TableRecord, store: Store, live: dict[str, Any]) -> RecordingAnswer:
    settings = TableSettings.of(record.settings)
    try:
        free = shutil.disk_usage(store.folder.root).free
    except OSError:
        free = 0
    return RecordingAnswer(
        state=str(live.get("recording", "off")),
        used_bytes=int(live.get("recorded_bytes", 0)) if live else _recorded(record, store),
        budget_bytes=settings.budget,
        free_bytes=free,
    )


def _recorded(record: TableRecord, store: Store) -> int:
    """What the videos of the game at the table take while nobody records; 0 without a game."""
    sitting = store.sittings.latest(record.name)
    if sitting is None:
        return 0
    return sum(_size(path) for path in (store.folder.beside(sitting.game) / VIDEO).rglob("*.mp4"))


def _size(path: Path) -> int:
    """Of a file; 0 for one that went by age this moment."""
    try:
        return path.lstat().st_size
    except OSError:
        return 0
