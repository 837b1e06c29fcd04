"""Arms that reach into the centre, told by what differs from how the table mostly was in the last seconds.

A hand over the cards is found by its landmarks about every second time only; its arm is large and always
there. Cut along the edge of the centre, two arms that meet over the cards are two pieces, each leading to its
own side of the table; a card that was laid lies wholly inside and leads nowhere.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.seats import Seat
from kemps_vision.frame import Image
from kemps_vision.zones import Polygon

Small: TypeAlias = NDArray[np.uint8]

WIDTH: Final = 256  # px of the small pictures
HISTORY_MS: Final = 10_000
USUAL_OF: Final = 24  # pictures over the whole span, whose median is how it mostly was
USUAL_EVERY_MS: Final = 333
GREYS: Final = 22.0  # of the strongest channel: more is no shadow's edge or noise
GROWN: Final = 1.15  # the centre, so that a card at its edge does not stick out
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
        self._history: deque[tuple[int, Small]] = deque()
        self._usual: NDArray[np.float32] | None = None
        self._usual_ms = 0
        self._zone: Small | None = None

    def step(self, at_ms: int, pixels: Image) -> frozenset[Seat | None]:
        """The seats whose arms reach into the centre now; None stands for an arm whose owner is not clear."""
        scale = WIDTH / pixels.shape[1]
        size = (WIDTH, max(1, round(pixels.shape[0] * scale)))
        small = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
        usual = self._remember(at_ms, small)
        zone = self._zone_in(small, scale)
        differs = _differs(small, usual)
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

    def _remember(self, at_ms: int, small: Small) -> NDArray[np.float32]:
        """Keep a picture; how it mostly was."""
        self._history.append((at_ms, small))
        while at_ms - self._history[0][0] > HISTORY_MS:
            self._history.popleft()
        if self._usual is None or at_ms - self._usual_ms >= USUAL_EVERY_MS:
            chosen = np.linspace(0, len(self._history) - 1, min(USUAL_OF, len(self._history)))
            pictures = np.stack([self._history[i][1] for i in chosen.round().astype(int)])
            self._usual = np.asarray(np.median(pictures, axis=0), np.float32)
            self._usual_ms = at_ms
        return self._usual

    def _zone_in(self, small: Small, scale: float) -> Small:
        if self._zone is None or self._zone.shape != small.shape[:2]:
            self._zone = np.zeros(small.shape[:2], np.uint8)
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


def _differs(small: Small, usual: NDArray[np.float32]) -> Small:
    difference = np.abs(small.astype(np.float32) - usual).max(axis=2)
    mask = np.asarray(difference > GREYS, np.uint8)
    closed = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    return np.asarray(cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
