"""The table, cards and rooms that people sit in, as things to draw and pictures to draw them before."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.cards import DECK_52, Card
from kemps_scenes.bodies.painter import Picture, Thing
from kemps_scenes.bodies.skeleton import Array
from kemps_scenes.deck import open_deck
from kemps_scenes.surfaces import TILE_M, surface_texture

TABLE_HALF_M: Final = 0.46
CARD_M: Final = (0.063, 0.088)
SLOTS_M: Final = ((-0.12, 0.0), (-0.04, 0.0), (0.04, 0.0), (0.12, 0.0))
"""Where the four cards of the centre lie."""
CENTRE_M: Final = (0.175, 0.065)
"""Half the sides of the centre, with a little room round its cards."""

_CORNERS: Final = ((-1, -1), (1, -1), (1, 1), (-1, 1))
_CORNER_UV: Final = np.array([[0, 1], [1, 1], [1, 0], [0, 0]], np.float64)
_TEXTURE_PX: Final = 1024
_CARD_PX: Final = (252, 352)
_FAN_DEG: Final = (-24.0, -8.0, 8.0, 24.0)


def table_thing(surface: str, seed: int, half_m: float = TABLE_HALF_M) -> list[Thing]:
    """A square table's top and the sides of its board."""
    top = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], np.float64) * half_m
    things = [_quad(top, np.array([0, 0, 1.0]), _CORNER_UV, _surface(surface, seed, half_m))]
    below = top - np.array([0, 0, 0.035])
    for i in range(4):
        j = (i + 1) % 4
        side = np.stack([below[i], below[j], top[j], top[i]])
        normal = np.cross(side[1] - side[0], side[3] - side[0])
        things.append(_quad(side, normal / np.linalg.norm(normal), _CORNER_UV, _edge()))
    return things


def long_table_thing(surface: str, seed: int, distance_m: float) -> list[Thing]:
    """The table between a face camera in the origin and people that far away, wider than the picture."""
    near, far, half = 0.25, distance_m - 0.12, 2.4
    top = np.array([[-half, near, 0], [half, near, 0], [half, far, 0], [-half, far, 0]])
    return [_quad(top, np.array([0, 0, 1.0]), _CORNER_UV, _surface(surface, seed, TILE_M / 2))]


def card_thing(middle: Array, up: Array, normal: Array, card: Card | None, deck: str = "club") -> Thing:
    """A card: its face to where ``normal`` points and its top to ``up``; None shows a back.

    Both sides look alike: a card seen from its other side needs a second one.
    """
    normal = normal / np.linalg.norm(normal)
    up = up - normal * (up @ normal)
    up = up / np.linalg.norm(up)
    right = np.cross(up, normal)
    half = np.array(CARD_M) / 2
    corners = [middle + sx * half[0] * right + sy * half[1] * up for sx, sy in _CORNERS]
    return _quad(np.stack(corners), normal, _CORNER_UV, card_picture(card, deck))


def held_card(wrist: Array, along: Array, palm: Array) -> Thing:
    """One card between the finger tips of a hand, its back to be seen."""
    along = along / np.linalg.norm(along)
    palm = palm - along * (palm @ along)
    palm = palm / np.linalg.norm(palm)
    return card_thing(wrist + along * 0.185 + palm * 0.03, along, palm, None)


def held_fan(wrist: Array, along: Array, palm: Array, count: int = 4) -> list[Thing]:
    """Cards held by a hand: backs to where its back is, and to the palm's side too."""
    along = along / np.linalg.norm(along)
    palm = palm - along * (palm @ along)
    palm = palm / np.linalg.norm(palm)
    across = np.cross(palm, along)
    up = across if across[2] >= 0 else -across
    foot = wrist + along * 0.085 + palm * 0.012 - up * 0.01
    things = []
    for i, degrees in enumerate(_FAN_DEG[:count]):
        angle = np.radians(degrees)
        way = np.cos(angle) * up + np.sin(angle) * along
        things.append(card_thing(foot + way * 0.058 + palm * 0.0012 * i, way, -palm, None))
    return things


