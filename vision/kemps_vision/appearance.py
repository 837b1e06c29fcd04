"""How a card at rest looks, and how much of that look is still there: the cheap test of every frame.

The quad of a card is warped to a small upright patch, split into cells. A cell with some texture
in the remembered look counts as *kept* when its normalised correlation with the present patch is
high; that is blind to light and shadow, and a hand or the bare table keeps next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.frame import Image

Grey: TypeAlias = NDArray[np.uint8]
Patch: TypeAlias = NDArray[np.float32]
Quad: TypeAlias = NDArray[np.float64]

WIDTH, HEIGHT = 40, 56  # of a patch: cells of 8 x 8 px
CELL: Final = 8
MARGIN: Final = 0.08  # the card's edge against the table is the best texture of a card with few pips
BLUR: Final = 0.8  # so that a shift by a pixel keeps the look
TEXTURE: Final = 8.0  # grey levels: cells flatter than this say nothing
KEPT_CORRELATION: Final = 0.6
CLEAN_SPREAD: Final = 0.02  # of the chroma values: wood and felt have 0.006 to 0.013
RING: Final = 0.45  # of the card's size: the table round a card
SAME_LIGHT: Final = 0.18  # of the brightness: so far alike is the table in one light


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A remembered patch: its cells ``(n, 64)`` without their means, their spreads, which have texture."""

    cells: NDArray[np.float32]
    spread: NDArray[np.float32]
    has_texture: NDArray[np.bool_]

    @classmethod
    def of(cls, patch: Patch) -> Look:
        """The look of a card in this patch."""
        cells, spread = _cells(patch)
        return cls(cells, spread, spread > TEXTURE)

    def kept(self, patch: Patch) -> float:
        """The share, 0..1, of this look's textured cells that are as they were."""
        count = int(self.has_texture.sum())
        if not count:
            return 0.0
        cells, spread = _cells(patch)
        likeness = (cells * self.cells).mean(axis=1) / (spread * self.spread + 1e-3)
        ratio = spread / (self.spread + 1e-3)
        is_kept = (likeness > KEPT_CORRELATION) & (ratio > 0.4) & (ratio < 2.5)
        return float((is_kept & self.has_texture).sum() / count)


