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
USUAL_OF: Final = 24  # pictures over the whole span, whose median is how it mostly was
USUAL_EVERY_MS: Final = 333
GREYS: Final = 22.0  # of the strongest channel: more is no shadow's edge or noise


class Usual:
    """Remembers small pictures of the last ten seconds."""

    def __init__(self) -> None:
        self._history: deque[tuple[int, Small]] = deque()
        self._usual: NDArray[np.float32] | None = None
        self._usual_ms = 0

    def differing(self, at_ms: int, pixels: Image) -> tuple[Small, float]:
        """A mask (h, 256) of what differs from the usual, 1 or 0, and its px for one of the picture."""
        scale = WIDTH / pixels.shape[1]
        size = (WIDTH, max(1, round(pixels.shape[0] * scale)))
        small = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
        difference = np.abs(small.astype(np.float32) - self._remember(at_ms, small)).max(axis=2)
        return np.asarray(difference > GREYS, np.uint8), scale

    def _remember(self, at_ms: int, small: Small) -> NDArray[np.float32]:
        self._history.append((at_ms, small))
        while at_ms - self._history[0][0] > HISTORY_MS:
            self._history.popleft()
        if self._usual is None or at_ms - self._usual_ms >= USUAL_EVERY_MS:
            chosen = np.linspace(0, len(self._history) - 1, min(USUAL_OF, len(self._history)))
            pictures = np.stack([self._history[i][1] for i in chosen.round().astype(int)])
            self._usual = np.asarray(np.median(pictures, axis=0), np.float32)
            self._usual_ms = at_ms
        return self._usual


def cleaned(mask: Small, gap: int) -> Small:
    """The mask with gaps of less than ``gap`` px closed, without specks."""
    closed = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((gap, gap), np.uint8))
    return np.asarray(cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
