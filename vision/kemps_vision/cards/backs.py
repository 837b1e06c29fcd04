"""Cards that lie face down: a back has no index, so the detector tells the card's middle, size and turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_vision.cards.grid import FACE_UP, Grid, belief_of, in_cells, in_px, peaks_of
from kemps_vision.cards.quads import CARD_WIDTH_MM, in_plane_of, is_inside, overlap, px_per_mm
from kemps_vision.cards.reading import CardReading, FaceDownCard, Floats

_HEAT: Final = 11  # channel of the grid
_UNIT_PX: Final = 24.0  # the detector tells log(half a side / 24 px)
_MIN_HEAT: Final = 0.1
_MOST: Final = 60
_LENGTH_PX: Final = (34.0, 330.0)  # of the pictures that the detector learnt from
_ASPECT: Final = (
    0.45,
    4.5,
)  # long to short side; 1.4 from above, and more or less under a tilt of 75 degrees
_SAME_SIZE: Final = (0.6, 1.65)  # in one picture, all under about one tilt
_SAME_PLACE: Final = 0.3  # of the short side
_INSET: Final = 0.12
_SAME_CARD: Final = 0.45  # of the area of both: two cards crossed at a right angle share 0.56
_MOST_FACE_UP: Final = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class BackCandidates:
    """Places where a card may lie face down, in px of one picture.

    Attributes:
        centre: (n, 2) the middle of the card.
        long: (n, 2) from there to the middle of a short side.
        short: (n, 2) from there to the middle of a long side.
        heat: (n,) the detector's belief, 0..1.
        face_up: (n,) the detector's belief, 0..1, that what is seen there is a face.
    """

    centre: Floats
    long: Floats
    short: Floats
    heat: Floats
    face_up: Floats

    def __len__(self) -> int:
        return len(self.heat)

    def __getitem__(self, rows: NDArray[np.intp] | NDArray[np.bool_] | slice) -> BackCandidates:
        return BackCandidates(
            self.centre[rows], self.long[rows], self.short[rows], self.heat[rows], self.face_up[rows]
        )

    def rescaled(self, factor: float) -> BackCandidates:
        """The same places in a picture resized by ``factor`` (pixel centres are at whole numbers)."""
        centre = self.centre * factor + (0.5 * factor - 0.5)
        return BackCandidates(centre, self.long * factor, self.short * factor, self.heat, self.face_up)

    @property
    def quads(self) -> Floats:
        """(n, 4, 2): the corners, a short side first."""
        corners = [-self.long - self.short, -self.long + self.short, self.long + self.short]
        return np.stack(
            [*(self.centre + one for one in corners), self.centre + self.long - self.short], axis=1
        )


def back_candidates(grid: Grid) -> BackCandidates:
    """The peaks of a grid's heat of backs that have the size and shape of a card, the hottest first."""
    peaks = peaks_of(grid, _HEAT, min_heat=_MIN_HEAT, most=_MOST)
    half_long, half_short = (np.exp(np.clip(peaks.values[:, 12:14], -3.0, 3.0)) * _UNIT_PX).T
    turn = np.arctan2(peaks.values[:, 15], peaks.values[:, 14]) / 2
    along = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    long = along * half_long[:, None]
    short = np.stack([along[:, 1], -along[:, 0]], axis=1) * half_short[:, None]
    centre = in_px(peaks.cells + _within_cell(grid[_HEAT], peaks.cells))
    found = BackCandidates(centre, long, short, peaks.heat, _face_up_at(grid, centre, long, short))
    aspect, longer_px = half_long / half_short, 2 * np.maximum(half_long, half_short)
    is_card_like = (_ASPECT[0] < aspect) & (aspect < _ASPECT[1])
    is_known_size = (_LENGTH_PX[0] < longer_px) & (longer_px < _LENGTH_PX[1])
    return found[is_card_like & is_known_size]


