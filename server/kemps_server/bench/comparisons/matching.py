"""A template matcher in the manner of well-known OpenCV tutorials, written here from the idea.

Threshold the picture, take outlines with four corners for cards, take their perspective out, cut the corner
with the index, and compare rank and suit with templates by absolute difference: the idea of, for example, the
project "OpenCV-Playing-Card-Detector", whose code was not used. In its favour are two ways of thresholding
instead of one, sizes by share of the picture, templates of several decks, all ways a card may lie, and
several widths of picture tried in turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.cards import Card
from kemps_server.bench.comparisons.templates import CARD_SIZE, Match, Templates, index_of
from kemps_vision.cards.reading import Pixels

WIDTHS_PX: Final = (480, 720, 1080, 1600)
_LEAST_AREA, _MOST_AREA = 0.002, 0.9  # of the picture
_POLYGON: Final = 0.02  # of the outline's length
_FULL: Final = 0.8  # of the four-cornered outline's area is card
_SHAPE: Final = (1.0, 2.6)  # long by short side, tilt included
_CLEARLY_LONGER: Final = 1.2
_ADAPTIVE: Final = (0.1, -6.0)  # window by the picture's width, and how much brighter than round it


@dataclass(frozen=True, slots=True)
class Limits:
    """How much, in shares of their pixels, rank and suit may differ from their templates."""

    rank: float = 0.22
    suit: float = 0.22


@dataclass(frozen=True, slots=True)
class Named:
    """A card that was told, and how well it fits, 0..1."""

    card: Card
    score: float


class TemplateMatcher:
    """Reads cards that lie apart on a darker table; raises nothing on any picture (h, w, 3) RGB uint8."""

    def __init__(self, templates: Templates, limits: Limits | None = None) -> None:
        self._templates = templates
        self._limits = limits or Limits()

    def read(self, pixels: Pixels, widths_px: Sequence[int] = WIDTHS_PX) -> list[Named]:
        """The cards at the width that names most of them, and of those the one that fits best."""
        tried = [self._read_at(pixels, width) for width in widths_px]
        return max(tried, key=lambda named: (len(named), sum(one.score for one in named)), default=[])

    def _read_at(self, pixels: Pixels, width_px: int) -> list[Named]:
        factor = min(1.0, width_px / max(pixels.shape[:2]))
        small = cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), np.uint8)
        named: list[tuple[NDArray[np.float32], Named]] = []
        for quad in card_quads(grey):
            one = self._name(grey, quad)
            if one is not None and not any(_is_same(quad, other) for other, _ in named):
                named.append((quad, one))
        return [one for _, one in named]

    def _name(self, grey: NDArray[np.uint8], quad: NDArray[np.float32]) -> Named | None:
        matches = [match for upright in _uprights(grey, quad) if (match := self._match(upright)) is not None]
        if not matches:
            return None
        best = min(matches, key=lambda match: match.rank_off + match.suit_off)
        if best.rank_off > self._limits.rank or best.suit_off > self._limits.suit:
            return None
        return Named(best.card, 1.0 - (best.rank_off + best.suit_off) / 2)

    def _match(self, upright: NDArray[np.uint8]) -> Match | None:
        index = index_of(upright)
        return None if index is None else self._templates.match(index)


def card_quads(grey: NDArray[np.uint8]) -> Iterator[NDArray[np.float32]]:
    """The outlines (4, 2) of what is bright and has four corners, corners in turn."""
    area = grey.shape[0] * grey.shape[1]
    for mask in _masks(grey):
        outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        for outline in sorted(outlines, key=cv2.contourArea, reverse=True):
            size = cv2.contourArea(outline)
            if not _LEAST_AREA * area <= size <= _MOST_AREA * area:
                continue
            hull = cv2.convexHull(outline)
            polygon = cv2.approxPolyDP(hull, _POLYGON * cv2.arcLength(hull, closed=True), closed=True)
            corners = np.asarray(polygon, np.float32)[:, 0]
            if len(corners) == 4 and size >= _FULL * cv2.contourArea(corners) and _is_card_shaped(corners):
                yield corners


def _masks(grey: NDArray[np.uint8]) -> Iterator[NDArray[np.uint8]]:
    soft = cv2.GaussianBlur(grey, (5, 5), 0)
    _, otsu = cv2.threshold(soft, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    yield np.asarray(otsu, np.uint8)
    window = max(3, round(grey.shape[1] * _ADAPTIVE[0])) | 1
    local = cv2.adaptiveThreshold(
        soft, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, window, _ADAPTIVE[1]
    )
    yield np.asarray(local, np.uint8)


def _is_card_shaped(corners: NDArray[np.float32]) -> bool:
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
    long, short = sorted((float(sides[::2].mean()), float(sides[1::2].mean())), reverse=True)
    return _SHAPE[0] <= long / max(short, 1e-6) <= _SHAPE[1]


def _uprights(grey: NDArray[np.uint8], quad: NDArray[np.float32]) -> Iterator[NDArray[np.uint8]]:
    """The card flat and upright in both ways, or in all four where it is not clear which sides are long."""
    width, height = CARD_SIZE
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    clockwise = quad if _turns_right(quad) else quad[::-1]
    for turn in range(4):
        corners = np.roll(clockwise, turn, axis=0)
        top, side = (float(np.linalg.norm(corners[1] - corners[end])) for end in (0, 2))
        if top > _CLEARLY_LONGER * side:
            continue
        matrix = cv2.getPerspectiveTransform(corners, target)
        yield np.asarray(cv2.warpPerspective(grey, matrix, CARD_SIZE, flags=cv2.INTER_LINEAR), np.uint8)


def _turns_right(quad: NDArray[np.float32]) -> bool:
    (ax, ay), (bx, by), (cx, cy) = quad[:3].tolist()
    return bool((bx - ax) * (cy - by) - (by - ay) * (cx - bx) > 0)


def _is_same(quad: NDArray[np.float32], other: NDArray[np.float32]) -> bool:
    reach = float(np.linalg.norm(quad - np.roll(quad, 1, axis=0), axis=1).min())
    return float(np.linalg.norm(quad.mean(axis=0) - other.mean(axis=0))) < 0.5 * reach
