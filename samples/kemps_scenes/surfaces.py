"""What the table is covered with, as square textures that repeat; drawn from noise, so none is a photo."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Texture = NDArray[np.float32]

TILE_M: Final = 1.28
TILE_PX: Final = 2048


def _cloud(rng: np.random.Generator, across: int, down: int | None = None) -> Texture:
    """Smooth noise that repeats, ``across`` x ``down`` cells over the tile; mean 0, deviation about 1."""
    cells = rng.normal(size=(down or across, across)).astype(np.float32)
    wrapped = np.pad(cells, 2, mode="wrap")
    scale_x, scale_y = TILE_PX / across, TILE_PX / (down or across)
    width, height = round(wrapped.shape[1] * scale_x), round(wrapped.shape[0] * scale_y)
    big = cv2.resize(wrapped, (width, height), interpolation=cv2.INTER_CUBIC)
    x, y = round(2 * scale_x), round(2 * scale_y)
    return np.asarray(big[y : y + TILE_PX, x : x + TILE_PX], np.float32)


def _grain(rng: np.random.Generator) -> Texture:
    return rng.normal(size=(TILE_PX, TILE_PX)).astype(np.float32)


def _tinted(colour: tuple[int, int, int], brightness: Texture) -> Texture:
    return np.asarray(np.asarray(colour, np.float32) * brightness[..., None], np.float32)


def _felt(rng: np.random.Generator) -> Texture:
    fibres = cv2.GaussianBlur(_grain(rng), (0, 0), 1.1) * 2.2
    return _tinted((34, 104, 66), 1 + 0.045 * fibres + 0.03 * _cloud(rng, 90) + 0.035 * _cloud(rng, 9))


def _wood(rng: np.random.Generator) -> Texture:
    planks = 9
    rows = TILE_PX // planks + 1
    picture = np.zeros((TILE_PX, TILE_PX, 3), np.float32)
    stripes = 0.5 * _cloud(rng, 6, 420) + 0.5 * _cloud(rng, 14, 900)
    rings = np.sin((_cloud(rng, 3, 26) * 2.6 + np.linspace(0, 60, TILE_PX, dtype=np.float32)[:, None]) * 2.4)
    brightness = 1 + 0.075 * stripes + 0.045 * rings + 0.02 * _grain(rng)
    for plank in range(planks):
        part = slice(plank * rows, (plank + 1) * rows)
        base = np.array([150, 102, 62], np.float32) * rng.uniform(0.86, 1.12)
        shifted = np.roll(brightness[part], int(rng.integers(TILE_PX)), axis=1)
        picture[part] = base * shifted[..., None]
        picture[plank * rows : plank * rows + 3] *= 0.55
    return picture


def _cloth(rng: np.random.Generator) -> Texture:
    t = np.arange(TILE_PX, dtype=np.float32)
    weave = np.sin(t * np.pi / 2.0)[None, :] * 0.5 + np.sin(t * np.pi / 2.0)[:, None] * 0.5
    folds = 0.035 * _cloud(rng, 5) + 0.02 * _cloud(rng, 3, 12)
    return _tinted((222, 216, 204), 0.98 + 0.02 * weave + folds + 0.012 * _grain(rng))


def _slate(rng: np.random.Generator) -> Texture:
    return _tinted((58, 60, 66), 1 + 0.07 * _cloud(rng, 24) + 0.06 * _cloud(rng, 200) + 0.05 * _grain(rng))


def _gingham(rng: np.random.Generator) -> Texture:
    size = TILE_PX // 32
    bands = (np.arange(TILE_PX) // size) % 2
    share = (bands[None, :] + bands[:, None])[..., None] / 2
    white, blue = np.array([226, 224, 216], np.float32), np.array([92, 124, 164], np.float32)
    t = np.arange(TILE_PX, dtype=np.float32)
    weave = (
        1
        + 0.03 * np.sin((t[None, :] + t[:, None]) * np.pi / 2.5)
        + 0.025 * _cloud(rng, 6)
        + 0.015 * _grain(rng)
    )
    return np.asarray((white * (1 - share) + blue * share) * weave[..., None], np.float32)


_SURFACES: Final[dict[str, Callable[[np.random.Generator], Texture]]] = {
    "felt": _felt,
    "wood": _wood,
    "cloth": _cloth,
    "slate": _slate,
    "gingham": _gingham,
}


@lru_cache(maxsize=6)
def surface_texture(name: str, seed: int) -> NDArray[np.uint8]:
    """The surface's texture, RGB (2048, 2048, 3), for a square of 1.28 m that repeats; for reading only."""
    texture = np.clip(_SURFACES[name](np.random.default_rng([seed, 77])), 0, 255).astype(np.uint8)
    # A little blur stands for the lens: without it fine noise would glitter in the distance.
    return np.asarray(cv2.GaussianBlur(texture, (0, 0), 0.8), np.uint8)
