"""A clip watched as ``kemps observe`` watches it, and the journal kept until clip, weights or code change."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import platformdirs

from kemps_models.landmarkers import are_fetched
from kemps_models.registry import load_manifest
from kemps_rules.events import Called, Event
from kemps_rules.journal import parse_line, read_journal
from kemps_rules.writer import format_event
from kemps_server.bench.code_fingerprint import code_fingerprint
from kemps_server.errors import WorkFailedError
from kemps_server.people import people_watch
from kemps_server.watching import watch
from kemps_vision.cards.reader import default_reader
from kemps_vision.sources import open_source
from kemps_vision.zones import parse_config

_WATCHING: Final = "kemps_server.watching"
_PEOPLE: Final = "kemps_server.people"


@dataclass(frozen=True, slots=True)
class Watched:
    """What watching a clip gave.

    Attributes:
        events: The journal.
        cpu_s: The processor's time it took, without loading the models.
        video_s: How long the clip is.
        has_people: Whether hands were followed.
    """

    events: tuple[Event, ...]
    cpu_s: float
    video_s: float
    has_people: bool


@dataclass(frozen=True, slots=True)
class Recording:
    """A clip to watch: its file, what tells it from all others, its calls as lines and its table.toml."""

    name: str
    clip: Path
    fingerprint: str
    calls: tuple[str, ...]
    table: str


def default_work() -> Path:
    """The folder for clips and results: in the one that ``KEMPS_CACHE`` names, or the user's cache folder."""
    own = os.environ.get("KEMPS_CACHE")
    return (Path(own) if own else Path(platformdirs.user_cache_dir("kemps"))) / "table"


def kept_watched(recording: Recording, work: Path, *, with_people: bool = True) -> Watched:
    """The journal of a clip: read from ``work`` when it is known there, else watched for and kept.

    Raises:
        WorkFailedError: The folder cannot be written.
    """
    is_followed = with_people and are_fetched()
    what = f"{recording.name}-{recording.fingerprint}-{_version(is_followed=is_followed)}"
    kept = work / "journals" / f"{what}.json"
    try:
        if not kept.is_file():
            kept.parent.mkdir(parents=True, exist_ok=True)
            row = json.dumps(_as_row(watched(recording, with_people=is_followed)))
            unfinished = kept.with_suffix(f".{os.getpid()}.tmp")
            unfinished.write_text(row + "\n", "utf-8")
            unfinished.replace(kept)  # a run that is broken off leaves no half result
        return _from_row(json.loads(kept.read_text("utf-8")))
    except OSError as error:
        raise WorkFailedError(
            f"{work}: cannot be written ({error.strerror}); choose another folder by --work"
        ) from None


def watched(recording: Recording, *, with_people: bool) -> Watched:
    """The journal of a clip, watched now with the settings of ``kemps observe``."""
    table = parse_config(recording.table)
    calls = [parse_line(line, number) for number, line in enumerate(recording.calls, 1)]
    told = [call for call in calls if isinstance(call, Called)]
    reader = default_reader()
    with (
        tempfile.TemporaryDirectory() as folder,
        open_source(str(recording.clip), camera=table.table_camera.name) as source,
    ):
        people = people_watch(table) if with_people else None
        begin = time.process_time()
        summary = watch(source, Path(folder) / "game", table, told, reader=reader, people=people)
        cpu_s = time.process_time() - begin
        return Watched(tuple(read_journal(summary.journal)), cpu_s, summary.last_ms / 1000, with_people)


@lru_cache(maxsize=2)
def _version(*, is_followed: bool) -> str:
    """A hash of what a journal depends on beside the clip: weights and observer."""
    digest = hashlib.sha256(json.dumps([entry.sha256 for entry in load_manifest().values()]).encode())
    digest.update(code_fingerprint(_WATCHING).encode())
    digest.update(code_fingerprint(_PEOPLE).encode() if is_followed else b"alone")
    return digest.hexdigest()[:12]


def _as_row(one: Watched) -> dict[str, Any]:
    lines = [format_event(event) for event in one.events]
    return {
        "cpu_s": round(one.cpu_s, 2),
        "video_s": one.video_s,
        "has_people": one.has_people,
        "journal": lines,
    }


def _from_row(row: dict[str, Any]) -> Watched:
    return Watched(parsed(row["journal"]), row["cpu_s"], row["video_s"], row["has_people"])


def parsed(lines: Sequence[str]) -> tuple[Event, ...]:
    """The events of a journal's lines."""
    return tuple(parse_line(line, number) for number, line in enumerate(lines))
