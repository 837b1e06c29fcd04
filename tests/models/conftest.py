"""A small deck drawn from stroke fonts, for which nothing is fetched."""

from __future__ import annotations

import numpy as np
import pytest

from kemps_training.decks import Deck
from kemps_training.glyphs import STROKE_FONTS, drawn_suits
from kemps_training.procedural import make_deck


def draw_deck(seed: int) -> Deck:
    rng = np.random.default_rng(seed)
    deck = make_deck(rng, f"deck{seed}", STROKE_FONTS, [drawn_suits(rng)], [])
    assert deck is not None
    return deck


@pytest.fixture(scope="session")
def decks() -> list[Deck]:
    return [draw_deck(seed) for seed in (1, 2)]