def centre_cards(seed: int) -> list[Thing]:
    """Four cards face up in the middle of the table."""
    rng = np.random.default_rng([seed, 61])
    chosen = rng.choice(52, 4, replace=False)
    things = []
    for (x, y), index in zip(SLOTS_M, chosen, strict=True):
        turn = np.radians(rng.normal(0, 4))
        up = np.array([-np.sin(turn), np.cos(turn), 0.0])
        things.append(card_thing(np.array([x, y, 0.0012]), up, np.array([0, 0, 1.0]), DECK_52[index]))
    return things


@lru_cache(maxsize=64)
def card_picture(card: Card | None, deck: str) -> Picture:
    """A card's face, or the back for None, RGB (352, 252, 3); the same array each time."""
    opened = open_deck(deck, "lattice")
    whole = opened.back if card is None else opened.face(card)
    shown = whole[..., :3].astype(np.float32)
    share = whole[..., 3:].astype(np.float32) / 255
    flat = shown * share + 235 * (1 - share)
    return np.asarray(cv2.resize(flat, _CARD_PX, interpolation=cv2.INTER_AREA), np.uint8)


@lru_cache(maxsize=16)
def _surface(name: str, seed: int, half_m: float) -> Picture:
    texture = surface_texture(name, seed)
    px = round(min(1.0, 2 * half_m / TILE_M) * texture.shape[0])
    cut = texture[:px, :px]
    return np.asarray(cv2.resize(cut, (_TEXTURE_PX, _TEXTURE_PX), interpolation=cv2.INTER_AREA), np.uint8)


@lru_cache(maxsize=1)
def _edge() -> Picture:
    return np.full((8, 8, 3), (74, 52, 36), np.uint8)


@lru_cache(maxsize=8)
def room(width: int, height: int, seed: int) -> Picture:
    """A wall out of focus with a few pale and dark things on it, RGB (height, width, 3)."""
    rng = np.random.default_rng([seed, 62])
    wall = rng.uniform(70, 190) * (0.9 + 0.2 * rng.uniform(size=3))
    small = np.empty((90, 160, 3), np.float32)
    small[:] = wall
    small *= np.linspace(1.08, 0.82, 90, dtype=np.float32)[:, None, None]
    for _ in range(int(rng.integers(4, 10))):
        x, y = int(rng.integers(-10, 150)), int(rng.integers(-10, 70))
        w, h = int(rng.integers(8, 40)), int(rng.integers(8, 45))
        colour = rng.uniform(0.35, 1.25) * wall * (0.85 + 0.3 * rng.uniform(size=3))
        cv2.rectangle(small, (x, y), (x + w, y + h), colour.tolist(), -1)
    soft = cv2.GaussianBlur(small, (0, 0), 1.6)
    big = cv2.resize(soft, (width, height), interpolation=cv2.INTER_CUBIC)
    return np.asarray(np.clip(big, 0, 255), np.uint8)


@lru_cache(maxsize=8)
def floor(width: int, height: int, seed: int) -> Picture:
    """A floor seen from above, darker than anything on the table, RGB (height, width, 3)."""
    rng = np.random.default_rng([seed, 63])
    colour = np.array([78, 66, 58]) * rng.uniform(0.6, 1.2)
    boards = 1 + 0.06 * np.sin(np.arange(width) / 23.0)[None, :, None]
    grain = cv2.GaussianBlur(rng.normal(size=(height, width)), (0, 0), 2.0)[..., None]
    return np.asarray(np.clip(colour * boards * (1 + 0.15 * grain), 0, 255), np.uint8)


def _quad(corners: Array, normal: Array, uv: NDArray[np.float64], picture: Picture) -> Thing:
    """A quad whose corners go round counter-clockwise, seen from where the normal points."""
    return Thing(
        corners.astype(np.float32),
        np.tile(normal, (4, 1)).astype(np.float32),
        uv.astype(np.float32),
        np.array([[0, 1, 2], [0, 2, 3]], np.int32),
        picture,
    )
