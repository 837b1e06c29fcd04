"""The colours of a person's face, painted on the base mesh's front view: lips, brows, lids, cheeks, stubble.

The picture is a plane in front of the resting base mesh, so that one set of places serves every face: the
mesh carries the colours along when a morph or an expression moves it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_scenes.bodies.mesh import Floats, base_mesh

Rgb = tuple[int, int, int]

PX_PER_DM: Final = 380
LEFT_DM: Final = -1.1
TOP_DM: Final = 8.6
SIZE: Final = (836, 988)  # 2.2 x 2.6 dm
SKINS: Final[tuple[Rgb, ...]] = (
    (238, 204, 184),
    (226, 184, 156),
    (214, 168, 134),
    (194, 144, 108),
    (164, 114, 82),
    (128, 86, 62),
    (96, 64, 48),
    (72, 48, 38),
)
"""Skin tones from light to dark."""
HAIRS: Final[tuple[Rgb, ...]] = (
    (30, 24, 22),
    (58, 40, 28),
    (96, 66, 42),
    (150, 112, 70),
    (124, 60, 34),
    (158, 156, 152),
)
IRISES: Final[tuple[Rgb, ...]] = ((72, 46, 28), (96, 70, 40), (88, 104, 70), (92, 120, 146), (46, 32, 24))
_BROW: Final = ((0.12, 7.405), (0.24, 7.445), (0.40, 7.475), (0.50, 7.455), (0.59, 7.39))


@dataclass(frozen=True, slots=True)
class Complexion:
    """What a face is painted with.

    Attributes:
        skin: Index in `SKINS`.
        hair: Index in `HAIRS`, also of the brows.
        iris: Index in `IRISES`.
        brow: Density of the brows, 0.4 sparse to 1 thick.
        stubble: 0 none to 1 dark.
        lips: 0 natural to 1 painted red.
        seed: Of spots, strokes and blotches.
    """

    skin: int = 1
    hair: int = 1
    iris: int = 0
    brow: float = 0.8
    stubble: float = 0.0
    lips: float = 0.0
    seed: int = 0

    @property
    def tone(self) -> Floats:
        """The skin's colour, RGB from 0 to 1."""
        return np.array([value / 255 for value in SKINS[self.skin]], np.float32)


def paint_face(look: Complexion) -> NDArray[np.uint8]:
    """The picture of a face, RGB (988, 836, 3); see `picture_points` for where things lie in it."""
    rng = np.random.default_rng([look.seed, 21])
    picture = np.empty((SIZE[1], SIZE[0], 3), np.float32)
    picture[:] = look.tone
    blotches = cv2.resize(rng.normal(size=(26, 22)).astype(np.float32), SIZE, interpolation=cv2.INTER_CUBIC)
    pores = cv2.GaussianBlur(rng.normal(size=SIZE[::-1]).astype(np.float32), (0, 0), 1.2)
    picture *= (1 + 0.012 * blotches + 0.05 * pores)[..., None]
    _blush(picture, look)
    _shade_sockets(picture)
    _beard(picture, look, rng)
    _paint_lips(picture, look)
    _paint_brows(picture, look, rng)
    return np.asarray(np.clip(picture * 255, 0, 255), np.uint8)


def picture_points(points: Floats) -> Floats:
    """Pixels (n, 2) of base mesh points (n, 3) in decimetres."""
    return np.asarray(
        np.stack([(points[:, 0] - LEFT_DM) * PX_PER_DM, (TOP_DM - points[:, 1]) * PX_PER_DM], 1), np.float32
    )


def _blob(x: float, y: float, wide: float, high: float) -> Floats:
    """A soft ellipse and its mirror image on the other side, (h, w), 1 in the middle."""
    cx, cy = picture_points(np.array([[x, y, 0.0]], np.float32))[0]
    ys, xs = np.mgrid[0 : SIZE[1], 0 : SIZE[0]].astype(np.float32)
    one = np.exp(-(((xs - cx) / (wide * PX_PER_DM)) ** 2) - ((ys - cy) / (high * PX_PER_DM)) ** 2)
    return np.asarray(np.maximum(one, one[:, ::-1]), np.float32)


def _mix(picture: Floats, colour: NDArray[np.floating], share: NDArray[np.floating]) -> None:
    part = np.asarray(np.clip(share, 0, 1)[..., None], np.float32)
    picture += (np.asarray(colour, np.float32) - picture) * part


