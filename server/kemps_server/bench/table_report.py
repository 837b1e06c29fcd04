"""The figures of ``kemps bench table`` over clips that were watched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np
from scipy.stats import binomtest

from kemps_server.bench.card_scenes import exact_95
from kemps_server.bench.table_results import FOULS, SHARED, TableResult
from kemps_server.bench.table_scores import ClipScore, Ruled

SWAPS: Final = ("card_taken", "card_laid")
FOUL_KINDS: Final = ("card_passed", "hands_touched", "hand_hidden")
_BY: Final = ("deck", "surface", "camera", "light", "centre")


def report_of(results: Sequence[TableResult]) -> dict[str, Any]:
    """All parts that were measured, as values that ``json`` can write."""
    groups: dict[str, list[TableResult]] = {}
    for result in results:
        groups.setdefault(result.group, []).append(result)
    report: dict[str, Any] = {"clips": [_clip_row(result) for result in results]}
    if games := groups.get("game"):
        report["games"] = _play_figures(games) | {
            "by": {name: _by_look(games, name) for name in _BY} | {"seats": _by_kind(games)},
        }
    if quiet := groups.get("restless"):
        report["restless"] = _restless_figures(quiet)
    if calls := groups.get("call"):
        report["calls"] = _call_figures(calls)
    if fouls := groups.get(FOULS):
        report["fouls"] = _foul_figures(fouls)
    if table := [*groups.get("game", ()), *groups.get("restless", ())]:
        report["false_flags_made_up_table"] = _false_flags([one.score for one in table])
    if shared := groups.get(SHARED):
        report["shared"] = _play_figures(shared) | {"fouls": _foul_figures(shared)}
    if timed := groups.get("speed"):
        report["speed"] = [_speed(result) for result in timed]
    report["failures"] = [
        {"clip": result.name, **asdict(fault)} for result in results for fault in result.score.faults
    ]
    return report


def _clip_row(result: TableResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "seed": result.seed,
        "video_s": round(result.video_s, 1),
        "cpu_s": round(result.cpu_s, 1),
        "people": result.has_people,
        "faults": len(result.score.faults),
    }


def share(right: int, of: int) -> dict[str, Any]:
    """A share with its 95 % interval by Clopper and Pearson."""
    return {
        "right": right,
        "of": of,
        "share": round(right / of, 4) if of else None,
        "95": exact_95(right, of),
    }


def _sum(scores: Iterable[ClipScore], what: str, kinds: Sequence[str]) -> int:
    return sum(getattr(score, what)[kind] for score in scores for kind in kinds)


def _play_figures(results: Sequence[TableResult]) -> dict[str, Any]:
    scores = [result.score for result in results]
    seats = sum((score.seats for score in scores), Counter[str]())
    errors = [error for score in scores for error in score.errors_ms]
    right, moments = (sum(score.centre[part] for score in scores) for part in (0, 1))
    return {
        "clips": len(results),
        "minutes": round(sum(score.duration_ms for score in scores) / 60_000, 2),
        "swaps": _found(scores, SWAPS),
        "extra_of_turned_cards": sum(score.extra_of_turned for score in scores),
        "seats": share(seats["right"], seats.total()) | {"null": seats["null"], "wrong": seats["wrong"]},
        "time_error_ms": _errors(errors),
        "put_back": dict(sum((score.put_back for score in scores), Counter[str]())),
        "turned": _found(scores, ("centre_turned",)),
        "sweeps": _found(scores, ("centre_swept",)),
        "deals": _found(scores, ("deal_started",)),
        "reveals": _found(scores, ("hand_shown",)),
        "centre": share(right, moments),
        "verdicts": _verdicts([one for score in scores for one in score.ruled]),
    }


def _found(scores: Sequence[ClipScore], kinds: Sequence[str]) -> dict[str, Any]:
    found, missed, extra = (_sum(scores, what, kinds) for what in ("found", "missed", "extra"))
    return {
        "found": found,
        "missed": missed,
        "extra": extra,
        "recall": share(found, found + missed),
        "precision": share(found, found + extra),
    }


def _errors(errors: Sequence[int]) -> dict[str, float | None]:
    if not errors:
        return {"median": None, "p95": None}
    median, p95 = np.percentile(errors, (50, 95))
    return {"median": round(float(median), 1), "p95": round(float(p95), 1)}


def _by_look(results: Sequence[TableResult], name: str) -> dict[str, Any]:
    return {
        value: _brief([result.score for result in results if result.look[name] == value])
        for value in sorted({result.look[name] for result in results})
    }


def _by_kind(results: Sequence[TableResult]) -> dict[str, Any]:
    kinds = sorted({result.kind for result in results})
    return {kind: _brief([result.score for result in results if result.kind == kind]) for kind in kinds}


def _brief(scores: Sequence[ClipScore]) -> dict[str, Any]:
    seats = sum((score.seats for score in scores), Counter[str]())
    figures = _found(scores, SWAPS)
    right, moments = (sum(score.centre[part] for score in scores) for part in (0, 1))
    return {
        "swaps": figures["found"] + figures["missed"],
        "recall": figures["recall"]["share"],
        "precision": figures["precision"]["share"],
        "seats": share(seats["right"], seats.total())["share"],
        "centre": share(right, moments)["share"],
    }


def _restless_figures(results: Sequence[TableResult]) -> dict[str, Any]:
    scores = [result.score for result in results]
    right, moments = (sum(score.centre[part] for score in scores) for part in (0, 1))
    by_kind = {
        kind: sum(_invented(result.score) for result in results if result.kind == kind)
        for kind in sorted({result.kind for result in results})
    }
    return {
        "minutes": round(sum(score.duration_ms for score in scores) / 60_000, 2),
        "swaps_invented": _sum(scores, "extra", SWAPS),
        "other_invented": _sum(scores, "extra", ("centre_swept", "centre_turned", "deal_started")),
        "invented_by_kind": by_kind,
        "centre": share(right, moments),
    }


def _invented(score: ClipScore) -> int:
    return _sum([score], "extra", (*SWAPS, "centre_swept", "centre_turned", "deal_started"))


def _call_figures(results: Sequence[TableResult]) -> dict[str, Any]:
    rows = [(result, ruled) for result in results for ruled in result.score.ruled]
    kinds = sorted({result.kind for result, _ in rows})
    styles = sorted({result.look["style"] for result, _ in rows})
    return _verdicts([ruled for _, ruled in rows]) | {
        "reveals": _found([result.score for result in results], ("hand_shown",)),
        "by_kind": {kind: _verdicts([ruled for r, ruled in rows if r.kind == kind]) for kind in kinds},
        "by_style": {
            style: _verdicts([ruled for r, ruled in rows if r.look["style"] == style]) for style in styles
        },
    }


def _verdicts(rows: Sequence[Ruled]) -> dict[str, Any]:
    """Automatic rulings, and those that stayed open although everything could be seen well."""
    automatic = [row for row in rows if not row.is_open]
    well = [row for row in rows if row.call.want != "open" and row.call.is_well_shown]
    wrong = sum(row.is_wrong for row in rows)
    return {
        "calls": len(rows),
        "automatic": len(automatic),
        "wrong": wrong,
        "wrong_at_most_95": at_most_95(wrong, len(automatic)),
        "right_rulings": sum(row.got == row.call.want for row in automatic),
        "well_shown": len(well),
        "well_shown_open": sum(row.is_open for row in well),
        "well_shown_open_share": share(sum(row.is_open for row in well), len(well))["share"],
        "open": sum(row.is_open and row.call.want != "open" for row in rows),
    }


def at_most_95(wrong: int, of: int) -> float:
    """The share that so many wrong ones of so many do not rule out: the one-sided 95 % bound, exact.

    >>> at_most_95(0, 300)
    0.0099
    """
    if not of:
        return 1.0
    return round(float(binomtest(wrong, of, alternative="less").proportion_ci(0.95, "exact").high), 4)


def _foul_figures(results: Sequence[TableResult]) -> dict[str, Any]:
    scores = [result.score for result in results]
    recall = {kind: _found(scores, (kind,))["recall"] for kind in FOUL_KINDS}
    return {"recall": recall} | _false_flags(scores)


def _false_flags(scores: Sequence[ClipScore]) -> dict[str, Any]:
    minutes = sum(score.duration_ms for score in scores) / 60_000
    false = {kind: _sum(scores, "extra", (kind,)) for kind in FOUL_KINDS}
    return {
        "minutes": round(minutes, 2),
        "false": false,
        "false_in_10_minutes": round(10 * sum(false.values()) / minutes, 2) if minutes else None,
        "contacts_told_where_hands_cross": sum(score.crossings for score in scores),
    }


def _speed(result: TableResult) -> dict[str, Any]:
    return {
        "clip": result.kind,
        "people": result.has_people,
        "cpu_s_per_video_s": round(result.cpu_s / result.video_s, 3),
        "times_real_time_on_two_cores_at_most": round(2 * result.video_s / result.cpu_s, 2),
    }
