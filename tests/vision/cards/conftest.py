"""Indices made by hand, and fakes in place of the two networks that see coloured discs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_models.alphabets import GLYPHS, NONE_CLASS
from kemps_rules.cards import RANKS, SUITS, Card
from kemps_vision.cards.reading import IndexReading, Pixels

CARD_MM = np.array([63.0, 88.0])
INDEX_MM = np.array([6.0, 13.0])  # the middle of an index from the card's upper left corner
HALF_INDEX_MM = 10.0
UPRIGHT, UPSIDE_DOWN, BACK = 100, 160, 200  # the blue of a disc, and of a back


def log_probabilities(size: int, likely: int, belief: float) -> NDArray[np.float64]:
    """(size,) with ``belief`` at one place and the rest shared."""
    p = np.full(size, (1.0 - belief) / (size - 1))
    p[likely] = belief
    return np.asarray(np.log(p), dtype=np.float64)


def _an_index(
    text: str,
    *,
    at: Sequence[float] = (0.0, 0.0),
    turned: float = 0.0,
    mm: float = 2.0,
    corner: str = "first",
    belief: float = 0.99,
    **changed: object,
) -> IndexReading:
    """An index of a card whose middle is ``at`` px, turned by ``turned`` radians, ``mm`` px a millimetre.

    ``corner``: "first" is the upper left index of the card, "second" its mirror image.
    """
    card = Card.parse(text)
    turn = turned + (np.pi if corner == "second" else 0.0)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) * mm
    middle = np.asarray(at, dtype=np.float64)
    fields: dict[str, Any] = {
        "centre": middle + rotation @ (INDEX_MM - CARD_MM / 2),
        "up": rotation @ np.array([0.0, -HALF_INDEX_MM]),
        "right": rotation @ np.array([HALF_INDEX_MM, 0.0]),
        "heat": 0.98,
        "rank_log_p": log_probabilities(13, RANKS.index(card.rank), belief),
        "suit_log_p": log_probabilities(4, SUITS.index(card.suit), 0.999),
        "none_p": 0.0,
        "card_centre": middle,
        "glyph_log_p": log_probabilities(len(GLYPHS), RANKS.index(card.rank), belief),
    }
    return IndexReading(**(fields | changed))


@pytest.fixture
def an_index() -> Callable[..., IndexReading]:
    """The maker of indices."""
    return _an_index


def _paint(
    cards: Iterable[tuple[str, tuple[float, float]]],
    *,
    size: tuple[int, int] = (448, 400),
    mm: float = 1.5,
    corners: str = "both",
    backs: Iterable[tuple[float, float]] = (),
) -> Pixels:
    """A white picture of cards given by name and middle in px, ``mm`` px a millimetre; an index is a disc.

    The disc's red tells the rank, its green the suit, and its blue which way is up. Backs are given by their
    middles and stand upright.
    """
    pixels = np.full((size[1], size[0], 3), 255, np.uint8)
    for at in backs:
        first, last = np.asarray(at) - CARD_MM / 2 * mm, np.asarray(at) + CARD_MM / 2 * mm
        cv2.rectangle(pixels, first.astype(int).tolist(), last.astype(int).tolist(), (0, 0, BACK), -1)
    for text, at in cards:
        for corner, blue in (("first", UPRIGHT), ("second", UPSIDE_DOWN)):
            if corners in (corner, "both"):
                index = _an_index(text, at=at, mm=mm, corner=corner)
                card = Card.parse(text)
                colour = (10 + 18 * RANKS.index(card.rank), 10 + 60 * SUITS.index(card.suit), blue)
                place = int(index.centre[0]), int(index.centre[1])
                cv2.circle(pixels, place, round(5 * mm), colour, -1)
    return pixels


class DiscDetector:
    """Sees discs and backs that would be cards 50 to 260 px long; remembers the sizes it was given."""

    def __init__(self) -> None:
        self.sizes: list[tuple[int, int]] = []

    def __call__(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        """The grid of the contract: (1, 16, rows, columns)."""
        blue = np.round(batch[0, 2] * 255)
        height, width = blue.shape
        self.sizes.append((width, height))
        grid = np.zeros((1, 16, height // 4, width // 4), np.float32)
        grid[:, [0, 8, 11]] = -9.0
        for value, sign in ((UPRIGHT, 1.0), (UPSIDE_DOWN, -1.0)):
            seen = (np.abs(blue - value) < 8).astype(np.uint8)
            _, _, stats, centroids = cv2.connectedComponentsWithStats(seen)
            for (_, _, _, _, area), centroid in zip(stats[1:], centroids[1:], strict=True):
                self._mark(grid, centroid, mm=float(np.sqrt(area / np.pi)) / 5, sign=sign)
        self._mark_backs(grid, (np.abs(blue - BACK) < 8).astype(np.uint8))
        return grid

    @staticmethod
    def _mark_backs(grid: NDArray[np.float32], seen: NDArray[np.uint8]) -> None:
        _, _, stats, centroids = cv2.connectedComponentsWithStats(seen)
        for (_, _, width, height, _), centroid in zip(stats[1:], centroids[1:], strict=True):
            if 50 < height < 260:
                x, y = np.round((centroid - 1.5) / 4).astype(int)
                grid[0, 11:, y, x] = [6.0, np.log(height / 48), np.log(width / 48), -1.0, 0.0]

    @staticmethod
    def _mark(grid: NDArray[np.float32], centroid: NDArray[np.float64], *, mm: float, sign: float) -> None:
        if not 50 < 88 * mm < 260:
            return
        cell = (centroid - 1.5) / 4
        x, y = np.clip(np.round(cell), 0, np.array(grid.shape[:1:-1]) - 1).astype(int)
        to_middle = sign * (CARD_MM / 2 - INDEX_MM) / HALF_INDEX_MM
        pose = [cell[0] - x, cell[1] - y, np.log(HALF_INDEX_MM * mm / 12), 0, -sign, sign, 0, 5, *to_middle]
        grid[0, :11, y, x] = [6.0, *pose]


class DiscClassifier:
    """Reads rank and suit off the colour in the middle of each crop; white is no index."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    def __call__(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        """The logits of the contract: (n, 29)."""
        self.batches.append(len(batch))
        colours = np.round(batch[:, :, 32, 20] * 255)
        logits = np.zeros((len(batch), 29), np.float32)
        for row, (red, green, _) in zip(logits, colours, strict=True):
            row[NONE_CLASS if red > 250 else round((red - 10) / 18)] = 9.0
            row[NONE_CLASS + 1 + min(3, round((green - 10) / 60))] = 9.0
        return logits


@pytest.fixture
def detector() -> DiscDetector:
    """A detector of discs."""
    return DiscDetector()


@pytest.fixture
def classifier() -> DiscClassifier:
    """A reader of discs."""
    return DiscClassifier()


@pytest.fixture
def paint() -> Callable[..., Pixels]:
    """The painter of pictures that the two fakes can read."""
    return _paint
