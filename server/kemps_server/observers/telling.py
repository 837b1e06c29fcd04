"""What an observer tells the server: lines of JSON on its standard output, one a second at least.

::

    {"told":"watching","at_ms":0}                     it has begun
    {"told":"status","at_ms":1003,"fps":15.0,…}       how it goes; missing for long, it hangs
    {"told":"note","text":"camera 0 stopped …"}       what people must know
"""

from __future__ import annotations

import json
import os
import time
from collections import deque
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Final

import numpy as np

from kemps_server.recording.status import LiveStatus, Meter

KEPT_EVENTS: Final = 200
_LONGEST_LINE: Final = 20_000
_STATM: Final = Path("/proc/self/statm")


class RecentMeter(Meter):
    """How late the last events were."""

    def __init__(self) -> None:
        super().__init__()
        self._events: deque[int] = deque(maxlen=KEPT_EVENTS)

    def event(self, latency_ms: int) -> None:
        """An event stands in the journal."""
        self._events.append(latency_ms)

    @property
    def event_p95_ms(self) -> int | None:
        """95 of 100 of them were not later; None before there was one."""
        return round(float(np.percentile(list(self._events), 95))) if self._events else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ObserverStatus:
    """How an observer goes.

    Attributes:
        live: Cameras and recording.
        fps: Frames of the table camera watched a second, of late.
        event_p95_ms: How late 95 of 100 of the last events were; None before the first.
        cpus: Processors used, of late.
        memory_mb: Held in memory; 0 where the system does not tell.
    """

    live: LiveStatus
    fps: float
    event_p95_ms: int | None
    cpus: float
    memory_mb: float


@dataclass(slots=True)
class Teller:
    """Writes the lines; one that nobody reads any more is left out."""

    out: IO[str]
    meter: RecentMeter
    _before: tuple[float, float, int] | None = field(default=None, init=False)

    def watching(self, at_ms: int) -> None:
        """It has begun."""
        self._write({"told": "watching", "at_ms": at_ms})

    def note(self, text: str) -> None:
        """Something people must know."""
        self._write({"told": "note", "text": text})

    def status(self, live: LiveStatus) -> None:
        """How it goes."""
        wall, cpu, used = time.monotonic(), time.process_time(), live.cameras[0].used
        before = self._before or (wall - 1, cpu, used)
        seconds = max(0.001, wall - before[0])
        self._before = (wall, cpu, used)
        status = ObserverStatus(
            live=live,
            fps=round((used - before[2]) / seconds, 1),
            event_p95_ms=self.meter.event_p95_ms,
            cpus=round((cpu - before[1]) / seconds, 2),
            memory_mb=round(memory_mb(), 1),
        )
        self._write({"told": "status", **asdict(status)})

    def _write(self, row: dict[str, Any]) -> None:
        try:
            self.out.write(json.dumps(row, ensure_ascii=False) + "\n")
            self.out.flush()
        except (OSError, ValueError):  # the server is gone; it is noticed by the pipe that it held
            return


def memory_mb() -> float:
    """What this process holds in memory; 0 where the system does not tell."""
    try:
        pages = int(_STATM.read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def read_line(text: str) -> dict[str, Any] | None:
    """What a line tells; None when it is none of these."""
    if len(text) > _LONGEST_LINE:
        return None
    try:
        row = json.loads(text)
    except ValueError:
        return None
    return row if isinstance(row, dict) and isinstance(row.get("told"), str) else None
