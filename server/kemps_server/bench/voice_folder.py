"""Sounds to measure hearing with: a folder of wav files, `calls.csv`, and `files.csv` if there are sets."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kemps_server.errors import KempsServerError

CALLS, TALK, NEAR, NOISE = "calls", "talk", "near", "noise"
PAIRS: Final = ("two_callers", "two_callers_close", "two_callers_far")
SETS: Final = (CALLS, TALK, NEAR, NOISE, *PAIRS)
PLAYERS: Final = "players"
_CALLED: Final = ("kemps", "stop")


@dataclass(frozen=True, slots=True)
class TrueCall:
    """A call that is really there; ``about`` holds what else its row tells: voice, engine, language, seat."""

    at_ms: float
    call: str
    about: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SoundFile:
    """A sound of one set with the calls in it, by time; ``origin`` is ``players`` or ``synthetic``."""

    path: Path
    set: str
    origin: str
    calls: tuple[TrueCall, ...]
    snr_db: str = ""
    noise: str = ""


def load_folder(folder: Path) -> list[SoundFile]:
    """The sounds of a folder.

    Without `files.csv`, a file named in `calls.csv` is of the set "calls", and any other wav file is of
    "talk": a table that was recorded and has no call in it. Both are players' then.

    Raises:
        KempsServerError: It cannot be read, or a row makes no sense; the text names the row.
    """
    calls_csv = folder / "calls.csv"
    if not calls_csv.exists():
        raise KempsServerError(f"{folder}: there is no calls.csv; docs/hearing.md tells what belongs there")
    calls = _calls(calls_csv)
    files_csv = folder / "files.csv"
    if files_csv.exists():
        rows = _rows(files_csv)
    else:
        names = sorted({path.name for path in folder.glob("*.wav")} | set(calls))
        rows = [{"file": name, "set": CALLS if name in calls else TALK, "origin": PLAYERS} for name in names]
    return [_file(folder, row, number, calls) for number, row in enumerate(rows, 2)]


def _file(
    folder: Path, row: Mapping[str, str], number: int, calls: Mapping[str, list[TrueCall]]
) -> SoundFile:
    name, set_ = row.get("file", ""), row.get("set", CALLS)
    where = f"{folder / 'files.csv'}: row {number}"
    if set_ not in SETS:
        raise KempsServerError(f"{where}: set {set_!r}, but must be one of {', '.join(SETS)}")
    path = folder / name
    if not name or not path.is_file():
        raise KempsServerError(f"{where}: there is no file {name!r}")
    there = sorted(calls.get(name, []), key=lambda call: call.at_ms)
    origin = row.get("origin") or PLAYERS
    return SoundFile(path, set_, origin, tuple(there), row.get("snr_db") or "", row.get("noise") or "")


def _calls(path: Path) -> dict[str, list[TrueCall]]:
    calls: dict[str, list[TrueCall]] = defaultdict(list)
    for number, row in enumerate(_rows(path), 2):
        try:
            at_ms = float(row["at_ms"])
            name, call = row["file"], row["call"]
        except (KeyError, ValueError, TypeError):
            raise KempsServerError(f"{path}: row {number}: needs file, at_ms (a number) and call") from None
        if call not in _CALLED or at_ms < 0:
            raise KempsServerError(
                f"{path}: row {number}: call must be {' or '.join(_CALLED)}, at_ms 0 or more"
            )
        about = {key: value for key, value in row.items() if key not in {"file", "at_ms", "call"} and value}
        calls[name].append(TrueCall(at_ms, call, about))
    return calls


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            return list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise KempsServerError(f"{path}: cannot be read: {reason}") from None
