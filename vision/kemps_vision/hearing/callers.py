"""Who called: the loudest of several microphones, or the face whose mouth opened; else nobody is named."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_rules.seats import Seat
from kemps_vision.hearing.features import RATE, Sound
from kemps_vision.people.landmarks import FacePose

LOUDER_DB: Final = 4.0
CALL_MS: Final = 500.0  # from the onset, that both calls last at least
QUIET_MS: Final = 400.0  # before the onset, that a mouth is compared with
LATEST_MS: Final = 1000.0
LEAST_FRAMES: Final = 6
LEAST_OPENING: Final = 0.06  # noses; mouths at rest score 0.02 at most, those that call 0.1 to 0.2
LEAST_TOGETHER: Final = 0.4  # how a mouth goes with the loudness, 1 at most: callers 0.4 to 0.8
MORE_THAN_BEFORE: Final = 2.0  # who talks or grimaces all the time is no caller
CLEARER: Final = 1.6
KEPT_MS: Final = 6000.0
_LIPS_AND_NOSE: Final = (13, 14, 168, 2)  # inner lips above and below, the nose between the eyes and below


@dataclass(frozen=True, slots=True)
class Mouth:
    """How far a seat's mouth was open over time, as ``opening_of`` tells."""

    times_ms: Sequence[float]
    openings: Sequence[float]


def opening_of(face: FacePose) -> float:
    """How far the lips are apart, in lengths of the nose, which a turned head shortens least.

    MediaPipe's ``jawOpen`` stays at 0.02 while a mouth opens half for a vowel: it is not asked.
    """
    upper, lower, bridge, base = (face.landmarks[place, :2] for place in _LIPS_AND_NOSE)
    return float(np.linalg.norm(upper - lower) / max(1e-6, float(np.linalg.norm(bridge - base))))


class MouthLog:
    """The mouths of the last seconds, noted as faces are seen; `Listening` asks its `name` who called.

    Of a table with these ``seats`` nobody is named while one of them is out of sight: a mouth that happens to
    move while somebody unseen calls would be taken for the caller's in one of fourteen cases.
    """

    def __init__(self, seats: Collection[Seat] = ()) -> None:
        self._seats = frozenset(seats)
        self._noted: dict[Seat, deque[tuple[float, float]]] = {}
        self._lock = Lock()  # faces are looked at in one thread and asked for in another

    def note(self, seat: Seat, at_ms: float, opening: float) -> None:
        """A seat's mouth at a time of the pictures, which is the sound's time too."""
        with self._lock:
            noted = self._noted.setdefault(seat, deque())
            noted.append((at_ms, opening))
            while noted[0][0] < at_ms - KEPT_MS:
                noted.popleft()

    def name(self, at_ms: float, sound: Sound, first_ms: float) -> Seat | None:
        """Whose mouth opened with a call; None if nobody's clearly did, or nobody's was seen then."""
        with self._lock:
            mouths = {
                seat: Mouth([time for time, _ in noted], [opening for _, opening in noted])
                for seat, noted in self._noted.items()
            }
        if any(seat not in mouths or not _is_seen(mouths[seat], at_ms) for seat in self._seats):
            return None
        return by_mouth(mouths, sound, at_ms, first_ms)


def _is_seen(mouth: Mouth, at_ms: float) -> bool:
    """Whether enough was seen of a mouth during a call."""
    return sum(at_ms - 120 <= time <= at_ms + LATEST_MS for time in mouth.times_ms) >= LEAST_FRAMES


def level_db(sound: Sound, at_ms: float, first_ms: float = 0.0) -> float:
    """The level of a call that begins at ``at_ms``; ``first_ms`` is when the sound begins."""
    begin = max(0, round((at_ms - first_ms) * RATE / 1000))
    part = sound[begin : begin + round(CALL_MS * RATE / 1000)]
    return float(10 * np.log10(np.mean(part**2) + 1e-12)) if len(part) else -120.0


def loudest(levels_db: Mapping[Seat, float]) -> Seat | None:
    """The seat whose own microphone heard the call at least 4 dB louder than every other; else None.

    >>> loudest({"A": -20.0, "B": -31.0}), loudest({"A": -20.0, "B": -22.0}), loudest({"A": -20.0})
    ('A', None, None)
    """
    ranked = sorted(levels_db, key=lambda seat: -levels_db[seat])
    if len(ranked) < 2 or levels_db[ranked[0]] - levels_db[ranked[1]] < LOUDER_DB:
        return None
    return ranked[0]


def by_mouth(mouths: Mapping[Seat, Mouth], sound: Sound, at_ms: float, first_ms: float = 0.0) -> Seat | None:
    """The seat whose mouth opened with the call, clearly more than every other seat's; else None.

    A mouth counts by how much it moved with the sound's loudness from the onset on, beyond what it moved
    before: who eats or laughs all the time is no caller.
    """
    scores = {seat: _moved(mouth, sound, at_ms, first_ms) for seat, mouth in mouths.items()}
    ranked = sorted(scores, key=lambda seat: -scores[seat])
    if not ranked or scores[ranked[0]] < LEAST_OPENING:
        return None
    if len(ranked) > 1 and scores[ranked[0]] < CLEARER * max(0.0, scores[ranked[1]]):
        return None
    return ranked[0]


def _moved(mouth: Mouth, sound: Sound, at_ms: float, first_ms: float) -> float:
    times = np.asarray(mouth.times_ms, np.float64)
    openings = np.asarray(mouth.openings, np.float64)
    during = (times >= at_ms - 120) & (times <= at_ms + LATEST_MS)
    before = (times >= at_ms - 120 - QUIET_MS) & (times < at_ms - 120)
    if during.sum() < LEAST_FRAMES:
        return 0.0
    moved, moved_before = _range(openings[during]), _range(openings[before]) if before.sum() >= 3 else 0.0
    if moved < MORE_THAN_BEFORE * moved_before:
        return 0.0
    loudness = np.array([level_at(sound, at, first_ms) for at in times[during]])
    if loudness.std() < 1e-6 or openings[during].std() < 1e-6:
        return 0.0
    together = float(np.corrcoef(loudness, openings[during])[0, 1])
    return (moved - moved_before) * together if together >= LEAST_TOGETHER else 0.0


def level_at(sound: Sound, at_ms: float, first_ms: float = 0.0) -> float:
    """The level in dB of the 60 ms around a time."""
    middle = round((at_ms - first_ms) * RATE / 1000)
    part = sound[max(0, middle - 480) : max(0, middle + 480)]
    return float(10 * np.log10(np.mean(part**2) + 1e-9)) if len(part) else -90.0


def _range(values: NDArray[np.float64]) -> float:
    return float(np.quantile(values, 0.95) - np.quantile(values, 0.05))
