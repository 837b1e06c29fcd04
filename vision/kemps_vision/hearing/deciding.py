"""Which call was first, or that nobody can tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kemps_rules.events import Called, Json
from kemps_rules.seats import Seat
from kemps_vision.hearing.detector import Heard

ON_TOP_MS: Final = 1000.0  # a call this soon after one that was overlapped is the other half of it
LEAST_CONFIDENCE: Final = 0.5


class Why(StrEnum):
    """What a decision rests on."""

    FIRST = "first"  # one call was clearly before all others
    TIE = "tie"  # two onsets are closer than their uncertainty
    OVERLAP = "overlap"  # two voices on top of each other
    UNSURE = "unsure"  # something like a call, too faint to count
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Decision:
    """The call that comes first, and why; ``call`` is None where a person must decide.

    ``others`` are those that cannot be told apart from the first, or that ``call`` was chosen over.
    """

    why: Why
    call: Heard | None = None
    others: tuple[Heard, ...] = ()


def decide(heard: Sequence[Heard], from_ms: float = 0.0, until_ms: float | None = None) -> Decision:
    """The first call of an open deal, which lasts from ``from_ms`` to ``until_ms``.

    A tie is told as one, whichever house rule then decides it; overlapped voices are for a person.
    """
    within = sorted(
        (one for one in heard if from_ms <= one.at_ms and (until_ms is None or one.at_ms < until_ms)),
        key=lambda one: one.at_ms,
    )
    counted = [one for one in within if one.score >= 1.0 or one.is_overlapped]
    if not counted:
        return Decision(Why.UNSURE, None, tuple(within)) if within else Decision(Why.NOTHING)
    first = counted[0]
    near = tuple(one for one in counted[1:] if one.at_ms - first.at_ms <= ON_TOP_MS)
    if first.is_overlapped or any(one.is_overlapped for one in near):
        return Decision(Why.OVERLAP, None, (first, *near))
    tied = tuple(one for one in near if one.at_ms - first.at_ms <= first.uncertainty_ms + one.uncertainty_ms)
    if tied:
        return Decision(Why.TIE, None, (first, *tied))
    return Decision(Why.FIRST, first, tuple(counted[1:]))


def proposed(heard: Heard, seat: Seat | None = None) -> Called:
    """The journal's event of a call that was heard: a proposal, until a person confirms it.

    ``confidence`` grows with the score: 0.5 at the threshold, 0.75 at twice that. Of overlapped voices the
    time covers both.
    """
    extra: dict[str, Json] = {
        "source": "heard",
        "heard": {"score": round(heard.score, 3), "overlap": heard.is_overlapped},
    }
    return Called(
        at_ms=max(0, round(heard.at_ms)),
        seat=seat,
        call=heard.call,
        confidence=round(_confidence(heard), 3),
        uncertainty_ms=round(ON_TOP_MS) if heard.is_overlapped else heard.uncertainty_ms,
        extra=extra,
    )


def _confidence(heard: Heard) -> float:
    score = max(0.0, heard.score)
    confidence = 1 - LEAST_CONFIDENCE / score if score >= 1 else LEAST_CONFIDENCE * score
    return min(confidence, LEAST_CONFIDENCE) if heard.is_overlapped else confidence