def cut(grey: Grey, quad: Quad, *, margin: float = MARGIN) -> Patch:
    """The patch ``(56, 40)`` of grey levels under a quad (corners from the top left, clockwise)."""
    warp = cv2.getPerspectiveTransform(np.asarray(quad, np.float32), _corners(margin))
    patch = cv2.warpPerspective(
        grey, warp, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(cv2.GaussianBlur(patch.astype(np.float32), (0, 0), BLUR), np.float32)


def stillness(patch: Patch, before: Patch) -> float:
    """Mean change in grey levels between two patches of one place, the change of light left out."""
    difference = patch - before
    return float(np.abs(difference - np.median(difference)).mean())


@dataclass(frozen=True, slots=True, eq=False)
class TableColour:
    """The colour of the table round a card: mean and spread of two chroma values, and brightness."""

    chroma: NDArray[np.float32]
    spread: NDArray[np.float32]
    brightness: float

    @classmethod
    def round_card(cls, pixels: Image, quad: Quad, others: tuple[Quad, ...] = ()) -> TableColour | None:
        """The colour outside the quad, other cards left out; None where too little table shows."""
        patch, mask = _colour_patch(pixels, quad, RING, others)
        inner = _inner_mask(RING, grow=0.06)
        mask &= ~inner
        if mask.sum() < 200:
            return None
        values = patch[mask]
        brightness = values.sum(axis=1)
        # Hands or packets may lie beside the card: the middle half by brightness is the table.
        low, high = np.quantile(brightness, (0.25, 0.75))
        values = values[(brightness >= low) & (brightness <= high)]
        chroma = _chroma(values)
        spread = np.maximum(chroma.std(axis=0), 0.006).astype(np.float32)
        return cls(np.median(chroma, axis=0).astype(np.float32), spread, float(np.median(brightness)))

    @property
    def is_clean(self) -> bool:
        """Whether it is one colour; else a hand or something else was measured along with the table."""
        return float(self.spread.max()) < CLEAN_SPREAD

    def is_like(self, values: NDArray[np.float32]) -> NDArray[np.bool_]:
        """(n,) for each colour (n, 3) whether it is the table's, in the light in which it was measured."""
        distance = np.abs(_chroma(values) - self.chroma) / self.spread
        ratio = values.sum(axis=1) / max(self.brightness, 1.0)
        return np.asarray((distance.max(axis=1) < 4) & (np.abs(ratio - 1.0) < SAME_LIGHT))

    def share_in(self, pixels: Image, quad: Quad) -> float:
        """The share, 0..1, of the quad's inside that has the table's colour."""
        patch, mask = _colour_patch(pixels, quad, RING, ())
        values = patch[mask & _inner_mask(RING, grow=-0.1)]
        if not len(values):
            return 0.0
        brightness = values.sum(axis=1)
        distance = np.abs(_chroma(values) - self.chroma) / self.spread
        ratio = brightness / max(self.brightness, 1.0)
        return float(((distance.max(axis=1) < 4) & (ratio > 0.45) & (ratio < 1.6)).mean())


def colour_ring(
    pixels: Image, quad: Quad, others: tuple[Quad, ...] = ()
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """A patch (56, 40, 3) of what lies under and round a quad, and a mask of the ring without others."""
    patch, mask = _colour_patch(pixels, quad, RING, others)
    return patch, mask & ~_inner_mask(RING, grow=0.06)


def _cells(patch: Patch) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    rows, columns = HEIGHT // CELL, WIDTH // CELL
    cells = (
        patch.reshape(rows, CELL, columns, CELL).transpose(0, 2, 1, 3).reshape(rows * columns, CELL * CELL)
    )
    cells = cells - cells.mean(axis=1, keepdims=True)
    return cells, np.sqrt((cells * cells).mean(axis=1))


@lru_cache(maxsize=8)
def _corners(margin: float) -> NDArray[np.float32]:
    left, top = margin * WIDTH, margin * HEIGHT
    right, bottom = WIDTH - left, HEIGHT - top
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32) - np.float32(
        0.5
    )


def _ring_margin(ring: float) -> float:
    return ring / (1 + 2 * ring)


@lru_cache(maxsize=8)
def _inner_mask(ring: float, *, grow: float) -> NDArray[np.bool_]:
    margin = _ring_margin(ring)
    size = 1 - 2 * margin
    left, top = (margin - grow * size) * WIDTH, (margin - grow * size) * HEIGHT
    x, y = np.meshgrid(np.arange(WIDTH), np.arange(HEIGHT))
    inside: NDArray[np.bool_] = (x >= left) & (x < WIDTH - left) & (y >= top) & (y < HEIGHT - top)
    return inside


def _colour_patch(
    pixels: Image, quad: Quad, ring: float, others: tuple[Quad, ...]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    corners = _corners(_ring_margin(ring))
    warp = cv2.getPerspectiveTransform(np.asarray(quad, np.float32), corners)
    patch = cv2.warpPerspective(pixels, warp, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR)
    mask: NDArray[np.bool_] = patch.max(axis=2) > 0  # black: outside the picture
    for other in others:
        covered = np.zeros((HEIGHT, WIDTH), np.uint8)
        outline = cv2.perspectiveTransform(np.asarray(other, np.float64)[None], warp.astype(np.float64))[0]
        cv2.fillConvexPoly(covered, np.round(outline).astype(np.int32), 1)
        mask = mask & (covered == 0)
    return patch.astype(np.float32), mask


def _chroma(values: NDArray[np.float32]) -> NDArray[np.float32]:
    total = values.sum(axis=1, keepdims=True) + 12.0
    chroma: NDArray[np.float32] = values[:, :2] / total
    return chroma
