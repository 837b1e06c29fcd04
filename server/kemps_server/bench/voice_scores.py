"""How well calls are heard: recall, confusion, errors of onsets, false alarms an hour, two at once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy.stats import chi2, norm

from kemps_server.bench.voice_folder import CALLS, NEAR, NOISE, PAIRS, PLAYERS, TALK, SoundFile, TrueCall
from kemps_vision.hearing.deciding import Why, decide
from kemps_vision.hearing.detector import Heard

NEAR_MS: Final = 400.0
SCENE_MS: Final = 3000.0  # two calls no further apart are one scene of two callers
_DETAILS: Final = ("language", "engine", "voice", "style")


@dataclass(frozen=True, slots=True)
class Listened:
    """What was heard in one file, how long it is, and the CPU time that it took."""

    file: SoundFile
    heard: tuple[Heard, ...]
    seconds: float
    cpu_s: float


@dataclass(frozen=True, slots=True)
class _Match:
    call: TrueCall
    file: SoundFile
    heard: Heard | None
    as_other: bool


def voice_scores(all_: Sequence[Listened]) -> dict[str, Any]:
    """All figures, synthetic voices and players apart; players' are empty where there are none."""
    groups = {
        "synthetic": [one for one in all_ if one.file.origin != PLAYERS],
        "players": [one for one in all_ if one.file.origin == PLAYERS],
    }
    report: dict[str, Any] = {name: _of_group(group) for name, group in groups.items() if group}
    report["players_calls"] = sum(len(one.file.calls) for one in groups["players"])
    seconds, cpu_s = sum(one.seconds for one in all_), sum(one.cpu_s for one in all_)
    report["speed"] = {
        "cpu_share": round(cpu_s / max(1e-9, seconds), 5),
        "times_real": round(seconds / max(1e-9, cpu_s), 1),
    }
    late = [one.reported_ms - one.at_ms for listened in all_ for one in listened.heard]
    report["speed"]["reported_after_ms"] = round(max(late)) if late else None
    return report


def _of_group(group: Sequence[Listened]) -> dict[str, Any]:
    matches = [match for one in group if one.file.set == CALLS for match in _matches(one)]
    return {
        "recall": _recalls(matches),
        "confusion": _confusion(matches),
        "onsets": _onsets(matches),
        "asked": _share(match.heard is not None and match.heard.is_overlapped for match in matches),
        "alarms": {name: _alarms(group, name) for name in (TALK, NEAR, NOISE)},
        "two_callers": {name: _two_callers(group, name) for name in PAIRS},
    }


def _matches(listened: Listened) -> Iterator[_Match]:
    """For each true call what was heard there: itself, or else the other call."""
    for call in listened.file.calls:
        near = [one for one in listened.heard if abs(one.at_ms - call.at_ms) <= NEAR_MS]
        same = [one for one in near if one.call == call.call]
        best = min(same, key=lambda one: abs(one.at_ms - call.at_ms)) if same else None
        yield _Match(call, listened.file, best, as_other=best is None and bool(near))


def _recalls(matches: Sequence[_Match]) -> dict[str, Any]:
    """Recall by noise level, and at each by language, engine, voice, style and kind of noise."""
    table: dict[str, Any] = {}
    for snr, some in _by(matches, lambda match: match.file.snr_db or "as recorded").items():
        row: dict[str, Any] = {"all": _found(some), "by": {}}
        for detail in _DETAILS:
            parts = _by(some, lambda match, detail=detail: match.call.about.get(detail, ""))  # type: ignore[misc]
            row["by"][detail] = {name: _found(part) for name, part in sorted(parts.items()) if name}
        noises = _by(some, lambda match: match.file.noise)
        row["by"]["noise"] = {name: _found(part) for name, part in sorted(noises.items()) if name}
        row["by"]["call"] = {
            name: _found(part) for name, part in _by(some, lambda match: match.call.call).items()
        }
        table[snr] = row
    return table


def _found(matches: Sequence[_Match]) -> dict[str, Any]:
    return _share(match.heard is not None for match in matches)


