"""The report of ``kemps bench voice``: the bars it is held to, and its tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kemps_server.bench.marked_document import markdown_table, put_between

BEGIN: Final = "<!-- kemps bench voice --docs: begin -->"
END: Final = "<!-- kemps bench voice --docs: end -->"
RECALL: Final = {"20": 0.95, "10": 0.90, "5": 0.85}
ALARMS: Final = {"talk": (2.0, 60.0), "near": (60.0, 30.0), "noise": (1.0, 60.0)}
NAMES: Final = {
    "talk": "ordinary talk",
    "near": "talk, half of it words near a call",
    "noise": "music, clatter, babble, noise",
    "two_callers": "0.2 to 0.5 s apart",
    "two_callers_close": "0 to 0.2 s apart",
    "two_callers_far": "0.5 to 1.2 s apart",
}
_MOST_CPU: Final = 0.03
_LEAST_TIMES: Final = 30.0
_REPORTED_MS: Final = 1600


@dataclass(frozen=True, slots=True)
class VoiceBar:
    """One bar, what was measured, and whether it is met; None if that was not measured or on too little."""

    what: str
    bar: str
    figure: str
    is_met: bool | None

    @property
    def verdict(self) -> str:
        """``met``, ``not met`` or ``not measured``."""
        return "not measured" if self.is_met is None else "met" if self.is_met else "not met"


def voice_bars(report: Mapping[str, Any]) -> list[VoiceBar]:
    """The bars in their order, held against the figures of synthetic voices never heard before."""
    group = report.get("synthetic", {})
    return [
        *_recall_bars(group.get("recall", {})),
        *_alarm_bars(group.get("alarms", {})),
        *_call_bars(group),
        *_pair_bars(group.get("two_callers", {})),
        *_lips_bars(report.get("lips", {}).get("others", {})),
        *_speed_bars(report["speed"]),
    ]


def _recall_bars(recall: Mapping[str, Any]) -> Iterator[VoiceBar]:
    for snr, least in RECALL.items():
        found = recall.get(snr, {}).get("all")
        share = found and found["share"]
        yield VoiceBar(
            f"recall at {snr} dB",
            f"≥ {least:.2f}",
            _percent(found),
            None if share is None else share >= least,
        )


def _alarm_bars(alarms: Mapping[str, Any]) -> Iterator[VoiceBar]:
    for name, (most, minutes) in ALARMS.items():
        one = alarms.get(name)
        figure, is_met = "", None
        if one is not None:
            low, high = one["interval"]
            figure = f"{one['an_hour']:g} ({low:g}–{high:g}) in {one['minutes']:g} min"
            is_met = one["an_hour"] <= most if one["minutes"] >= minutes - 1 else None
        yield VoiceBar(
            f"false calls an hour: {NAMES[name]}", f"≤ {most:g} in ≥ {minutes:g} min", figure, is_met
        )


def _call_bars(group: Mapping[str, Any]) -> Iterator[VoiceBar]:
    for call, name in (("kemps", "Kemps heard as Stop Kemps"), ("stop", "Stop Kemps heard as Kemps")):
        share = group.get("confusion", {}).get(call)
        is_met = None if not share or share["share"] is None else share["share"] <= 0.01
        yield VoiceBar(name, "≤ 1 %", _percent(share), is_met)
    onsets = group.get("onsets") or {"count": 0}
    for key, name, most in (
        ("median_ms", "onset error, median", 15.0),
        ("p95_ms", "onset error, p95", 100.0),
    ):
        there = onsets["count"] > 0
        figure = f"{onsets[key]:g} ms" if there else ""
        yield VoiceBar(name, f"≤ {most:g} ms", figure, onsets[key] <= most if there else None)


def _pair_bars(pairs: Mapping[str, Any]) -> Iterator[VoiceBar]:
    one = pairs.get("two_callers")
    good = None if one is None else one["right"] + one["uncertain"]
    where = f"two callers {NAMES['two_callers']}"
    yield VoiceBar(
        f"{where}: right or called uncertain",
        "≥ 98 %",
        "" if good is None or one is None else f"{good:.1%} ({one['right']:.1%} right)",
        None if good is None else good >= 0.98,
    )
    yield VoiceBar(
        f"{where}: wrong",
        "≤ 2 %",
        "" if one is None else f"{one['wrong']:.1%}",
        None if one is None else one["wrong"] <= 0.02,
    )


def _lips_bars(others: Mapping[str, Mapping[str, int]]) -> Iterator[VoiceBar]:
    """The caller by lips where one speaks; where the others talk, too, there is no bar but a row."""
    for script, doing in (("still", "one speaking"), ("talk", "the others talk, too")):
        counts = others.get(script, {})
        count = sum(counts.values())
        for names, what, least in (
            (("right", "nobody"), "right or nobody", 0.99),
            (("right",), "right", 0.90),
        ):
            found = sum(counts.get(name, 0) for name in names)
            yield VoiceBar(
                f"caller by lips, {doing}: {what}",
                f"≥ {least:.0%}" if script == "still" else "",
                f"{found / count:.1%} of {count}" if count else "",
                found / count >= least if count and script == "still" else None,
            )


def _speed_bars(speed: Mapping[str, Any]) -> Iterator[VoiceBar]:
    share, times, late = speed["cpu_share"], speed["times_real"], speed["reported_after_ms"]
    yield VoiceBar("CPU of one core, live", "≤ 3 %", f"{share:.2%}", share <= _MOST_CPU)
    yield VoiceBar("a file, times real time of CPU", "≥ 30", f"{times:g}", times >= _LEAST_TIMES)
    figure = "" if late is None else f"{late} ms"
    yield VoiceBar(
        "reported after the onset, at most",
        "≤ 1600 ms",
        figure,
        None if late is None else late <= _REPORTED_MS,
    )


def plainly(report: Mapping[str, Any]) -> str:
    """Whose voices the figures are of."""
    count = report["players_calls"]
    if count:
        return f"{count} calls are of real players; they stand apart from those of synthetic voices."
    return (
        "No call of a real player is in these figures: all voices are synthetic. "
        "docs/hearing.md tells how to record players and add them."
    )


def put_into(path: Path, report: Mapping[str, Any]) -> None:
    """Writes the tables into a document in place of those between its marks.

    Raises:
        KempsServerError: The document is not there, or lacks the marks.
        WorkFailedError: It cannot be written.
    """
    put_between(path, BEGIN, END, markdown(report))


def markdown(report: Mapping[str, Any]) -> str:
    """All tables, players' after those of synthetic voices."""
    lines = [plainly(report), "", f"Weights (sha256): {report['weights'][:12]}.", ""]
    lines += markdown_table(["what", "bar", "measured", ""], bar_rows(voice_bars(report)))
    for name in ("synthetic", "players"):
        if group := report.get(name):
            lines += ["", f"### Recall, {name} voices", "", *_recall_table(group["recall"])]
            lines += ["", "Two callers at one microphone:", "", *_pairs_table(group["two_callers"])]
    return "\n".join([*lines, ""])


