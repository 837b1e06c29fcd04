"""Thresholds, and how exact the onsets are, by voices that neither learn nor are reported on."""

from __future__ import annotations

import csv
import json
import wave
from collections import defaultdict
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kemps_training.voice.export import UNTUNED, note_ear
from kemps_vision.hearing.detector import Heard, calls_in
from kemps_vision.hearing.features import RATE
from kemps_vision.hearing.listener import Ear, Listener

# The bars are 2, 60 and 1 an hour on voices never heard: a part of each is kept in reserve.
MOST_AN_HOUR: Final = {"talk": 0.8, "near": 40.0, "noise": 0.3}
MAYBE_AN_HOUR: Final = {"talk": 12.0, "near": 240.0, "noise": 6.0}
NEAR_MS: Final = 400.0
LEAST_SUM: Final = 0.25
TAIL: Final = 10  # so many of the highest alarms tell how rare higher ones are
# Two at once where there was one call, or none: a person is asked in vain. That a call is the later of two is
# told by far better by the fainter one before it than by the network's own word for two at once.
ASKED_SHARE: Final = 0.005
SECOND_SHARE: Final = 0.01
ASKED_AN_HOUR: Final = {"talk": 0.4, "near": 10.0, "noise": 0.2}
_NEVER: Final = 1e9
_PROBE: Final = replace(UNTUNED, thresholds=(1.0, 1.0), maybe=(1.0, 1.0), two=_NEVER, second=_NEVER)


@dataclass(frozen=True, slots=True)
class _Probe:
    """All that a network heard in one folder, with scores as plain sums of heat."""

    heard: dict[str, list[Heard]]
    sets: dict[str, str]
    truth: dict[str, list[dict[str, Any]]]
    hours: dict[str, float]


