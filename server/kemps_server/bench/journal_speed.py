"""How many events a second a journal in the store keeps, each on the disk before it is acknowledged."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import platformdirs

from kemps_rules.events import CardTaken, GameOpened
from kemps_rules.seats import Seat
from kemps_server.data_folder import DataFolder
from kemps_server.store.store import Store

BATCHES: Final = {1: 300, 20: 4_000, 100: 20_000}
"""Events to a transaction, and how many events are written so."""
_SEATS: Final[dict[Seat, str]] = {"A": "Ann", "B": "Bo", "C": "Cy", "D": "Di"}


@dataclass(frozen=True, slots=True)
class JournalSpeed:
    """Appending to SQLite with ``synchronous=FULL``: what waits for the disk is wall time.

    Attributes:
        batch: Events to a transaction.
        events: How many there were.
        events_per_s: Acknowledged a second of wall time.
        cpu_us: Microseconds of the processor an event takes.
    """

    batch: int
    events: int
    events_per_s: float
    cpu_us: float


def journal_speeds(batches: dict[int, int] | None = None) -> list[JournalSpeed]:
    """A row for each size of batch, written to the disk where caches lie (``KEMPS_CACHE`` names another)."""
    place = Path(os.environ.get("KEMPS_CACHE") or platformdirs.user_cache_dir("kemps"))
    place.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=place) as folder, Store.open(DataFolder(Path(folder))) as store:
        return [_speed(store, batch, events) for batch, events in (batches or BATCHES).items()]


def _speed(store: Store, batch: int, events: int) -> JournalSpeed:
    game = store.games.begin(f"batches of {batch}", GameOpened(at_ms=0, seats=_SEATS))
    journal = store.games.journal(game.id)
    times = count()
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(events // batch):
        journal.append(*(CardTaken(at_ms=next(times), seat="A", card=None) for _ in range(batch)))
    wall_s, cpu_s = time.perf_counter() - wall, time.process_time() - cpu
    written = len(journal) - 1
    return JournalSpeed(batch, written, written / wall_s, cpu_s / written * 1e6)
