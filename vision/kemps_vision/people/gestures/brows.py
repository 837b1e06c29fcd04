"""Raised brows: one, the other, or both."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from kemps_vision.people.gestures.episode import Episode
from kemps_vision.people.gestures.expressions import in_full
from kemps_vision.people.gestures.holding import Holding
from kemps_vision.people.gestures.measures import Measures
from kemps_vision.people.gestures.neutral import Neutral

FULL: Final = 2.5  # above rest, in the unit of ``Measures.brow_left``
_HIGHER_SHARE: Final = 0.7  # of the score is the higher brow's
_BOTH: Final = 0.5  # two brows are raised when the lower one rises by this share of the other
_LEAST_MS: Final = 200


@dataclass(slots=True)
class Brows:
    """The brows of one person; a raise has one name, told by how far each went on the whole."""

    _holding: Holding = field(default_factory=lambda: Holding("brow_raise", _LEAST_MS))
    _left: float = 0.0
    _right: float = 0.0

    def step(self, at_ms: int, face: Measures, neutral: Neutral, trust: float) -> Episode | None:
        """The raise that has ended before now."""
        full = max(in_full(FULL, neutral, side) for side in ("brow_left", "brow_right"))
        left = (face.brow_left - neutral.rest.brow_left) / full
        right = (face.brow_right - neutral.rest.brow_right) / full
        score = _HIGHER_SHARE * max(left, right) + (1 - _HIGHER_SHARE) * min(left, right)
        ended = self._named(self._holding.step(at_ms, score, trust))
        if self._holding.is_on:
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
