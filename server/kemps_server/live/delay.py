"""How long the public waits for what happens at a table, and that a promise once given holds.

The owner sets ``delay_ms`` of a table. A line that was written while a delay held is public when that delay
has passed, also when the owner has chosen a shorter one since; a longer one holds at once for all that is
still held back. So that this is known after a restart, too, the table's settings keep when each delay was set
(``delays``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

from kemps_server.errors import KempsServerError
from kemps_server.store.clock import clock_ms
from kemps_server.store.store import Store
from kemps_server.store.tables import TableRecord, Tables

MOST_MS: Final = 3 * 60 * 60 * 1000
_CURRENT: Final = "delay_ms"
_HISTORY: Final = "delays"


@dataclass(frozen=True, slots=True)
class Promise:
    """What the public was told to wait: (from when, how long) in ms; the first holds for all before, too."""

    steps: tuple[tuple[int, int], ...] = ()

    @property
    def now_ms(self) -> int:
        """How long it waits for what happens now."""
        return self.steps[-1][1] if self.steps else 0

    def due_ms(self, written_ms: int) -> int:
        """When a line that was written at ``written_ms`` may be public.

        >>> Promise(((0, 60_000), (100_000, 0))).due_ms(99_000)  # the old promise holds for it
        159000
        >>> Promise(((0, 60_000), (100_000, 0))).due_ms(100_000)  # and for one of the same millisecond
        160000
        >>> Promise(((0, 1_000), (100_000, 60_000))).due_ms(99_500)  # still held when the delay grew
        159500
        """
        delay_ms = 0
        for number, (from_ms, step_ms) in enumerate(self.steps):
            until_ms = self.steps[number + 1][0] if number + 1 < len(self.steps) else None
            is_past = until_ms is not None and until_ms < written_ms
            if not is_past and (from_ms <= written_ms or number == 0 or from_ms < written_ms + delay_ms):
                delay_ms = max(delay_ms, step_ms)
        return written_ms + delay_ms


_LONGEST: Final = Promise(((0, MOST_MS),))


def promise_of(settings: Mapping[str, Any]) -> Promise:
    """The promise that a table's settings hold; what makes no sense there counts as the longest delay.

    >>> promise_of({}).now_ms, promise_of({"delay_ms": 5000}).now_ms, promise_of({"delay_ms": "soon"}).now_ms
    (0, 5000, 10800000)
    """
    current, history = settings.get(_CURRENT, 0), settings.get(_HISTORY, [])
    try:
        steps = tuple((_time(from_ms), _time(delay_ms)) for from_ms, delay_ms in history)
        current = _time(current)
    except (TypeError, ValueError):
        return _LONGEST
    if list(steps) != sorted(steps, key=lambda step: step[0]):
        return _LONGEST
    if not steps:
        return Promise(((0, current),))
    if steps[-1][1] != current:  # somebody wrote it past set_delay: nobody knows since when
        return Promise(tuple((from_ms, max(delay_ms, current)) for from_ms, delay_ms in steps))
    return Promise(steps)


def promise_for(store: Store, game: str) -> Promise:
    """The promise for a game: its table's; none for a game that was never played at one.

    Raises:
        StoreError: The store cannot be read.
    """
    sitting = store.sittings.of_game(game)
    if sitting is None:
        return Promise()
    return promise_at(store.tables, sitting.table)


def promise_at(tables: Tables, table: str) -> Promise:
    """The promise at a table; the longest for one that was removed, as nobody knows what was said there."""
    record = tables.find(table)
    return _LONGEST if record is None else promise_of(record.settings)


_setting: Final = Lock()


def set_delay(tables: Tables, table: str, delay_ms: int, now_ms: int | None = None) -> TableRecord:
    """The table with this delay from now on.

    Raises:
        KempsServerError: There is no such table, or the delay is not from 0 to three hours.
        StoreError: The store refused.
    """
    if not 0 <= delay_ms <= MOST_MS:
        raise KempsServerError(f"a delay is 0 to {MOST_MS} ms (three hours); {delay_ms} is not")
    with _setting:
        record = tables.find(table)
        if record is None:
            raise KempsServerError(f"there is no table {table!r}")
        now = clock_ms() if now_ms is None else now_ms
        # A clock that was set back must not put a step before the last one.
        steps = list(promise_of(record.settings).steps)
        steps.append((max(now, steps[-1][0]), delay_ms))
        # What was written before the second step is public by now, whatever held.
        while len(steps) > 1 and steps[1][0] + MOST_MS < now:
            steps.pop(0)
        return tables.set_settings(table, delay_ms=delay_ms, delays=[list(step) for step in steps])


def _time(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(value)
    return value
