"""The last seconds in grey, small: to see since when a card lies where it was found."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from kemps_vision.appearance import Grey, Look, Patch, Quad, cut, stillness
from kemps_vision.frame import Image
from kemps_vision.spots import CLEAR, SEEN, Spot

STILL_FRAMES: Final = 2  # a place is still when it looks as it did so many frames ago
CARD_PX: Final = 90.0  # pictures are kept so small that a card is this long: more says nothing more
HISTORY_MS: Final = 4000  # in which every watched frame is kept
OLDER_EVERY_MS: Final = 1000  # ... and before that one in a second
OLDER_MOST: Final = 20
OLDER_KEPT: Final = 0.5  # of the look, so that a card lay there already
REST_KEPT: Final = 0.1  # of the look of a card that lies under a hand; a hand or the table mostly keep less
REST_FAINT: Final = 6  # watched frames in which so little may show
REST_LITTLE_MS: Final = (
    700  # in which no more than half of it may show; an arm at rest may look a bit like it
)
REST_GAP: Final = 3  # watched frames in which nothing may show
ANOTHER_LIES: Final = 0.1  # by so much more it must look like this card than like one that lay there before


class GreyHistory:
    """Grey pictures of the last seconds; quads are given in px of the pictures watched."""

    def __init__(self) -> None:
        self._recent: deque[tuple[int, Grey]] = deque()
        self._older: deque[tuple[int, Grey]] = deque(maxlen=OLDER_MOST)
        self._scale = 1.0

    def set_card_length(self, length_px: float) -> bool:
        """Shrink the pictures to a card of 90 px; whether that changes much, so that patches differ."""
        scale = min(1.0, CARD_PX / length_px)
        if abs(scale - self._scale) <= 0.15:
            return False
        factor = scale / self._scale
        self._recent = deque((at_ms, _resized(grey, factor)) for at_ms, grey in self._recent)
        older = ((at_ms, _resized(grey, factor)) for at_ms, grey in self._older)
        self._older = deque(older, maxlen=OLDER_MOST)
        self._scale = scale
        return True

    def add(self, pixels: Image, at_ms: int) -> None:
        """Keep this frame."""
        grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8)
        self._recent.append((at_ms, _resized(grey, self._scale) if self._scale < 1 else grey))
        while at_ms - self._recent[0][0] > HISTORY_MS:
            then = self._recent.popleft()
            if not self._older or then[0] - self._older[-1][0] >= OLDER_EVERY_MS:
                self._older.append(then)

    def patch(self, quad: Quad) -> Patch:
        """The patch under a quad in the latest frame."""
        return cut(self._recent[-1][1], quad * self._scale)

    def moved(self, quad: Quad) -> float:
        """Mean change in grey levels under a quad since two frames ago; infinite when there are too few."""
        if len(self._recent) <= STILL_FRAMES:
            return float(np.inf)
        return stillness(self.patch(quad), cut(self._recent[-1 - STILL_FRAMES][1], quad * self._scale))

    def rest_from(
        self, look: Look, quad: Quad, before: Sequence[Spot], read_ms: int | None = None
    ) -> tuple[int, int]:
        """Since when a card of this look lies there, and since when in full view.

        ``before`` are cards that lay in the same place: two cards look alike in part; from ``read_ms`` on
        readings told it from them.
        """
        rest_ms = clear_ms = half_ms = self._recent[-1][0]
        gap = faint = 0
        for at_ms, grey in reversed(self._recent):
            kept = look.kept(cut(grey, quad * self._scale))
            is_told = read_ms is not None and at_ms >= read_ms
            if kept >= (SEEN if is_told else max(SEEN, _kept_of(before, at_ms) + ANOTHER_LIES)):
                rest_ms, gap, faint = at_ms, 0, 0
                clear_ms = at_ms if kept >= CLEAR else clear_ms
                half_ms = at_ms if kept >= OLDER_KEPT else half_ms
                if half_ms - at_ms > REST_LITTLE_MS:
                    return half_ms, clear_ms
            elif kept >= REST_KEPT and faint < REST_FAINT:
                faint += 1
            else:
                gap += 1
                if gap > REST_GAP:
                    return rest_ms, clear_ms
        for at_ms, grey in reversed(self._older):
            if look.kept(cut(grey, quad * self._scale)) < OLDER_KEPT:
                break
            rest_ms = clear_ms = at_ms
        return rest_ms, clear_ms


def _kept_of(spots: Sequence[Spot], at_ms: int) -> float:
    shares = [kept for spot in spots for then, kept in spot.timeline if then == at_ms]
    return max(shares, default=0.0)


def _resized(grey: Grey, factor: float) -> Grey:
    method = cv2.INTER_AREA if factor < 0.5 else cv2.INTER_LINEAR  # little is skipped, and it is much quicker
    return np.asarray(cv2.resize(grey, None, fx=factor, fy=factor, interpolation=method), np.uint8)