def bar_rows(bars: Sequence[VoiceBar]) -> list[tuple[str, str, str, str]]:
    """The bars as rows of a table."""
    return [(bar.what, bar.bar, bar.figure, bar.verdict) for bar in bars]


def _recall_table(recall: Mapping[str, Any]) -> list[str]:
    levels = sorted(recall, key=lambda text: -float(text) if text.lstrip("-").isdigit() else 0.0)
    rows: dict[str, dict[str, str]] = {}
    for level in levels:
        rows.setdefault("all", {})[level] = _percent(recall[level]["all"])
        for detail, parts in recall[level]["by"].items():
            for name, found in parts.items():
                if detail != "voice":
                    rows.setdefault(f"{detail} {name}", {})[level] = _percent(found)
    heads = ["", *(f"{level} dB" if level.lstrip("-").isdigit() else level for level in levels)]
    return markdown_table(
        heads, [[name, *(row.get(level, "") for level in levels)] for name, row in rows.items()]
    )


def _pairs_table(pairs: Mapping[str, Any]) -> list[str]:
    names = ("right", "uncertain", "wrong", "nothing")
    rows = [
        [NAMES[name], str(one["scenes"]), *(f"{one[key]:.1%}" for key in names)]
        for name, one in pairs.items()
        if one
    ]
    return markdown_table(["onsets", "scenes", *names], rows)


def _percent(found: Mapping[str, Any] | None) -> str:
    if not found or found["share"] is None:
        return ""
    low, high = found["interval"]
    return f"{found['share']:.1%} ({low:.1%}–{high:.1%}) of {found['of']}"
