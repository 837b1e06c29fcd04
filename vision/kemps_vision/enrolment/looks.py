"""Looks at a card as it may lie in a game: turned, tilted, nearer or farther, in other light, less sharp."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from kemps_vision.cards.reading import Floats, Pixels

CARD_PX: Final = (75.0, 170.0)
"""How long cards are in looks: from a whole table in a picture to a close one."""

_SIDE: Final = 1.9  # of a look's picture, in lengths of its card
_TILT: Final = 0.22  # how much nearer one edge may be than the other
_SQUEEZE: Final = (0.62, 1.0)  # one direction foreshortened, as under 50 degrees of tilt


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A picture of one card: (n, n, 3) RGB and the card's corners (4, 2) in it."""

    pixels: Pixels
    quad: Floats

    @property
    def card_px(self) -> float:
        """The mean length of the card's long sides."""
        return float(np.linalg.norm(self.quad[[3, 2]] - self.quad[[0, 1]], axis=1).mean())


def look_at(picture: Pixels, quad: Floats, rng: np.random.Generator) -> Look:
    """A random look at the card of a picture; what lies beyond the picture is its edge, drawn out."""
    length = float(np.linalg.norm(quad[[3, 2]] - quad[[0, 1]], axis=1).mean())
    card_px = min(float(np.exp(rng.uniform(*np.log(CARD_PX)))), length)
    side = int(np.ceil(card_px * _SIDE))
    warp = _warp(quad.mean(axis=0), card_px / length, side, rng)
    if card_px / length < 0.67:
        picture = np.asarray(cv2.blur(picture, (2, 2)), np.uint8)
    seen = cv2.warpPerspective(
        picture, warp, (side, side), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE
    )
    moved = cv2.perspectiveTransform(quad[None].astype(np.float32), warp.astype(np.float32))[0]
    return Look(_photographed(np.asarray(seen, np.uint8), rng), moved.astype(np.float64))


def _warp(middle: Floats, scale: float, side: int, rng: np.random.Generator) -> Floats:
    turn, axis = rng.uniform(-np.pi, np.pi, 2)
    squeeze = float(rng.uniform(*_SQUEEZE)) if rng.uniform() < 0.6 else 1.0
    linear = _rotation(axis) @ np.diag([1.0, squeeze]) @ _rotation(-axis) @ _rotation(turn) * scale
    affine = np.eye(3)
    affine[:2, :2] = linear
    affine[:2, 2] = side / 2 - linear @ middle
    lean = np.eye(3)
    lean[2, :2] = rng.uniform(-_TILT, _TILT, 2) / side
    lean[2, 2] = 1 - float(lean[2, :2].sum()) * side / 2
    return np.asarray(lean @ affine, dtype=np.float64)


def _rotation(angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


def _photographed(pixels: Pixels, rng: np.random.Generator) -> Pixels:
    light = float(rng.uniform(0.62, 1.2)) * rng.uniform(0.92, 1.08, 3)
    ys, xs = np.mgrid[-1 : 1 : pixels.shape[0] * 1j, -1 : 1 : pixels.shape[1] * 1j]
    slope = rng.uniform(-0.12, 0.12, 2)
    lit = (pixels / 255.0) ** float(rng.uniform(0.85, 1.18)) * (1 + xs * slope[0] + ys * slope[1])[..., None]
    lit = lit * light * 255
    if rng.uniform() < 0.6:
        lit = cv2.GaussianBlur(lit, (0, 0), float(rng.uniform(0.4, 1.1)))
    lit = lit + rng.normal(0, float(rng.uniform(0.5, 4.0)), lit.shape)
    return np.asarray(np.clip(lit, 0, 255), np.uint8)
