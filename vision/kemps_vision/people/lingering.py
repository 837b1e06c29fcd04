"""Hands that the landmarker lost although they lie where they lay: their place looks as it did."""

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
FORGET_LOOKS: Final = 150  # in a row that differ, after which the place is forgotten; an arm passes over it
AGAIN: Final = 0.8  # palm lengths: a hand found so near is this one


@dataclass(slots=True)
class _Place:
    hand: OwnedHand
    patch: NDArray[np.float32]
    changed: int = 0


class Lingering:
    """Keeps the hands whose places look as they did when they were found last."""

    def __init__(self) -> None:
        self._places: dict[int, _Place] = {}

    def step(self, pixels: Image, hands: Sequence[OwnedHand]) -> list[OwnedHand]:
        """The hands that are there though they were not found in this picture (h, w, 3)."""
        grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8)
        for hand in hands:
            self._places[hand.track] = _Place(hand, _patch(grey, hand))
        found = {hand.track for hand in hands}
        for number, place in list(self._places.items()):
            if number in found:
                continue
            is_alike = _correlation(place.patch, _patch(grey, place.hand)) >= ALIKE
            place.changed = 0 if is_alike else place.changed + 1
            if place.changed >= FORGET_LOOKS or any(_is_at(hand, place.hand) for hand in hands):
                del self._places[number]
        alike = [(number, place) for number, place in self._places.items() if not place.changed]
        return [place.hand for number, place in alike if number not in found]


def _is_at(hand: OwnedHand, other: OwnedHand) -> bool:
    size = max(hand.pose.size_px, other.pose.size_px, 1.0)
    return float(np.linalg.norm(hand.pose.palm - other.pose.palm)) < AGAIN * size


def _patch(grey: NDArray[np.uint8], hand: OwnedHand) -> NDArray[np.float32]:
    half = max(ROUND * hand.pose.size_px, 4.0)
    x, y = hand.pose.palm
    scale = SIDE / (2 * half)
    place = np.array([[scale, 0, SIDE / 2 - scale * x], [0, scale, SIDE / 2 - scale * y]], np.float32)
    small = cv2.warpAffine(grey, place, (SIDE, SIDE), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.GaussianBlur(small.astype(np.float32), (0, 0), 1.0), np.float32)


def _correlation(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    a, b = one - one.mean(), other - other.mean()
    return float((a * b).sum() / max(float(np.sqrt((a * a).sum() * (b * b).sum())), 1e-6))
