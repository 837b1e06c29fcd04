"""Where a card's four corners lie, told from one of its indices or from two that face each other.

A card is 63 x 88 mm and its index stands a margin away from the upper left corner; how tall the index is
differs from deck to deck, so the size is solved for. Perspective inside one card is left out: from a metre
away it is 5 % at most.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from kemps_vision.cards.reading import Floats, IndexReading

CARD_WIDTH_MM: Final = 63.0
CARD_LENGTH_MM: Final = 88.0

_MARGIN_MM: Final = 3.0  # from the card's edge to the top of the rank
_INSET_MM: Final = 6.0  # from the card's edge to the middle of the rank, sideways
_HALF_INDEX_MM: Final = (7.5, 17.0)  # from a small bridge index to the largest jumbo one
_USUAL_HALF_INDEX_MM: Final = 10.5


def quad_from_one(index: IndexReading) -> Floats:
    """(4, 2): top left, top right, bottom right, bottom left, as the index stands upright."""
    frame = _frame(index)
    if index.card_centre is None:
        half = _USUAL_HALF_INDEX_MM
        offset = np.array([CARD_WIDTH_MM / 2 - _INSET_MM, CARD_LENGTH_MM / 2 - _MARGIN_MM - half]) / half
        return _quad(index.centre + frame @ offset, frame, half)
    sideways, down = np.abs(_in_frame(frame, index.card_centre - index.centre))
    return _quad(index.card_centre, frame, _half_index_mm(2 * sideways, 2 * down))


def quad_from_two(first: IndexReading, second: IndexReading) -> Floats:
    """The same for two indices at opposite corners, upright as ``first`` is."""
    frame = (_frame(first) - _frame(second)) / 2
    apart = second.centre - first.centre
    sideways, down = np.abs(_in_frame(frame, apart))
    half = _half_index_mm(sideways, down)
    return _quad((first.centre + second.centre) / 2, frame, half)


def offset_in_index_heights(index: IndexReading, point: Floats) -> Floats:
    """(2,): how far right and how far down of an index a point lies, in half index heights on the card."""
    return _in_frame(_frame(index), point - index.centre)


def is_inside(quad: Floats, point: Floats, *, inset: float = 0.0) -> bool:
    """Whether a point lies in a parallelogram, at least the share ``inset`` of its sides away from them."""
    sides = np.column_stack([quad[1] - quad[0], quad[3] - quad[0]])
    x, y = _in_frame(sides, point - quad[0]).tolist()
    return bool(inset <= x <= 1.0 - inset and inset <= y <= 1.0 - inset and (x, y) != (0.0, 0.0))


def length_in_mm(quad: Floats, vector: Floats) -> float:
    """How long a vector in the picture is on the card whose quad is given; 0 when the quad has no area."""
    sides = np.column_stack([(quad[1] - quad[0]) / CARD_WIDTH_MM, (quad[3] - quad[0]) / CARD_LENGTH_MM])
    return float(np.linalg.norm(_in_frame(sides, vector)))


def _frame(index: IndexReading) -> Floats:
    """(2, 2) columns: right and down of an index in px, one half index height on the card each."""
    return np.column_stack([index.right, -index.up])


def _in_frame(frame: Floats, vector: Floats) -> Floats:
    """(2,): a vector by the two columns of a frame (Cramer's rule); 0 when the frame has no area."""
    (a, b), (c, d) = frame.tolist()
    x, y = vector.tolist()
    area = a * d - b * c
    if abs(area) < 1e-9:
        return np.zeros(2)
    return np.array([(x * d - y * b) / area, (a * y - c * x) / area])


def _half_index_mm(sideways: float, down: float) -> float:
    """Half an index's height in mm, from how far opposite indices are apart in half index heights."""
    by_width = (CARD_WIDTH_MM - 2 * _INSET_MM) / max(sideways, 1e-6)
    by_length = (CARD_LENGTH_MM - 2 * _MARGIN_MM) / (down + 2)
    return float(np.clip(np.sqrt(by_width * by_length), *_HALF_INDEX_MM))


def _quad(centre: Floats, frame: Floats, half_index_mm: float) -> Floats:
    across = frame[:, 0] * (CARD_WIDTH_MM / 2 / half_index_mm)
    down = frame[:, 1] * (CARD_LENGTH_MM / 2 / half_index_mm)
    return np.stack(
        [centre - across - down, centre + across - down, centre + across + down, centre - across + down]
    )
