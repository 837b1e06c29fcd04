"""Cards of an odd deck on a plain table, as cut out of a sweep."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from kemps_rules.cards import Card
from kemps_scenes.deck import Deck
from kemps_vision.cards.reading import Floats, Pixels
from kemps_vision.enrolment.samples import Sample

LENGTH_PX = 200
SIDE_PX = 400

Photo = Callable[..., tuple[Pixels, Floats]]


def on_a_table(
    deck: Deck, card: str, *, turned: float = 0.0, length_px: float = LENGTH_PX, seed: int = 0
) -> tuple[Pixels, Floats]:
    """A picture (400, 400, 3) of one card on green cloth, and its corners."""
    rng = np.random.default_rng([seed, 1])
    face = deck.face(Card.parse(card))
    height, width = face.shape[:2]
    scale = length_px / height
    c, s = np.cos(turned) * scale, np.sin(turned) * scale
    linear = np.array([[c, -s], [s, c]])
    shift = SIDE_PX / 2 - linear @ (np.array([width, height]) / 2)
    warp = np.column_stack([linear, shift])
    seen = cv2.warpAffine(cv2.blur(face, (3, 3)), warp, (SIDE_PX, SIDE_PX)).astype(np.float32)
    alpha = seen[..., 3:] / 255
    picture = seen[..., :3] * 0.9 * alpha + np.array([40.0, 96.0, 64.0]) * (1 - alpha)
    picture += rng.normal(0, 2.0, picture.shape)
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], float) @ linear.T + shift
    return np.clip(picture, 0, 255).astype(np.uint8), corners


@pytest.fixture(scope="session")
def photo() -> Photo:
    """``photo(deck, card, turned=…, length_px=…, seed=…)``: see ``on_a_table``."""
    return on_a_table


@pytest.fixture
def a_sample() -> Callable[[Deck, str], Sample]:
    """Four frames of a card that lies still."""

    def make(deck: Deck, card: str) -> Sample:
        pictures = [on_a_table(deck, card, seed=seed) for seed in range(4)]
        return Sample(tuple(picture for picture, _ in pictures), pictures[0][1], 0, LENGTH_PX)

    return make
