"""How the table mostly looked in the last seconds, and where it differs from that now."""

from __future__ import annotations

from collections import deque
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.frame import Image

Small: TypeAlias = NDArray[np.uint8]

WIDTH: Final = 256  # px of the small pictures
HISTORY_MS: Final = 10_000
KEPT_EVERY_MS: Final = 320
USUAL_OF: Final = (
    15  # pictures over the whole span, whose median is how it mostly was; odd, so that it is one
)
USUAL_EVERY_MS: Final = 480
GREYS: Final = 22.0  # of the strongest channel: more is no shadow's edge or noise


class Usual:
    """Remembers small pictures of the last ten seconds; whoever asks about the same moment gets the same."""

    def __init__(self) -> None:
        self._history: deque[tuple[int, Small]] = deque()
        self._usual: Small | None = None
        self._usual_ms = 0
        self._small: Small | None = None
        self._last: tuple[int, Small, float] | None = None

    def differing(self, at_ms: int, pixels: Image) -> tuple[Small, float]:
        """A mask (h, 256) of what differs from the usual, 1 or 0, and its px for one of the picture."""
        if self._last is None or self._last[0] != at_ms:
            self._last = (at_ms, *self._compared(at_ms, pixels))
        return self._last[1], self._last[2]

    @property
    def pictures(self) -> tuple[Small, Small] | None:
        """The small picture (h, 256, 3) compared last, and how it mostly was; None before the first."""
        return None if self._small is None or self._usual is None else (self._small, self._usual)

    def _compared(self, at_ms: int, pixels: Image) -> tuple[Small, float]:
        scale = WIDTH / pixels.shape[1]
        size = (WIDTH, max(1, round(pixels.shape[0] * scale)))
        small = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
        self._small = small
        difference = cv2.absdiff(small, self._remember(at_ms, small)).max(axis=2)
        return np.asarray(difference > GREYS, np.uint8), scale

    def _remember(self, at_ms: int, small: Small) -> Small:
        if not self._history or at_ms - self._history[-1][0] >= KEPT_EVERY_MS:
            self._history.append((at_ms, small))
        while at_ms - self._history[0][0] > HISTORY_MS:
            self._history.popleft()
        if self._usual is None or at_ms - self._usual_ms >= USUAL_EVERY_MS:
            chosen = np.linspace(0, len(self._history) - 1, min(USUAL_OF, len(self._history)))
            self._usual = _middle_of([self._history[i][1] for i in chosen.round().astype(int)])
            self._usual_ms = at_ms
        return self._usual


def _middle_of(pictures: list[Small]) -> Small:
    """The median of each value over the pictures, of an even number the upper one.

    Odd-even transposition: whole pictures are compared at a time, which is many times as fast as a sort of
    each value's column.
    """
    rows = list(pictures)
    for turn in range(len(rows)):
        for i in range(turn % 2, len(rows) - 1, 2):
            rows[i], rows[i + 1] = np.minimum(rows[i], rows[i + 1]), np.maximum(rows[i], rows[i + 1])
    return np.asarray(rows[len(rows) // 2], np.uint8)


def cleaned(mask: Small, gap: int) -> Small:
    """The mask with gaps of less than ``gap`` px closed, without specks."""
    closed = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((gap, gap), np.uint8))
    return np.asarray(cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
