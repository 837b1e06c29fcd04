"""Whose face it is: bound to a seat by where it is, where it was, and the colours of head and clothes.

No face is recognised: what is compared is the place and a rough picture of colours, which is kept in memory
for as long as the game is watched and never stored. Where place and colours leave it open, as when two people
in like clothes lean past each other, a face has no seat until it is clear again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from kemps_rules.seats import Seat
from kemps_vision.frame import Image
from kemps_vision.people.landmarks import Box, FacePose

Colours: TypeAlias = NDArray[np.float64]
"""(2, 48) shares of hue by saturation, of head and of clothes."""

HOME_FACES: Final = 1.0  # face widths that a player mostly stays within about the calibrated place
TRACK_FACES: Final = 0.35  # ... and about where they were in the picture before
TRACK_A_SECOND: Final = 1.2  # ... more for each second since
TRACKED_MS: Final = 1500  # unseen longer, the calibrated place counts
FARTHEST: Final = 2.5  # spreads: farther away it is somebody else
COME_NATS: Final = 2.5  # that a face is of somebody who was not there just now
COLOUR_NATS: Final = 9.0  # between colours that have nothing in common
LEARN: Final = 0.05  # share of a clear sight in the remembered colours
LEARNT: Final = 8  # clear sights before colours count
CLEARLY_NATS: Final = 2.0  # by which the seat must be better than any other
_NOBODY: Final = 0.5 * FARTHEST**2 + COME_NATS + COLOUR_NATS
_FORBIDDEN: Final = 1e6
_HUES, _SATURATIONS = 12, 4


@dataclass(frozen=True, slots=True)
class SeatedFace:
    """A face in one picture and whose it is; None where that is not clear, or where it is no player's."""

    pose: FacePose
    seat: Seat | None


@dataclass(slots=True)
class _Player:
    home: tuple[float, float]
    width: float  # of the face, px
    last: tuple[float, float] | None = None
    seen_ms: int = 0
    colours: Colours | None = None
    sights: int = 0


class FaceSeats:
    """Binds the faces in one camera's pictures to seats.

    Args:
        boxes: Where each seat's face mostly is, in px of the pictures.
    """

    def __init__(self, boxes: Mapping[Seat, Box]) -> None:
        self._players = {
            seat: _Player(box.centre, max(box.width, 1.0)) for seat, box in sorted(boxes.items())
        }

    def step(self, at_ms: int, pixels: Image, faces: Sequence[FacePose]) -> list[SeatedFace]:
        """The faces of this picture with their seats, in the order given; times must rise."""
        seats = list(self._players)
        colours = [colours_of(pixels, face.box) for face in faces]
        costs = np.full((len(faces), len(seats) + len(faces)), _NOBODY)
        for i, face in enumerate(faces):
            for j, seat in enumerate(seats):
                costs[i, j] = self._cost(self._players[seat], face, colours[i], at_ms)
        chosen = _assigned(costs)
        named: list[Seat | None] = []
        for i in range(len(faces)):
            j = chosen[i]
            is_clear = j < len(seats) and _margin(costs, chosen, i) >= CLEARLY_NATS
            named.append(seats[j] if is_clear else None)
        for face, owner, colour in zip(faces, named, colours, strict=True):
            if owner is not None:
                self._see(self._players[owner], face, colour, at_ms)
        return [SeatedFace(face, owner) for face, owner in zip(faces, named, strict=True)]

    def _cost(self, player: _Player, face: FacePose, colours: Colours, at_ms: int) -> float:
        """How badly a face goes with a player, in nats; as bad as nobody's where it is too far away."""
        expected, spread, come = player.home, HOME_FACES, COME_NATS
        if player.last is not None and at_ms - player.seen_ms <= TRACKED_MS:
            expected, come = player.last, 0.0
            spread = TRACK_FACES + TRACK_A_SECOND * (at_ms - player.seen_ms) / 1000
        width = max(player.width, face.box.width, 1.0)
        off = float(np.hypot(*np.subtract(face.box.centre, expected))) / (width * spread)
        if off > FARTHEST:
            return _FORBIDDEN
        place = 0.5 * off * off + come
        if player.colours is None or player.sights < LEARNT:
            return place
        return place + COLOUR_NATS * _difference(player.colours, colours)

    def _see(self, player: _Player, face: FacePose, colours: Colours, at_ms: int) -> None:
        player.last, player.seen_ms = face.box.centre, at_ms
        player.width += LEARN * (face.box.width - player.width)
        player.sights += 1
        known = player.colours
        player.colours = colours if known is None else (1 - LEARN) * known + LEARN * colours


def colours_of(pixels: Image, box: Box) -> Colours:
    """The colours of the head (with some of the hair) and of the clothes below it, of a face in ``box``."""
    width, height = box.width, box.height
    x, _ = box.centre
    head = Box(x - 0.6 * width, box.top - 0.35 * height, x + 0.6 * width, box.bottom)
    clothes = Box(x - 1.1 * width, box.bottom + 0.35 * height, x + 1.1 * width, box.bottom + 1.35 * height)
    return np.stack([_histogram(pixels, head), _histogram(pixels, clothes)])


def _histogram(pixels: Image, box: Box) -> NDArray[np.float64]:
    height, width = pixels.shape[:2]
    left, right = np.clip([round(box.left), round(box.right)], 0, width)
    top, bottom = np.clip([round(box.top), round(box.bottom)], 0, height)
    part = pixels[top:bottom, left:right]
    if part.size == 0:
        return np.zeros(_HUES * _SATURATIONS)
    step = max(1, int(np.sqrt(part.shape[0] * part.shape[1] / 2000)))  # 2,000 px say enough
    hsv = cv2.cvtColor(np.ascontiguousarray(part[::step, ::step]), cv2.COLOR_RGB2HSV)
    counted = cv2.calcHist([hsv], [0, 1], None, [_HUES, _SATURATIONS], [0, 180, 0, 256]).ravel()
    return np.asarray(counted / max(float(counted.sum()), 1.0), np.float64)


def _difference(one: Colours, other: Colours) -> float:
    """0 for the same colours, 1 for none in common; a part that was out of the picture says nothing."""
    parts = [
        1.0 - float(np.minimum(a, b).sum())
        for a, b in zip(one, other, strict=True)
        if a.sum() > 0 and b.sum() > 0
    ]
    return float(np.mean(parts)) if parts else 0.0


def _assigned(costs: NDArray[np.float64]) -> list[int]:
    rows, columns = linear_sum_assignment(costs)
    chosen = dict(zip(rows.tolist(), columns.tolist(), strict=True))
    return [chosen[i] for i in range(len(costs))]


def _margin(costs: NDArray[np.float64], chosen: Sequence[int], i: int) -> float:
    """How much worse all gets when face ``i`` is not its seat's."""
    without = costs.copy()
    without[i, chosen[i]] = _FORBIDDEN
    again = _assigned(without)
    rows = range(len(chosen))
    return float(sum(without[k, again[k]] for k in rows) - sum(costs[k, chosen[k]] for k in rows))
