"""How fingers are held: flexion of each joint and where the thumb points, by the name of the grip.

A grip is given in the hand's own axes (towards the thumb's side, along the fingers, out of the palm), so
that it serves both hands of every body.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from kemps_scenes.bodies.errors import ActError
from kemps_scenes.bodies.skeleton import Array, Skeleton, about, cross

_THUMB: Final = 1


@dataclass(frozen=True, slots=True)
class Grip:
    """A way to hold the fingers.

    Attributes:
        fingers: Flexion in degrees of the three joints of index, middle, ring and little finger, (4, 3).
        spread: Degrees between neighbouring fingers.
        thumb: Which way each of the thumb's three bones points, (3, 3): towards the thumb's side, along the
            fingers, out of the palm.
    """

    fingers: Array
    spread: float
    thumb: Array

    def towards(self, other: Grip, share: float) -> Grip:
        """A grip part of the way to another."""
        return Grip(
            self.fingers + (other.fingers - self.fingers) * share,
            self.spread + (other.spread - self.spread) * share,
            self.thumb + (other.thumb - self.thumb) * share,
        )


def _grip(
    index: tuple[float, float, float],
    middle: tuple[float, float, float],
    ring: tuple[float, float, float],
    little: tuple[float, float, float],
    thumb: tuple[tuple[float, float, float], ...],
    spread: float = 3.0,
) -> Grip:
    return Grip(np.array([index, middle, ring, little], np.float64), spread, np.array(thumb, np.float64))


_STRAIGHT: Final = (2.0, 4.0, 2.0)
_CURLED: Final = (72.0, 95.0, 48.0)
_ACROSS: Final = ((0.42, 0.72, 0.55), (0.0, 0.72, 0.70), (-0.45, 0.65, 0.6))

GRIPS: Final[dict[str, Grip]] = {
    "flat": _grip(
        _STRAIGHT,
        _STRAIGHT,
        _STRAIGHT,
        _STRAIGHT,
        ((0.72, 0.66, 0.2), (0.6, 0.8, 0.1), (0.5, 0.86, 0.0)),
        7.0,
    ),
    "rest": _grip(
        (18, 22, 12),
        (22, 26, 14),
        (26, 30, 16),
        (28, 32, 16),
        ((0.6, 0.72, 0.35), (0.42, 0.88, 0.2), (0.3, 0.95, 0.1)),
    ),
    "point": _grip((4, 6, 3), _CURLED, _CURLED, _CURLED, _ACROSS),
    "fist": _grip(_CURLED, _CURLED, _CURLED, _CURLED, _ACROSS, 0.0),
    "pinch": _grip(
        (48, 38, 18),
        (46, 44, 22),
        (42, 46, 24),
        (36, 42, 22),
        ((0.5, 0.62, 0.6), (0.12, 0.78, 0.62), (-0.05, 0.9, 0.42)),
    ),
    "fan": _grip(
        (38, 52, 28),
        (46, 56, 30),
        (52, 60, 32),
        (52, 60, 34),
        ((0.52, 0.66, 0.55), (0.25, 0.86, 0.45), (0.1, 0.97, 0.2)),
    ),
    "clasp": _grip(
        (34, 42, 22),
        (38, 46, 24),
        (40, 48, 26),
        (42, 48, 26),
        ((0.5, 0.68, 0.52), (0.28, 0.86, 0.42), (0.1, 0.93, 0.35)),
    ),
    "thumb": _grip(
        _CURLED, _CURLED, _CURLED, _CURLED, ((0.85, 0.5, 0.2), (0.98, 0.2, 0.0), (1.0, 0.0, -0.1)), 0.0
    ),
    "two": _grip(_STRAIGHT, _STRAIGHT, _CURLED, _CURLED, _ACROSS, 8.0),
    "three": _grip(_STRAIGHT, _STRAIGHT, _STRAIGHT, _CURLED, _ACROSS, 8.0),
    "four": _grip(_STRAIGHT, _STRAIGHT, _STRAIGHT, _STRAIGHT, _ACROSS, 8.0),
}
"""The grips, by name."""


def grip(name: str) -> Grip:
    """The grip of that name.

    Raises:
        ActError: There is no such grip.
    """
    if name not in GRIPS:
        raise ActError(f"no grip {name!r}; there are {', '.join(GRIPS)}")
    return GRIPS[name]


class HandAxes:
    """The axes of a resting hand: towards the thumb's side, along the fingers, out of the palm; as rows.

    Args:
        skeleton: The body's bones.
        side: ``L`` or ``R``, the person's.
    """

    def __init__(self, skeleton: Skeleton, side: str) -> None:
        self.side = side
        wrist = skeleton.head(f"wrist.{side}")
        knuckles = [skeleton.head(f"finger{f}-1.{side}") for f in (2, 3, 4, 5)]
        along = _unit(knuckles[1] - wrist)
        across = knuckles[0] - knuckles[3]
        across = _unit(across - along * (across @ along))
        palm = cross(across, along)
        curl = skeleton.tail(f"finger3-3.{side}") - knuckles[1]
        palm *= np.sign(palm @ curl)
        self.rows: Array = np.stack([across, along, palm])
        self._bones = {
            (finger, joint): _unit(skeleton.tail(name) - skeleton.head(name))
            for finger in (1, 2, 3, 4, 5)
            for joint in (1, 2, 3)
            for name in (f"finger{finger}-{joint}.{side}",)
        }
        self._hinge = cross(along, palm)
        self._fan = cross(along, across)

    def finger_turns(self, held: Grip) -> dict[str, Array]:
        """The turns of all finger bones for a grip."""
        turns: dict[str, Array] = {}
        for number in range(4):
            turns |= self._finger(number + 2, held.fingers[number], (1.2 - number) * held.spread)
        return turns | self._thumb(held.thumb)

    def _finger(self, finger: int, flexion: Array, spread: float) -> dict[str, Array]:
        across, along, palm = self.rows
        turns = {}
        before = 0.0
        for joint in (1, 2, 3):
            bone = self._bones[finger, joint]
            resting = _angle(bone @ along, bone @ palm)
            turn = about(self._hinge, float(flexion[joint - 1]) - resting + before)
            if joint == 1:
                turn = turn @ about(self._fan, spread - _angle(bone @ along, bone @ across))
            turns[f"finger{finger}-{joint}.{self.side}"] = turn
            before = resting
        return turns

    def _thumb(self, ways: Array) -> dict[str, Array]:
        turns = {}
        parent = np.eye(3)
        for joint in (1, 2, 3):
            name = f"finger{_THUMB}-{joint}.{self.side}"
            whole = turn_between(self._bones[_THUMB, joint], _unit(ways[joint - 1] @ self.rows))
            turns[name] = parent.T @ whole
            parent = whole
        return turns


def turn_between(start: Array, end: Array) -> Array:
    """The smallest rotation that takes one unit vector (3,) to another."""
    axis = cross(start, end)
    length = float(np.linalg.norm(axis))
    if length < 1e-9:
        return np.eye(3)
    return about(axis, float(np.degrees(np.arctan2(length, start @ end))))


def _unit(vector: Array) -> Array:
    return np.asarray(vector / np.linalg.norm(vector), np.float64)


def _angle(x: float, y: float) -> float:
    return float(np.degrees(np.arctan2(y, x)))
