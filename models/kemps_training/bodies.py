"""What a procedural face shows between its indices: pips, or a court."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_training.decks import FACE_WIDTH_PX, Image
from kemps_training.glyphs import Mask

Paint = tuple[float, float, float]

# Places of pips as (column, row) in -1..1; those below the middle stand on their heads.
_CORNERS = [(-1, -1), (1, -1), (-1, 1), (1, 1)]
_FOUR_ROWS = [*_CORNERS, (-1, -1 / 3), (1, -1 / 3), (-1, 1 / 3), (1, 1 / 3)]
PIPS: dict[int, list[tuple[float, float]]] = {
    2: [(0, -1), (0, 1)],
    3: [(0, -1), (0, 0), (0, 1)],
    4: [*_CORNERS],
    5: [*_CORNERS, (0, 0)],
    6: [*_CORNERS, (-1, 0), (1, 0)],
    7: [*_CORNERS, (-1, 0), (1, 0), (0, -0.5)],
    8: [*_CORNERS, (-1, 0), (1, 0), (0, -0.5), (0, 0.5)],
    9: [*_FOUR_ROWS, (0, 0)],
    10: [*_FOUR_ROWS, (0, -2 / 3), (0, 2 / 3)],
}


def paint(
    face: NDArray[np.float32],
    mask: Mask,
    centre: tuple[float, float],
    size: tuple[float, float],
    colour: Paint,
) -> None:
    """Inks ``mask`` onto ``face`` about ``centre``, stretched to ``size`` (width, height) px."""
    width, height = max(1, round(size[0])), max(1, round(size[1]))
    way = cv2.INTER_AREA if mask.shape[0] > height else cv2.INTER_LINEAR
    ink = cv2.resize(mask, (width, height), interpolation=way).astype(np.float32) / 255
    left, top = round(centre[0] - width / 2), round(centre[1] - height / 2)
    x0, y0, x1, y1 = (
        max(0, left),
        max(0, top),
        min(face.shape[1], left + width),
        min(face.shape[0], top + height),
    )
    if x1 <= x0 or y1 <= y0:
        return
    part = ink[y0 - top : y1 - top, x0 - left : x1 - left, None]
    face[y0:y1, x0:x1] = face[y0:y1, x0:x1] * (1 - part) + np.array(colour, np.float32) * part


def draw_pips(
    face: NDArray[np.float32], sign: Mask, count: int, height: float, colour: Paint, *, narrow: bool
) -> None:
    """The pips of a number card; ``narrow`` leaves room for large indices."""
    width = height * sign.shape[1] / sign.shape[0]
    for column, row in PIPS[count]:
        x = FACE_WIDTH_PX * (0.5 + column * (0.15 if narrow else 0.21))
        y = face.shape[0] * (0.5 + row * 0.34)
        paint(face, sign if row <= 0.01 else sign[::-1], (x, y), (width, height), colour)


def draw_court(
    face: NDArray[np.float32], kind: str, lent: Image | None, letter: Mask, sign: Mask, colour: Paint
) -> None:
    """A court card's middle: ``lent`` from art, a big "letter", two big signs ("sign"), or "shapes"."""
    height, width = face.shape[:2]
    top, left = int(height * 0.1), int(width * 0.2)
    if kind == "lent" and lent is not None:
        part = lent[int(lent.shape[0] * 0.1) : int(lent.shape[0] * 0.9), int(width * 0.2) : int(width * 0.8)]
        body = cv2.resize(part, (width - 2 * left, height - 2 * top))
        face[top : top + body.shape[0], left : left + body.shape[1]] = body
    elif kind == "letter":
        paint(face, letter, (width / 2, height * 0.44), (height * 0.25, height * 0.32), colour)
        paint(face, sign, (width / 2, height * 0.72), (height * 0.16, height * 0.16), colour)
    elif kind == "sign":
        paint(face, sign, (width / 2, height * 0.33), (height * 0.25, height * 0.25), colour)
        paint(face, sign[::-1], (width / 2, height * 0.67), (height * 0.25, height * 0.25), colour)
    else:
        _draw_figure(face, letter, sign, colour)


def draw_frame(face: NDArray[np.float32], colour: Paint) -> None:
    """A thin line about a court card's middle."""
    height, width = face.shape[:2]
    top, left = int(height * 0.1), int(width * 0.2)
    cv2.rectangle(face, (left, top), (width - left, height - top), colour, 1 + height % 2)


def _draw_figure(face: NDArray[np.float32], letter: Mask, sign: Mask, colour: Paint) -> None:
    """Two mirrored half figures of ellipses and polygons; the shapes differ with the letter."""
    height, width = face.shape[:2]
    rng = np.random.default_rng(int(letter.sum()) % 9973)
    half = np.tile(face[height // 2, width // 2], (height // 2, width, 1)).astype(np.float32)
    for _ in range(7):
        dye = tuple(float(value) for value in rng.uniform(0, 255, 3))
        points = rng.uniform(
            [width * 0.22, height * 0.1], [width * 0.78, height * 0.5], (int(rng.integers(3, 6)), 2)
        )
        cv2.fillPoly(half, [points.astype(np.int32)], dye, cv2.LINE_AA)
    cv2.ellipse(
        half,
        (width // 2, height // 4),
        (width // 9, height // 10),
        0,
        0,
        360,
        (235, 200, 170),
        -1,
        cv2.LINE_AA,
    )
    paint(half, sign, (width * 0.3, height * 0.16), (30, 30), colour)
    left, right = int(width * 0.2), int(width * 0.8)
    top = int(height * 0.1)
    face[top : height // 2, left:right] = half[top:, left:right]
    lower = half[::-1, ::-1]
    face[height - height // 2 : height - top, left:right] = lower[: height // 2 - top, left:right]
