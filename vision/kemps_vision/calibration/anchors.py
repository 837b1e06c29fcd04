"""Small pieces of a camera's view that stay where they are, by which it is told whether the camera does.

No whole picture is kept: an anchor is a corner of something with 13 x 13 grey levels round it, in a view made
small. It is found again by normalised correlation, which is blind to the level and contrast of the light.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.errors import CalibrationError
from kemps_vision.frame import Image

Grey: TypeAlias = NDArray[np.uint8]
Floats: TypeAlias = NDArray[np.float64]

WIDTH: Final = 320  # px of the small view
HALF: Final = 6  # px of a patch on each side of its middle
MOST: Final = 90
APART: Final = 9  # px between anchors
LEAST_QUALITY: Final = 0.001  # of the best corner's: cards are stark, the grain of a cloth is faint
ROUNDNESS: Final = (
    0.05  # of the stronger direction's change of grey: less is an edge, along which all is alike
)
LEAST_SPREAD: Final = 3.0  # grey levels within a patch: less is noise
UNSTEADY: Final = (
    6.0  # grey levels that a place may differ from picture to picture, and still be one that stays
)


@dataclass(frozen=True, slots=True, eq=False)
class Anchors:
    """Places (n, 2) in px of the small view, x and y, and the patches (n, 13, 13) round them."""

    places: Floats
    patches: Grey

    def __len__(self) -> int:
        return len(self.places)

    def chosen(self, rows: NDArray[np.bool_]) -> Anchors:
        """Those of the given rows."""
        return replace(self, places=self.places[rows], patches=self.patches[rows])

    def joined(self, others: Anchors) -> Anchors:
        """These and the others."""
        return Anchors(
            np.concatenate([self.places, others.places]), np.concatenate([self.patches, others.patches])
        )

    def as_json(self) -> dict[str, Any]:
        """Plain values for a file."""
        return {
            "places": np.round(self.places, 2).tolist(),
            "patches": base64.b64encode(self.patches.tobytes()).decode("ascii"),
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Anchors:
        """What ``as_json`` gave.

        Raises:
            CalibrationError: It is something else.
        """
        try:
            places = np.asarray(data["places"], np.float64).reshape(-1, 2)
            side = 2 * HALF + 1
            raw = np.frombuffer(base64.b64decode(data["patches"], validate=True), np.uint8)
            patches = raw.reshape(len(places), side, side).copy()
        except (KeyError, TypeError, ValueError) as error:
            raise CalibrationError(f"the anchors of the camera's view are broken ({error})") from None
        return cls(places, patches)


def small_view(pixels: Image) -> Grey:
    """The picture (h, w, 3) in grey, 320 px wide."""
    size = (WIDTH, max(2 * HALF + 2, round(pixels.shape[0] * WIDTH / pixels.shape[1])))
    return np.asarray(
        cv2.cvtColor(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), cv2.COLOR_RGB2GRAY), np.uint8
    )


def find_anchors(views: Sequence[Grey], beside: Anchors | None = None, *, most: int = MOST) -> Anchors:
    """Up to ``most`` anchors in small views of one camera that stood still: where none of the views differs.

    Args:
        views: At least one.
        beside: Anchors that are known already, which new ones keep away from.
        most: How many at most.
    """
    stack = np.stack(views)
    usual = np.asarray(np.median(stack, axis=0), np.uint8)
    mask = _steady(stack, usual)
    for x, y in [] if beside is None else np.round(beside.places).astype(int):
        cv2.circle(mask, (int(x), int(y)), APART, 0, -1)
    corners: Any = cv2.goodFeaturesToTrack(
        usual, maxCorners=max(1, most), qualityLevel=LEAST_QUALITY, minDistance=APART, mask=mask, blockSize=5
    )
    places = np.zeros((0, 2)) if corners is None or most < 1 else corners.reshape(-1, 2).astype(np.float64)
    places = np.round(places)
    patches = [patch_at(usual, place) for place in places]
    is_textured = _is_corner(usual, places) & np.array(
        [patch.std() >= LEAST_SPREAD for patch in patches], bool
    )
    side = 2 * HALF + 1
    stacked = np.stack(patches) if patches else np.zeros((0, side, side), np.uint8)
    return Anchors(places, stacked).chosen(is_textured)


def patch_at(view: Grey, place: Floats) -> Grey:
    """The patch round a whole-numbered place, which lies at least ``HALF`` px inside."""
    x, y = int(place[0]), int(place[1])
    return view[y - HALF : y + HALF + 1, x - HALF : x + HALF + 1]


def shifts_of(anchors: Anchors, view: Grey, reach: int) -> tuple[Floats, Floats]:
    """(n, 2) by how many px anchors lie elsewhere in a view, and (n,) how alike they are there: -1..1.

    It is looked for up to ``reach`` px away. A place out of the view is like nothing: -1.
    """
    padded = cv2.copyMakeBorder(view, reach, reach, reach, reach, cv2.BORDER_REPLICATE)
    shifts, scores = np.zeros((len(anchors), 2)), np.full(len(anchors), -1.0)
    height, width = view.shape
    for n in range(len(anchors)):
        x, y = (int(value) for value in anchors.places[n])
        if not (HALF <= x < width - HALF and HALF <= y < height - HALF):
            continue
        part = padded[y - HALF : y + HALF + 1 + 2 * reach, x - HALF : x + HALF + 1 + 2 * reach]
        found = cv2.matchTemplate(part, anchors.patches[n], cv2.TM_CCOEFF_NORMED)
        alike = np.asarray(found, np.float32)
        _, best, _, (column, row) = cv2.minMaxLoc(alike)
        scores[n] = best
        shifts[n] = np.array([column, row]) + _beside_peak(alike, row, column) - reach
    return shifts, scores


def _beside_peak(alike: NDArray[np.float32], row: int, column: int) -> Floats:
    """How far the top of a parabola through the peak and its neighbours lies beside the peak, in px."""
    offsets = np.zeros(2)
    for axis, (index, size) in enumerate(((column, alike.shape[1]), (row, alike.shape[0]))):
        if 0 < index < size - 1:
            line = alike[row, index - 1 : index + 2] if axis == 0 else alike[index - 1 : index + 2, column]
            before, middle, after = (float(value) for value in line)
            bend = 2 * middle - before - after
            if bend > 1e-6:
                offsets[axis] = np.clip((after - before) / (2 * bend), -0.5, 0.5)
    return offsets


def _is_corner(view: Grey, places: Floats) -> NDArray[np.bool_]:
    """(n,) whether a place differs from its neighbourhood in all directions, not only across an edge."""
    values = np.asarray(cv2.cornerEigenValsAndVecs(view, blockSize=7, ksize=3), np.float64)
    columns, rows = places.astype(np.intp).T
    high, low = values[rows, columns, 0], values[rows, columns, 1]
    high, low = np.maximum(high, low), np.minimum(high, low)
    return np.asarray(low >= ROUNDNESS * high)


def _steady(stack: NDArray[np.uint8], usual: Grey) -> Grey:
    """1 where no view differs from the usual one, its light apart, and a patch fits into the view."""
    mask = np.zeros(usual.shape, np.uint8)
    mask[HALF + 1 : -HALF - 1, HALF + 1 : -HALF - 1] = 1
    level = usual.astype(np.float32)
    for view in stack:
        off = view.astype(np.float32) - level
        off = np.abs(off - np.median(off))
        differs = np.asarray(cv2.blur(off, (5, 5)) > UNSTEADY, np.uint8)
        mask[cv2.dilate(differs, np.ones((2 * HALF + 1, 2 * HALF + 1), np.uint8)) > 0] = 0
    return mask
