"""Blinks, closed eyes and winks, from how far the lids are apart.

An eye is shut when it has lost much of the opening it had a moment before, not of the one it has at best: a
blink is also one while somebody looks down, and looking down, which narrows the eyes slowly and for long, is
none. Blinks last 100 to 400 ms; there is room for those who film few pictures a second.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from kemps_vision.people.gestures.episode import Episode
from kemps_vision.people.gestures.holding import OFF, ON, confidence_of
from kemps_vision.people.gestures.measures import Measures
from kemps_vision.people.gestures.neutral import Neutral

BLINK_MOST_MS: Final = 500
HALF_SHUT: Final = 0.7  # lids that go no further than this, for longer, look down
HALF_MOST_MS: Final = 250
# How much more one eye is shut than the other. Beside winks faces of films stay within 0.15 for 99 % of the
# time; behind glasses and in small faces MediaPipe shows a third of a wink.
WINK_APART: Final = 0.2
WINK_STAYS: Final = 0.14  # a wink goes on down to this
WINK_LEAST_MS: Final = 120
WINK_MOST_MS: Final = 2500  # a lid that hangs for longer is no signal
WINK_OTHER: Final = 0.6  # the other eye of a wink, which screws up too, is shut by less than this share
CLOSED: Final = 0.7  # closed eyes are shut by so much,
CLOSED_WITHIN_MS: Final = 150  # so soon: what is slower is a look down

_BEFORE_MS: Final = 450
_LEAST_OPEN: Final = 0.4  # of the eye at rest: only eyes that were open shut
_MOST_OPEN: Final = 1.1


class _Lids(NamedTuple):
    """How far both eyes are open at a time, 1 at rest."""

    at_ms: int
    left: float
    right: float


class _Shut(NamedTuple):
    """How far both eyes are shut at a time: 0 as they were a moment before, 1 wholly."""

    at_ms: int
    left: float
    right: float
    trust: float

    @property
    def both(self) -> float:
        """How far both are shut, on the whole."""
        return (self.left + self.right) / 2

    @property
    def apart(self) -> float:
        """How much more the left one is shut than the right one."""
        return self.left - self.right


@dataclass(slots=True)
class Eyes:
    """The eyes of one person."""

    _before: deque[_Lids] = field(default_factory=deque)
    _shutting: list[_Shut] = field(default_factory=list)
    _open: tuple[float, float] = (1.0, 1.0)  # a moment before, while they are shutting

    @property
    def is_shutting(self) -> bool:
        """Whether a blink or wink may be going on, which other gestures should wait out."""
        return bool(self._shutting)

    def step(self, at_ms: int, face: Measures, neutral: Neutral, trust: float) -> list[Episode]:
        """What has ended before now; ``trust`` 0..1 is how far the face can be measured."""
        rest = neutral.rest
        lids = _Lids(at_ms, face.open_left / rest.open_left, face.open_right / rest.open_right)
        if not self._shutting:
            self._open = self._opening(lids)
        left, right = (max(0.0, 1 - now / was) for now, was in zip(lids[1:], self._open, strict=True))
        ended: list[Episode] = []
        is_winking = bool(self._shutting) and abs(self._shutting[-1].apart) >= WINK_STAYS
        if max(left, right) < OFF and not (is_winking and abs(left - right) >= WINK_STAYS):
            ended = self.end()
        elif min(self._open) >= _LEAST_OPEN:
            self._shutting.append(_Shut(at_ms, left, right, trust))
            if not _is_still_one(self._shutting):
                # The eyes have narrowed: from now on this is how far they are open.
                self._shutting = []
                self._before.clear()
        self._remember(lids)
        return ended

    def end(self) -> list[Episode]:
        """What is going on, which ends when it was seen last."""
        shutting, self._shutting = self._shutting, []
        return _told(shutting)

    def forget(self) -> None:
        """The face was not seen: nothing before now tells how far the eyes were open."""
        self._before.clear()

    def _opening(self, now: _Lids) -> tuple[float, float]:
        """How far each eye was open at most, a moment ago."""
        recent = [*self._before, now]
        left, right = max(one.left for one in recent), max(one.right for one in recent)
        return min(left, _MOST_OPEN), min(right, _MOST_OPEN)

    def _remember(self, lids: _Lids) -> None:
        self._before.append(lids)
        while lids.at_ms - self._before[0].at_ms > _BEFORE_MS:
            self._before.popleft()


def _is_still_one(shutting: Sequence[_Shut]) -> bool:
    """Whether what has gone on so long may yet be a blink, a wink or closed eyes, and is no look down."""
    length = shutting[-1].at_ms - shutting[0].at_ms
    if length <= (BLINK_MOST_MS if max(one.both for one in shutting) >= HALF_SHUT else HALF_MOST_MS):
        return True
    if length <= WINK_MOST_MS and any(abs(one.apart) >= WINK_APART for one in shutting):
        return True
    return _closes_fast(shutting)


def _told(shutting: Sequence[_Shut]) -> list[Episode]:
    """Winks, and what is between them: blinks or closed eyes."""
    told: list[Episode] = []
    rest: list[_Shut] = []
    for piece, side in _pieces(shutting):
        wink = _wink(piece, side) if side else None
        if wink is None:
            rest += piece
            continue
        told += _closure(rest, beside_wink=True)
        told.append(wink)
        rest = []
    return told + _closure(rest, beside_wink=bool(told))


def _pieces(shutting: Sequence[_Shut]) -> list[tuple[list[_Shut], int]]:
    """Runs in which the left eye (1), the right eye (-1) or neither (0) is shut more than the other."""
    pieces: list[tuple[list[_Shut], int]] = []
    for shut in shutting:
        before = pieces[-1][1] if pieces else 0
        side = 0 if abs(shut.apart) < WINK_APART else (1 if shut.apart > 0 else -1)
        if side == 0 and before * shut.apart >= WINK_STAYS:
            side = before
        if pieces and before == side:
            pieces[-1][0].append(shut)
        else:
            pieces.append(([shut], side))
    return pieces


def _wink(piece: Sequence[_Shut], side: int) -> Episode | None:
    length = piece[-1].at_ms - piece[0].at_ms
    most = max(piece, key=lambda one: one.apart * side)
    shut, other = (most.left, most.right) if side > 0 else (most.right, most.left)
    if not WINK_LEAST_MS <= length <= WINK_MOST_MS or shut < OFF or other > WINK_OTHER * shut:
        return None
    gesture = "wink_left" if side > 0 else "wink_right"
    return _episode(gesture, piece, shut, ON * most.apart * side / WINK_APART)


def _closure(piece: Sequence[_Shut], *, beside_wink: bool) -> list[Episode]:
    """A blink or closed eyes, if it is one; beside a wink, whose ends look like one, both lids must shut."""
    if not piece or max(min(one.left, one.right) if beside_wink else one.both for one in piece) < ON:
        return []
    shut = max(one.both for one in piece)
    length = piece[-1].at_ms - piece[0].at_ms
    if length <= (BLINK_MOST_MS if shut >= HALF_SHUT else HALF_MOST_MS):
        return [_episode("blink", piece, shut, shut)]
    return [_episode("eyes_closed", piece, shut, shut)] if _closes_fast(piece) else []


def _closes_fast(piece: Sequence[_Shut]) -> bool:
    return any(one.both >= CLOSED for one in piece if one.at_ms - piece[0].at_ms <= CLOSED_WITHIN_MS)


def _episode(gesture: str, piece: Sequence[_Shut], shut: float, peak: float) -> Episode:
    confidence = confidence_of(peak, min(one.trust for one in piece))
    return Episode(gesture, piece[0].at_ms, piece[-1].at_ms, round(min(shut, 1.0), 3), round(confidence, 3))
