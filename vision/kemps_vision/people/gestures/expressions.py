"""What each gesture of the face that is held for a while is: how far from rest, and for how long."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from kemps_vision.people.gestures.measures import Measures
from kemps_vision.people.gestures.neutral import Neutral

# How much further than a face ordinarily goes a gesture must go, in spreads of ordinary behaviour, and by
# how much a lively face may raise what a gesture in full is.
_SPREADS: Final = 5.0
_LIVELIEST: Final = 1.4
# How much further than its measure changes between two looks; a half of it, where an episode begins, is five
# standard deviations of a measure that does nothing but scatter.
_SCATTERS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Expression:
    """A gesture that is held.

    Attributes:
        gesture: Its name.
        change: How far from rest the face is, in the unit of ``full``.
        full: The change that is the gesture in full: a score of 1; half of it begins an episode.
        least_ms: How long it must last.
        spread_of: The measure whose ordinary spread makes a lively face need more, or "".
        is_blinked: Whether a blink looks like it for a moment.
    """

    gesture: str
    change: Callable[[Measures, Measures], float]
    full: float
    least_ms: int
    spread_of: str
    is_blinked: bool = False

    def score(self, face: Measures, neutral: Neutral) -> float:
        """0 at rest, 1 in full; below 0 the other way."""
        return self.change(face, neutral.rest) / in_full(self.full, neutral, self.spread_of)


def in_full(full: float, neutral: Neutral, measure: str) -> float:
    """What a gesture in full takes of this face: more when it is lively, or when it is measured badly."""
    if not measure:
        return full
    place = Measures._fields.index(measure)
    # A change of size is told as a share of the size at rest.
    unit = max(neutral.rest.width_px, 1e-6) if measure == "width_px" else 1.0
    spread, scatter = neutral.spread[place] / unit, neutral.scatter[place] / unit
    return max(min(max(full, _SPREADS * spread), _LIVELIEST * full), _SCATTERS * scatter)


def _look_left(face: Measures, rest: Measures) -> float:
    return face.gaze_left - rest.gaze_left


def _look_up(face: Measures, rest: Measures) -> float:
    """How far the eyes look up, 1 in full: gaze and the place of the irises together tell more than each.

    Eyes that look aside have their irises measured higher, which is taken off.
    """
    up = (face.gaze_up - rest.gaze_up) / GAZE_UP + (face.iris_up - rest.iris_up) / IRIS_UP
    return up - ASIDE_LIFTS * abs(_look_left(face, rest)) / GAZE


def _look_down(face: Measures, rest: Measures) -> float:
    """How far the eyes look down: MediaPipe's gaze shows a half of it, the lids that go along the other."""
    opening = (face.open_left + face.open_right) / (rest.open_left + rest.open_right)
    return rest.gaze_up - face.gaze_up + max(0.0, 1 - opening)


def _frown(face: Measures, rest: Measures) -> float:
    """How far both brows are drawn down, as their blendshape says or, where it stays faint, their height."""
    lowered = min(rest.brow_left - face.brow_left, rest.brow_right - face.brow_right)
    return max((face.brow_down - rest.brow_down) / FROWN, lowered / LOWERED)


def _lean(face: Measures, rest: Measures) -> float:
    """How much nearer the face is, as the logarithm of its size."""
    return math.log(max(face.width_px, 1e-6) / max(rest.width_px, 1e-6))


GAZE: Final = 0.9
# Of faces whose eyes turn up by 20 degrees gaze goes up by 0.34 and the irises by 0.045, in the middle of 8.
GAZE_UP: Final = 1.1
IRIS_UP: Final = 0.10
ASIDE_LIFTS: Final = 0.3
FROWN: Final = 0.7  # of the blendshape of brows that are drawn down,
LOWERED: Final = 3.6  # or in the unit of ``Measures.brow_left``
TILT: Final = 24.0  # degrees
LEAN: Final = 0.12  # so much nearer or further away, as a share: 12 cm for a face a metre away

EXPRESSIONS: Final = (
    Expression("frown", _frown, 1.0, 250, "", True),
    Expression("look_left", _look_left, GAZE, 150, "gaze_left", is_blinked=True),
    Expression("look_right", lambda face, rest: -_look_left(face, rest), GAZE, 150, "gaze_left", True),
    Expression("look_up", _look_up, 1.0, 150, "gaze_up", is_blinked=True),
    Expression("look_down", _look_down, 0.9, 250, "gaze_up", True),
    # A mouth that speaks opens many times a second; one that is open stays so.
    Expression("mouth_open", lambda face, rest: face.jaw_open - rest.jaw_open, 0.7, 400, "jaw_open"),
    Expression("pout", lambda face, rest: face.pucker - rest.pucker, 0.9, 600, "pucker"),
    Expression("smile", lambda face, rest: face.smile - rest.smile, 0.7, 300, "smile"),
    Expression("tilt_left", lambda face, rest: face.roll - rest.roll, TILT, 300, "roll"),
    Expression("tilt_right", lambda face, rest: rest.roll - face.roll, TILT, 300, "roll"),
    Expression("lean_forward", _lean, LEAN, 500, "width_px"),
    Expression("lean_back", lambda face, rest: -_lean(face, rest), LEAN, 500, "width_px"),
)
