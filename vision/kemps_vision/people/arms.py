"""Arms that reach into the centre, told by what differs from how the table mostly was in the last seconds.

A hand over the cards is found by its landmarks about every second time only; its arm is large and always
there. Cut along the edge of the centre, two arms that meet over the cards are two pieces, each leading to its
own side of the table; a card that was laid lies wholly inside and leads nowhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.seats import Seat
from kemps_vision.people.usual import Small, cleaned
from kemps_vision.zones import Polygon

GROWN: Final = 1.15  # the centre, so that a card at its edge does not stick out
GAP: Final = 5  # px of a small picture: a sleeve of the table's colour tears an arm apart
LEAST_PX: Final = 25  # of a small picture: the part of an arm outside the centre
LEAST_TOUCH_PX: Final = 3  # of the centre's edge that it crosses
NEAR: Final = 0.55  # of the way from the centre to the seat that the arm may leave out
CLEARLY: Final = 0.1  # by so much nearer than to any other seat


class Arms:
    """Sees whose arms lie over the centre, in one camera's pictures.

    Args:
        centre: The outline of the centre, in px of the pictures.
        seats: Where each player sits, in the same px; may lie outside the pictures.
    """

    def __init__(self, centre: Polygon, seats: Mapping[Seat, tuple[float, float]]) -> None:
        outline = np.asarray(centre, np.float64)
        self._middle = outline.mean(axis=0)
        self._outline = self._middle + GROWN * (outline - self._middle)
        self._seats = {seat: np.asarray(at, np.float64) for seat, at in seats.items()}
        self._zone: Small | None = None

    def over_centre(self, mask: Small, scale: float) -> frozenset[Seat | None]:
        """The seats whose arms reach into the centre; None stands for an arm whose owner is not clear.

        ``mask`` and ``scale`` are what ``Usual.differing`` gives.
        """
        zone = self._zone_in(mask, scale)
        differs = cleaned(mask, GAP)
        outside = np.asarray(differs & (1 - zone), np.uint8)
        _, pieces = cv2.connectedComponents(outside)
        # What lies inside, grown by a pixel, touches the pieces that go on outside.
        inside = cv2.dilate(np.asarray(differs & zone, np.uint8), np.ones((3, 3), np.uint8))
        touching = Counter(int(piece) for piece in pieces[(inside > 0) & (pieces > 0)])
        owners: set[Seat | None] = set()
        for piece, count in touching.items():
            rows, columns = np.nonzero(pieces == piece)
            if count >= LEAST_TOUCH_PX and len(rows) >= LEAST_PX:
                owners |= self._owner(np.column_stack([columns, rows]) / scale)
        return frozenset(owners)

    def _zone_in(self, mask: Small, scale: float) -> Small:
        if self._zone is None or self._zone.shape != mask.shape[:2]:
            self._zone = np.zeros(mask.shape[:2], np.uint8)
            cv2.fillPoly(self._zone, [np.round(self._outline * scale).astype(np.int32)], 1)
        return self._zone

    def _owner(self, points: NDArray[np.float64]) -> set[Seat | None]:
        """The seat that a piece (n, 2) leads to; none where it leads nowhere, as a hand that sticks out."""
        ways = []
        for seat, at in self._seats.items():
            away = max(float(np.linalg.norm(at - self._middle)), 1.0)
            ways.append((float(np.linalg.norm(points - at, axis=1).min()) / away, seat))
        ways.sort()
        if not ways or ways[0][0] > NEAR:
            return set()
        is_clear = len(ways) == 1 or ways[1][0] - ways[0][0] >= CLEARLY
        return {ways[0][1] if is_clear else None}
