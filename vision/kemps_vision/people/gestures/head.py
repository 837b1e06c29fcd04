"""Nods and shakes of the head: quick turns to and fro."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from kemps_vision.people.gestures.episode import Episode
from kemps_vision.people.gestures.holding import confidence_of

NOD_DEGREES: Final = 6.0  # least turn one way
SHAKE_DEGREES: Final = 8.0
NOD_TURNS: Final = 2  # down and up again
SHAKE_TURNS: Final = 3  # a look aside and back is no shake
TURN_MOST_MS: Final = 600  # one turn takes so long at the most
_BACK: Final = 0.4  # of the least turn: a head that comes back by less has not turned round
_FULL: Final = 2.5  # times the least turn is a gesture in full


@dataclass(frozen=True, slots=True)
class _Turn:
    from_ms: int
    until_ms: int
    degrees: float  # > 0 for a rising angle


class _Place(NamedTuple):
    at_ms: int
    angle: float


@dataclass(slots=True)
class Swing:
    """An angle of the head that goes to and fro.

    Attributes:
        gesture: What it is called.
        least: Degrees of each turn.
        turns: How many turns make it.
    """

    gesture: str
    least: float
    turns: int
    _start: _Place | None = None  # where the turn that is going on began
    _peak: _Place = field(default_factory=lambda: _Place(0, 0.0))  # where it is furthest
    _done: list[_Turn] = field(default_factory=list)
    _trust: float = 1.0

    def step(self, at_ms: int, angle: float, trust: float) -> Episode | None:
        """The gesture that has ended before now."""
        here = _Place(at_ms, angle)
        if self._start is None:
            self._start = self._peak = here
            return None
        self._trust = min(self._trust, trust)
        way, way_now = self._peak.angle - self._start.angle, angle - self._start.angle
        if way_now * way >= 0 and abs(way_now) >= abs(way):
            self._peak = here
            if abs(way_now) < self.least * _BACK and at_ms - self._start.at_ms > TURN_MOST_MS:
                # A slow drift is no part of a turn: it begins where the head begins to move fast.
                self._start = here
        elif abs(angle - self._peak.angle) >= self.least * _BACK:
            self._turn_round(self._start, here)
        if self._done and at_ms - self._done[-1].until_ms > TURN_MOST_MS:
            return self._take()
        return None

    def end(self) -> Episode | None:
        """The gesture that is going on; where the head was is forgotten."""
        if self._start is not None:
            self._turn_round(self._start, self._peak)
        self._start = None
        return self._take()

    def _turn_round(self, start: _Place, here: _Place) -> None:
        """The turn from ``start`` to the peak is over."""
        turn = _Turn(start.at_ms, self._peak.at_ms, self._peak.angle - start.angle)
        if abs(turn.degrees) >= self.least and turn.until_ms - turn.from_ms <= TURN_MOST_MS:
            self._done.append(turn)
        elif len(self._done) < self.turns:
            self._done.clear()
        self._start, self._peak = self._peak, here

    def _take(self) -> Episode | None:
        done, self._done = self._done, []
        trust, self._trust = self._trust, 1.0
        if len(done) < self.turns:
            return None
        swing = sorted(abs(turn.degrees) for turn in done)[-self.turns] / (self.least * _FULL)
        score = min(1.0, 0.5 + 0.5 * (swing - 1 / _FULL) / (1 - 1 / _FULL))
        return Episode(
            self.gesture,
            done[0].from_ms,
            done[-1].until_ms,
            round(score, 3),
            round(confidence_of(score, trust), 3),
        )
