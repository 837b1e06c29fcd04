"""Cards in hands: what differs from the usual table there and is neither skin nor shadow nor the bare table.

A card between fingers is too blurred, bent and covered to be read. It is a small patch with straight sides,
though, and at one end of it there is skin: on that side its holder sits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.seats import Seat
from kemps_vision.people.landmarks import HandPose
from kemps_vision.people.usual import Small
from kemps_vision.zones import Point

Mask: TypeAlias = NDArray[np.bool_]

LEAST_LENGTH: Final = 7.0  # px of a small picture: of shorter cards nothing is told
CARD_SHAPE: Final = 0.72  # of a card's length squared, its area
LEAST_AREA, MOST_AREA = 0.25, 1.7  # cards: covered by fingers in part, or nearer to the camera
MOST_LENGTH: Final = 1.5  # cards
LEAST_FILL: Final = 0.66  # of the smallest rectangle round it
CHROMA_BINS: Final = 64
SKIN_SHARE: Final = 0.012  # of what was seen at finger tips, before a colour is skin
SKIN_LEAST: Final = 60.0  # pixels of it that were seen
SKIN_MOST: Final = 20_000.0  # ... after which old ones fade
SKIN_HUE: Final = (8.0, 40.0)  # degrees; before any hand was found
SKIN_SATURATION: Final = 0.18
COMMON_SHARE: Final = 0.02  # of the usual picture: so much of one colour is no card's
TABLE_SHARE: Final = 0.06  # ... and so much no skin's
SHADOW_CHROMA: Final = 0.10  # by how much the channels of a shadow may be darkened unlike
BESIDE: Final = 0.35  # card lengths round it in which there is skin, if it is held
LEAST_SKIN: Final = 0.05  # cards
HAND: Final = 1.2  # card lengths round its middle in which skin says where the hand comes from
ASIDE: Final = 0.25  # card lengths from its middle to the skin's; nearer, there are hands on both sides
DIRECTION_NATS: Final = 2.5  # that skin straight towards a seat says for it
HOME_NATS: Final = 3.0  # that a place half as far from one seat as from another says
CLEARLY_NATS: Final = 1.0
MEMORY_MS: Final = 6000  # in which it is known where skin was
CELL: Final = 4  # px of a small picture
KNUCKLES: Final = (1, 5, 9, 13, 17)


def skin_points(hand: HandPose) -> NDArray[np.float64]:
    """(36, 2) px: the landmarks of a hand, and points between its wrist and its knuckles."""
    points = np.asarray(hand.landmarks[:, :2], np.float64)
    knuckles = points[list(KNUCKLES)] - points[0]
    return np.concatenate([points, *(points[0] + share * knuckles for share in (0.25, 0.5, 0.75))])


@dataclass(frozen=True, slots=True, eq=False)
class HeldCard:
    """A card that some hand holds, or that lies where none lay.

    Attributes:
        at: (2,) its middle, in px of the picture.
        size: Its area in cards.
        seat: Whose hand is at it; None where there is none, or not clearly one.
    """

    at: NDArray[np.float64]
    size: float
    seat: Seat | None


class HeldCards:
    """Finds them in one camera's pictures.

    Args:
        seats: Where each player sits, in px of the pictures.
        middle: The middle of the centre, in the same px.
    """

    def __init__(self, seats: Mapping[Seat, Point], middle: Point) -> None:
        self._names = sorted(seats)
        self._at = np.array([seats[name] for name in self._names], np.float64).reshape(-1, 2)
        away = np.linalg.norm(self._at - np.asarray(middle), axis=1)
        self._away = np.maximum(away, 1.0)
        self._skin = np.zeros((CHROMA_BINS, CHROMA_BINS), np.float64)
        self._small: Small | None = None
        self._scale = 1.0
        self._where: deque[tuple[int, NDArray[np.float32]]] = deque()

    def see_hands(self, hands: Iterable[NDArray[np.float64]]) -> None:
        """Learn the colour of skin at points (n, 2), px, of hands found in the picture looked at last."""
        if self._small is None:
            return
        height, width = self._small.shape[:2]
        for points in hands:
            columns, rows = np.round(points * self._scale).astype(int).T
            is_inside = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
            bins = _chroma(self._small[rows[is_inside], columns[is_inside]])
            self._skin += np.bincount(bins, minlength=CHROMA_BINS**2).reshape(self._skin.shape)
        if self._skin.sum() > SKIN_MOST:
            self._skin *= 0.5

    def find(
        self, at_ms: int, small: Small, usual: Small, differs: Small, scale: float, length_px: float
    ) -> list[HeldCard]:
        """The cards in hands in a small picture (h, w, 3), see ``people.usual``; times must rise.

        ``length_px`` is a card's length in px of the whole picture, of which ``scale`` makes the small one.
        """
        self._small, self._scale = small, scale
        length = length_px * scale
        if length < LEAST_LENGTH or not self._names:
            return []
        if self._where and int(differs.sum()) < LEAST_AREA * CARD_SHAPE * length**2:
            self._keep(at_ms, self._where[-1][1])  # nothing has moved
            return []
        share = _share_in(usual, small)
        skin = self._is_skin(small) & (share <= TABLE_SHARE)
        self._remember(at_ms, skin)
        patches = _without_shadow(np.asarray((differs > 0) & ~skin & (share <= COMMON_SHARE)), small, usual)
        count, pieces, stats, _ = cv2.connectedComponentsWithStats(_closed(patches))
        found = []
        for piece in range(1, count):
            size = float(stats[piece, cv2.CC_STAT_AREA]) / (CARD_SHAPE * length**2)
            if LEAST_AREA <= size <= MOST_AREA:
                patch = np.asarray(pieces == piece)
                if (middle := _middle_of_card(patch, length)) is not None:
                    found.append(HeldCard(middle / scale, size, self._holder(patch, skin, middle, length)))
        return found

    def skin_near(
        self, at: NDArray[np.float64], from_ms: int, until_ms: int, length_px: float
    ) -> float | None:
        """How much skin was round a place (2,) in the mean of a span, in cards; None where nobody looked."""
        seen = [grid for at_ms, grid in self._where if from_ms <= at_ms <= until_ms]
        if not seen:
            return None
        length = length_px * self._scale
        rows, columns = np.indices(seen[0].shape)
        middles = np.stack([columns, rows], axis=-1) * CELL + (CELL - 1) / 2
        is_near = np.linalg.norm(middles - at * self._scale, axis=-1) < HAND * length
        pixels = float(np.mean([grid[is_near].sum() for grid in seen])) * CELL**2
        return pixels / (CARD_SHAPE * length**2)

    def _remember(self, at_ms: int, skin: Mask) -> None:
        size = (skin.shape[1] // CELL, skin.shape[0] // CELL)
        grid = cv2.resize(skin.astype(np.float32), size, interpolation=cv2.INTER_AREA)
        self._keep(at_ms, np.asarray(grid, np.float32))

    def _keep(self, at_ms: int, grid: NDArray[np.float32]) -> None:
        self._where.append((at_ms, grid))
        while at_ms - self._where[0][0] > MEMORY_MS:
            self._where.popleft()

    def _is_skin(self, small: Small) -> Mask:
        if self._skin.sum() < SKIN_LEAST:
            hsv = cv2.cvtColor(small, cv2.COLOR_RGB2HSV_FULL)
            is_hue = (hsv[..., 0] >= SKIN_HUE[0] * 256 / 360) & (hsv[..., 0] <= SKIN_HUE[1] * 256 / 360)
            return np.asarray(is_hue & (hsv[..., 1] > 255 * SKIN_SATURATION))
        is_skin = (self._skin >= SKIN_SHARE * self._skin.sum()).astype(np.uint8)
        around = cv2.dilate(is_skin, np.ones((3, 3), np.uint8)) > 0
        return np.asarray(around.ravel()[_chroma(small)])

    def _holder(self, patch: Mask, skin: Mask, middle: NDArray[np.float64], length: float) -> Seat | None:
        """The seat from whose side the skin beside a patch comes; ``middle`` in px of the small picture."""
        reach = 2 * int(np.ceil(BESIDE * length)) + 1
        beside = cv2.dilate(patch.astype(np.uint8), np.ones((reach, reach), np.uint8)) > 0
        if int((beside & skin).sum()) < max(2.0, LEAST_SKIN * CARD_SHAPE * length**2):
            return None
        rows, columns = np.nonzero(skin)
        points = np.column_stack([columns, rows]).astype(np.float64)
        near = points[np.linalg.norm(points - middle, axis=1) < HAND * length]
        way = near.mean(axis=0) - middle
        if np.linalg.norm(way) < ASIDE * length:
            return None
        nats = self._says(middle / self._scale, way / np.linalg.norm(way))
        ranked = np.sort(nats)
        is_clear = len(ranked) == 1 or ranked[-1] - ranked[-2] >= CLEARLY_NATS
        return self._names[int(nats.argmax())] if is_clear else None

    def _says(self, at: NDArray[np.float64], way: NDArray[np.float64]) -> NDArray[np.float64]:
        """(seats,) nats for a hand that comes to a place in the picture from that way."""
        ways = self._at - at
        distances = np.maximum(np.linalg.norm(ways, axis=1), 1.0)
        nats = DIRECTION_NATS * (ways @ way) / distances
        return np.asarray(nats - HOME_NATS * np.log2(distances / self._away), np.float64)


def _middle_of_card(patch: Mask, length: float) -> NDArray[np.float64] | None:
    """(2,) the middle of a patch that has the shape of a card, in px of the small picture."""
    rows, columns = np.nonzero(patch)
    points = np.column_stack([columns, rows]).astype(np.float32)
    middle, sides, _ = cv2.minAreaRect(points)
    longer, shorter = max(sides) + 1, min(sides) + 1
    if longer > MOST_LENGTH * length or len(points) < LEAST_FILL * longer * shorter:
        return None
    return np.asarray(middle, np.float64)


def _chroma(colours: NDArray[np.uint8]) -> NDArray[np.int32]:
    """(...,): the bin of red's and green's shares of all light, for colours (..., 3)."""
    values = colours.astype(np.int32)
    red, green = values[..., 0], values[..., 1]
    total = red + green + values[..., 2] + 3
    steps = CHROMA_BINS * 3 // 2
    bins = [np.minimum(steps * one // total, CHROMA_BINS - 1) for one in (red, green)]
    return np.asarray(bins[0] * CHROMA_BINS + bins[1], np.int32)


def _share_in(usual: Small, small: Small) -> NDArray[np.float64]:
    """(h, w): which share of the usual picture has about the colour that each pixel has."""
    kinds = _kinds(usual)
    counts = np.bincount(kinds.ravel(), minlength=512) / kinds.size
    return np.asarray(counts[_kinds(small)], np.float64)


def _kinds(picture: Small) -> NDArray[np.int32]:
    """(h, w): which of 512 colours each pixel has."""
    steps = (picture >> 5).astype(np.int32)
    return np.asarray((steps[..., 0] << 6) | (steps[..., 1] << 3) | steps[..., 2], np.int32)


def _closed(patches: Mask) -> Small:
    """The patches with gaps of a pixel closed, without specks."""
    square = np.ones((3, 3), np.uint8)
    closed = cv2.morphologyEx(patches.astype(np.uint8), cv2.MORPH_CLOSE, square)
    return np.asarray(cv2.morphologyEx(closed, cv2.MORPH_OPEN, square), np.uint8)


def _without_shadow(patches: Mask, small: Small, usual: Small) -> Mask:
    """The patches without the pixels of which all channels are darkened alike."""
    ratio = (small[patches].astype(np.float32) + 4) / (usual[patches].astype(np.float32) + 4)
    mean = ratio.mean(axis=1)
    unlike = np.abs(ratio - mean[:, None]).max(axis=1)
    lit = patches.copy()
    lit[patches] = (mean >= 1) | (unlike >= SHADOW_CHROMA * mean + 0.02)
    return lit
