"""One made-up picture of cards on a table, with the truth about every index in it."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_training.backgrounds import draw_background
from kemps_training.cameras import Floats, choose_camera, project
from kemps_training.decks import FACE_WIDTH_PX, SUITS, Deck, Image
from kemps_training.labels import COLUMNS, IndexLabel
from kemps_training.layouts import Pose, choose_layout
from kemps_training.light import photograph
from kemps_training.occluders import cover_with_things
from kemps_training.textures import Textures, rounded_mask

SIDE_PX = 256
# Ranges of a card's length in px, each with its share of the pictures; readers zoom to 100-180.
CARD_LENGTHS_PX = ((36.0, 64.0, 0.1), (64.0, 220.0, 0.74), (220.0, 320.0, 0.16))
CARD_WIDTH_MM = 63.0
FACE_DOWN_SHARE = 0.08
OTHER_DECK_SHARE = 0.1
TEN = 9


@dataclass(frozen=True, slots=True)
class Scene:
    """Pixels (side, side, 3) RGB, label rows (n, 13) and where face-up cards are seen, (side, side)."""

    pixels: Image
    rows: NDArray[np.float32]
    face_up: NDArray[np.bool_]


@dataclass(slots=True)
class SceneMaker:
    """Makes scenes from decks and wallpapers; the same generator state gives the same scene."""

    decks: list[Deck]
    wallpapers: list[Image]
    side: int = SIDE_PX
    card_lengths_px: tuple[tuple[float, float, float], ...] = CARD_LENGTHS_PX
    textures: Textures = field(default_factory=Textures)

    def make(self, rng: np.random.Generator) -> Scene:
        """The next scene of ``rng``."""
        low, high, _ = self.card_lengths_px[
            int(rng.choice(len(self.card_lengths_px), p=self._length_shares()))
        ]
        length = float(np.exp(rng.uniform(np.log(low), np.log(high))))
        homography = choose_camera(rng, self.side, length)
        table = _Table(draw_background(rng, self.side, self.wallpapers), length, *_shadow(rng, length))
        weights = np.array([deck.weight for deck in self.decks])
        weights /= weights.sum()
        main = self.decks[int(rng.choice(len(self.decks), p=weights))]
        for pose in choose_layout(rng, self.side, homography, length):
            other = rng.random() < OTHER_DECK_SHARE
            deck = self.decks[int(rng.choice(len(self.decks), p=weights))] if other else main
            self._lay_card(rng, table, deck, pose, homography)
        cover_with_things(rng, table.pixels, table.owner, length)
        rows = [table.label(index).row() for index in table.indices if table.is_in_view(index)]
        pixels = photograph(rng, table.pixels, length)
        stacked = np.stack(rows) if rows else np.zeros((0, COLUMNS), np.float32)
        return Scene(pixels, stacked, table.face_up())

    def _length_shares(self) -> list[float]:
        return [share for _, _, share in self.card_lengths_px]

    def _lay_card(
        self, rng: np.random.Generator, table: _Table, deck: Deck, pose: Pose, homography: Floats
    ) -> None:
        number = int(rng.choice(np.flatnonzero(deck.usable)))
        face_down = rng.random() < FACE_DOWN_SHARE
        height = deck.faces.shape[1]
        quad = _card_quad(pose, height, homography)
        if rng.random() < 0.6:  # bent cards and lens distortion
            quad = quad + rng.normal(0, 0.012 * table.card_length_px, (4, 2))
        if face_down:
            texture = self.textures.back(deck, int(rng.integers(6)))
        else:
            texture = self.textures.face(deck, number, quad)
        owner = table.lay(texture, quad, rng.uniform(0.93, 1.03), face_down=face_down)
        if owner and not face_down:
            table.indices += _indices_of(deck, number, quad, owner)


@dataclass(frozen=True, slots=True)
class PlacedIndex:
    """An index as laid: its points through the card's homography."""

    owner: int
    number: int
    points: Floats
    rank_part: Floats
    suit_part: Floats


