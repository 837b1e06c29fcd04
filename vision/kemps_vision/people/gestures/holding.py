"""Hysteresis: a score that rises over one number and falls under another is an episode."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from kemps_vision.people.gestures.episode import Episode

ON: Final = 0.5  # a score from here on begins an episode
OFF: Final = 0.3  # a score below ends it

_SURER: Final = 0.2  # a score higher by so much leaves about a third of the doubt
_GAP_MS: Final = 120  # shorter dips do not end an episode


@dataclass(slots=True)
class Holding:
    """One gesture of one person.

    Attributes:
        gesture: Its name.
        least_ms: Shorter episodes are not told.
    """

    gesture: str
    least_ms: int
    _from_ms: int | None = None
    _since_ms: int | None = None  # the score is over OFF without a break since then
    _last_ms: int = 0
    _peak: float = 0.0
    _trust: float = 1.0

    @property
    def is_on(self) -> bool:
        """Whether an episode is going on."""
        return self._from_ms is not None

    def step(self, at_ms: int, score: float, trust: float = 1.0) -> Episode | None:
        """The episode that has ended before now; ``score`` 1 is a gesture in full, ``trust`` 0..1."""
        if score < OFF:
            self._since_ms = None
            return self.end() if self.is_on and at_ms - self._last_ms >= _GAP_MS else None
        if self._since_ms is None:
            self._since_ms = at_ms
        if not self.is_on and score >= ON:
            self._from_ms, self._peak, self._trust = self._since_ms, 0.0, 1.0
        if self.is_on:
            self._last_ms = at_ms
            self._peak = max(self._peak, score)
            self._trust = min(self._trust, trust)
        return None

    def end(self) -> Episode | None:
        """The episode that is going on, which ends when it was seen last, if it lasted long enough."""
        begun, self._from_ms, self._since_ms = self._from_ms, None, None
        if begun is None or self._last_ms - begun < self.least_ms:
            return None
        return Episode(
            self.gesture,
            begun,
            self._last_ms,
            round(min(1.0, self._peak), 3),
            round(confidence_of(self._peak, self._trust), 3),
        )


def confidence_of(peak: float, trust: float) -> float:
    """0.5 when a gesture just is one, nearly 1 when it goes to its full; times the ``trust`` in the face."""
    return (1.0 - 0.5 * math.exp(-max(0.0, peak - ON) / _SURER)) * trust
