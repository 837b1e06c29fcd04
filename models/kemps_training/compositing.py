"""Lays flat cards on a picture in perspective and keeps the truth about what is seen of each."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_training.cameras import Floats
from kemps_training.decks import Image
from kemps_training.labels import BACK_COLUMNS, IndexLabel
from kemps_training.textures import rounded_mask


@dataclass(frozen=True, slots=True)
class PlacedIndex:
    """An index as laid: its points through the card's homography."""

    owner: int
    glyph: int
    suit: int
    points: Floats
    rank_part: Floats
    suit_part: Floats


@dataclass(slots=True)
class Table:
    """The picture while cards are laid on it; ``owner`` is the card seen at each px (0 none, -1 thing)."""

    pixels: Image
    card_length_px: float
    shadow: float = 0.0
    shadow_shift: tuple[float, float] = (0.0, 0.0)
    brightness: float = 1.0
    owner: NDArray[np.int16] = field(init=False)
    indices: list[PlacedIndex] = field(default_factory=list)
    face_down: dict[int, Floats] = field(default_factory=dict)
    cards: int = 0

    def __post_init__(self) -> None:
        self.owner = np.zeros(self.pixels.shape[:2], np.int16)

    def lay(self, texture: Image, quad: Floats, light: float, *, face_down: bool) -> int:
        """Lays a card over what is there; returns its number, or 0 if it is out of the picture."""
        side = self.pixels.shape[0]
        low, high = np.floor(quad.min(0)).astype(int) - 2, np.ceil(quad.max(0)).astype(int) + 3
        left, top = np.maximum(low, 0)
        right, bottom = np.minimum(high, side)
        if right - left < 4 or bottom - top < 4 or (high - low).max() > 1000:
            return 0
        height, width = texture.shape[:2]
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        warp = cv2.getPerspectiveTransform(corners, (quad - [left, top]).astype(np.float32))
        size = (int(right - left), int(bottom - top))
        card = cv2.warpPerspective(
            texture, warp, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        mask = cv2.warpPerspective(rounded_mask(height, width), warp, size, flags=cv2.INTER_LINEAR)
        region = self.pixels[top:bottom, left:right]
        if self.shadow:
            self._cast(region, np.asarray(mask, np.uint8))
        cover = mask.astype(np.float32)[..., None] / 255
        region[:] = (
            (region * (1 - cover) + card * cover * self.brightness * light).clip(0, 255).astype(np.uint8)
        )
        self.cards += 1
        self.owner[top:bottom, left:right][mask > 127] = self.cards
        if face_down:
            self.face_down[self.cards] = quad
        return self.cards

    def _cast(self, region: Image, mask: NDArray[np.uint8]) -> None:
        shift = np.array([[1, 0, self.shadow_shift[0]], [0, 1, self.shadow_shift[1]]], np.float32)
        moved = cv2.warpAffine(mask, shift, (mask.shape[1], mask.shape[0]))
        soft = cv2.GaussianBlur(moved, (0, 0), max(1.0, 0.015 * self.card_length_px)).astype(np.float32) / 255
        region[:] = (region * (1 - self.shadow * soft[..., None])).astype(np.uint8)

    def face_up(self) -> NDArray[np.bool_]:
        """Where a face-up card is seen."""
        return (self.owner > 0) & ~np.isin(self.owner, list(self.face_down))

    def backs(self) -> NDArray[np.float32]:
        """Rows (n, 9) about the face-down cards: corners, and the share of each that is in sight."""
        shares = [self._seen(quad, card) for card, quad in self.face_down.items()]
        rows = [
            np.append(quad.ravel(), seen / max(1, whole))
            for quad, (seen, whole) in zip(self.face_down.values(), shares, strict=True)
        ]
        return np.array(rows, np.float32).reshape(-1, BACK_COLUMNS)

    def is_in_view(self, index: PlacedIndex) -> bool:
        """Whether any of the index can be in the picture."""
        box = np.vstack([index.rank_part, index.suit_part])
        return bool((box.max(0) > 0).all() and (box.min(0) < self.pixels.shape[0]).all())

    def label(self, index: PlacedIndex) -> IndexLabel:
        """The label of an index, with its visible shares as things lie now."""
        rank_seen, rank_all = self._seen(index.rank_part, index.owner)
        suit_seen, suit_all = self._seen(index.suit_part, index.owner)
        centre, top, right, middle = index.points
        return IndexLabel(
            centre=centre,
            up=top - centre,
            right=right - centre,
            middle=middle,
            rank=index.glyph,
            suit=index.suit,
            visible=(rank_seen + suit_seen) / max(1, rank_all + suit_all),
            rank_visible=rank_seen / max(1, rank_all),
            suit_visible=suit_seen / max(1, suit_all),
        )

    def _seen(self, part: Floats, owner: int) -> tuple[int, int]:
        """Px of the polygon ``part`` where ``owner`` is seen, and all its px, in the picture or not."""
        outline = np.round(part).astype(np.int32)
        low, high = outline.min(0), outline.max(0) + 1
        area = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
        cv2.fillConvexPoly(area, outline - low, 1)
        left, top = np.maximum(low, 0)
        right, bottom = np.maximum(np.minimum(high, self.pixels.shape[0]), [left, top])
        inside = area[top - low[1] : bottom - low[1], left - low[0] : right - low[0]] > 0
        seen = (self.owner[top:bottom, left:right] == owner) & inside
        return int(seen.sum()), int(area.sum())
