"""An observer that sees nothing: it appends events as fast as a lively game and says each that is on disk.

It is run in the place of the real one where observers are killed on purpose, which takes seconds to begin.
``python -m kemps_server.bench.quick_observer DIR GAME TABLE``; lines that were acknowledged are counted in
``acknowledged`` beside the game.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any, Final

from kemps_rules.events import Settled
from kemps_server.data_folder import DataFolder
from kemps_server.observers.clock import begin_clock
from kemps_server.observers.lifeline import Task, alone, end_with
from kemps_server.store.store import Store

ACKNOWLEDGED: Final = "acknowledged"
PAUSE_S: Final = 0.005


def watch_nothing(task: Task) -> None:
    """Append events until somebody ends this process."""
    journal = task.store.games.journal(task.game)
    clock = begin_clock(task.folder)
    _tell({"told": "watching", "at_ms": clock.at_ms})
    told_ms = 0
    kept = os.open(task.folder / ACKNOWLEDGED, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    while True:
        at_ms = clock.at_ms
        lines = journal.append(Settled(at_ms=at_ms, camera="table"))
        os.write(kept, f"{lines.start} {at_ms}\n".encode())
        if at_ms - told_ms >= 200:
            told_ms = at_ms
            _tell({"told": "status", "live": {"at_ms": at_ms, "cameras": []}, "fps": 0.0, "cpus": 0.0})
        time.sleep(PAUSE_S)


def acknowledged(folder: Path) -> dict[int, int]:
    """Line and time of each event that was acknowledged to an observer of the game in this folder."""
    try:
        rows = (folder / ACKNOWLEDGED).read_bytes().split(b"\n")[:-1]
    except FileNotFoundError:
        return {}
    return {int(line): int(at_ms) for line, at_ms in (row.split() for row in rows)}


def _tell(row: dict[str, Any]) -> None:
    print(json.dumps(row), flush=True)  # noqa: T201 - for the server


def main(arguments: list[str]) -> int:
    """The exit code."""
    root, game, table = arguments
    threading.Thread(target=end_with, args=(sys.stdin.fileno(),), daemon=True).start()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with Store.open(DataFolder(Path(root))) as store:
            task = Task(store, game, table)
            with alone(task.folder):
                watch_nothing(task)
    except KeyboardInterrupt:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
