"""Card pictures in several sizes, so that small cards neither alias nor cost much."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_training.backs import draw_back
from kemps_training.decks import FACE_WIDTH_PX, Deck, Image

# (largest scale at which it is used, size of the texture), so that drawing shrinks by at most about 1.5.
STEPS = ((0.2, 0.18), (0.34, 0.3), (0.5, 0.42), (0.75, 0.6))
KEPT = 6000
CORNER_RADIUS = 0.055


@dataclass(slots=True)
class Textures:
    """A cache of shrunk faces and of backs."""

    shrunk: dict[tuple[str, int, float], Image] = field(default_factory=dict)

    def face(self, deck: Deck, number: int, quad: NDArray[np.float64]) -> Image:
        """The face ``number`` of ``deck`` in a size that suits ``quad``."""
        scale = _scale(quad, deck.faces.shape[1])
        size = next((size for limit, size in STEPS if scale < limit), 1.0)
        if size == 1.0:
            return deck.face(number)
        key = (deck.name, number, size)
        if key not in self.shrunk:
            if len(self.shrunk) >= KEPT:
                self.shrunk.clear()
            face = deck.face(number)
            target = (round(face.shape[1] * size), round(face.shape[0] * size))
            self.shrunk[key] = np.asarray(cv2.resize(face, target, interpolation=cv2.INTER_AREA), np.uint8)
        return self.shrunk[key]

    def back(self, deck: Deck, number: int) -> Image:
        """The back ``number`` for cards of the shape of ``deck``, always the same; drawn at half size."""
        key = (deck.name, -1 - number, 0.5)
        if key not in self.shrunk:
            rng = np.random.default_rng([number, zlib.crc32(deck.name.encode())])
            drawn = draw_back(rng, deck.faces.shape[1])
            half = (drawn.shape[1] // 2, drawn.shape[0] // 2)
            self.shrunk[key] = np.asarray(cv2.resize(drawn, half, interpolation=cv2.INTER_AREA), np.uint8)
        return self.shrunk[key]


@lru_cache(maxsize=256)
def rounded_mask(height: int, width: int) -> NDArray[np.uint8]:
    """255 on a card with rounded corners, else 0."""
    mask = np.zeros((height, width), np.uint8)
    radius = max(1, int(width * CORNER_RADIUS))
    cv2.rectangle(mask, (radius, 0), (width - 1 - radius, height - 1), 255, -1)
    cv2.rectangle(mask, (0, radius), (width - 1, height - 1 - radius), 255, -1)
    for x in (radius, width - 1 - radius):
        for y in (radius, height - 1 - radius):
            cv2.circle(mask, (x, y), radius, 255, -1)
    return mask


def _scale(quad: NDArray[np.float64], face_height: int) -> float:
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    return float(max((sides[0] + sides[2]) / 2 / FACE_WIDTH_PX, (sides[1] + sides[3]) / 2 / face_height))
