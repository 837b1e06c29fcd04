"""The card of each rest, cut out of its frames together with where it lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.cards.classify import Pyramid
from kemps_vision.cards.find import IndexFinder
from kemps_vision.cards.reading import Floats, Pixels
from kemps_vision.cards.scales import BEST_CARD_PX, ladder
from kemps_vision.enrolment.placing import card_areas, on_its_edges
from kemps_vision.enrolment.sweep import Rest

_ROUND: Final = 0.45  # of the card's length is kept round it, so that turned pictures have a table too
_KEPT_PX: Final = 240.0  # long side of the card in the pictures kept: as large as anything is read
_ON_IT: Final = 0.7  # of what changed lies in the card before: another was laid on it
_FITS: Final = (0.6, 1.7)  # of BEST_CARD_PX: a card of another size is looked at again at a better scale


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One card that lay still.

    Attributes:
        pictures: Cut-outs of the frames, all of one size, RGB uint8.
        quad: (4, 2) px of these pictures: the card's corners, from its top left or from its bottom right.
        at_ms: When it began to lie there.
        length_px: How long its long side is in the camera's picture.
    """

    pictures: tuple[Pixels, ...]
    quad: Floats
    at_ms: int
    length_px: float


class Cutter:
    """Finds the card that is new in a rest and cuts it out; remembers how large cards are."""

    def __init__(self, finder: IndexFinder) -> None:
        self._finder = finder
        self._factor: float | None = None
        self._last: Floats | None = None

    def cut(self, rest: Rest) -> Sample | None:
        """The new card of a rest; None when nothing like a whole card changed."""
        pixels = rest.frames[len(rest.frames) // 2]
        quad = self._place(pixels, rest.changed)
        if quad is None and self._is_on_the_last(rest):
            quad = self._last  # the mask runs into a bright table; a pile stays where it is
        if quad is None:
            return None
        self._last = on_its_edges(Pyramid(pixels), quad)
        return _cut_out(rest, self._last)

    def _is_on_the_last(self, rest: Rest) -> bool:
        if self._last is None or rest.changed is None:
            return False
        inside = _share(rest.changed, self._last * (rest.changed.shape[1] / rest.frames[0].shape[1]))
        return inside > _ON_IT * float(np.count_nonzero(rest.changed))

    def _place(self, pixels: Pixels, changed: NDArray[np.bool_] | None) -> Floats | None:
        if self._factor is not None:
            quad = self._best_area(pixels, self._factor, changed)
            if quad is not None:
                return quad
        found = [
            (abs(np.log(_length(quad) * factor / BEST_CARD_PX)), factor, quad)
            for factor in ladder(max(pixels.shape[:2]))
            if (quad := self._best_area(pixels, factor, changed)) is not None
        ]
        if not found:
            return None
        _, _, quad = min(found, key=lambda one: one[0])
        self._factor = min(BEST_CARD_PX / _length(quad), 1.5)
        return quad

    def _best_area(self, pixels: Pixels, factor: float, changed: NDArray[np.bool_] | None) -> Floats | None:
        size = (max(1, round(pixels.shape[1] * factor)), max(1, round(pixels.shape[0] * factor)))
        resized = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
        quads = card_areas(self._finder.find(resized).face_up)
        fitting = [
            quad for quad in quads if _FITS[0] * BEST_CARD_PX < _length(quad) < _FITS[1] * BEST_CARD_PX
        ]
        quads = [(quad + 0.5) / factor - 0.5 for quad in fitting]
        if changed is None:
            return quads[0] if quads else None
        shares = [_share(changed, quad * (changed.shape[1] / pixels.shape[1])) for quad in quads]
        return quads[int(np.argmax(shares))] if shares and max(shares) > 0 else None


def _share(changed: NDArray[np.bool_], quad: Floats) -> float:
    inside = np.zeros(changed.shape, np.uint8)
    cv2.fillConvexPoly(inside, np.round(quad).astype(np.int32), 1)
    return float(np.count_nonzero(changed & (inside > 0)))


def _length(quad: Floats) -> float:
    return float(np.linalg.norm(quad[[3, 2]] - quad[[0, 1]], axis=1).mean())


def _cut_out(rest: Rest, quad: Floats) -> Sample:
    length = _length(quad)
    factor = min(1.0, _KEPT_PX / length)
    height, width = rest.frames[0].shape[:2]
    low = np.maximum(0, np.floor(quad.min(axis=0) - _ROUND * length)).astype(int)
    high = np.minimum((width, height), np.ceil(quad.max(axis=0) + _ROUND * length)).astype(int)
    pictures = tuple(_resized(frame[low[1] : high[1], low[0] : high[0]], factor) for frame in rest.frames)
    moved = (quad - low + 0.5) * factor - 0.5
    return Sample(pictures, np.asarray(moved, np.float64), rest.at_ms, length)


def _resized(pixels: Pixels, factor: float) -> Pixels:
    if factor == 1.0:
        return pixels.copy()
    return np.asarray(cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)
