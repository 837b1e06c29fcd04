"""Forearms and hands as sprites, modelled as heights over a plane, so that light falls on them as on a body.

A sprite lies in the plane of :mod:`kemps_scenes.anatomy`, right hands as they are, left hands mirrored.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_scenes.anatomy import FINGERS, FOREARM, PALM, PEOPLE, THUMBS, Capsule, Skin

SPRITE_SCALE: Final = 1.75  # pixels a millimetre: a little more than the largest picture shows
SPRITE_X_MM: Final = (-100.0, 100.0)
SPRITE_Y_MM: Final = (-900.0, 200.0)
_HAND_ROWS: Final = round((SPRITE_Y_MM[1] + 20) * SPRITE_SCALE)  # rows above this have all of the hand

Heights = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ArmSprite:
    """One posture of one arm.

    Attributes:
        above: RGBA of what lies over a held card.
        below: RGBA of the thumb, which lies under a held card, or None.
        outline_mm: Outline (n, 2) of the whole arm.
        hand_mm: Outline (n, 2) of the hand without the forearm.
    """

    above: NDArray[np.uint8]
    below: NDArray[np.uint8] | None
    outline_mm: NDArray[np.float64]
    hand_mm: NDArray[np.float64]


@lru_cache(maxsize=160)
def arm_sprite(person: int, posture: str, *, left: bool, light_deg: float) -> ArmSprite:
    """The sprite of a person's arm in a posture, lit from ``light_deg`` in its own plane (0 = the right)."""
    skin = PEOPLE[person % len(PEOPLE)]
    held = posture in ("grip", "hold")
    thumb, fingers = _heights(THUMBS[posture]), np.maximum(_flesh(), _heights(FINGERS[posture]))
    light = 180 - light_deg if left else light_deg
    sleeve = _sleeve_heights(skin, person)
    above = _painted(fingers if held else np.maximum(fingers, thumb), sleeve, skin, light, posture)
    below = _painted_thumb(thumb, skin, light) if held else None
    both = above[..., 3] if below is None else np.maximum(above[..., 3], below[..., 3])
    hand = both.copy()
    hand[round((SPRITE_Y_MM[1] + 2) * SPRITE_SCALE) :] = 0
    outline, hand_outline = _outline(both), _outline(hand)
    if left:
        above = np.ascontiguousarray(above[:, ::-1])
        below = None if below is None else np.ascontiguousarray(below[:, ::-1])
        outline, hand_outline = outline * (-1, 1), hand_outline * (-1, 1)
    return ArmSprite(above, below, outline, hand_outline)


@lru_cache(maxsize=1)
def _grid() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    width = round((SPRITE_X_MM[1] - SPRITE_X_MM[0]) * SPRITE_SCALE)
    height = round((SPRITE_Y_MM[1] - SPRITE_Y_MM[0]) * SPRITE_SCALE)
    x = (np.arange(width, dtype=np.float32) + 0.5) / SPRITE_SCALE + SPRITE_X_MM[0]
    y = SPRITE_Y_MM[1] - (np.arange(height, dtype=np.float32) + 0.5) / SPRITE_SCALE
    return np.broadcast_to(x, (height, width)), np.broadcast_to(y[:, None], (height, width))


def _heights(capsules: list[Capsule]) -> Heights:
    """Height in mm of the upper surface of all capsules, 0 where there is none."""
    xs, ys = _grid()
    surface = np.zeros(xs.shape, np.float32)
    for start, end in capsules:
        (ax, ay, az, ar), (bx, by, bz, br) = start, end
        reach = max(ar, br) + 1
        rows = (ys[:, 0] >= min(ay, by) - reach) & (ys[:, 0] <= max(ay, by) + reach)
        top, bottom = np.flatnonzero(rows)[[0, -1]]
        x, y = xs[top : bottom + 1], ys[top : bottom + 1]
        dx, dy = bx - ax, by - ay
        share = np.clip(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy), 0, 1)
        radius = ar + (br - ar) * share
        off = radius**2 - (x - ax - dx * share) ** 2 - (y - ay - dy * share) ** 2
        height = np.where(off > 0, 20 + az + (bz - az) * share + np.sqrt(np.maximum(off, 0)), 0)
        surface[top : bottom + 1] = np.maximum(surface[top : bottom + 1], height)
    return surface