def _blush(picture: Floats, look: Complexion) -> None:
    red = look.tone * np.array([1.02, 0.80, 0.78], np.float32)
    _mix(picture, red, 0.30 * _blob(0.38, 6.95, 0.22, 0.2) + 0.28 * _blob(0.05, 6.9, 0.12, 0.1))


def _shade_sockets(picture: Floats) -> None:
    """Darker between eye and nose, at the nostrils, under the lower lip and along the lids."""
    dark = 0.22 * _blob(0.17, 7.33, 0.1, 0.1) + 0.10 * _blob(0.32, 7.2, 0.2, 0.08)
    dark += 0.10 * _blob(0.33, 7.38, 0.18, 0.05) + 0.55 * _blob(0.075, 6.835, 0.05, 0.022)
    dark += 0.14 * _blob(0.0, 6.42, 0.14, 0.04)
    picture *= (1 - dark)[..., None]


def _beard(picture: Floats, look: Complexion, rng: np.random.Generator) -> None:
    if look.stubble <= 0:
        return
    ys, xs = np.mgrid[0 : SIZE[1], 0 : SIZE[0]].astype(np.float32)
    x, y = np.abs(xs / PX_PER_DM + LEFT_DM), TOP_DM - ys / PX_PER_DM
    jaw = np.clip((6.62 - y + 0.75 * np.maximum(0, x - 0.25)) * 5, 0, 1)
    upper = np.exp(-(((y - 6.74) / 0.07) ** 2)) * np.clip((0.34 - x) * 8, 0, 1)
    hairs = 0.55 + 0.9 * np.abs(cv2.GaussianBlur(rng.normal(size=SIZE[::-1]), (0, 0), 0.9))
    _mix(picture, np.array(HAIRS[look.hair], np.float32) / 255, look.stubble * np.maximum(jaw, upper) * hairs)


@lru_cache(maxsize=1)
def _lips() -> Floats:
    """How much each pixel is of the lips, (h, w)."""
    mesh = base_mesh()
    quads = mesh.quads["body"]
    share = mesh.masks["lips"][quads].mean(axis=1)
    mask = np.zeros(SIZE[::-1], np.float32)
    order = [int(i) for i in np.argsort(share) if share[i] > 0.05]
    for quad, part in zip(quads[order], share[order], strict=True):
        points = np.round(picture_points(mesh.vertices[quad])).astype(np.int32)
        cv2.fillConvexPoly(mask, points, float(part))
    return np.asarray(cv2.GaussianBlur(mask, (0, 0), 3.0), np.float32)


def _paint_lips(picture: Floats, look: Complexion) -> None:
    natural = look.tone * np.array([0.86, 0.60, 0.60], np.float32) + np.array([0.02, 0, 0.01], np.float32)
    red = np.array([0.62, 0.10, 0.16], np.float32)
    _mix(picture, natural * (1 - look.lips) + red * look.lips, 0.85 * _lips())


def _paint_brows(picture: Floats, look: Complexion, rng: np.random.Generator) -> None:
    """Short strokes along an arc, on both sides."""
    layer = np.zeros(SIZE[::-1], np.float32)
    arc = np.array(_BROW)
    for side in (-1, 1):
        for t in np.sort(rng.uniform(0, 1, int(420 * look.brow))):
            x = np.interp(t, np.linspace(0, 1, len(arc)), arc[:, 0])
            y = np.interp(x, arc[:, 0], arc[:, 1])
            thick = 0.040 * (1 - 0.75 * t) * np.clip(t * 6 + 0.5, 0, 1) * (0.75 + 0.4 * look.brow)
            y += rng.uniform(-1, 1) * thick
            lean = np.radians(75 - 65 * min(1.0, t * 1.6) + rng.normal(0, 9))
            tip = (x + 0.055 * np.cos(lean), y + 0.045 * np.sin(lean) * (1 - 0.9 * t))
            ends = picture_points(np.array([[side * x, y, 0], [side * tip[0], tip[1], 0]], np.float32))
            start, end = np.round(ends * 8).astype(int).tolist()
            cv2.line(layer, start, end, 0.75, 2, cv2.LINE_AA, 3)
    layer = cv2.GaussianBlur(layer, (0, 0), 1.4)
    _mix(
        picture,
        np.array(HAIRS[look.hair], np.float32) / 255 * 0.8,
        np.clip(layer * (0.6 + 0.5 * look.brow), 0, 0.93),
    )
