"""Figures of hands at a table: reaches with their seats, contacts with scores, near misses, hidden hands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from kemps_server.bench.people_kept import Answer
from kemps_server.bench.people_shares import calibration, rate, share
from kemps_server.bench.people_table_truth import TableSpan, TableTruth

SLACK_MS: Final = 150  # by which a told reach may miss the moment at the card
FALSE_SLACK_MS: Final = 300  # what is nearer to something true than that is not false
LEAST_HIDDEN_MS: Final = 500  # shorter ones need not be told (R10)
BRUSH: Final = "brush"
CLASPS: Final = frozenset({"touch", "clasp", "hands_touch"})


@dataclass(frozen=True, slots=True)
class TableResult:
    """One clip: its name, what it is a clip of, its truth, and what was told of it."""

    name: str
    script: str
    truth: TableTruth
    answer: Answer

    def told(self, kind: str) -> list[tuple[TableSpan, Mapping[str, Any]]]:
        """The told spans of a kind, each with its row."""
        return [
            (TableSpan(kind, tuple(str(seat) for seat in row["seats"]), row["at_ms"], row["until_ms"]), row)
            for row in self.answer["told"]
            if row["kind"] == kind
        ]


@dataclass(slots=True)
class Tally:
    """Counts over clips; ``failures`` are lines for people."""

    reaches: list[bool] = field(default_factory=list)
    unclear_reaches: int = 0
    false_reaches: int = 0
    told_reaches: int = 0
    contacts: dict[str, list[bool]] = field(default_factory=dict)
    false_contacts: int = 0
    scored: list[tuple[float, bool]] = field(default_factory=list)
    near_called: list[bool] = field(default_factory=list)
    hidden: list[bool] = field(default_factory=list)
    false_hidden: int = 0
    minutes: float = 0.0
    failures: list[dict[str, Any]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The figures; a called near miss is counted among ``not_called`` as wrong."""
        meant = [is_found for kind, some in self.contacts.items() if kind != BRUSH for is_found in some]
        clasps = [is_found for kind, some in self.contacts.items() if kind in CLASPS for is_found in some]
        return {
            "minutes": round(self.minutes, 2),
            "reaches": {
                "found": share(sum(self.reaches), len(self.reaches)),
                "seen_without_seat": self.unclear_reaches,
                "false": rate(self.false_reaches, self.minutes),
            },
            "contacts": {
                "touches_and_clasps": share(sum(clasps), len(clasps)),
                "meant": share(sum(meant), len(meant)),
                "by_kind": {
                    kind: share(sum(some), len(some)) for kind, some in sorted(self.contacts.items())
                },
                "false": rate(self.false_contacts, self.minutes),
                "calibration": calibration(self.scored),
            },
            "near_misses": {"not_called": share(self.near_called.count(False), len(self.near_called))},
            "hidden": {
                "found": share(sum(self.hidden), len(self.hidden)),
                "false": rate(self.false_hidden, self.minutes),
            },
        }


def table_figures(results: Sequence[TableResult]) -> dict[str, Any]:
    """The figures of all clips together and by script, whose hands were mistaken, and what failed."""
    whole = tally(results)
    scripts = sorted({result.script for result in results})
    return {
        "clips": len(results),
        **whole.as_json(),
        "seats": _seats(results),
        "by_script": {
            script: tally([result for result in results if result.script == script]).as_json()
            for script in scripts
        },
        "failures": whole.failures,
    }


def tally(results: Iterable[TableResult]) -> Tally:
    """All counts over some clips."""
    total = Tally()
    for result in results:
        total.minutes += result.truth.duration_ms / 60_000
        _count_reaches(total, result)
        _count_contacts(total, result)
        _count_hidden(total, result)
        for at_ms, said, true in result.answer["sights"]["swaps"]:
            total.failures.append(_line(result, "swapped", f"{true} taken for {said}", at_ms, at_ms))
    return total