@lru_cache(maxsize=1)
def _flesh() -> NDArray[np.float32]:
    """The palm and the bare forearm as one smooth body."""
    solid = _heights([*PALM, *FOREARM])
    inside = (solid > 0).astype(np.float32)
    sigma = 5.0 * SPRITE_SCALE
    spread = cv2.GaussianBlur(inside, (0, 0), sigma)
    smooth = cv2.GaussianBlur(solid, (0, 0), sigma) / np.maximum(spread, 1e-3)
    soft = 0.75 * smooth + 0.25 * solid
    return np.where(spread > 0.5, np.where(solid > 0, soft, smooth * 0.6), 0).astype(np.float32)


@lru_cache(maxsize=8)
def _sleeve_heights(skin: Skin, person: int) -> Heights:
    """Height in mm of the sleeve, with folds across it."""
    start = -skin.bare_mm
    surface = _heights([((0, start - 34, 12, 36), (0, -380, 20, 54)), ((0, -380, 20, 54), (0, -840, 24, 66))])
    xs, ys = _grid()
    rng = np.random.default_rng(900 + person)
    folds = np.zeros_like(surface)
    for _ in range(26):
        y0, tilt, size = rng.uniform(-840, start - 20), rng.uniform(-0.5, 0.5), rng.uniform(8, 26)
        folds += (
            rng.uniform(0.6, 2.2)
            * np.exp(-(((ys - y0 - tilt * xs) / size) ** 2))
            * (1 + 0.5 * np.sin(xs / 17 + y0))
        )
    cuff = np.exp(-(((ys - start + 9) / 7.0) ** 2)) * 2.0
    surface = np.where(surface > 0, surface + folds + cuff + 4, 0)
    edge = start - 3 + 2.5 * np.cos(xs / 22)
    return np.where(ys < edge, surface, 0).astype(np.float32)


def _painted(
    skin_heights: Heights, sleeve: Heights, skin: Skin, light_deg: float, posture: str
) -> NDArray[np.uint8]:
    cloth = sleeve > skin_heights
    colour = _skin_colour(skin, skin_heights, posture)
    colour[cloth] = _cloth_colour(skin, cloth.shape)[cloth]
    return _lit(np.maximum(skin_heights, sleeve), colour, light_deg)


def _painted_thumb(heights: Heights, skin: Skin, light_deg: float) -> NDArray[np.uint8]:
    """The thumb alone, as large a picture as that of the whole arm."""
    part = heights[:_HAND_ROWS]
    below = np.zeros((*heights.shape, 4), np.uint8)
    below[:_HAND_ROWS] = _lit(part, _skin_colour(skin, part, None), light_deg)
    return below


def _lit(heights: Heights, colour: NDArray[np.float32], light_deg: float) -> NDArray[np.uint8]:
    """RGBA of a surface of these heights and colours."""
    surface = np.asarray(cv2.GaussianBlur(heights, (0, 0), 1.6 * SPRITE_SCALE / 2), np.float32)
    shaded = colour * _light(surface, light_deg)[..., None]
    alpha = cv2.GaussianBlur((heights > 0).astype(np.uint8) * 255, (0, 0), 0.9)
    return np.dstack([np.clip(shaded, 0, 255).astype(np.uint8), alpha])


def _light(surface: NDArray[np.float32], light_deg: float) -> NDArray[np.float32]:
    """Brightness from the slope of the surface: light from the side and above, soft shade in the creases."""
    dx = cv2.Sobel(surface, cv2.CV_32F, 1, 0, ksize=3) / 8 * SPRITE_SCALE
    dy = -cv2.Sobel(surface, cv2.CV_32F, 0, 1, ksize=3) / 8 * SPRITE_SCALE
    norm = np.sqrt(dx**2 + dy**2 + 1)
    lx, ly = np.cos(np.radians(light_deg)) * 0.55, np.sin(np.radians(light_deg)) * 0.55
    facing = np.clip((-dx * lx - dy * ly + 0.83) / norm, 0, 1)
    crease = np.clip(cv2.GaussianBlur(surface, (0, 0), 7.0) - surface, 0, 9) / 9
    return np.asarray((0.42 + 0.66 * facing) * (1 - 0.34 * crease), np.float32)


