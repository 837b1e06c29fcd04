"""Where a card's four corners lie, told from one of its indices or from two at different corners.

A card is 63 x 88 mm and its index stands a margin away from the upper left corner; how tall the index is
differs from deck to deck, so the size is solved for. Perspective inside one card is left out: from a metre
away it is 5 % at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from kemps_vision.cards.reading import CardReading, Floats, IndexReading

CARD_WIDTH_MM: Final = 63.0
CARD_LENGTH_MM: Final = 88.0

_MARGIN_MM: Final = 3.0  # from the card's edge to the top of the rank
_INSET_MM: Final = 6.0  # from the card's edge to the middle of the rank, sideways
_HALF_INDEX_MM: Final = (5.5, 17.0)  # from a small bridge index to the largest jumbo one
_LIKE_THE_OTHERS: Final = (0.8, 1.25)  # perspective makes cards of one picture differ by no more
_USUAL_HALF_INDEX_MM: Final = 10.5
_TURNS: Final = np.linspace(0.0, np.pi, 60, endpoint=False)


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


def quad_beside(first: IndexReading, second: IndexReading) -> Floats:
    """The same for two indices side by side at one short side, as decks with four indices have them."""
    frame = (_frame(first) + _frame(second)) / 2
    sideways = abs(float(_in_frame(frame, second.centre - first.centre)[0]))
    half = float(np.clip((CARD_WIDTH_MM - 2 * _INSET_MM) / max(sideways, 1e-6), *_HALF_INDEX_MM))
    to_middle = frame[:, 1] * ((CARD_LENGTH_MM / 2 - _MARGIN_MM) / half - 1.0)
    return _quad((first.centre + second.centre) / 2 + to_middle, frame, half)


@dataclass(frozen=True, slots=True)
class IndexLayout:
    """Where a deck prints its indices, in mm, and how large its cards are in the picture.

    Attributes:
        half_height: Half an index's height, from its middle to the top of the rank.
        sideways: From the card's long side to the middle of the index.
        down: From its short side to the same.
        px_per_mm: The scale of the picture, whatever the tilt: the root of px² per mm².
    """

    half_height: float
    sideways: float
    down: float
    px_per_mm: float


def layout_seen(cards: Sequence[CardReading]) -> IndexLayout | None:
    """The layout of the deck by those cards whose quad two indices tell; None when there is no such card."""
    seen = [
        (length_in_mm(card.quad, index.up), *_from_corner(card.quad, index.centre), px_per_mm(card.quad))
        for card in cards
        if len(card.indices) > 1
        for index in card.indices
    ]
    return IndexLayout(*(float(part) for part in np.median(seen, axis=0))) if seen else None


def quad_from_layout(index: IndexReading, layout: IndexLayout) -> Floats:
    """(4, 2): the card of one index of a deck whose layout is known, as large as that deck's other cards."""
    frame = _frame(index)
    own = float(np.sqrt(abs(np.linalg.det(frame)))) / layout.half_height
    frame = frame * float(np.clip(layout.px_per_mm / max(own, 1e-9), *_LIKE_THE_OTHERS))
    to_middle = np.array([CARD_WIDTH_MM / 2 - layout.sideways, CARD_LENGTH_MM / 2 - layout.down])
    return _quad(index.centre + frame @ to_middle / layout.half_height, frame, layout.half_height)


def px_per_mm(quad: Floats) -> float:
    """The scale of the picture where a card lies, whatever its tilt: the root of px² per mm²."""
    area = abs(float(np.linalg.det(np.stack([quad[2] - quad[0], quad[3] - quad[1]])))) / 2
    return float(np.sqrt(area / (CARD_WIDTH_MM * CARD_LENGTH_MM)))


def _from_corner(quad: Floats, point: Floats) -> tuple[float, float]:
    """How far, in mm, a point is from the nearest corner, along the card's width and along its length."""
    sides = np.column_stack([quad[1] - quad[0], quad[3] - quad[0]])
    x, y = (_in_frame(sides, point - quad[0]) * (CARD_WIDTH_MM, CARD_LENGTH_MM)).tolist()
    return min(x, CARD_WIDTH_MM - x), min(y, CARD_LENGTH_MM - y)


def offset_in_index_heights(index: IndexReading, point: Floats) -> Floats:
    """(2,): how far right and how far down of an index a point lies, in half index heights on the card."""
    return _in_frame(_frame(index), point - index.centre)


def sideways_for(lengthwise: float) -> float:
    """How far apart sideways the two indices of a card are that are so far apart lengthwise.

    Both in half index heights: the taller the index, the nearer they are in these in both directions.
    """
    half = (CARD_LENGTH_MM - 2 * _MARGIN_MM) / (lengthwise + 2)
    return (CARD_WIDTH_MM - 2 * _INSET_MM) / half


def in_plane_of(card: Floats, quad: Floats) -> Floats:
    """(4, 2): a card's ``quad`` as the tilt of another that lies beside it has it.

    Where a rectangle of about the right size and turn is all that is known, a card with a known quad tells
    how the table is seen: of all turns of a card on it, this one fits the rectangle best.
    """
    frame = _sides(card) / (CARD_WIDTH_MM, CARD_LENGTH_MM)
    cosines, sines = np.cos(_TURNS), np.sin(_TURNS)
    turned = np.stack([np.stack([cosines, sines], 1), np.stack([-sines, cosines], 1)], axis=2)
    sides = frame @ turned * np.array([CARD_WIDTH_MM, CARD_LENGTH_MM])
    wanted = _sides(quad)
    lengths, wanted_lengths = np.linalg.norm(sides, axis=1), np.linalg.norm(wanted, axis=0)
    misfit = (np.log(np.maximum(lengths, 1e-6) / np.maximum(wanted_lengths, 1e-6)) ** 2).sum(axis=1)
    across = sides[:, 0, 1] * wanted[1, 1] - sides[:, 1, 1] * wanted[0, 1]
    misfit += (across / np.maximum(lengths[:, 1] * wanted_lengths[1], 1e-6)) ** 2
    best = sides[int(misfit.argmin())]
    size = np.sqrt(wanted_lengths.prod() / max(float(np.linalg.norm(best, axis=0).prod()), 1e-6))
    best = best * np.clip(size, *_LIKE_THE_OTHERS)
    right, down = best[:, 0] / 2, best[:, 1] / 2
    middle = quad.mean(axis=0)
    return np.stack(
        [middle - right - down, middle + right - down, middle + right + down, middle - right + down]
    )


def _sides(quad: Floats) -> Floats:
    """(2, 2) columns: the mean short side and the mean long side of a quad."""
    return np.column_stack([quad[1] - quad[0] + quad[2] - quad[3], quad[3] - quad[0] + quad[2] - quad[1]]) / 2


def overlap(quad: Floats, other: Floats) -> float:
    """The area that two quads share, as a share of the area that they cover together."""
    first, second = (np.asarray(one, dtype=np.float32) for one in (quad, other))
    shared, _ = cv2.intersectConvexConvex(first, second)
    return float(shared / max(cv2.contourArea(first) + cv2.contourArea(second) - shared, 1e-6))


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
