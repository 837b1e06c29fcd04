"""Episodes that were told against those that happened: by class, with how late they were told to begin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from kemps_server.bench.people_shares import rate, share

SLACK_MS: Final = 150  # by which a told and a true episode may miss each other in time
CLASSES: Final = MappingProxyType(
    {
        "eyes_closed": "blink",
        "brow_raise_left": "brow_raise",
        "brow_raise_right": "brow_raise",
    }
)
"""What counts as one class with another: long and short blinks, a raised brow on either side."""

SIGNALS: Final = ("wink_left", "wink_right", "brow_raise")


class Span(NamedTuple):
    """Something that a person did; ``who`` is a seat, or a face's number."""

    who: str
    what: str
    at_ms: float
    until_ms: float

    @property
    def kind(self) -> str:
        """Its class."""
        return CLASSES.get(self.what, self.what)

    def meets(self, other: Span, slack_ms: float = SLACK_MS) -> bool:
        """Whether both are of one person and of one time."""
        is_near = self.at_ms <= other.until_ms + slack_ms and self.until_ms >= other.at_ms - slack_ms
        return self.who == other.who and is_near


@dataclass(frozen=True, slots=True)
class Matched:
    """Told episodes held against true ones.

    Attributes:
        hits: True ones with the told ones that they were found by.
        missed: True ones that nothing told of.
        extra: Told ones that nothing true explains.
        again: Told ones of a time in which another one was right: neither right nor false.
    """

    hits: list[tuple[Span, Span]] = field(default_factory=list)
    missed: list[Span] = field(default_factory=list)
    extra: list[Span] = field(default_factory=list)
    again: list[Span] = field(default_factory=list)

    def add(self, other: Matched) -> None:
        """Takes another clip's in."""
        self.hits.extend(other.hits)
        self.missed.extend(other.missed)
        self.extra.extend(other.extra)
        self.again.extend(other.again)


def matched(want: Sequence[Span], got: Sequence[Span]) -> Matched:
    """Each true episode with the first told one of its class, person and time that is still free."""
    found = Matched()
    free = list(got)
    for true in want:
        told = next((one for one in free if one.kind == true.kind and one.meets(true)), None)
        if told is None:
            found.missed.append(true)
        else:
            free.remove(told)
            found.hits.append((true, told))
    for told in free:
        is_explained = any(one.kind == told.kind and one.meets(told) for one in want)
        (found.again if is_explained else found.extra).append(told)
    return found


def class_figures(found: Matched, minutes: float) -> dict[str, dict[str, Any]]:
    """For each class its recall, precision, F1, false ones a minute of one person, and lateness."""
    return {kind: _figures(found, kind, minutes) for kind in sorted(_kinds(found))}


def onsets(hits: Iterable[tuple[Span, Span]]) -> dict[str, Any]:
    """How much later than it began it was told to begin, in ms: median, and median size."""
    late = np.array([told.at_ms - true.at_ms for true, told in hits])
    if not len(late):
        return {"of": 0, "median_ms": None, "median_size_ms": None}
    sizes = np.abs(late)
    return {
        "of": len(late),
        "median_ms": round(float(np.median(late))),
        "median_size_ms": round(float(np.median(sizes))),
    }


def lines(found: Matched, clip: str) -> Iterator[dict[str, Any]]:
    """A line for each miss and each false one."""
    for name, spans in (("missed", found.missed), ("false", found.extra)):
        for span in spans:
            yield {
                "clip": clip,
                name: span.what,
                "who": span.who,
                "at_ms": round(span.at_ms),
                "until_ms": round(span.until_ms),
            }


def _figures(found: Matched, kind: str, minutes: float) -> dict[str, Any]:
    hits = [pair for pair in found.hits if pair[0].kind == kind]
    missed = sum(span.kind == kind for span in found.missed)
    extra = sum(span.kind == kind for span in found.extra)
    right, labelled = len(hits), len(hits) + missed
    return {
        "recall": share(right, labelled),
        "precision": share(right, right + extra),
        "f1": round(2 * right / (labelled + right + extra), 4) if labelled + extra else None,
        "false": rate(extra, minutes),
        "onset": onsets(hits),
    }


def _kinds(found: Matched) -> set[str]:
    spans: list[Span] = [true for true, _ in found.hits]
    return {span.kind for span in (*spans, *found.missed, *found.extra)}


def spans_of(rows: Iterable[Mapping[str, Any]], what: str, who: str) -> list[Span]:
    """Rows with ``at_ms`` and ``until_ms`` as spans; ``what`` and ``who`` name their other columns."""
    return [Span(str(row[who]), str(row[what]), row["at_ms"], row["until_ms"]) for row in rows]
