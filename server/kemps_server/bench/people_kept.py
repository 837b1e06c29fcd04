"""What watching people told, kept on disk until what was watched or the code that watched changes."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

from kemps_server.bench.code_fingerprint import code_fingerprint
from kemps_server.errors import WorkFailedError

Answer: TypeAlias = dict[str, Any]
"""Plain values that ``json`` writes and reads unchanged."""

_LIBRARIES: Final = ("mediapipe", "numpy", "opencv-contrib-python", "av")


class Task(Protocol):
    """Something to be watched, that can be sent to another process."""

    @property
    def key(self) -> str:
        """Tells what is watched and the code that watches from all others."""
        ...

    def run(self, work: Path) -> Answer:
        """Watches it; ``work`` is the folder for what is worth keeping meanwhile."""
        ...


@dataclass(frozen=True, slots=True)
class Store:
    """Runs tasks, in several processes, and keeps their answers in a folder."""

    work: Path
    jobs: int = 1

    def answers(self, tasks: Sequence[Task]) -> Iterator[Answer]:
        """The answer to each task, in their order; one that is known is read.

        Raises:
            WorkFailedError: The folder cannot be written.
        """
        if self.jobs <= 1 or len(tasks) <= 1:
            yield from (self.answer(task) for task in tasks)
            return
        with ProcessPoolExecutor(self.jobs, mp_context=get_context("spawn")) as pool:
            yield from pool.map(partial(_answer, self), tasks)

    def answer(self, task: Task) -> Answer:
        """The answer to one task."""
        try:
            return kept(self.work / "answers", task.key, lambda: task.run(self.work))
        except OSError as error:
            where = error.filename or self.work
            raise WorkFailedError(
                f"{where}: cannot be written ({error.strerror}); choose another folder with --work"
            ) from None


def kept(folder: Path, key: str, make: Callable[[], Answer]) -> Answer:
    """What ``make`` gives, read from the folder when it is there under ``key``, else written there.

    Raises:
        OSError: It cannot be written.
    """
    path = folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"
    try:
        known: Answer = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        pass
    else:
        return known
    made = make()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as file:
        json.dump(made, file)
    Path(file.name).replace(path)
    return made


def watcher_version(*modules: str, own: str = "") -> str:
    """A hash of what an answer depends on beside what is watched: code, and the libraries' versions.

    ``modules`` count with all that they import; ``own`` is a file that counts by itself, since what a
    benchmark imports beside that would make every answer of yesterday worthless.
    """
    parts = [code_fingerprint(module) for module in modules]
    parts += [content_hash(Path(own))] if own else []
    parts += [f"{name}={version(name)}" for name in _LIBRARIES]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:16]


def content_hash(path: Path) -> str:
    """A hash of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def _answer(store: Store, task: Task) -> Answer:
    return store.answer(task)
