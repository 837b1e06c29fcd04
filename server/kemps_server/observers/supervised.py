"""The observer of one table, kept alive: started, watched over, started again after a crash, and ended."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import IO, Any, Final

from kemps_server.observers.telling import read_line

_log = logging.getLogger(__name__)

KEPT_NOTES: Final = 20
KEPT_ERRORS: Final = 12


class ObserverState(StrEnum):
    """What the observer of a table does."""

    OFF = "off"
    STARTING = "starting"  # models are loaded and cameras opened
    WATCHING = "watching"
    WAITING = "waiting"  # it has crashed and is started again soon
    STOPPING = "stopping"
    ENDED = "ended"  # its source is over
    FAILED = "failed"  # it cannot begin; somebody has to do what the reason says


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How an observer is looked after; seconds.

    Attributes:
        waits: Before it is started again: after the first crash, the second, and so on; the last for ever.
        well_after: So long without a crash, and the next counts as the first.
        start: What it may take until it watches.
        silent: So long without a word while it watches, and it hangs.
        stop: What it may take to end when it is asked to.
    """

    waits: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
    well_after: float = 60.0
    start: float = 90.0
    silent: float = 15.0
    stop: float = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """How an observer does at a moment.

    Attributes:
        state: What it does.
        game: Which game it watches.
        pid: Its process, while there is one.
        restarts: How often it was started again.
        reason: Why it crashed last, or cannot begin.
        status: What it told last of how it goes.
        heard_s: How many seconds ago it told anything; None when it never did.
        notes: What people must know, the last one last.
        ended_s: How many seconds ago its source was over; None while it is not.
    """

    state: ObserverState
    game: str
    pid: int | None
    restarts: int
    reason: str
    status: dict[str, Any] | None
    heard_s: float | None
    notes: tuple[str, ...]
    ended_s: float | None = None


@dataclass(slots=True)
class _Run:
    """One process."""

    process: subprocess.Popen[str]
    errors: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT_ERRORS))
    readers: tuple[threading.Thread, ...] = ()
    has_watched: bool = False


