"""A card's quad moved onto the edges that are seen in the picture.

From its indices alone a card's corners are known to about 9 % of its length; its edges against the table,
where nothing covers them, tell them to 1.5 %. Each side is moved by itself, and stays when no clear straight
edge runs near it: covered by a hand, lying on another card, white on white.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.cards.reading import Floats, Pixels

_SHORTEST_PX: Final = 20.0  # smaller cards have no edges to speak of
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
    if length < _SHORTEST_PX:
        return quad
    ends = np.roll(quad, -1, axis=0)
    outward = _outward(quad, ends)
    across = np.linspace(-_REACH, _REACH, _STEPS) * length
    on_side = quad[:, None] + _ALONG[:, None] * (ends - quad)[:, None]
    places = on_side[:, :, None] + across[:, None] * outward[:, None, None]
    shifts = _edge_shifts(_whiteness(pixels, places), across, length)
    starts, ends = quad + shifts[:, :1] * outward, ends + shifts.sum(axis=1, keepdims=True) * outward
    corners = np.stack([_crossing(starts[n - 1], ends[n - 1], starts[n], ends[n]) for n in range(4)])
    moved = np.linalg.norm(corners - quad, axis=1)
    return np.asarray(np.where((moved < 2 * _REACH * length)[:, None], corners, quad), dtype=np.float64)


def _outward(starts: Floats, ends: Floats) -> Floats:
    """(4, 2): of each side, the unit vector that points out of the quad."""
    along = ends - starts
    normals = np.column_stack([along[:, 1], -along[:, 0]])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    inward = ((starts.mean(axis=0) - starts) * normals).sum(axis=1, keepdims=True) > 0
    return np.where(inward, -normals, normals)


def _whiteness(pixels: Pixels, places: Floats) -> Floats:
    """(4, n, m): the weakest colour at (4, n, m, 2) places: high on a white card, low on felt and wood."""
    flat = places.reshape(-1, places.shape[2], 2).astype(np.float32)
    sampled = cv2.remap(pixels, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(sampled.min(axis=2), dtype=np.float64).reshape(places.shape[:3])


def _edge_shifts(whiteness: Floats, across: Floats, length: float) -> Floats:
    """(4, 2): how far outward each edge lies at its side's start, and how much farther at its end; or 0."""
    drop = whiteness[..., :-_EDGE_STEPS] - whiteness[..., _EDGE_STEPS:]
    highest = drop.max(axis=2)
    # The outermost clear drop: the frame line printed on court cards can be the darker one.
    is_high = drop >= _CLEAR_SHARE * highest[..., None]
    steps = np.arange(drop.shape[2])
    outermost = steps[-1] - is_high[..., ::-1].argmax(axis=2)
    weight = np.where(is_high & (steps > outermost[..., None] - _EDGE_STEPS), drop, 0.0) + 1e-9
    middles = (across[:-_EDGE_STEPS] + across[_EDGE_STEPS:]) / 2
    offsets = (weight * middles).sum(axis=2) / weight.sum(axis=2)
    is_clear = highest > _LEAST_CONTRAST
    off = np.abs(offsets - _medians(offsets, is_clear)[:, None])
    shifts = np.zeros((4, 2))
    for _ in range(_ROUNDS):
        near = np.maximum(_OFF_LINE * length, _medians(off, is_clear))
        shifts = _lines(offsets, is_clear & (off <= near[:, None]))
        off = np.abs(offsets - shifts[:, :1] - shifts[:, 1:] * _ALONG)
    share = (is_clear & (off < _OFF_LINE * length)).mean(axis=1)
    return np.where((share >= _LEAST_SHARE)[:, None], shifts, 0.0)


def _medians(values: Floats, is_used: NDArray[np.bool_]) -> Floats:
    """(4,): the median of each row's used values, the upper one of two; infinite where none is used."""
    ordered = np.sort(np.where(is_used, values, np.inf), axis=1)
    return np.asarray(ordered[np.arange(len(values)), is_used.sum(axis=1) // 2], dtype=np.float64)


def _lines(offsets: Floats, is_used: NDArray[np.bool_]) -> Floats:
    """(4, 2): intercept and slope of each row's line of least squares over the used places along the side."""
    count = np.maximum(is_used.sum(axis=1), 1)
    middle = (is_used * _ALONG).sum(axis=1) / count
    level = np.where(is_used, offsets, 0.0).sum(axis=1) / count
    spread = np.where(is_used, _ALONG - middle[:, None], 0.0)
    slope = (spread * np.where(is_used, offsets, 0.0)).sum(axis=1) / np.maximum((spread**2).sum(axis=1), 1e-9)
    return np.column_stack([level - slope * middle, slope])


def _crossing(start: Floats, end: Floats, other_start: Floats, other_end: Floats) -> Floats:
    """Where two lines cross, each given by two points; the second's start when they are parallel."""
    (x, y), (u, v) = (end - start).tolist(), (other_end - other_start).tolist()
    area = x * v - y * u
    if abs(area) < 1e-6:
        return other_start
    across, down = (other_start - start).tolist()
    return np.asarray(start + (end - start) * ((across * v - down * u) / area), dtype=np.float64)
