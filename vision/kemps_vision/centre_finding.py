"""Finds the centre from the cards that lie at rest, when no ``table.toml`` says where it is."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.zones import Polygon


def find_centre(quads: Sequence[NDArray[np.float64]], picture: tuple[int, int]) -> Polygon | None:
    """The outline round the group of face-up cards that most looks like the centre, or None.

    A group's cards lie within 2.2 card lengths of another of it. Of the groups of three to five
    cards, the one nearest to four and to the middle of the picture (width, height) is taken.
    """
    groups = [group for group in _groups(quads) if 3 <= len(group) <= 5]
    if not groups:
        return None
    middle = np.asarray(picture) / 2

    def rank(group: list[int]) -> tuple[int, float]:
        place = np.mean([quads[i].mean(axis=0) for i in group], axis=0)
        return abs(len(group) - 4), float(np.linalg.norm(place - middle))

    best = min(groups, key=rank)
    corners = np.concatenate([quads[i] for i in best])
    length = float(np.median([_length(quads[i]) for i in best]))
    box = cv2.minAreaRect(corners.astype(np.float32))
    grown = cv2.boxPoints((box[0], (box[1][0] + length * 0.9, box[1][1] + length * 0.9), box[2]))
    return tuple((float(x), float(y)) for x, y in grown)


def _groups(quads: Sequence[NDArray[np.float64]]) -> list[list[int]]:
    left = set(range(len(quads)))
    groups = []
    while left:
        group, ahead = [], [left.pop()]
        while ahead:
            one = ahead.pop()
            group.append(one)
            near = {i for i in left if _gap(quads[one], quads[i]) < 2.2}
            left -= near
            ahead += sorted(near)
        groups.append(sorted(group))
    return groups


def _gap(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(a.mean(axis=0) - b.mean(axis=0))) / max(_length(a), _length(b))


def _length(quad: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(quad[[3, 2]] - quad[[0, 1]], axis=1).mean())
