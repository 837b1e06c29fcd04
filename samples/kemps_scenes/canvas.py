"""Compositing: sprites warped into place, averaged over the exposure, lit, and laid over a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_scenes.light import UNIT

Image = NDArray[np.uint8]
Quad = NDArray[np.float64]
_MARGIN: Final = 3


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of whole pixels inside a picture; empty when ``x1 <= x0`` or ``y1 <= y0``."""

    x0: int
    y0: int
    x1: int
    y1: int

    @classmethod
    def around(cls, points: NDArray[np.float64], width: int, height: int, margin: int = _MARGIN) -> Box:
        """The box round points (n, 2), cut at the picture's edges."""
        low, high = points.min(axis=0), points.max(axis=0)
        x0, y0 = (
            int(np.clip(np.floor(v) - margin, 0, size)) for v, size in zip(low, (width, height), strict=True)
        )
        x1, y1 = (
            int(np.clip(np.ceil(v) + margin + 1, 0, size))
            for v, size in zip(high, (width, height), strict=True)
        )
        return cls(x0, y0, x1, y1)

    @property
    def is_empty(self) -> bool:
        """Whether no pixel is inside."""
        return self.x1 <= self.x0 or self.y1 <= self.y0

    def of(self, picture: Image) -> Image:
        """The part of a picture inside the box, as a view."""
        return picture[self.y0 : self.y1, self.x0 : self.x1]


@dataclass(frozen=True, eq=False, slots=True)
class Sprite:
    """A flat picture, RGBA, to be shrunk as needed before it is warped, so that nothing glitters."""

    levels: tuple[Image, ...]

    @classmethod
    def of(cls, rgba: Image) -> Sprite:
        """A sprite with its alpha multiplied in and smaller copies made."""
        padded = cv2.copyMakeBorder(rgba, 2, 2, 2, 2, cv2.BORDER_CONSTANT, value=(0, 0, 0, 0))
        alpha = padded[..., 3:].astype(np.float32) / 255
        whole = np.dstack([np.round(padded[..., :3] * alpha).astype(np.uint8), padded[..., 3]])
        levels = [whole]
        while min(levels[-1].shape[:2]) > 48:
            height, width = levels[-1].shape[:2]
            smaller = cv2.resize(levels[-1], (width * 3 // 4, height * 3 // 4), interpolation=cv2.INTER_AREA)
            levels.append(np.asarray(smaller, np.uint8))
        return cls(tuple(levels))

    def warped(self, corners: Quad, box: Box) -> Image:
        """Premultiplied RGBA inside a box, the sprite's corners (TL, TR, BR, BL) being where given."""
        side = max(float(np.hypot(*(corners[0] - corners[3]))), float(np.hypot(*(corners[1] - corners[2]))))
        top = max(float(np.hypot(*(corners[0] - corners[1]))), float(np.hypot(*(corners[2] - corners[3]))))
        level = self.levels[0]
        for level in reversed(self.levels):
            if level.shape[0] >= side and level.shape[1] >= top:
                break
        height, width = level.shape[:2]
        shrunk = height / self.levels[0].shape[0]
        m = 2 * shrunk  # the border added in `of`
        # OpenCV's pixel middles are whole numbers, so a picture's edge is half a pixel outside its first.
        source = (
            np.array([[m, m], [width - m, m], [width - m, height - m], [m, height - m]], np.float32) - 0.5
        )
        target = (corners - (box.x0, box.y0)).astype(np.float32)
        matrix = cv2.getPerspectiveTransform(source, target)
        size = (box.x1 - box.x0, box.y1 - box.y0)
        return np.asarray(cv2.warpPerspective(level, matrix, size, flags=cv2.INTER_LINEAR), np.uint8)


def averaged(pictures: Sequence[Image]) -> Image:
    """The mean of equal-sized pictures."""
    if len(pictures) == 1:
        return pictures[0]
    total = np.zeros(pictures[0].shape, np.float32)
    for picture in pictures:
        cv2.accumulate(picture, total)
    return np.asarray(cv2.convertScaleAbs(total, alpha=1 / len(pictures)), np.uint8)


def lay_over(picture: Image, sprite: Image, box: Box, light: Image, shade: float = 1.0) -> None:
    """Lays a premultiplied RGBA sprite over a picture inside a box, lit by the light map times ``shade``."""
    place = box.of(picture)
    lit = cv2.multiply(
        np.ascontiguousarray(sprite[..., :3]), np.ascontiguousarray(box.of(light)), scale=shade / UNIT
    )
    through = cv2.merge([cv2.bitwise_not(np.ascontiguousarray(sprite[..., 3]))] * 3)
    kept = cv2.multiply(np.ascontiguousarray(place), through, scale=1 / 255)
    place[:] = cv2.add(kept, lit)


def darken(picture: Image, outline: NDArray[np.float64], blur_px: float, strength: float) -> None:
    """Darkens a picture inside an outline (n, 2) by ``strength`` with soft edges: a shadow."""
    height, width = picture.shape[:2]
    box = Box.around(outline, width, height, margin=round(blur_px * 2.5) + 2)
    if box.is_empty or strength <= 0:
        return
    step = 4 if blur_px > 5 else 2
    size = ((box.y1 - box.y0) // step + 1, (box.x1 - box.x0) // step + 1)
    mask = np.zeros(size, np.uint8)
    inside = np.round((outline - (box.x0, box.y0)) / step * 16).astype(np.int32)
    cv2.fillPoly(mask, [inside], round(255 * strength), cv2.LINE_AA, 4)
    soft = cv2.blur(cv2.blur(mask, _kernel(blur_px / step)), _kernel(blur_px / step))
    whole = cv2.resize(soft, (size[1] * step, size[0] * step), interpolation=cv2.INTER_LINEAR)
    shade = cv2.bitwise_not(whole[: box.y1 - box.y0, : box.x1 - box.x0])
    place = box.of(picture)
    place[:] = cv2.multiply(np.ascontiguousarray(place), cv2.merge([shade] * 3), scale=1 / 255)


@lru_cache(maxsize=64)
def _kernel(blur: float) -> tuple[int, int]:
    size = max(1, round(blur * 1.8)) | 1
    return (size, size)
