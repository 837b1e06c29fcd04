"""Contact over time: signs of single pictures become spans.

A contact begins at a sign of ``START`` or more and goes on while signs reach ``KEEP``; between two of them
may lie ``bridge_ms`` in which nothing says so. A span that rests on one look alone is not told, nor one in
which most looks see nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from kemps_vision.people.contact.evidence import Evidence
from kemps_vision.people.contact.meeting import Sign
from kemps_vision.people.contact.spans import HANDS_TOUCHED, ContactSpan, Owner

START: Final = 0.5
KEEP: Final = 0.3
BRIDGE_MS: Final = 500
LEAST_LOOKS: Final = 2
LEAST_SHARE: Final = 0.5  # of the looks from beginning to end that reach ``KEEP``
_Key: TypeAlias = tuple[str, tuple[str, ...]]


@dataclass(slots=True)
class _Open:
    owners: tuple[Owner, Owner]
    at_ms: int
    until_ms: int
    best: float = 0.0
    at: tuple[float, float] = (0.0, 0.0)
    scores: list[float] = field(default_factory=list)  # up to ``until_ms``
    later: list[float] = field(default_factory=list)  # of the looks since then
    reasons: Counter[str] = field(default_factory=Counter)
    still_since_ms: int | None = None
    still_ms: int = 0


class ContactWatcher:
    """Gathers signs.

    Args:
        bridge_ms: How long a contact goes on without a sign; more for looks that are far apart.
        least_looks: How many looks must have seen a contact that is told.
    """

    def __init__(self, *, bridge_ms: int = BRIDGE_MS, least_looks: int = LEAST_LOOKS) -> None:
        self._bridge_ms = bridge_ms
        self._least_looks = least_looks
        self._open: dict[_Key, _Open] = {}

    @property
    def is_open(self) -> bool:
        """Whether a contact has begun and is not over."""
        return bool(self._open)

    @property
    def is_unsure(self) -> bool:
        """Whether a contact has begun that was not seen often enough yet."""
        return any(span.reasons.total() < self._least_looks for span in self._open.values())

    def has_open(self, kind: str, owners: tuple[Owner, Owner]) -> bool:
        """Whether a contact of these two has begun and is not over."""
        return _key_of(kind, owners) in self._open

    def step(self, at_ms: int, signs: Iterable[Sign]) -> list[ContactSpan]:
        """The spans that are over by now; times must rise."""
        ended = self._end(lambda span: at_ms - span.until_ms > self._bridge_ms)
        strongest: dict[_Key, Sign] = {}
        for sign in signs:
            key = _key_of(sign.kind, sign.owners)
            if key not in strongest or sign.score > strongest[key].score:
                strongest[key] = sign
        for key, sign in strongest.items():
            self._take(key, at_ms, sign)
        for key, span in self._open.items():
            if key not in strongest:
                span.later.append(0.0)
        return ended

    def finish(self) -> list[ContactSpan]:
        """The spans that were still going on when watching ended."""
        return self._end(lambda _: True)

    def _take(self, key: _Key, at_ms: int, sign: Sign) -> None:
        span = self._open.get(key)
        if span is None:
            if sign.score < START:
                return
            span = self._open[key] = _Open(sign.owners, at_ms, at_ms)
        span.later.append(sign.score)
        if sign.score < KEEP:
            return
        span.scores += span.later
        span.later.clear()
        if not sign.is_still:
            span.still_since_ms = None
        elif span.still_since_ms is None:
            span.still_since_ms = at_ms
        else:
            span.still_ms = max(span.still_ms, at_ms - span.still_since_ms)
        span.until_ms = at_ms
        span.reasons[sign.reason] += 1
        if sign.score > span.best:
            span.best, span.at = sign.score, sign.at

    def _end(self, is_over: Callable[[_Open], bool]) -> list[ContactSpan]:
        over = [key for key, span in self._open.items() if is_over(span)]
        ended = [(key, self._open.pop(key)) for key in over]
        told = [_span(key[0], span) for key, span in ended if self._is_told(span)]
        return sorted(told, key=lambda span: span.at_ms)

    def _is_told(self, span: _Open) -> bool:
        looks = span.reasons.total()
        return looks >= self._least_looks and looks >= LEAST_SHARE * len(span.scores)


def signs_of(evidence: Sequence[Evidence], owners: Sequence[Owner] = ()) -> list[Sign]:
    """What a closer look at one picture found, as signs; ``owners`` are those of its list of persons."""
    signs = []
    for one in evidence:
        known = [owners[index] for index in one.people if index < len(owners)]
        pair = (*known, None, None)[:2]
        signs.append(Sign(HANDS_TOUCHED, (pair[0], pair[1]), one.score, one.at, one.reason))
    return signs


def _key_of(kind: str, owners: tuple[Owner, Owner]) -> _Key:
    names = tuple("" if owner is None else owner for owner in owners)
    # Hands touch each other, but a face is touched by a hand.
    return kind, tuple(sorted(names)) if kind == HANDS_TOUCHED else names


def _span(kind: str, span: _Open) -> ContactSpan:
    # The better half: while hands are clasped, many looks see little.
    scores = sorted(span.scores, reverse=True)
    half = scores[: max(LEAST_LOOKS, len(scores) // 2)]
    reason = span.reasons.most_common(1)[0][0]
    score = sum(half) / len(half)
    return ContactSpan(span.at_ms, span.until_ms, kind, span.owners, span.at, score, reason, span.still_ms)
