"""Kills a server and its observer at random moments, and looks whether anything acknowledged was lost.

``python -m kemps_server.bench.server_kills [--times 50] [--seed 7]`` runs the real server on a data folder,
with an observer that writes all the time (``quick_observer``), presses call buttons, and kills (SIGKILL) the
server, the observer or both. After each kill the store must open, its journal be numbered without gaps, go on
where it was seen before, and hold each call that was answered and each event that was acknowledged to the
observer; then the game goes on. With ``--real`` the observer is the real one, and watches the shipped clip
over and over; it takes seconds to begin, so that this lasts.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import uvicorn

from kemps_rules.events import Called, Settled
from kemps_server.app import create_app
from kemps_server.bench.quick_observer import acknowledged
from kemps_server.data_folder import DataFolder
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_server.library import Library
from kemps_server.observers.observers import Observers
from kemps_server.observers.table_settings import TableSettings
from kemps_server.shipped import shipped_clip
from kemps_server.store.store import Store

TABLE: Final = "killed"
BEGIN_S: Final = 30.0
_MOST_WAIT_S: Final = 0.6
_MOST_REAL_S: Final = 6.0
_MOST_CALLS: Final = 6
_HOW: Final = ("server", "observer", "both")


@dataclass(frozen=True, slots=True)
class ServerKills:
    """What became of a journal whose server and observer were killed.

    Attributes:
        kills: How many moments there were.
        calls: Calls that were answered.
        events: Events that were acknowledged to observers.
        kept: Lines in the journal at the end.
        lost: Acknowledged calls or events that were not there after a kill.
        not_opened: How often the store could not be opened, or its lines had gaps.
        not_resumed: How often the game was not gone on with by itself.
    """

    kills: int
    calls: int
    events: int
    kept: int
    lost: int
    not_opened: int
    not_resumed: int

    @property
    def is_fine(self) -> bool:
        """Whether nothing was lost, and everything went on."""
        return not (self.lost or self.not_opened or self.not_resumed)


@dataclass(slots=True)
class _Run:
    """The server that is there now, and what it has answered."""

    root: Path
    port: int
    chance: random.Random
    is_real: bool = False
    process: subprocess.Popen[bytes] | None = None
    game: str = ""
    calls: dict[int, int] = field(default_factory=dict)

    def begin(self) -> None:
        """Start the server, and wait until it answers."""
        command = [sys.executable, "-m", __spec__.name, "--serve", str(self.root), str(self.port)]
        command += ["--real"] if self.is_real else []
        self.process = subprocess.Popen(command, start_new_session=True)  # noqa: S603 - ourselves
        until = time.monotonic() + BEGIN_S
        while time.monotonic() < until:
            if self.ask("GET", "/health") is not None:
                return
            time.sleep(0.05)
        raise WorkFailedError("the server does not begin")

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any] | None:
        """What it answers; None when it did not."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"content-type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:  # noqa: S310 - our own
                told: dict[str, Any] = json.loads(answer.read())
                return told
        except (OSError, ValueError):  # it was killed, or has not begun
            return None

    def is_watching(self) -> int | None:
        """The process of the observer, once it watches."""
        until = time.monotonic() + BEGIN_S
        while time.monotonic() < until:
            told = self.ask("GET", f"/api/tables/{TABLE}")
            if told is not None and told["state"] == "watching" and told["observer_pid"]:
                self.game = told["game"]["id"]
                return int(told["observer_pid"])
            time.sleep(0.02)
        return None

    def call(self) -> None:
        """Press the button of some seat."""
        answer = self.ask("POST", f"/api/tables/{TABLE}/calls", {"seat": "A", "call": "kemps"})
        if answer is not None:
            self.calls[int(answer["line"])] = int(answer["at_ms"])

    def kill(self, how: str, observer: int) -> None:
        """End processes as a power cut does."""
        if how != "observer" and self.process is not None:
            self.process.kill()
            self.process.wait()
        if how != "server":
            try:
                os.kill(observer, signal.SIGKILL)
            except ProcessLookupError:  # it was gone already
                return


def measure_kills(times: int, seed: int, *, is_real: bool = False) -> ServerKills:
    """Kill a server and its observer as often; ``is_real``: one that watches the shipped clip.

    Raises:
        WorkFailedError: The server does not begin.
    """
    chance = random.Random(seed)  # noqa: S311 - moments, not secrets
    with TemporaryDirectory() as place, shipped_clip() as clip:
        _set_up(Path(place), clip.video if is_real else None)
        return _kill_all(_Run(Path(place), _free_port(), chance, is_real), times)


