"""Makes time for hands: a journal that is too quick for them is stretched until it can be played."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from kemps_rules.events import (
    Called,
    CardLaid,
    CardTaken,
    CardTouched,
    CentreSwept,
    CentreTurned,
    DealStarted,
    Event,
    HandReached,
    HandShown,
)

_DEALER: Final = "dealer"
_ANYBODY: Final = "anybody"
_GATHER_MS, _DEALING_MS = 2400, 2600


def paced(events: Iterable[Event]) -> list[Event]:
    """The same events in the same order of lines, each as early as in the journal or as hands allow.

    An event that comes too soon for the hand it needs is put off, and with it everything that comes after it.
    """
    lines = list(events)
    new_times = _Pace().times(lines)
    return [_moved(event, at_ms) for event, at_ms in zip(lines, new_times, strict=True)]


def _moved(event: Event, at_ms: int) -> Event:
    changes: dict[str, Any] = {"at_ms": at_ms}
    until = getattr(event, "until_ms", None)
    if until is not None:
        changes["until_ms"] = until + at_ms - event.at_ms
    return replace(event, **changes)


class _Pace:
    """When each hand is free again, in the stretched time."""

    def __init__(self) -> None:
        self._free: dict[str, int] = {}
        self._dealer = "A"
        self._opened = False
        self._shift = 0
        self._latest = 0
        self._called_ms = 0

    def times(self, lines: Sequence[Event]) -> list[int]:
        """New times of the events, in the order given."""
        new = [0] * len(lines)
        for index in sorted(range(len(lines)), key=lambda i: lines[i].at_ms):
            event = lines[index]
            wanted = event.at_ms + self._shift
            at_ms = max(wanted, self._earliest(event))
            self._shift += at_ms - wanted
            self._busy(event, at_ms)
            self._latest = max(self._latest, at_ms)
            new[index] = at_ms
        return new

    def _free_at(self, seat: str | None) -> int:
        """When a seat's hand is free; when nobody knows whose it is, when all are."""
        name = self._dealer if seat == _DEALER else seat
        if name is None:
            return max(self._free.values(), default=0)
        return max(self._free.get(name, 0), self._free.get(_ANYBODY, 0))

    def _earliest(self, event: Event) -> int:
        match event:
            case DealStarted() if event.at_ms > 0 and self._opened:
                return self._latest + _GATHER_MS
            case CentreTurned() if event.at_ms > 0 and not event.first_sight:
                return self._free_at(_DEALER) + 300 + 260 * (len(event.cards) + event.unread)
            case CentreSwept():
                return self._free_at(event.seat or _DEALER) + 500
            case CardTaken() | CardTouched() | HandReached():
                return self._free_at(event.seat) + 550
            case CardLaid():
                return self._free_at(event.seat) + 750
            case HandShown():
                count = len(event.cards) + event.unread + event.face_down
                return max(self._free_at(event.seat), self._called_ms) + 500 + 260 * count
            case _:
                return 0

    def _busy(self, event: Event, at_ms: int) -> None:
        match event:
            case DealStarted():
                self._dealer = event.dealer or self._dealer
                self._free[_ANYBODY] = at_ms + (_DEALING_MS if event.at_ms > 0 else 0)
                self._opened = True
            case CentreTurned():
                self._free[self._dealer] = at_ms
            case CentreSwept():
                self._free[event.seat or self._dealer] = at_ms + 1400
            case CardTaken():
                self._free[event.seat or _ANYBODY] = at_ms + 420
            case CardTouched():
                self._free[event.seat or _ANYBODY] = at_ms + 170
            case HandReached():
                span = (event.until_ms - event.at_ms) if event.until_ms is not None else 600
                self._free[event.seat or _ANYBODY] = at_ms + span
            case CardLaid() | HandShown():
                self._free[event.seat or _ANYBODY] = at_ms
            case Called():
                self._called_ms = at_ms  # nobody lays a hand open before
            case _:
                pass
