"""The centre's outline, laid round the cards that lie there: turned as they are, with room beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from scipy.sparse.csgraph import connected_components

from kemps_vision.calibration.plane import Floats, TablePlane
from kemps_vision.zones import Polygon

GAPS: Final = (1.5, 2.2)  # card lengths between neighbours: close first, as hands are shown not far away
BESIDE_MM: Final = 75.0  # a card more at both ends: some lay before they take
ALONG_MM: Final = 20.0  # cards slip
TURNED_ALIKE: Final = 0.6  # of 1: mean of the cards' directions, from which the centre is turned as they are


def cards_of_centre(quads: Sequence[Floats], picture: tuple[int, int]) -> list[Floats]:
    """Those of the cards (4, 2) in px that lie together as a centre does: three to five, or one or two alone.

    Of several groups the one nearest to four cards and to the middle of the picture (width, height) is taken.
    Empty where no group looks like a centre.
    """
    if len(quads) <= 2:
        return list(quads)
    middle = np.asarray(picture) / 2

    def rank(group: list[Floats]) -> tuple[int, float]:
        return abs(len(group) - 4), float(np.linalg.norm(np.mean(group, axis=(0, 1)) - middle))

    for gap in GAPS:
        groups = [group for group in _groups(quads, gap) if 3 <= len(group) <= 5]
        if groups:
            return min(groups, key=rank)
    return []


def _groups(quads: Sequence[Floats], gap: float) -> list[list[Floats]]:
    """The cards in groups whose cards lie within ``gap`` card lengths of another of it."""
    middles = np.stack([quad.mean(axis=0) for quad in quads])
    lengths = np.array([np.linalg.norm(quad[[3, 2]] - quad[[0, 1]], axis=1).mean() for quad in quads])
    apart = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    near = apart < gap * np.maximum(lengths[:, None], lengths[None])
    count, labels = connected_components(near, directed=False)
    return [[quads[int(n)] for n in np.flatnonzero(labels == label)] for label in range(count)]


def centre_round(plane: TablePlane, quads: Sequence[Floats]) -> Polygon:
    """The outline in px round cards (4, 2) that lie on the plane; there is at least one."""
    corners = np.stack([plane.table(quad) for quad in quads])
    turn = _turn(corners)
    axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])  # across, along
    placed = corners.reshape(-1, 2) @ axes.T
    room = np.array([BESIDE_MM, ALONG_MM])
    (left, top), (right, bottom) = placed.min(axis=0) - room, placed.max(axis=0) + room
    box = np.array([[left, top], [right, top], [right, bottom], [left, bottom]]) @ axes
    return tuple((float(x), float(y)) for x, y in plane.pixels(box))


def _turn(corners: Floats) -> float:
    """Radians by which the cards (n, 4, 2) are turned, upright or on their heads alike; -90..90 degrees."""
    along = corners[:, 3] - corners[:, 0] + corners[:, 2] - corners[:, 1]
    doubled = 2 * np.arctan2(-along[:, 0], along[:, 1])
    mean = np.array([np.cos(doubled).mean(), np.sin(doubled).mean()])
    if np.hypot(*mean) >= TURNED_ALIKE:
        return float(np.arctan2(mean[1], mean[0]) / 2)
    turn = float(np.radians(cv2.minAreaRect(corners.reshape(-1, 2).astype(np.float32))[2]))
    return turn if turn < np.pi / 4 else turn - np.pi / 2