class _Remembering(Listener):
    """A listener that answers at once what it was asked before, whatever its thresholds were then."""

    def __init__(self, path: Path, answers: dict[bytes, NDArray[np.float32]]) -> None:
        super().__init__(path)
        self._answers = answers

    def heat(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        key = sha256(rows.tobytes()).digest()
        if key not in self._answers:
            self._answers[key] = super().heat(rows)
        return self._answers[key]


def tune(network: Path, folder: Path) -> Ear:
    """Chooses thresholds by the alarms they cause, and measures the onsets' errors; all go into the file."""
    answers: dict[bytes, NDArray[np.float32]] = {}
    note_ear(network, _PROBE)
    probe = _probe(_Remembering(network, answers), folder)
    thresholds = _thresholds(probe, MOST_AN_HOUR)
    maybe = tuple(min(a, b) for a, b in zip(_thresholds(probe, MAYBE_AN_HOUR), thresholds, strict=True))
    ear = replace(_PROBE, thresholds=thresholds, maybe=maybe)
    shift, errors = _errors(probe, thresholds)
    p95 = float(np.quantile(np.abs(errors - shift), 0.95))
    ear = replace(ear, shift_ms=round(-shift, 2), uncertainty_ms=int(np.ceil(max(20.0, p95))))
    note_ear(network, replace(ear, two=LEAST_SUM, second=_NEVER))
    ear = replace(ear, two=_two(_probe(_Remembering(network, answers), folder, 1.0), LEAST_SUM))
    note_ear(network, replace(ear, two=_NEVER, second=1.0))
    ear = replace(ear, second=_second(_probe(_Remembering(network, answers), folder, 1.0)))
    note_ear(network, ear)
    print(
        json.dumps({"thresholds": thresholds, "two": ear.two, "second": ear.second, "p95_ms": p95}),
        flush=True,
    )
    return ear


def _probe(listener: Listener, folder: Path, least: float = LEAST_SUM) -> _Probe:
    sets = {row["file"]: row["set"] for row in _rows(folder / "files.csv")}
    truth: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in _rows(folder / "calls.csv"):
        truth[row["file"]].append(row)
    heard, hours = {}, defaultdict[str, float](float)
    for file, set_ in sets.items():
        sound = read_wav(folder / file)
        hours[set_] += len(sound) / RATE / 3600
        heard[file] = calls_in(sound, listener, least)
    return _Probe(heard, sets, truth, dict(hours))


def _thresholds(probe: _Probe, most: dict[str, float]) -> tuple[float, ...]:
    """The least sum of each call at which its alarms are half of those allowed in all, or fewer."""
    chosen = []
    for call in UNTUNED.calls:
        needed = [LEAST_SUM]
        for set_, an_hour in most.items():
            scores = sorted(
                (
                    one.score
                    for file, all_ in probe.heard.items()
                    if probe.sets[file] == set_
                    for one in all_
                    if one.call == call
                ),
                reverse=True,
            )
            needed.append(least_sum(scores, an_hour / 2 * probe.hours.get(set_, 0.0)))
        chosen.append(round(max(needed), 3))
    return tuple(chosen)


def least_sum(scores: list[float], allowed: float) -> float:
    """The sum that so many alarms exceed, of ``scores`` from the highest down.

    The few that decide are a matter of chance, so the tail is fitted (Hill): alarms grow rarer by a power of
    their sum, which is about e to their logit.
    """
    count = min(TAIL, len(scores) - 1)
    if count < 1 or count <= allowed:
        return scores[int(allowed)] if len(scores) > allowed else LEAST_SUM
    base = max(LEAST_SUM, scores[count])
    slope = float(np.mean(np.log(np.maximum(1.0, np.array(scores[:count]) / base))))
    return float(base * (count / max(0.05, allowed)) ** slope)


def _errors(probe: _Probe, thresholds: tuple[float, ...]) -> tuple[float, NDArray[np.float64]]:
    """The middle error of onsets heard in the set of single calls, and all errors, in ms."""
    errors = []
    for file, rows in probe.truth.items():
        if probe.sets[file] != "calls":
            continue
        for row in rows:
            least = thresholds[UNTUNED.calls.index(row["call"])]
            away = [
                one.at_ms - float(row["at_ms"])
                for one in probe.heard[file]
                if one.call == row["call"] and one.score >= least
            ]
            near = [error for error in away if abs(error) < NEAR_MS]
            errors += [min(near, key=abs)] if near else []
    if not errors:
        return 0.0, np.array([float(UNTUNED.uncertainty_ms)])
    return float(np.median(errors)), np.array(errors)


def _two(probe: _Probe, unit: float) -> float:
    """The least sum of "two at once" that is not said too often of one call, or of none."""
    needed = [LEAST_SUM, _exceeded(_single(probe), ASKED_SHARE) * unit]
    for set_, an_hour in ASKED_AN_HOUR.items():
        sums = sorted(
            (
                one.overlap * unit
                for file, all_ in probe.heard.items()
                if probe.sets[file] == set_
                for one in all_
                if one.score < 1.0
            ),
            reverse=True,
        )
        allowed = int(an_hour * probe.hours.get(set_, 0.0))
        if len(sums) > allowed:
            needed.append(sums[allowed] + 1e-3)
    return round(max(needed), 3)


def _second(probe: _Probe) -> float:
    """The least doubt whether a call is the later of two that few single calls come to."""
    return round(max(LEAST_SUM, _exceeded(_single(probe), SECOND_SHARE)), 3)


def _single(probe: _Probe) -> list[float]:
    """How much each single call that was heard seemed to be one of two."""
    return [
        one.overlap
        for file, all_ in probe.heard.items()
        if probe.sets[file] == "calls"
        for one in all_
        if one.score >= 1.0
    ]


def _exceeded(values: list[float], share: float) -> float:
    """What a share of the values exceeds; 0 of none."""
    return float(np.quantile(values, 1 - share)) if values else 0.0


def read_wav(path: Path) -> NDArray[np.float32]:
    """A wav file that `folders` wrote."""
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / np.float32(32768)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
