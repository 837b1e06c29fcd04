"""One made-up picture of cards on a table, with the truth about every index in it."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_training.backgrounds import draw_background
from kemps_training.cameras import Floats, choose_camera, project
from kemps_training.compositing import PlacedIndex, Table
from kemps_training.decks import FACE_WIDTH_PX, SUITS, Deck, Image
from kemps_training.labels import COLUMNS
from kemps_training.layouts import Pose, choose_layout
from kemps_training.light import photograph
from kemps_training.occluders import cover_with_things
from kemps_training.sleeves import lay_gloss, lay_sleeve
from kemps_training.textures import Textures

SIDE_PX = 256
# Ranges of a card's length in px, each with its share of the pictures; readers zoom to 100-180.
CARD_LENGTHS_PX = ((36.0, 64.0, 0.1), (64.0, 220.0, 0.76), (220.0, 320.0, 0.14))
# Cards that a camera shows small, and how far a reader then enlarges its picture.
FAR_SHARE = 0.4
FAR_LENGTHS_PX = (30.0, 90.0)
ENLARGEMENTS = (1.0, 2.2)
CARD_WIDTH_MM = 63.0
FACE_DOWN_SHARE = 0.1
# How often a pile of face-down cards lies there too, and how many backs a deck may have.
STOCK_SHARE, BACKS = 0.2, 6
# In one scene of so many all cards are in sleeves.
SLEEVED_SHARE = 0.05
OTHER_DECK_SHARE = 0.1
TEN = 9


@dataclass(frozen=True, slots=True)
class Scene:
    """Pixels (side, side, 3) RGB, label rows (n, 13), where face-up cards are seen, rows on backs (n, 9)."""

    pixels: Image
    rows: NDArray[np.float32]
    face_up: NDArray[np.bool_]
    backs: NDArray[np.float32]


@dataclass(slots=True)
class SceneMaker:
    """Makes scenes from decks and wallpapers; the same generator state gives the same scene."""

    decks: list[Deck]
    wallpapers: list[Image]
    side: int = SIDE_PX
    card_lengths_px: tuple[tuple[float, float, float], ...] = CARD_LENGTHS_PX
    far_share: float = FAR_SHARE
    textures: Textures = field(default_factory=Textures)

    def make(self, rng: np.random.Generator) -> Scene:
        """The next scene of ``rng``."""
        length, shown_length = self._choose_lengths(rng)
        homography = choose_camera(rng, self.side, length)
        table = Table(draw_background(rng, self.side, self.wallpapers), length, *_choose_shadow(rng, length))
        weights = np.array([deck.weight for deck in self.decks])
        weights /= weights.sum()
        main = self.decks[int(rng.choice(len(self.decks), p=weights))]
        sleeved = rng.random() < SLEEVED_SHARE
        if rng.random() < STOCK_SHARE:
            self._lay_stock(rng, table, main, homography)
        for pose in choose_layout(rng, self.side, homography, length):
            other = rng.random() < OTHER_DECK_SHARE
            deck = self.decks[int(rng.choice(len(self.decks), p=weights))] if other else main
            self._lay_card(rng, table, deck, pose, homography, sleeved=sleeved)
        cover_with_things(rng, table.pixels, table.owner, length)
        rows = [table.label(index).row() for index in table.indices if table.is_in_view(index)]
        pixels = photograph(rng, table.pixels, length, shown_length / length)
        stacked = np.stack(rows) if rows else np.zeros((0, COLUMNS), np.float32)
        return Scene(pixels, stacked, table.face_up(), table.backs())

    def _choose_lengths(self, rng: np.random.Generator) -> tuple[float, float]:
        """How long a card is in the scene, and how long it was on the sensor, in px."""
        if rng.random() < self.far_share:
            shown = _log_uniform(rng, *FAR_LENGTHS_PX)
            return shown * rng.uniform(*ENLARGEMENTS), shown
        shares = [share for _, _, share in self.card_lengths_px]
        low, high, _ = self.card_lengths_px[int(rng.choice(len(shares), p=shares))]
        length = _log_uniform(rng, low, high)
        return length, length

    def _lay_stock(self, rng: np.random.Generator, table: Table, deck: Deck, homography: Floats) -> None:
        """A pile of face-down cards, pushed a little out of line."""
        x, y = rng.uniform(0.1 * self.side, 0.9 * self.side, 2)
        middle = project(np.asarray(np.linalg.inv(homography)), np.array([[x, y]]))[0]
        turn, back = rng.uniform(0, 2 * np.pi), int(rng.integers(BACKS))
        for _ in range(int(rng.integers(1, 7))):
            x, y = middle + rng.normal(0, 1.2, 2)
            quad = _card_quad(
                Pose(float(x), float(y), turn + rng.normal(0, 0.02)), deck.faces.shape[1], homography
            )
            table.lay(self.textures.back(deck, back), quad, rng.uniform(0.93, 1.03), face_down=True)

    def _lay_card(
        self,
        rng: np.random.Generator,
        table: Table,
        deck: Deck,
        pose: Pose,
        homography: Floats,
        *,
        sleeved: bool,
    ) -> None:
        number = int(rng.choice(np.flatnonzero(deck.usable)))
        face_down = rng.random() < FACE_DOWN_SHARE
        height = deck.faces.shape[1]
        quad = _card_quad(pose, height, homography)
        if rng.random() < 0.6:  # bent cards and lens distortion
            quad = quad + rng.normal(0, 0.012 * table.card_length_px, (4, 2))
        if face_down:
            texture = self.textures.back(deck, int(rng.integers(BACKS)))
        else:
            texture = self.textures.face(deck, number, quad)
        if sleeved:
            lay_sleeve(rng, table.pixels, quad)
        owner = table.lay(texture, quad, rng.uniform(0.93, 1.03), face_down=face_down)
        if sleeved:
            lay_gloss(rng, table.pixels, quad)
        if owner and not face_down:
            table.indices += indices_of(deck, number, quad, owner)


def _log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _choose_shadow(rng: np.random.Generator, length: float) -> tuple[float, tuple[float, float], float]:
    strength = rng.uniform(0.15, 0.5) if rng.random() < 0.5 else 0.0
    x, y = rng.normal(0, 0.03 * length, 2)
    return strength, (float(x), float(y)), rng.uniform(0.75, 1.0)


def _card_quad(pose: Pose, face_height: int, homography: Floats) -> Floats:
    """The card's corners in picture px: top left, top right, bottom right, bottom left."""
    half_width, half_height = CARD_WIDTH_MM / 2, CARD_WIDTH_MM * face_height / FACE_WIDTH_PX / 2
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [half_width, half_height]
    cosine, sine = np.cos(pose.turn), np.sin(pose.turn)
    return project(homography, corners @ np.array([[cosine, sine], [-sine, cosine]]) + [pose.x, pose.y])


def indices_of(deck: Deck, number: int, quad: Floats, owner: int) -> list[PlacedIndex]:
    """The indices of a face of ``deck`` laid on ``quad`` (4, 2), for the card numbered ``owner``."""
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
        found.append(
            PlacedIndex(owner, deck.glyph_class(number), number % len(SUITS), mapped[0], mapped[1], mapped[2])
        )
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