@dataclass(slots=True)
class _Table:
    """The picture while cards are laid on it; ``owner`` is the card seen at each px (0 none, -1 thing)."""

    pixels: Image
    card_length_px: float
    shadow: float
    shadow_shift: tuple[float, float]
    brightness: float
    owner: NDArray[np.int16] = field(init=False)
    indices: list[PlacedIndex] = field(default_factory=list)
    face_down: list[int] = field(default_factory=list)
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
            self.face_down.append(self.cards)
        return self.cards

    def _cast(self, region: Image, mask: NDArray[np.uint8]) -> None:
        shift = np.array([[1, 0, self.shadow_shift[0]], [0, 1, self.shadow_shift[1]]], np.float32)
        moved = cv2.warpAffine(mask, shift, (mask.shape[1], mask.shape[0]))
        soft = cv2.GaussianBlur(moved, (0, 0), max(1.0, 0.015 * self.card_length_px)).astype(np.float32) / 255
        region[:] = (region * (1 - self.shadow * soft[..., None])).astype(np.uint8)

    def face_up(self) -> NDArray[np.bool_]:
        """Where a face-up card is seen."""
        return (self.owner > 0) & ~np.isin(self.owner, self.face_down)

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
            rank=index.number // len(SUITS),
            suit=index.number % len(SUITS),
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


def _shadow(rng: np.random.Generator, length: float) -> tuple[float, tuple[float, float], float]:
    strength = rng.uniform(0.15, 0.5) if rng.random() < 0.5 else 0.0
    x, y = rng.normal(0, 0.03 * length, 2)
    return strength, (float(x), float(y)), rng.uniform(0.75, 1.0)


def _card_quad(pose: Pose, face_height: int, homography: Floats) -> Floats:
    """The card's corners in picture px: top left, top right, bottom right, bottom left."""
    half_width, half_height = CARD_WIDTH_MM / 2, CARD_WIDTH_MM * face_height / FACE_WIDTH_PX / 2
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [half_width, half_height]
    cosine, sine = np.cos(pose.turn), np.sin(pose.turn)
    return project(homography, corners @ np.array([[cosine, sine], [-sine, cosine]]) + [pose.x, pose.y])


def _indices_of(deck: Deck, number: int, quad: Floats, owner: int) -> list[PlacedIndex]:
    height, width = deck.faces.shape[1], FACE_WIDTH_PX
    face = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    to_picture = np.asarray(cv2.getPerspectiveTransform(face, quad.astype(np.float32)), np.float64)
    x, y = deck.box.centre
    places = [(x, y, 1), (width - x, height - y, -1)]
    if deck.corners == 4:
        places += [(width - x, y, 1), (x, height - y, -1)]
    found = []
    for place_x, place_y, way in places:
        at = np.array([place_x, place_y])
        up = deck.box.half_height
        down, right = np.array([0.0, way * up]), np.array([way * up, 0.0])
        points = np.array([at, at - down, at + right, [width / 2, height / 2]])
        parts = [at + way * np.array(part) for part in _parts(deck, number)]
        mapped = [project(to_picture, np.asarray(part, np.float64)) for part in (points, *parts)]
        found.append(PlacedIndex(owner, number, mapped[0], mapped[1], mapped[2]))
    return found


def _parts(deck: Deck, number: int) -> tuple[Floats, Floats]:
    """The outlines of rank and suit about the index centre, in face px."""
    box = deck.box
    half = (box.right - box.left) / 2 * (1.25 if number // len(SUITS) == TEN else 1.0) + 1
    split = box.split - box.centre[1]
    up = box.half_height + 1
    rank = np.array([[-half, -up], [half, -up], [half, split], [-half, split]])
    suit = np.array([[-half, split], [half, split], [half, up], [-half, up]])
    return rank, suit
