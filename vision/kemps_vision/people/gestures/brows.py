"""Raised brows: one, the other, or both.

Both are raised when both have risen; one is when it has risen and stands higher than the other one by more
than at rest, which a head that nods does not make. Looking down pulls the measured brows up; that much is
taken off (``brow_lift``).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from kemps_vision.people.gestures.episode import Episode
from kemps_vision.people.gestures.expressions import in_full
from kemps_vision.people.gestures.holding import ON, Holding
from kemps_vision.people.gestures.measures import Measures
from kemps_vision.people.gestures.neutral import Neutral

FULL: Final = 2.5  # above rest, in the unit of ``Measures.brow_left``
ONE_FULL: Final = 2.0  # of one brow: the middle of how far it rose and how far the two went apart
ONE_UP: Final = 0.8  # of ``ONE_FULL`` that it must rise itself, or the other one was only lowered
_HIGHER_SHARE: Final = 0.7  # of the score of both is the higher brow's
_BOTH: Final = 0.65  # two brows are raised when the lower one rises by this share of the other
_LEAST_MS: Final = 200


@dataclass(slots=True)
class Brows:
    """The brows of one person; a raise has one name, told by how far each went while it lasted."""

    _holding: Holding = field(default_factory=lambda: Holding("brow_raise", _LEAST_MS))
    _left: float = 0.0
    _right: float = 0.0

    def step(self, at_ms: int, face: Measures, neutral: Neutral, trust: float) -> Episode | None:
        """The raise that has ended before now."""
        lifted = neutral.lift.of(face, neutral.rest)
        left = face.brow_left - neutral.rest.brow_left - lifted
        right = face.brow_right - neutral.rest.brow_right - lifted
        more = max(in_full(FULL, neutral, side) for side in ("brow_left", "brow_right")) / FULL
        score = _score(left, right) / more
        ended = self._named(self._holding.step(at_ms, score, trust))
        # What a raise fades out into does not tell which brow it was.
        if self._holding.is_on and score >= ON:
            self._left, self._right = self._left + left, self._right + right
        return ended

    def end(self) -> Episode | None:
        """The raise that is going on."""
        return self._named(self._holding.end())

    def _named(self, ended: Episode | None) -> Episode | None:
        left, right = self._left, self._right
        if not self._holding.is_on:
            self._left = self._right = 0.0
        if ended is None or min(left, right) >= _BOTH * max(left, right):
            return ended
        return replace(ended, gesture="brow_raise_left" if left > right else "brow_raise_right")


def _score(left: float, right: float) -> float:
    """1 for a raise in full, of both brows or of one; 0 at rest.

    >>> _score(2.5, 2.5), _score(2.0, 0.0), _score(0.0, -3.0)
    (1.0, 1.0, 0.0)
    """
    high, low = max(left, right), min(left, right)
    both = (_HIGHER_SHARE * high + (1 - _HIGHER_SHARE) * low) / FULL
    one = min((high + high - low) / 2, high / ONE_UP) / ONE_FULL
    return max(both, one)
