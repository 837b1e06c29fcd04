"""How a camera's view lies against an earlier one, and the zones that follow it.

Anchors are looked for near where they were, and when most are not there in a wide search; what most of them
agree on is the camera's move. Hands, cards and packets that moved by themselves agree on nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_vision.calibration.anchors import WIDTH, Anchors, Floats, Grey, shifts_of
from kemps_vision.zones import Polygon, TableZones

ALIKE: Final = 0.75  # correlation from which an anchor is seen
NEAR: Final = 3  # px of the small view that anchors are looked for in, ...
FAR: Final = 32  # ... and when they are not there: 128 px of a picture of 1280
STAYED_PX: Final = 0.6  # of the small view: no more is noise, and a camera that shakes a little
NOTICED_PX: Final = 1.0  # of the small view, 4 of a picture of 1280: less is no matter for the zones
AGREES_PX: Final = 1.0
SEARCHED: Final = 70  # anchors in a wide search, those that are most like themselves
LEAST_SEEN: Final = 8  # anchors that must agree on a move, ...
LEAST_STAYED: Final = 5  # ... and that must be in place where nothing agrees on another one
AGREE_SHARE: Final = 0.5  # of those that are seen must agree
BETTER: Final = 1.3  # times as many anchors must agree on a move as on none
HOMOGRAPHY_FROM: Final = 10  # anchors; fewer tell shift, turn and zoom only
BENT_BETTER: Final = 1.2  # times as many must agree on it as on shift, turn and zoom
ROUNDS: Final = 3
SPREAD: Final = 0.5  # of the view's height and width that these must span
MOST_TURN_DEG, MOST_ZOOM = 12.0, 1.2  # more is no nudge


class View(StrEnum):
    """What one look tells."""

    STEADY = "steady"
    MOVED = "moved"
    UNCLEAR = "unclear"  # too little is seen of what was there


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """How points of the earlier view lie in a later one.

    Attributes:
        matrix: (3, 3) homogeneous, px to px of the pictures; the identity for a camera that stands still.
        size: Width and height of the pictures.
    """

    matrix: Floats
    size: tuple[int, int]

    @classmethod
    def still(cls, size: tuple[int, int]) -> Alignment:
        """That of a camera that stands as it did."""
        return cls(np.eye(3), size)

    def moved(self, points: Floats) -> Floats:
        """(n, 2) where points (n, 2) of the earlier view are now."""
        places = np.column_stack([points, np.ones(len(points))]) @ self.matrix.T
        return np.asarray(places[:, :2] / places[:, 2:], np.float64)

    def zones(self, zones: TableZones) -> TableZones:
        """The zones of the earlier view as they lie now."""
        centre: Polygon | None = None
        if zones.centre is not None:
            corners = self.moved(np.asarray(zones.centre, np.float64))
            centre = tuple((float(x), float(y)) for x, y in corners)
        seats = {}
        for seat, at in zones.seats.items():
            x, y = self.moved(np.array([at], np.float64))[0]
            seats[seat] = (float(x), float(y))
        return TableZones(centre=centre, seats=seats)

    @property
    def shift_px(self) -> float:
        """By how many px its middle, or one of four places half-way out, has moved, whichever moved most."""
        width, height = self.size
        grid = np.array([(0.5, 0.5), (0.25, 0.25), (0.75, 0.25), (0.75, 0.75), (0.25, 0.75)]) * (
            width,
            height,
        )
        return float(np.linalg.norm(self.moved(grid) - grid, axis=1).max())

    @property
    def turn_deg(self) -> float:
        """By how many degrees it has turned, clockwise in the picture."""
        right = self._axis()
        return math.degrees(math.atan2(right[1], right[0]))

    @property
    def zoom(self) -> float:
        """How many times larger things are in the middle."""
        return float(np.linalg.norm(self._axis()))

    def _axis(self) -> Floats:
        """(2,) where a px to the right in the middle of the earlier view points now."""
        middle = np.array(self.size, np.float64) / 2
        here, right = self.moved(np.stack([middle, middle + np.array([1.0, 0.0])]))
        return np.asarray(right - here)


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One look at a view: what it tells, the (3, 3) move in px of the small view, and which anchors agree."""

    view: View
    move: Floats
    agrees: NDArray[np.bool_]


def compare(anchors: Anchors, view: Grey, known: Floats) -> Look:
    """What a small view tells of a camera whose move so far is ``known`` (3, 3).

    ``View.STEADY`` means that it stands as ``known`` says.
    """
    level = taken_back(view, known)
    shifts, scores = shifts_of(anchors, level, NEAR)
    is_seen = scores >= ALIKE
    stays = is_seen & (np.linalg.norm(shifts, axis=1) <= STAYED_PX)
    if stays.sum() >= max(LEAST_SEEN, AGREE_SHARE * is_seen.sum()):
        return Look(View.STEADY, known, stays)
    move = _searched(anchors, level, scores)
    if move is not None:
        move, agrees = _refined(anchors, view, move @ known)
        if agrees.sum() >= max(LEAST_SEEN, BETTER * stays.sum()) and _is_nudge(move):
            is_far = farthest(move, known) >= NOTICED_PX
            return Look(View.MOVED, move, agrees) if is_far else Look(View.STEADY, known, agrees)
    # What is seen elsewhere moved by itself: nothing agrees on another place as well as these do on theirs.
    return Look(View.STEADY if stays.sum() >= LEAST_STAYED else View.UNCLEAR, known, stays)


