"""Where a deck prints its indices, when that is known: every index then tells where its card lies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from kemps_vision.cards.quads import CARD_LENGTH_MM, CARD_WIDTH_MM
from kemps_vision.cards.reading import IndexReading

USUAL_HALF_MM: Final = 10.5
_USUAL_SIDEWAYS_MM: Final = 6.0
_USUAL_DOWN_MM: Final = 3.0 + USUAL_HALF_MM


@dataclass(frozen=True, slots=True)
class IndexPrint:
    """One deck's index, in mm on a card of 63 x 88.

    Attributes:
        half_height: From its middle to the top of the rank.
        sideways: From the card's long side to its middle.
        down: From the card's short side to its middle.
    """

    half_height: float
    sideways: float
    down: float

    def as_usual(self, index: IndexReading) -> IndexReading:
        """The index as large as, and where, a usual deck would print it on the same card.

        What joins indices to cards and tells a card's corners from them knows usual decks; an index of two
        thirds their size seems to lie on a card of two thirds the size.
        """
        across, down = index.right / self.half_height, -index.up / self.half_height  # px a mm
        corner = index.centre - across * self.sideways - down * self.down
        return replace(
            index,
            centre=np.asarray(corner + across * _USUAL_SIDEWAYS_MM + down * _USUAL_DOWN_MM),
            up=-down * USUAL_HALF_MM,
            right=across * USUAL_HALF_MM,
            card_centre=np.asarray(corner + across * (CARD_WIDTH_MM / 2) + down * (CARD_LENGTH_MM / 2)),
        )