class Supervised:
    """Keeps the observer of one game running in a thread of its own.

    Args:
        game: Its id.
        command: What to run; it ends when its standard input does.
        patience: How it is looked after.
        is_resumed: It was watched before, so that a camera that is not there now is waited for.
        on_change: Hears of each change of the state, in some thread.
    """

    def __init__(
        self,
        game: str,
        command: Sequence[str],
        *,
        patience: Patience | None = None,
        is_resumed: bool = False,
        on_change: Callable[[], None] | None = None,
    ) -> None:
        self.game = game
        self._command = list(command)
        self._patience = patience or Patience()
        self._is_resumed = is_resumed
        self._on_change = on_change or (lambda: None)
        self._lock = threading.Lock()
        self._state = ObserverState.STARTING
        self._restarts = 0
        self._reason = ""
        self._status: dict[str, Any] | None = None
        self._heard: float | None = None
        self._ended: float | None = None
        self._notes: deque[str] = deque(maxlen=KEPT_NOTES)
        self._run: _Run | None = None
        self._asked = threading.Event()
        self._thread = threading.Thread(target=self._keep, name=f"observer {game}", daemon=True)
        self._thread.start()

    @property
    def observed(self) -> Observed:
        """How it does now."""
        with self._lock:
            run = self._run
            return Observed(
                state=self._state,
                game=self.game,
                pid=None if run is None else run.process.pid,
                restarts=self._restarts,
                reason=self._reason,
                status=self._status,
                heard_s=None if self._heard is None else time.monotonic() - self._heard,
                notes=tuple(self._notes),
                ended_s=None if self._ended is None else time.monotonic() - self._ended,
            )

    @property
    def is_kept(self) -> bool:
        """Whether it runs, or is started again, and nobody has asked it to end."""
        return self._thread.is_alive() and not self._asked.is_set()

    def stop(self) -> None:
        """Ask it to end: what it holds back is told first."""
        self._asked.set()
        with self._lock:
            if self._run is not None:
                self._state = ObserverState.STOPPING
                _close(self._run.process.stdin)
        self._on_change()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Whether it has ended, after at most so long."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _keep(self) -> None:
        crashes = 0
        while not self._asked.is_set():
            began = time.monotonic()
            run = self._begin()
            code = None if run is None else self._watch_over(run)
            if run is not None and self._is_end(run, code):
                return
            crashes = 0 if time.monotonic() - began > self._patience.well_after else crashes
            waits = self._patience.waits
            wait_s = waits[min(crashes, len(waits) - 1)]
            crashes += 1
            self._set(ObserverState.WAITING)
            self._asked.wait(wait_s)
            with self._lock:
                self._restarts += not self._asked.is_set()
        self._set(ObserverState.OFF)

    def _is_end(self, run: _Run, code: int | None) -> bool:
        """Whether the process is not to be started again; sets what became of it."""
        if self._asked.is_set():
            self._set(ObserverState.OFF)
            return True
        if code == 0:
            self._ended = time.monotonic()
            self._set(ObserverState.ENDED)
            return True
        reason = _reason(code, run.errors)
        with self._lock:
            self._reason = reason
        # The id of a game may hold names of players: it is not logged.
        _log.error("the observer with process id %d has ended: %s", run.process.pid, reason)
        if code == 2 and not run.has_watched and not self._is_resumed:
            self._set(ObserverState.FAILED)
            return True
        return False

    def _begin(self) -> _Run | None:
        try:
            process = subprocess.Popen(  # noqa: S603 - ourselves
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,  # Ctrl-C at the server's terminal is the server's to hear
            )
        except OSError as error:
            with self._lock:
                self._reason = f"it cannot be started: {error.strerror or error}"
            return None
        run = _Run(process)
        run.readers = tuple(
            threading.Thread(target=read, args=(run,), daemon=True)
            for read in (self._read_told, self._read_errors)
        )
        with self._lock:
            self._run, self._heard = run, time.monotonic()
            self._state = ObserverState.STARTING
        for reader in run.readers:
            reader.start()
        if self._asked.is_set():
            _close(process.stdin)
        self._on_change()
        return run

    def _watch_over(self, run: _Run) -> int | None:
        """The exit code of the process, once it has ended or was killed for hanging."""
        asked_at: float | None = None
        while run.process.poll() is None:
            now = time.monotonic()
            if self._asked.is_set():
                asked_at = asked_at or now
                _close(run.process.stdin)
            limit = self._patience.silent if run.has_watched else self._patience.start
            is_silent = now - (self._heard or now) > limit
            if is_silent or (asked_at is not None and now - asked_at > self._patience.stop):
                run.errors.append(f"it hung: nothing was heard of it for {limit:.0f} s")
                kill_group(run.process)
            time.sleep(0.02) if self._asked.is_set() else self._asked.wait(0.1)
        kill_group(run.process)  # whatever it may have started, which would keep the pipes open
        for reader in run.readers:
            reader.join(2.0)
        for pipe in (run.process.stdin, run.process.stdout, run.process.stderr):
            _close(pipe)
        with self._lock:
            self._run = None
        return run.process.returncode

    def _read_told(self, run: _Run) -> None:
        for text in run.process.stdout or ():
            row = read_line(text)
            if row is None:
                continue
            with self._lock:
                self._heard = time.monotonic()
            self._take(run, row)

    def _take(self, run: _Run, row: dict[str, Any]) -> None:
        if row["told"] == "watching":
            run.has_watched = True
            self._set(ObserverState.WATCHING, unless=ObserverState.STOPPING)
        elif row["told"] == "status":
            with self._lock:
                self._status = {name: value for name, value in row.items() if name != "told"}
        elif row["told"] == "note":
            with self._lock:
                self._notes.append(str(row.get("text", "")))
            self._on_change()

    def _read_errors(self, run: _Run) -> None:
        for text in run.process.stderr or ():
            if text.strip():
                run.errors.append(text.strip())
                _log.warning("the observer with process id %d: %s", run.process.pid, text.strip())

    def _set(self, state: ObserverState, *, unless: ObserverState | None = None) -> None:
        with self._lock:
            if self._state is unless:
                return
            self._state = state
        self._on_change()


def _reason(code: int | None, errors: Sequence[str]) -> str:
    """Why a process ended, in one line."""
    if code is not None and code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        last = next((line for line in reversed(errors) if line.startswith("it hung")), "")
        return last or f"it was killed ({name})"
    return errors[-1] if errors else f"it ended with exit code {code}"


def kill_group(process: subprocess.Popen[Any]) -> None:
    """End the process and its group at once; nothing happens when it is gone."""
    try:
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    except OSError:  # it is gone
        return


def _close(pipe: IO[str] | None) -> None:
    if pipe is not None:
        try:
            pipe.close()
        except OSError:
            return
