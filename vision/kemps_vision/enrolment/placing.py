"""Cards found without their indices: white, card-shaped areas of the detector's mask, put on their edges."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.cards.classify import Pyramid
from kemps_vision.cards.grid import STRIDE
from kemps_vision.cards.outline import on_edges
from kemps_vision.cards.quads import is_inside
from kemps_vision.cards.reading import Floats

_SURE: Final = (0.5, 0.9, 0.98)  # beliefs at which areas are cut out: touching cards part at high ones
_SIDES: Final = (
    0.42,
    0.97,
)  # short by long side: 0.72 seen from above, less or more under 50 degrees of tilt
_FILLED: Final = 0.86  # of the quadrangle round an area: a card's is 0.93 to 1, two touching cards' less
_EVEN: Final = 1.35  # opposite sides of a card: perspective makes them differ by 1.2 at most
_CELLS: Final = (60.0, 4000.0)  # of 4 x 4 px: cards of 36 to 300 px
_EDGE_PX: Final = 150.0  # a card twice as long is halved before its edges are looked for


def card_areas(face_up: Floats) -> list[Floats]:
    """(4, 2) quads in px of the picture looked at, the surest first; round but not yet on the edges.

    Args:
        face_up: (rows, columns) belief that a face-up card covers a cell of ``STRIDE`` px.
    """
    found: list[tuple[float, Floats]] = []
    for least in _SURE:
        for belief, quad in _areas(face_up, (face_up > least).astype(np.uint8)):
            if not any(is_inside(other, quad.mean(axis=0)) for _, other in found):
                found.append((belief, quad))
    return [quad for _, quad in sorted(found, key=lambda pair: -pair[0])]


def _areas(face_up: Floats, is_card: NDArray[np.uint8]) -> list[tuple[float, Floats]]:
    outlines, _ = cv2.findContours(is_card, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    found: list[tuple[float, Floats]] = []
    for outline in outlines:
        cells = np.asarray(outline, np.int32)
        quad = _quad_round(cells)
        if quad is not None:
            found.append((_mean_inside(face_up, cells), quad * STRIDE + (STRIDE - 1) / 2))
    return found


def _quad_round(outline: NDArray[np.int32]) -> Floats | None:
    """The smallest quadrangle round an outline, in cells, if it can be a card that nothing covers."""
    area = cv2.contourArea(outline) + len(outline) / 2  # an outline runs through the middles of its cells
    if not _CELLS[0] <= area <= _CELLS[1]:
        return None
    hull = cv2.convexHull(outline)
    if len(hull) < 4:
        return None
    corners = cv2.approxPolyN(hull, nsides=4)[0].astype(np.float64)
    if len(corners) != 4:
        return None
    quad = _upright(_grown(corners, 1 + 1 / np.sqrt(area)))
    if area < _FILLED * cv2.contourArea(quad.astype(np.float32)):
        return None
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    width, length = (sides[0] + sides[2]) / 2, (sides[1] + sides[3]) / 2
    is_even = max(sides[0], sides[2]) < _EVEN * min(sides[0], sides[2]) and max(
        sides[1], sides[3]
    ) < _EVEN * min(sides[1], sides[3])
    return quad if is_even and _SIDES[0] <= width / length <= _SIDES[1] else None


def _mean_inside(mask: Floats, outline: NDArray[np.int32]) -> float:
    inside = np.zeros(mask.shape, np.uint8)
    cv2.drawContours(inside, [outline], -1, 1, cv2.FILLED)
    return float(mask[inside > 0].mean())


def _upright(corners: Floats) -> Floats:
    """The corners from the top left of a card whose long sides run from its first to its last corner."""
    first, second = (float(np.linalg.norm(corners[n] - corners[n - 1])) for n in (1, 2))
    turned = corners if first < second else np.roll(corners, 1, axis=0)
    (a, b), (c, d) = turned[1] - turned[0], turned[2] - turned[1]
    area = a * d - b * c
    return turned if area > 0 else turned[[1, 0, 3, 2]]


def _grown(quad: Floats, factor: float) -> Floats:
    return np.asarray(quad.mean(axis=0) + (quad - quad.mean(axis=0)) * factor, dtype=np.float64)


def on_its_edges(pyramid: Pyramid, quad: Floats) -> Floats:
    """(4, 2): the quad on the edges that are seen, looked for where the card is not larger than need be."""
    length = float(np.linalg.norm(quad[[3, 2]] - quad[[0, 1]], axis=1).mean())
    halvings = max(0, int(np.log2(max(length, 1.0) / _EDGE_PX)))
    factor = 0.5**halvings
    shift = 0.5 * factor - 0.5
    moved = on_edges(pyramid.level(halvings), quad * factor + shift)
    return np.asarray((moved - shift) / factor, dtype=np.float64)
