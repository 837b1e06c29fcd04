"""What lies or moves over the table that no found hand explains: a hand that was lost may be there.

The centre counts for nothing, for cards come and go in it; a hand over it has an arm that comes from outside.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.people.landmarks import HandPose
from kemps_vision.people.usual import Small

GROWN: Final = 1.2  # the centre
ROUND: Final = 0.7  # palm lengths round a hand that are its own: its shadow, and fingers that were missed
FOREARM: Final = 3.0  # palm lengths behind the wrist that are its arm


class Strays:
    """Measures it in one camera's pictures.

    Args:
        table: The outline (n, 2) of the table's top, in px of the pictures.
        centre: That of the centre.
    """

    def __init__(self, table: Sequence[tuple[float, float]], centre: Sequence[tuple[float, float]]) -> None:
        self._table = np.asarray(table, np.float64)
        inner = np.asarray(centre, np.float64)
        self._centre = inner.mean(axis=0) + GROWN * (inner - inner.mean(axis=0))

    def largest_px(self, mask: Small, scale: float, hands: Iterable[HandPose]) -> float:
        """The area of the largest such thing, in px of the picture.

        Args:
            mask: What differs from how the table mostly was, in px of a small picture.
            scale: How many px of that a px of the picture is.
            hands: Those that explain what is at them: the ones found, and the places of lost ones.
        """
        zone = np.zeros(mask.shape[:2], np.uint8)
        cv2.fillPoly(zone, [_small(self._table, scale)], 1)
        cv2.fillPoly(zone, [_small(self._centre, scale)], 0)
        for hand in hands:
            _explain(zone, hand, scale)
        left = cv2.morphologyEx(
            np.asarray((mask > 0) & (zone > 0), np.uint8), cv2.MORPH_OPEN, np.ones((3, 3))
        )
        _, _, stats, _ = cv2.connectedComponentsWithStats(np.asarray(left, np.uint8))
        return float(max(stats[1:, cv2.CC_STAT_AREA], default=0)) / scale**2


def _explain(zone: NDArray[np.uint8], hand: HandPose, scale: float) -> None:
    """Take a hand and its forearm out of what is looked at."""
    size = max(hand.size_px * scale, 1.0)
    points = _small(hand.landmarks[:, :2].astype(np.float64), scale)
    hull = cv2.convexHull(points)
    cv2.fillConvexPoly(zone, hull, 0)
    cv2.polylines(zone, [hull], isClosed=True, color=0, thickness=max(1, round(2 * ROUND * size)))
    wrist, palm = hand.landmarks[0, :2].astype(np.float64), hand.palm.astype(np.float64)
    back = (wrist - palm) / max(float(np.linalg.norm(wrist - palm)), 1e-6)
    elbow = wrist + FOREARM * hand.size_px * back
    start, end = (tuple(_small(point[None], scale)[0].tolist()) for point in (wrist, elbow))
    cv2.line(zone, start, end, 0, max(1, round(2 * size)))


def _small(points: NDArray[np.float64], scale: float) -> NDArray[np.int32]:
    return np.round(points * scale).astype(np.int32)
