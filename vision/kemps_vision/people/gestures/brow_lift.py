"""How much higher brows are measured because somebody looks down, which is no raise.

MediaPipe's blendshapes of raised brows answer to a head that is bowed and to eyes whose gaze and lids go down
together: a face that looks at its cards seems to raise its brows by half of what a raise is. How strongly
differs from face to face, so it is learnt together with the face at rest; what is usual counts for as long as
somebody has looked down but little.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kemps_vision.people.gestures.measures import Measures

LIDS_ALONG: Final = 2.0  # a gaze is lowered by no more than so many times the share by which the eyes narrow
_BOW_DEGREES: Final = 10.0
_ROUNDS: Final = 4
_RAISED: Final = 0.5  # over what is expected: from here on a sight counts less, as it may be of a raise
_USUAL_WEIGHS: Final = (10.0, 3.0)  # as much as so many sights of a head bowed by 10 degrees, of a gaze by 1


class Lift(NamedTuple):
    """What looking down adds to the measured height of brows, in the unit of ``Measures.brow_left``."""

    bowed: float  # by a head that is bowed by 10 degrees
    lowered: float  # by a gaze that is lowered by 1, with the lids

    def of(self, face: Measures, rest: Measures) -> float:
        """How much higher the brows of this face are measured than they are."""
        bowed, lowered = _looks_down(np.array([face]), rest)[0]
        return self.bowed * float(bowed) + self.lowered * float(lowered)


# Of faces that talked and looked about, by least squares; the most is about what the strongest of them had.
USUAL: Final = Lift(0.9, 1.5)
_MOST: Final = Lift(1.5, 2.5)


def lift_of(table: NDArray[np.float64], rest: Measures) -> Lift:
    """The lift of one face, from measures (n, 16) of ordinary behaviour, with raised brows now and then."""
    down = _looks_down(table, rest)
    brows = table[:, [_AT["brow_left"], _AT["brow_right"]]].mean(axis=1)
    lift, usual, pull = np.array(USUAL), np.array(USUAL), np.diag(_USUAL_WEIGHS)
    for _ in range(_ROUNDS):
        level = np.median(brows - down @ lift)
        over = np.abs(brows - down @ lift - level)
        weighed = down.T * (_RAISED / np.maximum(over, _RAISED))
        found = np.linalg.solve(weighed @ down + pull, weighed @ (brows - level) + pull @ usual)
        lift = np.clip(found, 0.0, _MOST)
    return Lift(float(lift[0]), float(lift[1]))


_AT: Final = {name: place for place, name in enumerate(Measures._fields)}


def _looks_down(table: NDArray[np.float64], rest: Measures) -> NDArray[np.float64]:
    """(n, 2) of measures (n, 16): how far the head is bowed and the gaze lowered, at least 0."""
    opening = (table[:, _AT["open_left"]] + table[:, _AT["open_right"]]) / (rest.open_left + rest.open_right)
    bowed = (rest.pitch - table[:, _AT["pitch"]]) / _BOW_DEGREES
    lowered = np.minimum(rest.gaze_up - table[:, _AT["gaze_up"]], LIDS_ALONG * (1 - opening))
    return np.asarray(np.maximum(np.stack([bowed, lowered], axis=1), 0.0), np.float64)
