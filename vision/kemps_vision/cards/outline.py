"""A card's quad moved onto the edges that are seen in the picture.

From its indices alone a card's corners are known to about 9 % of its length; its edges against the table,
where nothing covers them, tell them to 1.5 %. Each side is moved by itself, and stays when no clear straight
edge runs near it: covered by a hand, lying on another card, white on white.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from kemps_vision.cards.reading import Floats, Pixels

_REACH: Final = (
    0.13  # of the card's length: how far a side may move, a little more than the quads' usual error
)
_ALONG: Final = np.linspace(0.1, 0.9, 25)  # where on a side, away from the round corners
_STEPS: Final = 41  # places across it
_LEAST_CONTRAST: Final = 10.0  # of 255
_CLEAR_SHARE: Final = 0.8  # of a place's highest drop
_OFF_LINE: Final = 0.012  # of the card's length
_LEAST_SHARE: Final = 0.5  # of the places along a side that must lie on its line
_ROUNDS: Final = 4
_EDGE_STEPS: Final = 3  # an edge is a drop within 3 steps: 2 % of the card's length, the blur of a camera


def on_edges(pixels: Pixels, quad: Floats) -> Floats:
    """(4, 2): the quad with every side on its edge that has one; ``pixels`` is (h, w, 3) RGB."""
    length = float(np.linalg.norm(quad[[3, 2]] - quad[[0, 1]], axis=1).mean())
    if length < 20:
        return quad
    lines = [_side_line(pixels, quad, side, length) for side in range(4)]
    corners = np.stack([_crossing(lines[side - 1], lines[side]) for side in range(4)])
    moved = np.linalg.norm(corners - quad, axis=1)
    return np.asarray(np.where((moved < 2 * _REACH * length)[:, None], corners, quad), dtype=np.float64)


def _side_line(pixels: Pixels, quad: Floats, side: int, length: float) -> Floats:
    """(2, 2): two points of the line that a side lies on, after moving it to its edge."""
    start, end = quad[side], quad[(side + 1) % 4]
    along = (end - start) / max(float(np.linalg.norm(end - start)), 1e-9)
    outward = np.array([along[1], -along[0]])
    if outward @ (quad.mean(axis=0) - start) > 0:
        outward = -outward
    across = np.linspace(-_REACH, _REACH, _STEPS) * length
    places = (start + _ALONG[:, None] * (end - start))[:, None] + across[None, :, None] * outward
    shift = _edge_shift(_whiteness(pixels, places), across, length)
    if shift is None:
        return np.stack([start, end])
    intercept, slope = shift
    return np.stack([start + intercept * outward, end + (intercept + slope) * outward])


def _whiteness(pixels: Pixels, places: Floats) -> Floats:
    """(n, m): the weakest colour at (n, m, 2) places: high on a white card, low on felt and wood."""
    x, y = places[..., 0].astype(np.float32), places[..., 1].astype(np.float32)
    sampled = cv2.remap(pixels, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(sampled.min(axis=2), dtype=np.float64)


def _edge_shift(whiteness: Floats, across: Floats, length: float) -> tuple[float, float] | None:
    """How far outward the edge lies at a side's start, and how much farther at its end; None if unclear."""
    drop = whiteness[:, :-_EDGE_STEPS] - whiteness[:, _EDGE_STEPS:]
    highest = drop.max(axis=1)
    # The outermost clear drop: the frame line printed on court cards can be the darker one.
    is_high = drop >= _CLEAR_SHARE * highest[:, None]
    outermost = drop.shape[1] - 1 - is_high[:, ::-1].argmax(axis=1)
    best = np.where(is_high[np.arange(len(drop)), outermost - 1], outermost - 1, outermost)
    is_clear = highest > _LEAST_CONTRAST
    if is_clear.sum() < _LEAST_SHARE * len(_ALONG):
        return None
    offsets = (across[best] + across[best + _EDGE_STEPS]) / 2
    off = np.abs(offsets - np.median(offsets[is_clear]))
    for _ in range(_ROUNDS):
        used = is_clear & (off <= max(_OFF_LINE * length, float(np.median(off[is_clear]))))
        intercept, slope = _line(_ALONG[used], offsets[used])
        off = np.abs(offsets - intercept - slope * _ALONG)
    on_line = is_clear & (off < _OFF_LINE * length)
    return (intercept, slope) if on_line.mean() >= _LEAST_SHARE else None


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    """Intercept and slope of the line of least squares; level when all is at one place."""
    spread = x - float(x.mean())
    slope = float(spread @ y / max(float(spread @ spread), 1e-9))
    return float(y.mean() - slope * x.mean()), slope


def _crossing(first: Floats, second: Floats) -> Floats:
    """Where two lines cross, each given by two points."""
    (start, along), (other, across) = (first[0], first[1] - first[0]), (second[0], second[1] - second[0])
    matrix = np.column_stack([along, -across])
    if abs(float(np.linalg.det(matrix))) < 1e-6:
        return np.asarray(second[0], dtype=np.float64)
    share = float(np.linalg.solve(matrix, other - start)[0])
    return np.asarray(start + share * along, dtype=np.float64)