def _count_reaches(total: Tally, result: TableResult) -> None:
    told = [span for span, _ in result.told("hand_reached")]
    total.told_reaches += len(told)
    for reach in result.truth.reaches:
        meeting = [span for span in told if span.meets(reach, SLACK_MS)]
        is_found = any(span.seats == reach.seats for span in meeting)
        total.reaches.append(is_found)
        if not is_found:
            is_seen = any(span.seats == ("None",) for span in meeting)
            total.unclear_reaches += is_seen
            what = "reach without seat" if is_seen else "reach missed"
            total.failures.append(_line(result, what, reach.seats[0], reach.at_ms, reach.until_ms))
    for span in told:
        over = [one for one in result.truth.over if one.meets(span, FALSE_SLACK_MS)]
        # A reach without a seat is explained by anybody's hand.
        if not any(span.seats in {one.seats, ("None",)} for one in over):
            total.false_reaches += 1
            total.failures.append(_line(result, "reach made up", span.seats[0], span.at_ms, span.until_ms))


def _count_contacts(total: Tally, result: TableResult) -> None:
    told = result.told("hands_touched")
    for contact in result.truth.contacts:
        is_found = any(_is_of(span, contact) and span.meets(contact, FALSE_SLACK_MS) for span, _ in told)
        total.contacts.setdefault(contact.kind, []).append(is_found)
        if not is_found and contact.kind != BRUSH:
            what, who = f"{contact.kind} missed", "".join(contact.seats)
            total.failures.append(_line(result, what, who, contact.at_ms, contact.until_ms))
    for span, row in told:
        true = [one for one in result.truth.contacts if one.meets(span, FALSE_SLACK_MS)]
        is_so = any(_is_of(span, one) or _may_be(span, one) for one in true)
        total.scored.append((float(row["score"]), is_so))
        if not is_so:
            total.false_contacts += 1
            what, who = f"contact made up ({row['reason']}, {row['score']})", " ".join(span.seats)
            total.failures.append(_line(result, what, who, span.at_ms, span.until_ms))
    for miss in result.truth.near:
        is_called = any(_is_of(span, miss) and span.meets(miss, 0) for span, _ in told)
        total.near_called.append(is_called)


def _count_hidden(total: Tally, result: TableResult) -> None:
    told = [span for span, _ in result.told("hand_hidden")]
    for hidden in result.truth.hidden:
        if hidden.until_ms - hidden.at_ms < LEAST_HIDDEN_MS:
            continue
        is_found = any(span.seats == hidden.seats and span.meets(hidden, 0) for span in told)
        total.hidden.append(is_found)
        if not is_found:
            total.failures.append(
                _line(result, f"hidden {hidden.kind} missed", hidden.seats[0], hidden.at_ms, hidden.until_ms)
            )
    for span in told:
        true = [one for one in result.truth.hidden if one.meets(span, FALSE_SLACK_MS)]
        if not any(one.seats == span.seats for one in true) and _is_in_sight(result.truth, span):
            total.false_hidden += 1
            total.failures.append(_line(result, "hidden made up", span.seats[0], span.at_ms, span.until_ms))


def _is_in_sight(truth: TableTruth, span: TableSpan) -> bool:
    """Whether both hands of a seat are mostly to be seen meanwhile: not covered, not outside the picture."""
    frames = [hands for at_ms, hands in truth.hands if span.at_ms <= at_ms <= span.until_ms]
    both = sum(sum(hand.seat == span.seats[0] for hand in hands) >= 2 for hands in frames)
    return 2 * both >= len(frames)


def _seats(results: Sequence[TableResult]) -> dict[str, Any]:
    sights = [result.answer["sights"] for result in results]
    right, unclear, wrong = (sum(one[name] for one in sights) for name in ("right", "unclear", "wrong"))
    return {
        "right": share(right, right + unclear + wrong),
        "unclear": unclear,
        "wrong": wrong,
        "nobodys": sum(one["nobody"] for one in sights),
        "swaps": sum(len(one["swaps"]) for one in sights),
    }


def _is_of(span: TableSpan, other: TableSpan) -> bool:
    return set(span.seats) == set(other.seats)


def _may_be(span: TableSpan, contact: TableSpan) -> bool:
    """Whether a told contact with an unknown seat can be this one; it is not found by it, nor is it false."""
    known = {seat for seat in span.seats if seat != "None"}
    return len(known) < len(span.seats) and known <= set(contact.seats)


def _line(result: TableResult, what: str, who: str, at_ms: float, until_ms: float) -> dict[str, Any]:
    return {
        "clip": result.name,
        "what": what,
        "who": who,
        "at_ms": round(at_ms),
        "until_ms": round(until_ms),
    }


def chosen(results: Sequence[TableResult], *scripts: str) -> Iterator[TableResult]:
    """The clips of some scripts."""
    return (result for result in results if result.script in scripts)
