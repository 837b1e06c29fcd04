"""The bars that understanding a table is held to, and whether a report meets them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kemps_server.bench.card_bars import Bar
from kemps_server.bench.table_report import FOUL_KINDS

LEAST_MINUTES: Final = 15.0
LEAST_RESTLESS_MINUTES: Final = 5.0
LEAST_CALLS: Final = 300
_FOUL_NAMES: Final = {
    "card_passed": "direct passes",
    "hands_touched": "hand contact",
    "hand_hidden": "hidden hands",
}
_MADE_UP: Final = "made-up table"


def bars(report: Mapping[str, Any]) -> list[Bar]:
    """All bars, in their order; one that is met on too few clips is ``too few to tell``."""
    return [
        *_swaps(report),
        _restless(report),
        _sweeps(report),
        _centre(report),
        _verdicts(report),
        _well_shown(report),
        *_fouls(report),
        _speed(report),
    ]


def _games(report: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool]:
    games = report.get("games", {})
    return games, bool(games) and games["minutes"] >= LEAST_MINUTES


def _judged(what: str, bar: str, figure: str, *, is_met: bool, is_enough: bool) -> Bar:
    """What fails on few clips fails; what holds on few is not told."""
    return Bar(what, bar, {_MADE_UP: figure} if figure else {}, None if is_met and not is_enough else is_met)


def _swaps(report: Mapping[str, Any]) -> Iterator[Bar]:
    games, is_enough = _games(report)
    wanted = (("recall", "≥ 0.98", 0.98), ("precision", "≥ 0.99", 0.99))
    if not games:
        for name, bar, _ in wanted:
            yield Bar(f"swaps: {name}", bar, {}, None)
        yield Bar("swaps: right seat", "≥ 0.98", {}, None)
        yield Bar("swaps: time error, median and 95 %", "≤ 100 ms, ≤ 300 ms", {}, None)
        return
    for name, bar, least in wanted:
        part = games["swaps"][name]
        yield _judged(
            f"swaps: {name}", bar, _text(part), is_met=(part["share"] or 0) >= least, is_enough=is_enough
        )
    seats = games["seats"]
    figure = f"{_text(seats)}; {seats['null']} unknown, {seats['wrong']} wrong"
    is_met = (seats["share"] or 0) >= 0.98
    yield _judged("swaps: right seat", "≥ 0.98", figure, is_met=is_met, is_enough=is_enough)
    median, p95 = games["time_error_ms"]["median"], games["time_error_ms"]["p95"]
    is_met = median is not None and median <= 100 and p95 <= 300
    yield _judged(
        "swaps: time error, median and 95 %",
        "≤ 100 ms, ≤ 300 ms",
        f"{median} ms, {p95} ms",
        is_met=is_met,
        is_enough=is_enough,
    )


def _restless(report: Mapping[str, Any]) -> Bar:
    what, bar = "swaps invented in restless play", "0 in 5 minutes"
    if (part := report.get("restless")) is None:
        return Bar(what, bar, {}, None)
    figure = f"{part['swaps_invented']} in {part['minutes']} minutes; {part['other_invented']} other events"
    is_enough = part["minutes"] >= LEAST_RESTLESS_MINUTES
    return _judged(what, bar, figure, is_met=not part["swaps_invented"], is_enough=is_enough)


def _sweeps(report: Mapping[str, Any]) -> Bar:
    what, bar = "sweeps, deals, cards turned", "all, none invented"
    games, is_enough = _games(report)
    if not games:
        return Bar(what, bar, {}, None)
    parts = {name: games[name] for name in ("sweeps", "deals", "turned")}
    figure = "; ".join(
        f"{name} {part['found']}/{part['found'] + part['missed']}, {part['extra']} invented"
        for name, part in parts.items()
    )
    is_met = not any(part["missed"] or part["extra"] for part in parts.values())
    return _judged(what, bar, figure, is_met=is_met, is_enough=is_enough)


def _centre(report: Mapping[str, Any]) -> Bar:
    what, bar = "centre right, 1 s away from changes", "≥ 99.5 % of the time"
    games, is_enough = _games(report)
    if not games:
        return Bar(what, bar, {}, None)
    is_met = (games["centre"]["share"] or 0) >= 0.995
    return _judged(what, bar, _text(games["centre"]), is_met=is_met, is_enough=is_enough)


def _verdicts(report: Mapping[str, Any]) -> Bar:
    what, bar = "automatic verdicts that are wrong", "0 over ≥ 300 call scenes"
    if (calls := report.get("calls")) is None:
        return Bar(what, bar, {}, None)
    figure = (
        f"{calls['wrong']} of {calls['automatic']} rulings over {calls['calls']} calls: with 95 % confidence"
        f" at most {100 * calls['wrong_at_most_95']:.1f} %"
    )
    return _judged(what, bar, figure, is_met=not calls["wrong"], is_enough=calls["calls"] >= LEAST_CALLS)


def _well_shown(report: Mapping[str, Any]) -> Bar:
    what, bar = "cannot_verify where all cards were shown well", "≤ 5 %"
    if (calls := report.get("calls")) is None:
        return Bar(what, bar, {}, None)
    figure = f"{calls['well_shown_open']} of {calls['well_shown']}; of all calls {calls['open']} stay open"
    is_met = bool(calls["well_shown"]) and calls["well_shown_open_share"] <= 0.05
    return _judged(what, bar, figure, is_met=is_met, is_enough=calls["calls"] >= LEAST_CALLS)


def _fouls(report: Mapping[str, Any]) -> Iterator[Bar]:
    part = report.get("fouls")
    for kind in FOUL_KINDS:
        what = f"{_FOUL_NAMES[kind]}: recall"
        found = part["recall"][kind] if part else {"of": 0}
        figures = {"made-up people": _text(found)} if found["of"] else {}
        is_met = found["share"] >= 0.9 if found["of"] else None
        yield Bar(what, "≥ 0.9", figures, is_met)
    rates = {
        name: f"{one['false_in_10_minutes']} ({sum(one['false'].values())} in {one['minutes']} minutes)"
        for name, one in (("made-up people", part), (_MADE_UP, report.get("false_flags_made_up_table")))
        if one
    }
    minutes = sum(one["minutes"] for one in (part, report.get("false_flags_made_up_table")) if one)
    is_few = all(
        one["false_in_10_minutes"] <= 1 for one in (part, report.get("false_flags_made_up_table")) if one
    )
    is_told = bool(rates) and (not is_few or minutes >= 10)
    yield Bar("false flags of these in 10 minutes", "≤ 1", rates, is_few if is_told else None)


def _speed(report: Mapping[str, Any]) -> Bar:
    what, bar = "720p30 recording with hands, on 2 cores", "≥ 2 × real time"
    rows = [row for row in report.get("speed", ()) if row["clip"] == "720p30"]
    figures = {
        "with hands" if row["people"] else "without": (
            f"{row['cpu_s_per_video_s']} CPU-s a second: at most"
            f" {row['times_real_time_on_two_cores_at_most']} × real time"
        )
        for row in rows
    }
    asked = [row for row in rows if row["people"]]
    is_met = all(row["times_real_time_on_two_cores_at_most"] >= 2 for row in asked) if asked else None
    return Bar(what, bar, figures, is_met)


def _text(part: Mapping[str, Any]) -> str:
    if part["share"] is None:
        return "none"
    low, high = part["95"]
    return f"{part['share']:.4f} ({part['right']} of {part['of']}; {low:.3f}–{high:.3f})"
