"""Faces of made-up decks, for the templates of ``comparisons``."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from kemps_rules.cards import DECK_52, Card
from kemps_server.bench.comparisons.templates import CARD_SIZE
from kemps_server.errors import KempsServerError
from kemps_vision.cards.reading import Pixels

DECKS: Final = ("club", "modern", "jumbo", "slant", "bridge")
"""Of the made-up decks those with indices as most printed decks have them."""

_PAPER: Final = 250


def rendered_faces(deck: str) -> dict[Card, Pixels]:
    """The faces of a made-up deck as RGB (352, 252, 3), by card.

    Raises:
        KempsServerError: The renderer is not here, because it is not part of the installed package.
    """
    try:
        from kemps_scenes import open_deck  # noqa: PLC0415 - the wheel has no samples
    except ImportError:
        raise KempsServerError("templates need the project's checkout; there run: pip install -e .") from None
    faces = {}
    for card in DECK_52:
        rgba = open_deck(deck, "lattice").face(card)
        small = np.asarray(cv2.resize(rgba, CARD_SIZE, interpolation=cv2.INTER_AREA), np.float32)
        share = small[..., 3:] / 255
        faces[card] = np.asarray(small[..., :3] * share + _PAPER * (1 - share), np.uint8)
    return faces