def _confusion(matches: Sequence[_Match]) -> dict[str, Any]:
    return {
        call: _share(match.as_other for match in matches if match.call.call == call)
        for call in ("kemps", "stop")
    }


def _onsets(matches: Sequence[_Match]) -> dict[str, Any]:
    errors = np.array([abs(match.heard.at_ms - match.call.at_ms) for match in matches if match.heard])
    if not len(errors):
        return {"count": 0}
    covered = [
        abs(match.heard.at_ms - match.call.at_ms) <= match.heard.uncertainty_ms
        for match in matches
        if match.heard
    ]
    median, p95 = np.quantile(errors, [0.5, 0.95])
    return {
        "count": len(errors),
        "median_ms": round(float(median), 1),
        "p95_ms": round(float(p95), 1),
        "within_uncertainty": round(float(np.mean(covered)), 4),
    }


def _alarms(group: Sequence[Listened], set_: str) -> dict[str, Any] | None:
    """False calls in sounds without any, an hour, with the exact Poisson interval of 95 %."""
    some = [one for one in group if one.file.set == set_]
    if not some:
        return None
    hours = sum(one.seconds for one in some) / 3600
    count = sum(len(one.heard) for one in some)
    low = float(chi2.ppf(0.025, 2 * count)) / 2 if count else 0.0
    high = float(chi2.ppf(0.975, 2 * count + 2)) / 2
    kinds = Counter({one.file.noise: 0 for one in some})
    for one in some:
        kinds[one.file.noise] += len(one.heard)
    return {
        "minutes": round(60 * hours, 1),
        "count": count,
        "an_hour": round(count / hours, 2),
        "interval": [round(low / hours, 2), round(high / hours, 2)],
        "asked": sum(heard.is_overlapped for one in some for heard in one.heard),
        "by_noise": dict(kinds),
    }


def _two_callers(group: Sequence[Listened], set_: str) -> dict[str, Any] | None:
    """What the rule makes of two calls close to each other: right, uncertain, wrong, or nothing heard."""
    outcomes: Counter[str] = Counter()
    for one in group:
        if one.file.set == set_:
            outcomes.update(_outcome(first, second, one.heard) for first, second in _scenes(one.file.calls))
    total = outcomes.total()
    if not total:
        return None
    names = ("right", "uncertain", "wrong", "nothing")
    return {"scenes": total} | {name: round(outcomes[name] / total, 4) for name in names}


def _scenes(calls: Sequence[TrueCall]) -> Iterator[tuple[TrueCall, TrueCall]]:
    for first, second in zip(calls[::2], calls[1::2], strict=False):
        if second.at_ms - first.at_ms <= SCENE_MS:
            yield first, second


def _outcome(first: TrueCall, second: TrueCall, heard: Iterable[Heard]) -> str:
    decision = decide(list(heard), first.at_ms - NEAR_MS - 200, second.at_ms + NEAR_MS + 800)
    if decision.why in {Why.TIE, Why.OVERLAP, Why.UNSURE}:
        return "uncertain"
    if decision.call is None:
        return "nothing"
    is_first = decision.call.call == first.call and abs(decision.call.at_ms - first.at_ms) <= NEAR_MS
    return "right" if is_first else "wrong"


def _share(values: Iterable[bool]) -> dict[str, Any]:
    """How many of how many, with Wilson's interval of 95 %."""
    kept = list(values)
    count, hits = len(kept), sum(kept)
    if not count:
        return {"of": 0, "share": None, "interval": None}
    z = float(norm.ppf(0.975))
    share = hits / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * float(np.sqrt(share * (1 - share) / count + z * z / (4 * count * count))) / (1 + z * z / count)
    return {
        "of": count,
        "share": round(share, 4),
        "interval": [round(max(0.0, middle - half), 4), round(min(1.0, middle + half), 4)],
    }


def _by(matches: Sequence[_Match], key: Callable[[_Match], str]) -> dict[str, list[_Match]]:
    groups: dict[str, list[_Match]] = defaultdict(list)
    for match in matches:
        groups[key(match)].append(match)
    return dict(groups)
