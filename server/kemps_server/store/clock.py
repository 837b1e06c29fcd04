"""What time it is, for the store's own notes; games have a time of their own."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """This moment."""
    return datetime.now(UTC)


def stamp(moment: datetime) -> str:
    """A moment as it is stored; texts sort as their moments do.

    >>> stamp(datetime(2026, 3, 1, 20, 15, tzinfo=UTC))
    '2026-03-01T20:15:00.000000+00:00'
    """
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def clock_ms() -> int:
    """This moment in ms since 1970, as lines of a journal note when they came."""
    return time.time_ns() // 1_000_000
