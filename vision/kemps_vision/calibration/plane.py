"""The plane of the table's top as a camera sees it, told by the cards that lie on it.

A card is 63 x 88 mm, so a few of them tell how the camera looks at the table: the focal length, the tilt, the
roll and the distance that make all of them rectangles of that size. What one card alone tells badly, such as
the focal length, is held near what webcams have. Distortion of the lens is left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from kemps_vision.cards.quads import CARD_LENGTH_MM, CARD_WIDTH_MM

Floats = NDArray[np.float64]

USUAL_FOCAL: Final = 1.0  # of the picture's width; webcams see 50 to 80 degrees, phones less
FOCAL_SPREAD: Final = 0.4  # of its logarithm: half of what is usual to half more
TILTS_DEG: Final = (-35.0, 5.0, 35.0)  # to begin with: far away, a tilt forward looks like one backward
ROLL_SPREAD: Final = 0.5  # radians that a table leans to the side in the picture
CORNER_PX: Final = 0.02  # of a card's length: how well a corner is known
_CARD: Final = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]) * (
    CARD_WIDTH_MM / 2,
    CARD_LENGTH_MM / 2,
)


@dataclass(frozen=True, slots=True, eq=False)
class TablePlane:
    """Where a point of the table's top is in the picture, and the other way round.

    On the table lengths are mm from the middle of the cards; x is to the right of the picture, y towards
    who looks at it from its lower edge.

    Attributes:
        to_picture: (3, 3) from mm on the table to px, homogeneous.
        tilt_deg: 0 when the camera looks straight down.
        focal_px: The focal length that explains the cards best.
        off_share: How far the corners of cards lie from where the plane has them, root mean square, as a
            share of a card's length.
    """

    to_picture: Floats
    tilt_deg: float
    focal_px: float
    off_share: float

    def pixels(self, points: Floats) -> Floats:
        """(n, 2) px of points (n, 2) in mm on the table."""
        return _projected(self.to_picture, points)

    def table(self, points: Floats) -> Floats:
        """(n, 2) mm on the table of points (n, 2) in px; far beyond the horizon it is without meaning."""
        back = np.asarray(np.linalg.inv(self.to_picture), np.float64)
        return _projected(back, points)

    def is_ahead(self, points: Floats) -> NDArray[np.bool_]:
        """(n,) whether points (n, 2) in px show the table's plane, not what is above its horizon."""
        return np.asarray(self._depth(points) > 0.05 * self._depth(self.pixels(np.zeros((1, 2))))[0])

    @property
    def px_per_mm(self) -> float:
        """The scale in the middle of the cards: the root of px² per mm²."""
        square = self.pixels(np.array([[-5.0, -5.0], [5.0, -5.0], [5.0, 5.0], [-5.0, 5.0]]))
        return float(np.sqrt(cv2.contourArea(square.astype(np.float32)))) / 10

    def _depth(self, points: Floats) -> Floats:
        """(n,) proportional to one by the distance along the line of sight."""
        back = np.linalg.inv(self.to_picture)
        return np.asarray(np.column_stack([points, np.ones(len(points))]) @ back[2] / back[2, 2])


def fit_plane(quads: Sequence[Floats], picture: tuple[int, int]) -> TablePlane | None:
    """The plane on which cards with these quads (4, 2) in px lie; None without cards.

    Args:
        quads: Corners in turn, a short side first, as ``CardReading.quad`` has them.
        picture: Width and height in px.
    """
    if not quads:
        return None
    corners = np.stack([np.asarray(quad, np.float64) for quad in quads])
    fits = [_fitted(corners, picture, math.radians(tilt)) for tilt in TILTS_DEG]
    cost, values = min(fits, key=lambda fit: fit[0])
    del cost
    seen, length = _seen(values, picture, len(corners)), _length(corners)
    off = float(np.sqrt(((seen - corners) ** 2).sum(axis=2).mean())) / length
    tilt = math.degrees(math.hypot(values[1], values[2]))
    return TablePlane(_matrix(values, picture), tilt, float(math.exp(values[0]) * picture[0]), off)


def _fitted(corners: Floats, picture: tuple[int, int], tilt: float) -> tuple[float, Floats]:
    """The best values from one beginning, with what they cost."""
    length = _length(corners)
    focal = USUAL_FOCAL * picture[0]
    middle = corners.mean(axis=(0, 1))
    depth = focal * CARD_LENGTH_MM / length
    values = [math.log(USUAL_FOCAL), tilt, 0.0, math.log(depth), *middle]
    for quad in corners:
        along = (quad[3] - quad[0] + quad[2] - quad[1]) / 2
        off = (quad.mean(axis=0) - middle) * depth / focal
        values += [off[0], off[1] / max(math.cos(tilt), 0.3), math.atan2(-along[0], along[1])]

    def misfits(tried: Floats) -> Floats:
        off = (_seen(tried, picture, len(corners)) - corners) / (CORNER_PX * length)
        held = [
            (tried[0] - math.log(USUAL_FOCAL)) / FOCAL_SPREAD,
            tried[2] / ROLL_SPREAD,
            max(0.0, abs(tried[1]) - 1.3) * 50,
            # Where the cards' middle is seen is a matter of how they lie: it is held, not fitted.
            *((tried[4:6] - middle) / length),
        ]
        return np.concatenate([off.ravel(), held])

    found = least_squares(misfits, np.array(values), x_scale="jac", loss="soft_l1", max_nfev=60)
    return float(found.cost), np.asarray(found.x, np.float64)


def _seen(values: Floats, picture: tuple[int, int], count: int) -> Floats:
    """(count, 4, 2) px: the corners of cards that lie as the values say."""
    places = values[6:].reshape(count, 3)
    cosines, sines = np.cos(places[:, 2]), np.sin(places[:, 2])
    turns = np.stack([np.stack([cosines, -sines], 1), np.stack([sines, cosines], 1)], axis=1)
    points = np.einsum("nij,kj->nki", turns, _CARD) + places[:, None, :2]
    return _projected(_matrix(values, picture), points.reshape(-1, 2)).reshape(count, 4, 2)


def _matrix(values: Floats, picture: tuple[int, int]) -> Floats:
    """(3, 3): mm on the table to px."""
    focal, depth = math.exp(values[0]) * picture[0], math.exp(values[3])
    camera = np.array([[focal, 0, picture[0] / 2], [0, focal, picture[1] / 2], [0, 0, 1]])
    turn, _ = cv2.Rodrigues(np.array([values[1], values[2], 0.0]))
    middle = (
        np.array([(values[4] - picture[0] / 2) / focal, (values[5] - picture[1] / 2) / focal, 1.0]) * depth
    )
    return np.asarray(camera @ np.column_stack([turn[:, 0], turn[:, 1], middle]), np.float64)


def _projected(matrix: Floats, points: Floats) -> Floats:
    places = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    last = places[:, 2:]
    return np.asarray(places[:, :2] / np.where(np.abs(last) < 1e-9, 1e-9, last), np.float64)


def _length(corners: Floats) -> float:
    """The median length of the cards' long sides in px."""
    return float(np.median(np.linalg.norm(corners[:, [3, 2]] - corners[:, [0, 1]], axis=2)))
