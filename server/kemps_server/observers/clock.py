"""A running game's time: written down when watching begins, the same for all processes of the machine.

Times of a game are ms since then by the machine's monotonic clock, which all processes share; after the
machine was booted again, by the time of day.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from kemps_server.errors import KempsServerError, WorkFailedError

CLOCK: Final = "clock.json"
SAME_BOOT_S: Final = 120.0  # by so much a clock is set right without the machine having been booted
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")  # where the system tells boots apart


@dataclass(frozen=True, slots=True)
class GameClock:
    """When a game began.

    Attributes:
        zero_s: What the monotonic clock showed.
        began_s: The time of day, in seconds since 1970.
        boot: Which start of the machine that was, where the system tells.
    """

    zero_s: float
    began_s: float
    boot: str = ""

    @property
    def at_ms(self) -> int:
        """This moment of the game."""
        if self._is_same_boot():
            return max(0, round((time.monotonic() - self.zero_s) * 1000))
        return max(0, round((time.time() - self.began_s) * 1000))

    def _is_same_boot(self) -> bool:
        if self.boot:
            return self.boot == _boot()
        return abs((time.time() - time.monotonic()) - (self.began_s - self.zero_s)) < SAME_BOOT_S


def begin_clock(folder: Path) -> GameClock:
    """The clock of the game with this folder: as it was begun before, else begun now.

    Raises:
        WorkFailedError: It cannot be written.
    """
    known = clock_of(folder)
    if known is not None:
        return known
    clock = GameClock(time.monotonic(), time.time(), _boot())
    new = folder / f".{CLOCK}.new"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        new.write_text(json.dumps(asdict(clock)) + "\n", encoding="utf-8")
        new.replace(folder / CLOCK)
    except OSError as error:
        raise WorkFailedError(
            f"{folder / CLOCK}: cannot be written: {(error.strerror or str(error)).lower()}"
        ) from None
    return clock


def clock_of(folder: Path) -> GameClock | None:
    """The clock of the game with this folder, or None for one that was never watched live.

    Raises:
        WorkFailedError: The file makes no sense.
    """
    path = folder / CLOCK
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return GameClock(float(data["zero_s"]), float(data["began_s"]), str(data["boot"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WorkFailedError(f"{path}: cannot be read ({error}); end this game and begin the next") from None


def at_ms_now(folder: Path) -> int:
    """This moment of the running game whose files lie in ``folder``.

    Raises:
        KempsServerError: It was never watched live.
        WorkFailedError: Its clock cannot be read.
    """
    clock = clock_of(folder)
    if clock is None:
        raise KempsServerError("this game is not watched yet, so it has no time; start its table first")
    return clock.at_ms


def _boot() -> str:
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return ""
