"""Hands that the landmarker lost although they lie where they lay: their place looks as it did.

A checked cloth looks much the same with a hand on it and without, as far as edges go; so the colours within
the hand's outline must be the hand's, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.frame import Image
from kemps_vision.people.contact.spans import OwnedHand

SIDE: Final = 24  # px of a patch
ROUND: Final = 1.1  # palm lengths from the palm's middle to the patch's edge
ALIKE: Final = 0.75  # correlation of two patches of one place
COLOURS: Final = 22.0  # of the strongest channel, by which half of the hand's outline may differ at most
FORGET_LOOKS: Final = 150  # in a row that differ, after which the place is forgotten; an arm passes over it
AGAIN: Final = 0.8  # palm lengths: a hand found so near is this one


@dataclass(slots=True)
class _Place:
    hand: OwnedHand
    patch: NDArray[np.float32]  # (SIDE, SIDE, 3)
    outline: NDArray[np.bool_]  # (SIDE, SIDE): what of it is the hand
    changed: int = 0

    def is_alike(self, now: NDArray[np.float32]) -> bool:
        """Whether the place looks in ``now`` as it did."""
        if _correlation(self.patch.mean(axis=2), now.mean(axis=2)) < ALIKE:
            return False
        # The light may have changed, here as all about.
        light = float(np.median(now[~self.outline])) / max(float(np.median(self.patch[~self.outline])), 1.0)
        differing = np.abs(light * self.patch - now).max(axis=2)[self.outline]
        return float(np.median(differing)) < COLOURS


class Lingering:
    """Keeps the hands whose places look as they did when they were found last."""

    def __init__(self) -> None:
        self._places: dict[int, _Place] = {}

    def step(self, pixels: Image, hands: Sequence[OwnedHand]) -> list[OwnedHand]:
        """The hands that are there though they were not found in this picture (h, w, 3)."""
        for hand in hands:
            patch, outline = _patch(pixels, hand), _outline(hand)
            self._places[hand.track] = _Place(hand, patch, outline)
        found = {hand.track for hand in hands}
        for number, place in list(self._places.items()):
            if number in found:
                continue
            is_alike = place.is_alike(_patch(pixels, place.hand))
            place.changed = 0 if is_alike else place.changed + 1
            if place.changed >= FORGET_LOOKS or any(_is_at(hand, place.hand) for hand in hands):
                del self._places[number]
        alike = [(number, place) for number, place in self._places.items() if not place.changed]
        return [place.hand for number, place in alike if number not in found]


def _is_at(hand: OwnedHand, other: OwnedHand) -> bool:
    size = max(hand.pose.size_px, other.pose.size_px, 1.0)
    return float(np.linalg.norm(hand.pose.palm - other.pose.palm)) < AGAIN * size


def _patch(pixels: Image, hand: OwnedHand) -> NDArray[np.float32]:
    small = cv2.warpAffine(
        pixels, _into_patch(hand), (SIDE, SIDE), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(cv2.GaussianBlur(small.astype(np.float32), (0, 0), 1.0), np.float32)


def _outline(hand: OwnedHand) -> NDArray[np.bool_]:
    """Where a hand is in its patch."""
    way = _into_patch(hand)
    points = hand.pose.landmarks[:, :2] @ way[:, :2].T + way[:, 2]
    mask = np.zeros((SIDE, SIDE), np.uint8)
    cv2.fillConvexPoly(mask, cv2.convexHull(np.round(points).astype(np.int32)), 1)
    return np.asarray(mask > 0, np.bool_)


def _into_patch(hand: OwnedHand) -> NDArray[np.float32]:
    """(2, 3): from the picture's px to those of the patch round the hand."""
    half = max(ROUND * hand.pose.size_px, 4.0)
    x, y = hand.pose.palm
    scale = SIDE / (2 * half)
    return np.array([[scale, 0, SIDE / 2 - scale * x], [0, scale, SIDE / 2 - scale * y]], np.float32)


def _correlation(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    a, b = one - one.mean(), other - other.mean()
    return float((a * b).sum() / max(float(np.sqrt((a * a).sum() * (b * b).sum())), 1e-6))
