"""What printed letters mean: glyphs become ranks once the alphabet of a deck is known."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_models.alphabets import GLYPHS, glyph_ranks
from kemps_rules.cards import RANKS
from kemps_vision.cards.reading import Floats

INTERNATIONAL: Final = "international"


def rank_log_p(glyph_log_p: Floats, alphabet: str, *, outside_weight: float = 1.0) -> Floats:
    """(n, 13) log-probabilities of the ranks from (n, 24) of the glyphs, in one alphabet.

    A glyph that the alphabet lacks tells nothing about the rank, so its share is spread over all ranks;
    ``outside_weight`` is how much of that share counts: 1 while the alphabet may be another, less when the
    alphabet is sure and such a glyph must be a misreading.
    """
    inside = np.exp(glyph_log_p) @ _meanings(alphabet)
    outside = outside_weight * np.maximum(1.0 - inside.sum(axis=1, keepdims=True), 0.0)
    p = inside + outside / len(RANKS)
    return np.asarray(np.log(p / p.sum(axis=1, keepdims=True) + 1e-30), dtype=np.float64)


@cache
def _meanings(alphabet: str) -> NDArray[np.float64]:
    """(24, 13): 1 where a glyph means a rank."""
    meanings = np.zeros((len(GLYPHS), len(RANKS)))
    for glyph, rank in enumerate(glyph_ranks(alphabet)):
        if rank >= 0:
            meanings[glyph, rank] = 1.0
    return meanings
