"""Which frames are watched and where cards are read: counted in frames, never by the clock.

The same file and settings therefore give the same readings, however fast the machine is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.frame import Image

Box: TypeAlias = tuple[int, int, int, int]  # left, top, right, bottom in px

WATCHED_FPS: Final = 15.0  # more frames a second say nothing more about cards at rest


@dataclass(frozen=True, slots=True)
class Schedule:
    """How often to read, in watched frames, and how large.

    ``sizes`` are gone through in turn: what is said of a card's length, times its real one. At each the
    reader errs in its own way, and blurred cards are found better in smaller pictures.
    """

    search: int = 3  # the whole picture, while nothing is known
    busy: int = 1  # the centre, while something changes there: a card may be laid and taken within 450 ms
    calm: int = 8  # the centre, while nothing does
    beside: int = 2  # what has changed outside the centre, and cards there that have no name yet
    hurried: int = 12  # so many readings of a card that has no name yet follow each other without a pause
    table: int = 24  # the whole picture: nothing lies there unseen for long
    sizes: tuple[float, ...] = (1.0, 1.5, 1.0, 1.9)


def frame_step(fps: float) -> int:
    """Each how-manieth frame of a source is watched."""
    return max(1, round(fps / WATCHED_FPS))


def box_of(outline: NDArray[np.float64], margin: float, width: int, height: int) -> Box:
    """The upright box round an outline ``(n, 2)``, grown by ``margin`` px and kept in the picture."""
    left, top = np.floor(outline.min(axis=0) - margin)
    right, bottom = np.ceil(outline.max(axis=0) + margin)
    return (
        int(max(0, left)),
        int(max(0, top)),
        int(min(width, right)),
        int(min(height, bottom)),
    )


class ChangedPart:
    """The part of the picture that differs from how it was when ``remember`` was called."""

    SIZE: Final = (160, 90)
    GREYS: Final = 22.0

    def __init__(self) -> None:
        self._before: NDArray[np.float32] | None = None

    def remember(self, pixels: Image) -> None:
        """Take this picture as the state before."""
        self._before = _small(pixels, self.SIZE)

    def box(self, pixels: Image, without: Box | None, margin: float) -> Box | None:
        """The box round all that has changed, ``margin`` px wider; ``without`` is left out."""
        height, width = pixels.shape[:2]
        if self._before is None:
            return (0, 0, width, height)
        difference = np.abs(_small(pixels, self.SIZE) - self._before).max(axis=2)
        changed = (difference > self.GREYS).astype(np.uint8)
        sx, sy = width / self.SIZE[0], height / self.SIZE[1]
        if without is not None:
            left, top, right, bottom = without
            changed[int(top / sy) : int(bottom / sy) + 1, int(left / sx) : int(right / sx) + 1] = 0
        changed = np.asarray(cv2.morphologyEx(changed, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)
        rows, columns = np.nonzero(changed)
        if not len(rows):
            return None
        corners = np.array(
            [[columns.min() * sx, rows.min() * sy], [(columns.max() + 1) * sx, (rows.max() + 1) * sy]],
            np.float64,
        )
        return box_of(corners, margin, width, height)


def is_inside(point: NDArray[np.float64], box: Box) -> bool:
    """Whether a point (2,) lies in a box, its right and lower edges left out."""
    x, y = float(point[0]), float(point[1])
    return box[0] <= x < box[2] and box[1] <= y < box[3]


def has_moved(pixels: Image, before: Image | None, region: Box) -> bool:
    """Whether something moves in the region between two pictures."""
    if before is None:
        return True
    left, top, right, bottom = region
    now, then = (
        np.asarray(cv2.resize(part, (80, 60), interpolation=cv2.INTER_AREA), np.float32)
        for part in (pixels[top:bottom, left:right], before[top:bottom, left:right])
    )
    return float((np.abs(now - then).max(axis=2) > 12).mean()) > 0.004


def _small(pixels: Image, size: tuple[int, int]) -> NDArray[np.float32]:
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.float32)
