"""A server in a process of its own, with a table at which a game is played event by event from here."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from math import ceil
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from urllib.request import urlopen

import psutil  # type: ignore[import-untyped]

from kemps_rules.cards import Card
from kemps_rules.events import CardLaid, CardTaken, CentreTurned, DealStarted, Event, GameOpened
from kemps_rules.seats import seats_of
from kemps_server.bench.played_game import PlayedGame
from kemps_server.data_folder import DataFolder
from kemps_server.errors import WorkFailedError
from kemps_server.store.store import Store
from kemps_server.store.users import Role

TABLE: Final = "bench"
_SWAPS_A_DEAL: Final = 30
_START_S: Final = 30.0
_CENTRE: Final = tuple(Card.parse(card) for card in ("9c", "2h", "5d", "Js"))
_OTHER: Final = Card.parse("Kc")


@dataclass(frozen=True, slots=True)
class Append:
    """An event that is on disk: the wall clock in ms when that was acknowledged."""

    done_ms: float


def public_events() -> Iterator[Event]:
    """Deal after deal of swaps without end, each event of which changes what the public sees."""
    at_ms = 0
    for dealer in cycle(seats_of(4)):
        yield DealStarted(at_ms=at_ms, dealer=dealer)
        yield CentreTurned(at_ms=at_ms + 100, cards=_CENTRE)
        taken, laid = _CENTRE[0], _OTHER
        for number in range(_SWAPS_A_DEAL):
            yield CardTaken(at_ms=at_ms + 200 * number + 200, seat="A", card=taken)
            yield CardLaid(at_ms=at_ms + 200 * number + 300, seat="A", card=laid)
            taken, laid = laid, taken
        at_ms += 200 * _SWAPS_A_DEAL + 1000


class ServedGame:
    """A data folder with one table, and ``kemps serve`` over it; a context manager."""

    def __init__(self, folder: Path) -> None:
        """The folder is to be empty.

        Raises:
            WorkFailedError: The server does not start.
        """
        self._store = Store.open(DataFolder(folder))
        self._store.tables.save(TABLE, "")
        header = GameOpened(at_ms=0, seats={seat: f"Player {seat}" for seat in seats_of(4)})
        self._game = PlayedGame(self._store, TABLE, TABLE, [header])
        self._events = public_events()
        self.secret = self._store.tokens.issue(Role.VIEWER, TABLE)[1]
        command = [sys.executable, "-m", "kemps_server.cli", "serve", "--data", str(folder), "--port", "0"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own
        self.origin = self._address()
        self.server = psutil.Process(self._process.pid)

    @property
    def socket_address(self) -> str:
        """Of the socket that an overlay opens."""
        return f"{self.origin.replace('http', 'ws')}/api/tables/{TABLE}/live?as=viewer&token={self.secret}"

    @property
    def overlay_address(self) -> str:
        """Of the overlay."""
        return f"{self.origin}/overlay/{TABLE}?token={self.secret}"

    def play(self, count: int, per_s: float) -> list[Append]:
        """So many events, each appended at its time; when each was on disk."""
        done, begun = [], time.monotonic()
        for number in range(count):
            time.sleep(max(0.0, begun + number / per_s - time.monotonic()))
            self._game.play(next(self._events))
            done.append(Append(time.time() * 1000))
        return done

    def state(self) -> dict[str, object]:
        """What viewers are told now."""
        with urlopen(f"{self.origin}/overlay/{TABLE}.json?token={self.secret}") as answer:  # noqa: S310 - ours
            told: dict[str, object] = json.load(answer)
        return told

    def memory_mb(self) -> float:
        """What the server holds."""
        return float(self.server.memory_info().rss) / 1e6

    def cpu_s(self) -> float:
        """Seconds of the processor that the server has taken."""
        times = self.server.cpu_times()
        return float(times.user + times.system)

    def close(self) -> None:
        """End the server and let go of the store."""
        self._process.terminate()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _address(self) -> str:
        line = self._process.stdout.readline() if self._process.stdout is not None else ""
        found = re.search(r"http://\S+?(?=/ )", line)
        ends = time.monotonic() + _START_S
        while found is not None and time.monotonic() < ends:
            try:
                with urlopen(f"{found[0]}/health"):  # noqa: S310 - our own server
                    return found[0]
            except OSError:
                time.sleep(0.1)
        self._process.kill()
        self._store.close()
        raise WorkFailedError("kemps serve did not start; run it by itself to see why")


def percentile(values: Sequence[float], share: float) -> float:
    """The value that ``share`` of all do not exceed.

    >>> percentile([4, 1, 3, 2], 0.5), percentile([7], 0.95)
    (2, 7)
    """
    ordered = sorted(values)
    return ordered[max(0, ceil(len(ordered) * share) - 1)]
