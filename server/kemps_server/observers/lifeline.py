"""What an observer is there for, and that it ends: with its server, and with nobody else at the same game."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kemps_server.errors import KempsServerError
from kemps_server.store.store import Store

if sys.platform != "win32":
    import fcntl

LOCK: Final = "observer.lock"
WAIT_S: Final = 15.0  # for an observer whose server was killed, which ends by itself
DIE_AFTER_S: Final = 12.0  # whoever was asked to end and hangs


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be watched: a game, by the configuration of its table."""

    store: Store
    game: str
    table: str

    @property
    def folder(self) -> Path:
        """What lies beside the game."""
        return self.store.folder.beside(self.game)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Nobody else watches this game meanwhile.

    Raises:
        KempsServerError: Somebody does, and does not end.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":
        yield
        return
    with (folder / LOCK).open("w") as lock:
        until_s = time.monotonic() + WAIT_S
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until_s:
                    raise KempsServerError("another process watches this game, and does not end") from None
                time.sleep(0.05)
        yield


def end_with(pipe: int) -> None:
    """Wait until the server closes this pipe or is gone, then end this process as Ctrl-C does."""
    # Not by Python's own file: its lock, held by a thread that waits, breaks the end of the interpreter.
    while os.read(pipe, 4096):
        pass
    signal.raise_signal(signal.SIGINT)
    time.sleep(DIE_AFTER_S)
    os._exit(3)
