"""Who reached: the seat whose arm lay over a card when it came or went.

A reaching arm is what differs from the picture as it mostly was in the last seconds. It is one
piece from the card to its owner's side of the table, so the seat whose place that piece comes
nearest to has reached. Where two arms run together, or none is seen, the seat stays unknown.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.seats import Seat
from kemps_vision.appearance import Quad
from kemps_vision.changes import Appeared, Left
from kemps_vision.frame import Image
from kemps_vision.zones import TableZones

Small: TypeAlias = NDArray[np.uint8]

WIDTH: Final = 192  # px of the small pictures kept
HISTORY_MS: Final = 10_000
USUAL_FROM: Final = 24  # pictures over the whole span whose median is how it mostly was
USUAL_LEAST: Final = 12
APART_MS: Final = 600  # before and after the moment asked for, in which the arm is on its way
GREYS: Final = 22.0  # of the strongest channel: more is no shadow's edge or noise
BEFORE_MS: Final = 350  # the hand is there before a card is seen to lie
GROWN: Final = 1.35
NEAR: Final = 0.6  # of the way from the centre to the seat that the arm may leave out
CLEARLY: Final = 0.15  # by so much nearer than to any other seat
AGREEMENT: Final = 0.7  # of the pictures of one moment
LEAST_PICTURES: Final = 2


class Reaches:
    """The last seconds in small pictures, asked for the arm over a card."""

    def __init__(self, zones: TableZones, width_px: int) -> None:
        self._zones = zones
        self._scale = WIDTH / width_px
        self._history: deque[tuple[int, Small]] = deque()

    def set_zones(self, zones: TableZones) -> None:
        """Where the centre is, once it was found."""
        self._zones = zones

    def watch(self, pixels: Image, at_ms: int) -> None:
        """Keep this frame."""
        size = (WIDTH, max(1, round(pixels.shape[0] * self._scale)))
        small = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
        self._history.append((at_ms, small))
        while at_ms - self._history[0][0] > HISTORY_MS:
            self._history.popleft()

    def seat_of(self, change: Appeared | Left) -> Seat | None:
        """The seat whose arm lay over the card when it came or went, or None when it is not clear."""
        if not self._zones.seats or self._zones.middle is None:
            return None
        start_ms, end_ms = _span(change)
        moments = [small for at_ms, small in self._history if start_ms <= at_ms <= end_ms]
        if not moments:
            return None
        usual = self._usual(start_ms - APART_MS, end_ms + APART_MS)
        if usual is None:
            return None
        seats = [self._seat_in(small, usual, change.quad) for small in moments]
        votes = Counter(seat for seat in seats if seat is not None)
        if sum(votes.values()) < LEAST_PICTURES:
            return None
        seat, count = votes.most_common(1)[0]
        return seat if count >= AGREEMENT * sum(votes.values()) else None

    def _usual(self, start_ms: int, end_ms: int) -> NDArray[np.float32] | None:
        """How it mostly was before and after a span in which an arm was there."""
        pictures = [small for at_ms, small in self._history if not start_ms <= at_ms <= end_ms]
        if len(pictures) < USUAL_LEAST:
            return None
        chosen = np.linspace(0, len(pictures) - 1, min(USUAL_FROM, len(pictures))).round().astype(int)
        return np.asarray(np.median(np.stack([pictures[i] for i in chosen]), axis=0), np.float32)

    def _seat_in(self, small: Small, usual: NDArray[np.float32], quad: Quad) -> Seat | None:
        differs = np.abs(small.astype(np.float32) - usual).max(axis=2) > GREYS
        closed = cv2.morphologyEx(differs.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
        _, pieces = cv2.connectedComponents(np.asarray(closed, np.uint8))
        place = np.zeros(pieces.shape, np.uint8)
        middle = quad.mean(axis=0)
        grown = middle + GROWN * (quad - middle)  # a hand may touch the card's edge only
        cv2.fillConvexPoly(place, np.round(grown * self._scale).astype(np.int32), 1)
        over = Counter(int(piece) for piece in pieces[place > 0] if piece)
        if not over:
            return None
        # The card's own place differs too, once it is empty: only what lies beside it tells of an arm.
        rows, columns = np.nonzero((pieces == over.most_common(1)[0][0]) & (place == 0))
        if not len(rows):
            return None
        return self._nearest_seat(np.column_stack([columns, rows]) / self._scale)

    def _nearest_seat(self, points: NDArray[np.float64]) -> Seat | None:
        middle = np.asarray(self._zones.middle)
        ways = []
        for seat, at in self._zones.seats.items():
            away = float(np.linalg.norm(np.asarray(at) - middle))
            nearest = float(np.linalg.norm(points - np.asarray(at), axis=1).min())
            ways.append((nearest / max(away, 1.0), seat))
        ways.sort()
        if ways[0][0] > NEAR or (len(ways) > 1 and ways[1][0] - ways[0][0] < CLEARLY):
            return None
        return ways[0][1]


def _span(change: Appeared | Left) -> tuple[int, int]:
    if isinstance(change, Left):
        return change.covered_ms - BEFORE_MS // 2, change.bare_ms
    return change.rest_ms - BEFORE_MS, change.clear_ms