@lru_cache(maxsize=8)
def _noise(shape: tuple[int, ...], grain: float, seed: int) -> NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    small = rng.normal(size=(max(2, round(shape[0] / grain)), max(2, round(shape[1] / grain)))).astype(
        np.float32
    )
    return np.asarray(cv2.resize(small, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC), np.float32)


def _skin_colour(skin: Skin, heights: Heights, posture: str | None) -> NDArray[np.float32]:
    base = np.asarray(skin.tone, np.float32)
    mottle = 1 + 0.025 * _noise(heights.shape, 9, 5) + 0.015 * _noise(heights.shape, 2.5, 6)
    colour = np.asarray(base * mottle[..., None], np.float32)
    redness = np.zeros_like(heights)
    for start, end in [*(FINGERS[posture] if posture else []), *THUMBS[posture or "grip"]]:
        for (x, y, _, r), weight in ((start, 0.45), (end, 0.8)):
            part, dx, dy = _near(x, y, 3.2 * r, heights.shape)
            blush = weight * np.exp(-(dx**2 + dy**2) / (1.1 * r) ** 2)
            redness[part] = np.maximum(redness[part], blush)
    colour *= 1 - redness[..., None] * np.array([0.02, 0.11, 0.10], np.float32)
    pale = base * 0.72 + np.array([70, 58, 56], np.float32)
    for x, y, angle, r in _nails(posture):
        part, dx, dy = _near(x, y, 2 * r, heights.shape)
        along = dx * np.cos(angle) + dy * np.sin(angle)
        across = -dx * np.sin(angle) + dy * np.cos(angle)
        nail = np.clip(1.6 - ((along / (r * 0.85)) ** 2 + (across / (r * 0.62)) ** 2) * 1.6, 0, 1)[..., None]
        colour[part] = colour[part] * (1 - 0.55 * nail) + pale * 0.55 * nail
    return colour


def _near(
    x: float, y: float, reach: float, shape: tuple[int, ...]
) -> tuple[tuple[slice, slice], Heights, Heights]:
    """The part of a sprite round a point, and there the distances to the right and forward, in mm."""
    column, row = (x - SPRITE_X_MM[0]) * SPRITE_SCALE, (SPRITE_Y_MM[1] - y) * SPRITE_SCALE
    size = reach * SPRITE_SCALE
    rows = slice(max(0, int(row - size)), min(shape[0], int(row + size) + 1))
    columns = slice(max(0, int(column - size)), min(shape[1], int(column + size) + 1))
    xs, ys = _grid()
    return (rows, columns), xs[rows, columns] - x, ys[rows, columns] - y


def _nails(posture: str | None) -> list[tuple[float, float, float, float]]:
    """Place, direction and radius of the nails that are seen from above."""
    nails = []
    chains = FINGERS[posture][2::3] if posture else THUMBS["grip"][-1:]
    for (ax, ay, _, _), (bx, by, _, r) in [
        *chains,
        *(THUMBS[posture][-1:] if posture in ("rest", "cover") else []),
    ]:
        angle = float(np.arctan2(by - ay, bx - ax))
        nails.append((bx + np.cos(angle) * r * 0.05, by + np.sin(angle) * r * 0.05, angle, r))
    return nails


def _cloth_colour(skin: Skin, shape: tuple[int, ...]) -> NDArray[np.float32]:
    _, ys = _grid()
    weave = 1 + 0.05 * _noise(shape, 1.6, 7) + 0.05 * _noise(shape, 30, 8)
    cuff = (ys > -skin.bare_mm - 22)[..., None]
    return (
        np.where(cuff, np.asarray(skin.cuff, np.float32), np.asarray(skin.sleeve, np.float32))
        * weave[..., None]
    )


def _outline(alpha: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The largest outline of what is solid, in millimetres of the arm's plane."""
    contours, _ = cv2.findContours((alpha > 127).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    largest = max(contours, key=len)
    simple = cv2.approxPolyDP(largest, 1.2, closed=True)[:, 0, :].astype(np.float64)
    return np.stack(
        [
            (simple[:, 0] + 0.5) / SPRITE_SCALE + SPRITE_X_MM[0],
            SPRITE_Y_MM[1] - (simple[:, 1] + 0.5) / SPRITE_SCALE,
        ],
        axis=1,
    )
