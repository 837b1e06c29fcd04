"""Kills a process that writes a journal at random moments, and looks what is left.

``python -m kemps_server.bench.journal_kills [--times 50] [--seed 7]`` starts a writer as often, each of which
goes on with the same game, appends batches and says each acknowledged line; it is killed (SIGKILL) after a
random number of them and a random while. Then the store must open, hold every acknowledged line, and number
them without gaps.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Final

from kemps_rules.events import GameOpened, Settled
from kemps_server.data_folder import DataFolder
from kemps_server.store.store import Store

_MOST_BATCHES: Final = 40  # acknowledged before a kill
_MOST_WAIT_S: Final = 0.02  # after the last of them, so that it falls into any part of the next
_MOST_EVENTS: Final = 30  # in a batch


@dataclass(frozen=True, slots=True)
class KillReport:
    """What became of a journal whose writers were killed.

    Attributes:
        kills: How many writers were killed.
        acknowledged: Lines that were acknowledged, over all writers.
        kept: Lines in the journal at the end, the header not counted; those of a batch that was on disk but
            not acknowledged yet are among them.
        lost: Acknowledged lines that were not there after a kill.
        not_opened: How often the store could not be opened, or its lines had gaps or were not as written.
    """

    kills: int
    acknowledged: int
    kept: int
    lost: int
    not_opened: int


def kill_writers(folder: DataFolder, times: int, seed: int) -> KillReport:
    """Start and kill that many writers of one game in this data folder.

    Raises:
        KempsServerError: The store cannot be made.
    """
    chance = random.Random(seed)  # noqa: S311 - moments, not secrets
    with Store.open(folder) as store:
        seats = {"A": "Ann", "B": "Bo", "C": "Cy", "D": "Di"}
        game = store.games.begin("Killed", GameOpened(at_ms=0, seats=seats)).id
    acknowledged = lost = broken = length = 0
    for _ in range(times):
        last = _kill_one(folder, game, chance)
        found = _lines_in(folder, game)
        broken += found is None
        acknowledged += max(0, last - max(length, 1))
        lost += max(0, last - (found or 0))
        length = found or length
    return KillReport(times, acknowledged, length - 1, lost, broken)


def _kill_one(folder: DataFolder, game: str, chance: random.Random) -> int:
    """How many lines there were when the writer last acknowledged some before it was killed."""
    command = [sys.executable, "-m", __spec__.name, "--write", str(folder.root), game, str(chance.random())]
    writer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - ourselves
    assert writer.stdout is not None  # noqa: S101 - it was asked for
    with writer.stdout as answers:
        told = [answers.readline() for _ in range(chance.randint(0, _MOST_BATCHES))]
        time.sleep(chance.uniform(0, _MOST_WAIT_S))
        writer.kill()
        told += answers.readlines()
    writer.wait()
    whole = [int(line) for line in told if line.endswith("\n")]
    return whole[-1] if whole else 0


def _lines_in(folder: DataFolder, game: str) -> int | None:
    """How many lines the journal has; None when it is not as it was written."""
    with Store.open(folder) as store:
        lines = store.games.journal(game).read()
    is_whole = all(line.number == number == line.event.at_ms for number, line in enumerate(lines))
    return len(lines) if is_whole else None


def write_for_ever(folder: DataFolder, game: str, seed: str, answers: IO[str]) -> None:
    """Append batches to the game and say after each how many lines there are."""
    chance = random.Random(seed)  # noqa: S311 - sizes, not secrets
    with Store.open(folder) as store:
        journal = store.games.journal(game)
        length = len(journal)
        while True:
            batch = range(length, length + chance.randint(1, _MOST_EVENTS))
            length = journal.append(*(Settled(at_ms=at_ms, camera="table") for at_ms in batch)).stop
            print(length, file=answers, flush=True)


def main() -> None:
    """Kill writers in a temporary folder and print the report as JSON; exit code 1 when a line was lost."""
    parser = argparse.ArgumentParser(description="Kill writers of a journal and look what is left.")
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--write", nargs=3, metavar=("FOLDER", "GAME", "SEED"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.write:
        place, game, seed = chosen.write
        write_for_ever(DataFolder(Path(place)), game, seed, sys.stdout)
    with TemporaryDirectory() as place:
        report = kill_writers(DataFolder(Path(place)), chosen.times, chosen.seed)
    print(json.dumps(asdict(report)))  # noqa: T201 - the answer
    sys.exit(bool(report.lost or report.not_opened))


if __name__ == "__main__":
    main()
