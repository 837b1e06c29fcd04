"""Where labels go: beside their cards, over no index, over no other label, and steady from frame to frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_vision.cards.reading import CardReading, Floats
from kemps_vision.draw.text import Box

_GAP: Final = 5.0  # px between a card's edge and its label
_RINGS: Final = (1.0, 2.2, 3.6)  # how far out a label may go, in its own heights
_INDEX_REACH: Final = (0.30, 0.30)  # of a card's width and length, from its corner: where an index may be
_OUT_OF_PICTURE: Final = 40.0
_ON_A_LABEL: Final = 30.0
_ON_A_CARD: Final = 3.0
_ON_ITS_CARD: Final = 1.5
_A_RING_OUT: Final = 0.7
_MOVED: Final = 0.9  # the cost of leaving the place a label had before


@dataclass(frozen=True, slots=True)
class Label:
    """What is to be placed: a key that is the same in all frames, its size, the outline it belongs to."""

    key: str
    width: float
    height: float
    outline: Floats  # (n, 2) px; a single point is an outline too


@dataclass(slots=True)
class LabelPlacer:
    """Places labels one after the other; used again for the next frame it keeps them where they were."""

    memory: dict[str, int] = field(default_factory=dict)

    def place(
        self,
        labels: Sequence[Label],
        *,
        size: tuple[int, int],
        forbidden: Sequence[Box] = (),
    ) -> list[Box | None]:
        """A box for each label, or None where every place would cover a ``forbidden`` box.

        Args:
            labels: What to place.
            size: Width and height of the picture.
            forbidden: What no label may cover: the indices.
        """
        keep_clear = _boxes(forbidden)
        hulls = _boxes([_hull(label.outline) for label in labels])
        taken: list[Box] = []
        places: list[Box | None] = []
        for number, label in enumerate(labels):
            candidates, rings = _candidates(label)
            cost = rings * _A_RING_OUT
            cost += _share(candidates, hulls[[number]]) * _ON_ITS_CARD
            cost += _share(candidates, np.delete(hulls, number, axis=0)) * _ON_A_CARD
            cost += _share(candidates, _boxes(taken)) * _ON_A_LABEL
            cost += _outside(candidates, size) * _OUT_OF_PICTURE
            remembered = self.memory.get(label.key)
            if remembered is not None:
                cost += np.where(np.arange(len(cost)) == remembered, 0.0, _MOVED)
            cost[_share(candidates, keep_clear) > 0] = np.inf
            best = int(np.argmin(cost))
            if not np.isfinite(cost[best]):
                places.append(None)
                continue
            self.memory[label.key] = best
            left, top, right, bottom = (float(value) for value in candidates[best])
            places.append((left, top, right, bottom))
            taken.append((left, top, right, bottom))
        return places


def index_boxes(card: CardReading) -> list[Box]:
    """Boxes around a card's corner indices: those that were read, and the two places its quad tells."""
    boxes = []
    for index in card.indices:
        reach = np.abs(index.up) * 1.3 + np.abs(index.right) * 0.9
        boxes.append(_box(index.centre - reach, index.centre + reach))
    top_left, top_right, bottom_right, bottom_left = card.quad
    across, along = _INDEX_REACH
    for corner, beside, below in (
        (top_left, top_right, bottom_left),
        (bottom_right, bottom_left, top_right),
    ):
        right, down = (beside - corner) * across, (below - corner) * along
        patch = corner + np.array([np.zeros(2), right, down, right + down])
        boxes.append(_hull(patch))
    return boxes


def _candidates(label: Label) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(n, 4) boxes about the outline and the ring of each, 0 for the nearest; the last lies in the middle."""
    left, top, right, bottom = _hull(label.outline)
    w, h = label.width, label.height
    middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
    boxes, rings = [], []
    for ring, out in enumerate(_RINGS):
        away = _GAP + (out - 1) * h
        for x in (middle_x - w / 2, left, right - w):
            boxes += [(x, top - away - h), (x, bottom + away)]
        for y in (middle_y - h / 2, top, bottom - h):
            boxes += [(left - away - w, y), (right + away, y)]
        for x in (left - away - w, right + away):
            boxes += [(x, top - away - h), (x, bottom + away)]
        rings += [float(ring)] * 16
    boxes.append((middle_x - w / 2, middle_y - h / 2))
    rings.append(1.0)
    corners = np.asarray(boxes, dtype=np.float64)
    return np.hstack([corners, corners + np.array([w, h])]), np.asarray(rings, dtype=np.float64)


def _hull(points: Floats) -> Box:
    return _box(points.min(axis=0), points.max(axis=0))


def _box(low: Floats, high: Floats) -> Box:
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def _boxes(boxes: Sequence[Box]) -> NDArray[np.float64]:
    return np.asarray(boxes, dtype=np.float64).reshape(-1, 4)


def _share(boxes: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,) how much of each box is covered by the others, summed."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    both = np.prod(np.clip(high - low, 0, None), axis=2).sum(axis=1)
    area = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    return np.asarray(both / np.maximum(area, 1e-9), dtype=np.float64)


def _outside(boxes: NDArray[np.float64], size: tuple[int, int]) -> NDArray[np.float64]:
    inside = _share(boxes, np.array([[0.0, 0.0, float(size[0]), float(size[1])]]))
    return np.asarray(1 - inside, dtype=np.float64)
