"""Where to look beside the centre: at what has changed and come to rest, and at cards without a name yet.

The picture is kept small. A part of it that differs from when it was looked at last, and has been still for
some frames, is looked at several times; then it counts as known. Cards that were found but not named are
looked at until they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.appearance import Quad
from kemps_vision.frame import Image
from kemps_vision.schedule import Box, box_of

CELLS: Final = (160, 90)  # of the small picture, across and down
DIFFERS_GREYS: Final = 22.0  # of the strongest channel, changes of light left out
MOVES_GREYS: Final = 9.0
STILL_FRAMES: Final = 2
LOOKS: Final = 4  # at a part that has come to rest: two sizes of the schedule, and then once more
LEAST_CELLS: Final = 9  # a card of 36 px covers as many; smaller parts are noise
WHOLE_SHARE: Final = 0.6  # of the picture: more is looked at as one

_SQUARE: Final = np.ones((2, 2), np.uint8)
Cells = NDArray[np.float32]


class Attention:
    """Which parts of one camera's picture are not known yet; sizes in px of the picture."""

    def __init__(self, width: int, height: int) -> None:
        self._size = (width, height)
        self._scale = (width / CELLS[0], height / CELLS[1])
        self._known: Cells | None = None
        self._before: Cells | None = None
        self._still: NDArray[np.int16] = np.zeros(CELLS[::-1], np.int16)
        self._looks: NDArray[np.int16] = np.zeros(CELLS[::-1], np.int16)

    def watch(self, pixels: Image) -> None:
        """Take in the next watched frame."""
        now = np.asarray(cv2.resize(pixels, CELLS, interpolation=cv2.INTER_AREA), np.float32)
        if self._before is None or self._known is None:
            self._before, self._known = now, np.full_like(now, -1000.0)
            self._still[:] = STILL_FRAMES
            return
        is_moving = np.abs(now - self._before).max(axis=2) > MOVES_GREYS
        self._still = np.where(is_moving, 0, np.minimum(self._still + 1, 100)).astype(np.int16)
        self._looks[is_moving] = 0
        self._before = now

    def parts(self, unnamed: Sequence[Quad], margin: float, without: Box | None) -> list[Box]:
        """Boxes round all that is to be looked at now, ``margin`` px wider; ``without`` is left out.

        ``unnamed`` are the corners of cards that wait for a name.
        """
        boxes = self._boxes(unnamed, margin)
        cells = self._unknown()
        if without is not None:
            rows, columns = self._slices(without)
            cells[rows, columns] = 0
        count, _, stats, _ = cv2.connectedComponentsWithStats(cells, connectivity=8)
        for left, top, width, height, area in stats[1:count].tolist():
            if area >= LEAST_CELLS:
                corners = np.array([[left, top], [left + width, top + height]]) * self._scale
                boxes.append(box_of(corners, margin, *self._size))
        return self._joined(boxes)

    def around(self, quads: Sequence[Quad], margin: float) -> list[Box]:
        """Boxes round these cards, ``margin`` px wider; those that overlap are one."""
        return self._joined(self._boxes(quads, margin))

    def looked(self, box: Box) -> None:
        """A reader has looked at this part of the latest frame."""
        rows, columns = self._slices(box)
        if self._known is None or self._before is None:
            return
        self._looks[rows, columns] += 1
        is_known = (self._looks[rows, columns] >= LOOKS) & (self._still[rows, columns] >= STILL_FRAMES)
        self._known[rows, columns][is_known] = self._before[rows, columns][is_known]

    def _boxes(self, quads: Sequence[Quad], margin: float) -> list[Box]:
        return [box_of(np.asarray(quad), margin, *self._size) for quad in quads]

    def _unknown(self) -> NDArray[np.uint8]:
        """1 where the picture is still and not as it was when it was known."""
        if self._before is None or self._known is None:
            return np.zeros(CELLS[::-1], np.uint8)
        difference = np.abs(self._before - self._known * self._gain())
        differs = difference.max(axis=2) > DIFFERS_GREYS
        cells = (differs & (self._still >= STILL_FRAMES)).astype(np.uint8)
        # Opened, so that no line of single cells is left; mirrored anchors, or the rest would be shifted.
        eroded = cv2.erode(cells, _SQUARE, anchor=(0, 0))
        return np.asarray(cv2.dilate(eroded, _SQUARE, anchor=(1, 1)), np.uint8)

    def _gain(self) -> float:
        """By how much the light has changed since the known parts were looked at."""
        if self._before is None or self._known is None:
            return 1.0
        is_known = self._known[..., 1] > 0
        if not is_known.any():
            return 1.0
        return float(np.median(self._before[is_known] / np.maximum(self._known[is_known], 1.0)))

    def _slices(self, box: Box) -> tuple[slice, slice]:
        (left, top, right, bottom), (sx, sy) = box, self._scale
        rows = slice(int(top / sy), int(np.ceil(bottom / sy)))
        return rows, slice(int(left / sx), int(np.ceil(right / sx)))

    def _joined(self, boxes: list[Box]) -> list[Box]:
        """Boxes that overlap become one; one round the whole picture when they fill most of it."""
        joined: list[Box] = []
        for box in boxes:
            touching = [other for other in joined if _overlap(box, other)]
            apart = [other for other in joined if not _overlap(box, other)]
            joined = [*apart, _around([box, *touching])]
        if any(_overlap(a, b) for i, a in enumerate(joined) for b in joined[:i]):
            return self._joined(joined)
        width, height = self._size
        area = sum((right - left) * (bottom - top) for left, top, right, bottom in joined)
        return [(0, 0, width, height)] if area > WHOLE_SHARE * width * height else joined


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _around(boxes: Sequence[Box]) -> Box:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)
