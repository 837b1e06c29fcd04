"""Bodies seen in several views of one picture are one person; a person has two arms.

One view of a body is often half wrong: the pose landmarker takes an arm of the neighbour, or guesses one that
it cannot see. What most views agree on is trusted, and how far they disagree is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_vision.people.landmarks import BodyPose, HandPose

Point = NDArray[np.float32]

OUTSIDE: Final = 0.05  # of the picture's size, by which a chest may lie beyond its border
LARGEST: Final = 1.2  # of the picture's height, that a torso may be long
LARGEST_PALM: Final = 0.45  # torso lengths: an arm stretched to the camera makes 0.4

SAME: Final = 0.4  # torso lengths between the nose and shoulders of two views of one person, at the most
BEST_VIEWS: Final = 5  # of an arm: where it is seen best

_HEAD: Final = (0, 11, 12)
_SHOULDERS: Final = (11, 12)
_HIPS: Final = (23, 24)
_ARMS: Final = (11, 12, 13, 14, 15, 16)
_ELBOW: Final = (13, 14)
_HAND: Final = ((15, 17, 19), (16, 18, 20))  # wrist, little finger, index finger


@dataclass(frozen=True, slots=True, eq=False)
class Arm:
    """A forearm: from the ``elbow`` (2,) to the middle of the ``hand`` (2,), in px.

    Attributes:
        visible: 0..1 how well elbow and wrist are seen.
        spread: px by which the views differ about the hand.
    """

    elbow: Point
    hand: Point
    visible: float
    spread: float

    @property
    def length(self) -> float:
        """From the elbow to the hand, px."""
        return float(np.linalg.norm(self.hand - self.elbow))


@dataclass(frozen=True, slots=True, eq=False)
class Person:
    """Somebody in a picture.

    Attributes:
        views: In how many views the body was found.
        size: px from the shoulders to the hips; 1 at the least.
        nose: (2,) px.
        chest: (2,) px, between the shoulders.
        arms: The left and the right one.
        body: The view with the best arms, for drawing.
    """

    views: int
    size: float
    nose: Point
    chest: Point
    arms: tuple[Arm, Arm]
    body: BodyPose


def persons_of(bodies: Iterable[BodyPose]) -> list[Person]:
    """Who is there, when ``bodies`` are those of all views; who is seen best comes first."""
    groups: list[list[BodyPose]] = []
    for body in sorted(bodies, key=lambda body: -float(body.visibility[[0, *_ARMS]].mean())):
        for group in groups:
            head = np.median([_points(one, _HEAD) for one in group], axis=0)
            size = max(float(np.median([torso_px(one) for one in group])), 1.0)
            if np.linalg.norm(_points(body, _HEAD) - head, axis=1).mean() < SAME * size:
                group.append(body)
                break
        else:
            groups.append([body])
    return [_person(group) for group in groups]


def is_within(person: Person, width: int, height: int) -> bool:
    """Whether the chest is in the picture; in pictures of a face or a hand bodies round it are made up."""
    x, y = person.chest[0] / width, person.chest[1] / height
    is_inside = -OUTSIDE < x < 1 + OUTSIDE and -OUTSIDE < y < 1 + OUTSIDE
    return bool(is_inside and person.size < LARGEST * height)


def is_made_of(person: Person, hand: HandPose) -> bool:
    """Whether the body is read into a hand near the camera: fingers look like limbs."""
    left, top = hand.landmarks[:, :2].min(axis=0)
    right, bottom = hand.landmarks[:, :2].max(axis=0)
    x, y = person.chest
    is_in_hand = left <= x <= right and top <= y <= bottom
    return bool(is_in_hand and hand.size_px > LARGEST_PALM * person.size)


def torso_px(body: BodyPose) -> float:
    """From the middle of the shoulders to the middle of the hips."""
    shoulders, hips = (_points(body, ends).mean(axis=0) for ends in (_SHOULDERS, _HIPS))
    return float(np.linalg.norm(shoulders - hips))


def _person(group: Sequence[BodyPose]) -> Person:
    chest = np.median([_points(one, _SHOULDERS).mean(axis=0) for one in group], axis=0)
    return Person(
        views=len(group),
        size=max(float(np.median([torso_px(one) for one in group])), 1.0),
        nose=np.asarray(np.median([one.landmarks[0, :2] for one in group], axis=0), np.float32),
        chest=np.asarray(chest, np.float32),
        arms=(_arm(group, 0), _arm(group, 1)),
        body=group[0],
    )


def _arm(group: Sequence[BodyPose], side: int) -> Arm:
    """The left (0) or right (1) arm as the views say in which it is seen best."""
    elbow, wrist = _ELBOW[side], _HAND[side][0]
    best = sorted(group, key=lambda one: -float(min(one.visibility[[elbow, wrist]])))[:BEST_VIEWS]
    hands = np.array([_points(one, _HAND[side]).mean(axis=0) for one in best])
    hand = np.median(hands, axis=0)
    return Arm(
        elbow=np.asarray(np.median([one.landmarks[elbow, :2] for one in best], axis=0), np.float32),
        hand=np.asarray(hand, np.float32),
        visible=float(np.median([min(one.visibility[[elbow, wrist]]) for one in best])),
        spread=float(np.linalg.norm(hands - hand, axis=1).mean()),
    )


def _points(body: BodyPose, which: Sequence[int]) -> NDArray[np.float32]:
    return np.asarray(body.landmarks[list(which), :2], np.float32)
