"""What lies round a card, remembered: an arm over the card lies over some of that too.

A sleeve may have the table's colour. When a card is gone, though, the ring round its place is as it was,
or table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_vision.appearance import Quad, TableColour, colour_ring
from kemps_vision.frame import Image

AS_BEFORE_GREYS: Final = 24.0  # of the strongest channel, the change of light left out
LEAST_LIGHT, MOST_LIGHT = 0.85, 1.2  # against the light then; more than that is an arm all over the ring
FREE_SHARE: Final = 0.75  # of the ring that must be as before, or table; packed neighbours may have gone too
WHOLLY_FREE_SHARE: Final = 0.92  # ... where not so much as a finger may lie
REMEMBERED: Final = 3  # rings: one may have been kept while an arm rested beside the card
ALIKE_SHARE: Final = 0.93  # of two rings that say the same
LEAST_PIXELS: Final = 150


@dataclass(frozen=True, slots=True, eq=False)
class Ring:
    """The pixels round a card: ``values`` (56, 40, 3) of the patch, ``mask`` (56, 40) where the ring is."""

    values: NDArray[np.float32]
    mask: NDArray[np.bool_]

    @classmethod
    def of(cls, pixels: Image, quad: Quad, but: tuple[Quad, ...] = ()) -> Ring:
        """The ring round the quad in this picture, but for what other quads cover of it."""
        return cls(*colour_ring(pixels, quad, but))

    def as_in(self, now: Ring) -> NDArray[np.bool_]:
        """(n,) for each pixel of the present ring, whether it is as it was in this one."""
        then, values = self.values[now.mask], now.values[now.mask]
        gain = float(np.median(values.sum(axis=1) / np.maximum(then.sum(axis=1), 1.0)))
        difference = np.abs(values - then * np.clip(gain, LEAST_LIGHT, MOST_LIGHT)).max(axis=1)
        return np.asarray((difference < AS_BEFORE_GREYS) & self.mask[now.mask])


class Surroundings:
    """The last different rings round one card, seen while nothing covered it."""

    def __init__(self) -> None:
        self._rings: list[Ring] = []

    def see(self, pixels: Image, quad: Quad) -> None:
        """Remember how it looks now round the card."""
        ring = Ring.of(pixels, quad)
        alike = [old for old in self._rings if old.as_in(ring).mean() < ALIKE_SHARE]
        self._rings = [*alike, ring][-REMEMBERED:]

    def is_free(
        self,
        pixels: Image,
        quad: Quad,
        table: TableColour,
        but: tuple[Quad, ...] = (),
        least: float = FREE_SHARE,
    ) -> bool:
        """Whether nothing but the cards ``but`` lies over the ring that did not.

        It is true as well where too little of the ring is in view.
        """
        now = Ring.of(pixels, quad, but)
        if not self._rings or int(now.mask.sum()) < LEAST_PIXELS:
            return True
        is_table = table.is_like(now.values[now.mask])
        return any(float((ring.as_in(now) | is_table).mean()) >= least for ring in self._rings)