def staying(anchors: Anchors, view: Grey, known: Floats) -> NDArray[np.bool_]:
    """(n,) which anchors are where a camera whose move so far is ``known`` (3, 3) should see them."""
    shifts, scores = shifts_of(anchors, taken_back(view, known), NEAR)
    return np.asarray((scores >= ALIKE) & (np.linalg.norm(shifts, axis=1) <= STAYED_PX))


def in_pictures(move: Floats, size: tuple[int, int]) -> Alignment:
    """A move in px of the small view as one of pictures of this width and height."""
    scale = size[0] / WIDTH
    # Middles of pixels are at whole numbers in both.
    grown = np.array([[scale, 0, scale / 2 - 0.5], [0, scale, scale / 2 - 0.5], [0, 0, 1]])
    return Alignment(grown @ move @ np.linalg.inv(grown), size)


def farthest(one: Floats, other: Floats) -> float:
    """By how many px of the small view two moves (3, 3) differ at most, half-way out and nearer."""
    return Alignment(one @ np.linalg.inv(other), (WIDTH, WIDTH * 9 // 16)).shift_px


def taken_back(view: Grey, move: Floats) -> Grey:
    """The view as it was before a move (3, 3); what was outside of it then is drawn out from its border."""
    if np.array_equal(move, np.eye(3)):
        return view
    size = (view.shape[1], view.shape[0])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(
        cv2.warpPerspective(view, move, size, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def _searched(anchors: Anchors, level: Grey, scores: Floats) -> Floats | None:
    """(3, 3) shift, turn and zoom that most anchors agree on in a wide search; None when they do not."""
    rows = np.sort(np.argsort(-scores, kind="stable")[:SEARCHED]) if len(anchors) > SEARCHED else None
    chosen = anchors if rows is None else Anchors(anchors.places[rows], anchors.patches[rows])
    shifts, alike = shifts_of(chosen, level, FAR)
    is_seen = alike >= ALIKE - 0.1
    if is_seen.sum() < LEAST_SEEN:
        return None
    there = chosen.places[is_seen]
    found: Any  # None when there is none, which the library's types do not tell
    found, agreeing = cv2.estimateAffinePartial2D(
        there, there + shifts[is_seen], method=cv2.RANSAC, ransacReprojThreshold=1.5, maxIters=2000
    )
    if found is None or int(agreeing.sum()) < LEAST_SEEN:
        return None
    return np.vstack([found, [0, 0, 1]])


def _refined(anchors: Anchors, view: Grey, move: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """The move, made exact by what the anchors say once the view is taken back; and who agrees."""
    for _ in range(ROUNDS):
        here, there = _pairs(anchors, view, move)
        found: Any = None  # what the library gives where nothing fits, though its types do not tell
        if len(here) >= LEAST_SEEN:
            found, _ = cv2.estimateAffinePartial2D(
                here, there, method=cv2.RANSAC, ransacReprojThreshold=AGREES_PX
            )
        if found is None:
            break
        move = move @ np.vstack([found, [0, 0, 1]])
    agrees = _agreeing(anchors, view, move)
    bent = _bent(anchors, view, move)
    if bent is not None:
        more = _agreeing(anchors, view, bent)
        # A homography has twice as many freedoms, and errs far from its anchors unless it is really needed.
        if more.sum() >= BENT_BETTER * agrees.sum():
            return bent / bent[2, 2], more
    return move / move[2, 2], agrees


def _pairs(anchors: Anchors, view: Grey, move: Floats) -> tuple[Floats, Floats]:
    """(n, 2) places of anchors that are seen, and where they are once the view is taken back."""
    shifts, scores = shifts_of(anchors, taken_back(view, move), NEAR)
    is_seen = scores >= ALIKE
    return anchors.places[is_seen], anchors.places[is_seen] + shifts[is_seen]


def _agreeing(anchors: Anchors, view: Grey, move: Floats) -> NDArray[np.bool_]:
    shifts, scores = shifts_of(anchors, taken_back(view, move), NEAR)
    return np.asarray((scores >= ALIKE) & (np.linalg.norm(shifts, axis=1) <= STAYED_PX))


def _bent(anchors: Anchors, view: Grey, move: Floats) -> Floats | None:
    """(3, 3) the move bent to a homography; None without enough anchors all over the view."""
    here, there = _pairs(anchors, view, move)
    if len(here) < HOMOGRAPHY_FROM or (np.ptp(here, axis=0) < SPREAD * np.array(view.shape[::-1])).any():
        return None
    found: Any = None
    found, _ = cv2.findHomography(here, there, cv2.RANSAC, AGREES_PX)
    return None if found is None else np.asarray(move @ found, np.float64)


def _is_nudge(move: Floats) -> bool:
    """Whether a move is one that a camera on its arm can make by accident."""
    small = Alignment(move, (WIDTH, WIDTH * 9 // 16))
    return abs(small.turn_deg) <= MOST_TURN_DEG and 1 / MOST_ZOOM <= small.zoom <= MOST_ZOOM