def _set_up(root: Path, clip: Path | None) -> None:
    """A table whose camera is the clip, or none that is ever opened."""
    with Store.open(DataFolder(root)) as store:
        store.tables.save(TABLE, f'[[camera]]\nname = "table"\nsource = {json.dumps(str(clip or 0))}\n')
        store.tables.set_settings(TABLE, **TableSettings(loop=True, people=False).stored())


def _kill_all(run: _Run, times: int) -> ServerKills:
    root, chance = run.root, run.chance
    lost = not_opened = not_resumed = 0
    run.begin()
    run.ask("POST", f"/api/tables/{TABLE}/start", {})
    try:
        for _ in range(times):
            observer = run.is_watching()
            not_resumed += observer is None
            for _ in range(chance.randint(0, _MOST_CALLS)):
                run.call()
            time.sleep(chance.uniform(0, _MOST_REAL_S if run.is_real else _MOST_WAIT_S))
            how = chance.choice(_HOW)
            seen = _texts(root, run)
            run.kill(how, observer or 0)
            missing = _missing(root, run, seen)
            not_opened += missing is None
            lost += missing or 0
            if how != "observer":
                run.begin()
        not_resumed += run.is_watching() is None
    finally:
        if run.process is not None:
            run.process.terminate()
            run.process.wait(60)
    kept, events = _counts(root, run)
    return ServerKills(times, len(run.calls), events, kept, lost, not_opened, not_resumed)


def _texts(root: Path, run: _Run) -> list[str]:
    with Store.open(DataFolder(root)) as store:
        return [line.text for line in store.games.journal(run.game).read()]


def _missing(root: Path, run: _Run, seen: Sequence[str]) -> int | None:
    """How many acknowledged lines are not there as they were written; None when the journal is broken."""
    told = acknowledged(DataFolder(root).beside(run.game))
    try:
        with Store.open(DataFolder(root)) as store:
            lines = store.games.journal(run.game).read()
    except KempsServerError:
        return None
    if any(line.number != number for number, line in enumerate(lines)):
        return None
    events = {line.number: line.event for line in lines}
    calls = {number: one.at_ms for number, one in events.items() if isinstance(one, Called)}
    settled = {number: one.at_ms for number, one in events.items() if isinstance(one, Settled)}
    return (
        sum(calls.get(line) != at_ms for line, at_ms in run.calls.items())
        + sum(settled.get(line) != at_ms for line, at_ms in told.items())
        + sum(line.text != text for line, text in zip(lines, seen, strict=False))
        + max(0, len(seen) - len(lines))
    )


def _counts(root: Path, run: _Run) -> tuple[int, int]:
    with Store.open(DataFolder(root)) as store:
        kept = len(store.games.journal(run.game))
    return kept, len(acknowledged(DataFolder(root).beside(run.game)))


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def quick_command(root: Path, game: str, table: str) -> list[str]:
    """The observer that sees nothing."""
    return [sys.executable, "-m", "kemps_server.bench.quick_observer", str(root), game, table]


def serve(root: Path, port: int, *, is_real: bool) -> None:
    """The real server on a data folder, with observers that see nothing unless they are real, too."""
    with Store.open(DataFolder(root)) as store:
        app = create_app(Library(store))
        if not is_real:
            app.state.place.observers = Observers(store, command=quick_command)
        uvicorn.run(app, host="127.0.0.1", port=port, log_level="critical")


def main() -> None:
    """Kill, and print the report as JSON; exit code 1 when something was lost."""
    parser = argparse.ArgumentParser(description="Kill a server and its observer and look what is left.")
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--real", action="store_true", help="With observers that watch the shipped clip.")
    parser.add_argument("--serve", nargs=2, metavar=("FOLDER", "PORT"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        serve(Path(chosen.serve[0]), int(chosen.serve[1]), is_real=chosen.real)
        return
    report = measure_kills(chosen.times, chosen.seed, is_real=chosen.real)
    print(json.dumps(asdict(report)))  # noqa: T201 - the answer
    sys.exit(not report.is_fine)


if __name__ == "__main__":
    main()
