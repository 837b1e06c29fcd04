"""The letters and figures of card indices, written as pen strokes so that no font has to be installed.

A glyph lives in a box from (0, 0) to (1, 1), y downwards. A stroke is drawn with a pen whose width depends on
the direction of the stroke, as with a broad nib: that, serifs, width and slant make many faces of one set of
strokes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_scenes.pen import Points, arc
from kemps_scenes.rare_glyphs import RARE_STROKES, RARE_WIDTHS


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """How glyphs are written; lengths are shares of the glyph's height.

    Attributes:
        weight: Width of the thickest stroke.
        contrast: Share of ``weight`` that the thinnest stroke loses (0 = even strokes).
        width: Width of a usual glyph.
        serif: Half the length of a serif, 0 for none.
        slant: Shift to the right at the top.
    """

    weight: float = 0.17
    contrast: float = 0.0
    width: float = 0.62
    serif: float = 0.0
    slant: float = 0.0


def _path(*points: tuple[float, float]) -> Points:
    return np.asarray(points, np.float64)


_SIX: Final = (
    arc((0.5, 0.69), (0.5, 0.31), 0, 360, 48),
    np.vstack([arc((0.60, 0.66), (0.60, 0.66), 180, 292)]),
)
_STROKES: Final[dict[str, tuple[Points, ...]]] = {
    "A": (_path((-0.06, 1.15), (0.5, -0.04), (1.06, 1.15)), _path((0.2, 0.69), (0.8, 0.69))),
    "2": (np.vstack([arc((0.5, 0.29), (0.48, 0.29), 188, 395), _path((0.0, 1.0)), _path((1.04, 1.0))]),),
    "3": (
        np.vstack([arc((0.47, 0.25), (0.43, 0.25), 200, 450), arc((0.47, 0.74), (0.53, 0.26), 270, 522)]),
        _path((0.34, 0.49), (0.5, 0.49)),
    ),
    "4": (_path((0.74, 1.15), (0.74, 0.0), (0.0, 0.72), (1.08, 0.72)),),
    "5": (
        np.vstack([_path((0.94, 0.0), (0.16, 0.0), (0.1, 0.46)), arc((0.46, 0.69), (0.54, 0.31), 225, 520)]),
    ),
    "6": _SIX,
    "7": (_path((-0.04, 0.0), (1.0, 0.0), (0.36, 1.15)),),
    "8": (arc((0.5, 0.24), (0.42, 0.24), 0, 360, 48), arc((0.5, 0.74), (0.5, 0.26), 0, 360, 48)),
    "9": tuple(1.0 - stroke for stroke in _SIX),
    "1": (_path((-0.1, 0.24), (0.5, 0.0), (0.5, 1.15)),),
    "0": (arc((0.5, 0.5), (0.5, 0.5), 0, 360, 60),),
    "J": (np.vstack([_path((0.76, -0.15)), arc((0.38, 0.70), (0.38, 0.30), 0, 172)]),),
    "Q": (arc((0.5, 0.48), (0.5, 0.48), 0, 360, 60), _path((0.52, 0.68), (1.02, 1.06))),
    "K": (
        _path((0.0, -0.15), (0.0, 1.15)),
        _path((1.06, -0.12), (0.0, 0.66)),
        _path((0.34, 0.42), (1.06, 1.15)),
    ),
    **RARE_STROKES,
}
_SERIFS: Final[dict[str, tuple[tuple[float, float], ...]]] = {
    "A": ((0.0, 1.0), (1.0, 1.0)),
    "4": ((0.74, 1.0),),
    "7": ((0.40, 1.0),),
    "1": ((0.5, 1.0),),
    "J": ((0.76, 0.0),),
    "K": ((0.0, 0.0), (0.0, 1.0), (0.94, 0.0), (0.96, 1.0)),
}
_WIDTHS: Final = {"1": 0.42, "J": 0.85, "Q": 1.12, "K": 1.06, "A": 1.12, "0": 0.86, **RARE_WIDTHS}
_NIB_DEG: Final = 12.0


@lru_cache(maxsize=256)
def glyph_mask(character: str, face: Face, height_px: int) -> NDArray[np.uint8]:
    """The ink (0..255) of one character, ``height_px`` high; its width follows from the face."""
    weight = face.weight * height_px
    box = face.width * _WIDTHS.get(character, 1.0) * height_px
    overhang = face.serif * height_px + face.slant * height_px
    mask = np.zeros((height_px, round(box + 2 * overhang)), np.uint8)
    inner = np.array([box - weight, height_px - weight])
    origin = np.array([overhang + weight / 2, weight / 2])
    for stroke in _STROKES[character]:
        _draw_stroke(mask, stroke * inner + origin, weight, face.contrast)
    for x, y in _SERIFS.get(character, ()) if face.serif else ():
        _draw_serif(mask, x * inner[0] + origin[0], y, face, height_px)
    return _slanted(mask, face.slant * height_px) if face.slant else mask


def rank_mask(rank: str, face: Face, height_px: int) -> NDArray[np.uint8]:
    """The ink of a rank (``T`` is written 10, narrower), cut to its width."""
    if rank != "T":
        return _trimmed(glyph_mask(rank, face, height_px))
    one = _trimmed(glyph_mask("1", face, height_px))
    nought = _trimmed(
        glyph_mask("0", Face(weight=face.weight * 0.92, contrast=face.contrast, width=face.width), height_px)
    )
    gap = np.zeros((height_px, max(2, round(0.07 * height_px))), np.uint8)
    return np.hstack([one, gap, nought])


def _draw_stroke(mask: NDArray[np.uint8], points: Points, weight: float, contrast: float) -> None:
    dense = np.vstack([np.linspace(a, b, 8) for a, b in pairwise(points)])
    for a, b in pairwise(dense):
        step = b - a
        if not step.any():
            continue
        across = abs(np.sin(np.arctan2(step[1], step[0]) + np.radians(_NIB_DEG)))
        width = weight * (1 - contrast * (1 - across))
        cv2.line(mask, _pixel(a), _pixel(b), 255, max(1, round(width)), cv2.LINE_AA, 4)


def _pixel(point: NDArray[np.float64]) -> tuple[int, int]:
    return (round(float(point[0]) * 16), round(float(point[1]) * 16))


def _draw_serif(mask: NDArray[np.uint8], x: float, y: float, face: Face, height_px: int) -> None:
    thick = max(2, round(face.weight * height_px * max(0.42, 1 - face.contrast)))
    half = face.serif * height_px + face.weight * height_px / 2
    top = 0 if y < 0.5 else height_px - thick
    cv2.rectangle(mask, (round(x - half), top), (round(x + half), top + thick), 255, -1)


def _slanted(mask: NDArray[np.uint8], shift: float) -> NDArray[np.uint8]:
    height, width = mask.shape
    matrix = np.array([[1, -shift / height, shift / 2], [0, 1, 0]], np.float64)
    return np.asarray(cv2.warpAffine(mask, matrix, (width, height)), np.uint8)


def _trimmed(mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
    columns = np.flatnonzero(mask.max(axis=0))
    return mask[:, columns[0] : columns[-1] + 1]