def face_down_among(
    candidates: Sequence[BackCandidates], cards: Sequence[CardReading], *, least: float
) -> list[FaceDownCard]:
    """The cards that lie face down, the surest first, of which the detector is at least so sure.

    ``candidates`` were found at some scales in the picture that shows the face-up ``cards``.

    In a pile or fan those count that are seen for the larger part: what lies under them cannot be known.
    """
    places = [
        (float(heat), quad)
        for found in candidates
        for heat, face_up, quad in zip(found.heat, found.face_up, found.quads, strict=True)
        if heat >= least and face_up < _MOST_FACE_UP
    ]
    sizes = [px_per_mm(card.quad) for card in cards]
    kept: list[FaceDownCard] = []
    for heat, quad in sorted(places, key=lambda place: -place[0]):
        back = FaceDownCard(heat, _as_seen(quad, cards))
        is_one = _is_as_large(quad, sizes) and not any(_is_face_of(card, back.quad) for card in cards)
        if is_one and all(_lie_apart(back.quad, other.quad) for other in kept):
            kept.append(back)
            sizes = sizes or [px_per_mm(quad)]
    return kept


def _as_seen(quad: Floats, cards: Sequence[CardReading]) -> Floats:
    """The quad under the tilt of the nearest card of which two indices tell how it lies, if there is one."""
    middle = quad.mean(axis=0)
    sure = [card.quad for card in cards if len(card.indices) > 1]
    nearest = min(sure, key=lambda one: float(np.linalg.norm(one.mean(axis=0) - middle)), default=None)
    return quad if nearest is None else in_plane_of(nearest, quad)


def _is_face_of(card: CardReading, quad: Floats) -> bool:
    """Whether what seems to be a back is the picture on a card: a back would hide the indices under it."""
    is_in_body = card.is_read_twice and is_inside(card.quad, quad.mean(axis=0), inset=_INSET)
    shows_index = any(is_inside(quad, index.centre) for index in card.indices)
    return is_in_body or shows_index or overlap(card.quad, quad) > _SAME_CARD


def _is_as_large(quad: Floats, sizes: Sequence[float]) -> bool:
    return not sizes or _SAME_SIZE[0] < px_per_mm(quad) / float(np.median(sizes)) < _SAME_SIZE[1]


def _lie_apart(quad: Floats, other: Floats) -> bool:
    near = _SAME_PLACE * CARD_WIDTH_MM * px_per_mm(other)
    return float(np.linalg.norm(quad.mean(axis=0) - other.mean(axis=0))) >= near


def _within_cell(heat: NDArray[np.float32], cells: Floats) -> Floats:
    """(n, 2): how far in cells the top of the heat lies beside its hottest cells, as its neighbours tell.

    The detector learns a bump of Gaussian shape, whose logarithm is a parabola.
    """
    columns, rows = cells.T.astype(np.intp)
    last_row, last_column = heat.shape[0] - 1, heat.shape[1] - 1
    across = [(rows, np.clip(columns + step, 0, last_column)) for step in (-1, 0, 1)]
    down = [(np.clip(rows + step, 0, last_row), columns) for step in (-1, 0, 1)]
    offsets = []
    for line in (across, down):
        before, middle, after = (np.log(belief_of(heat[place])) for place in line)
        bend = np.maximum(2 * middle - before - after, 1e-6)
        offsets.append(np.clip((after - before) / (2 * bend), -0.5, 0.5))
    return np.stack(offsets, axis=1)


def _face_up_at(grid: Grid, centre: Floats, long: Floats, short: Floats) -> Floats:
    """(n,): the mean belief that a face is seen, at the middle and half-way to the four sides."""
    places = np.stack([centre, *(centre + side / 2 for side in (long, -long, short, -short))])
    cells = np.round(in_cells(places)).astype(np.intp)
    columns, rows = (np.clip(cells[..., axis], 0, grid.shape[2 - axis] - 1) for axis in (0, 1))
    return np.asarray(belief_of(grid[FACE_UP, rows, columns]).mean(axis=0), dtype=np.float64)
