"""Reels made for a page: one at a time, by a process of its own that leaves the processor to others."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Final

from kemps_server.errors import KempsServerError
from kemps_server.games import KeptGame
from kemps_server.library import StoredGame

_PREFIX: Final = "kemps reel: "
_PATIENCE_S: Final = 5.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Job:
    """A reel being made, or how that ended: ``making``, ``done``, ``failed`` or ``stopped``."""

    game: str
    state: str
    done_ms: int = 0
    of_ms: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobWish:
    """How a reel is wanted by a page."""

    most: int
    language: str
    blurs_faces: bool


class ReelJobs:
    """The reels that a server has made since it started."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._jobs: dict[str, Job] = {}
        self._running: tuple[str, subprocess.Popen[str]] | None = None
        self._lock = threading.Lock()

    def of(self, game: str) -> Job | None:
        """The latest job of a game, or None."""
        with self._lock:
            return self._jobs.get(game)

    def start(self, name: str, game: KeptGame, wish: JobWish) -> Job:
        """The job, begun.

        Raises:
            KempsServerError: Another reel is being made.
        """
        command = [sys.executable, "-m", "kemps_server.cli", "reel", *_named(game)]
        command += ["--data", str(self._data), "--moments", str(wish.most), "--lang", wish.language]
        command += ["--gently", "--json", "--blur-faces" if wish.blurs_faces else "--no-blur-faces"]
        with self._lock:
            if self._running is not None:
                raise KempsServerError(
                    f"the reel of {self._running[0]} is being made; wait until it is done, or stop it"
                )
            process = subprocess.Popen(  # noqa: S603 - our own command; the name is an argument of its own
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
            )
            self._running = (name, process)
            self._jobs[name] = job = Job(name, "making")
        threading.Thread(target=self._follow, args=(name, process), daemon=True).start()
        return job

    def stop(self, name: str) -> None:
        """End the making of this game's reel; nothing happens when there is none."""
        with self._lock:
            if self._running is None or self._running[0] != name:
                return
            process = self._running[1]
            self._jobs[name] = replace(self._jobs[name], state="stopped")
        process.terminate()

    def close(self) -> None:
        """End what is being made."""
        with self._lock:
            running = self._running
        if running is not None:
            self.stop(running[0])
            try:
                running[1].wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                running[1].kill()

    def _follow(self, name: str, process: subprocess.Popen[str]) -> None:
        """Keep what the process tells until it ends."""
        said: list[str] = []
        reader = threading.Thread(target=lambda: said.extend(_lines(process.stderr)), daemon=True)
        reader.start()
        for line in _lines(process.stdout):
            self._note(name, line)
        code = process.wait()
        reader.join()
        with self._lock:
            job = self._jobs[name]
            if job.state == "making":
                problem = next((text for text in reversed(said) if text), "it ended without a word")
                self._jobs[name] = (
                    replace(job, state="done")
                    if code == 0
                    else replace(job, state="failed", problem=problem.removeprefix(_PREFIX))
                )
            self._running = None
        if code and self._jobs[name].state == "failed":
            _log.warning("the reel of %s could not be made: %s", name, self._jobs[name].problem)

    def _note(self, name: str, line: str) -> None:
        try:
            told = json.loads(line)
        except ValueError:
            return
        if isinstance(told, dict) and "done_ms" in told:
            with self._lock:
                job = self._jobs[name]
                self._jobs[name] = replace(job, done_ms=int(told["done_ms"]), of_ms=int(told["of_ms"]))


def _named(game: KeptGame) -> list[str]:
    """How the command finds the game: an id has no dash before it, and a folder is told from the root on."""
    if isinstance(game, StoredGame):
        return [game.record.id]
    return [str((game.folder or Path(game.where)).resolve())]


def _lines(stream: IO[str] | None) -> Iterator[str]:
    if stream is not None:
        with stream:
            yield from (line.strip() for line in stream)
