"""What says in one picture that hands of two people touch.

Clasped hands are mostly lost by the hand landmarker, so hands side by side are the weakest sign. Three
others are used: the forearms of two people end at one place, coming from different sides; a palm has two
wrists (in one view it was read as the one hand, in another as the other); at the end of one person's arm
lies a hand that comes from the other side. Each sign is a sum of measured quantities against named middles,
and a logistic function makes it 0..1; the weights are chosen, not learnt.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kemps_vision.people.contact.persons import Arm, Person
from kemps_vision.people.landmarks import HandPose

# Lengths in torso lengths (shoulders to hips, about 50 cm), angles in degrees.
LEAST_VIEWS: Final = 2  # a person seen in one view only is often none
ONE_VIEW_COST: Final = 1.25  # of a sum, when one of two was seen in fewer views than that
LEAST_FOREARM: Final = 0.15  # a forearm that points at the camera has no direction
SHORTEST, SHORT_COST = 0.03, 3.0  # one much shorter costs nearly so much of a sum; below, it is none
LEAST_APART: Final = 0.6  # two "people" nearer than this are one, read twice
LEAST_RATIO: Final = 0.33  # of torsos: people who touch are about equally far from the camera
GAP, GAP_WEIGHT = 0.3, 6.0
ANGLE, ANGLE_SPREAD, MOST_ANGLE = 90.0, 30.0, 150.0  # forearms side by side hang down; those that meet do not
VISIBLE, VISIBLE_WEIGHT = 0.4, 3.0
LEAST_VISIBLE: Final = 0.15  # less is guessed
SPREAD, SPREAD_WEIGHT = 0.2, 4.0
CLAIM: Final = 0.15  # of such a sum: half sure

# Lengths in palm lengths (wrist to the knuckle of the middle finger).
WRISTS_GAP, WRISTS_WEIGHT = 0.3, 4.0
WRISTS_ANGLE, WRISTS_APART = 100.0, 1.2
SIMILAR: Final = 0.5  # the smaller hand in larger ones

FOREIGN_GAP: Final = 0.25  # torso lengths from the arm's end to a palm
FOREIGN_ANGLE: Final = 110.0
OWN_ANGLE: Final = 70.0
LEAST_FOREIGN: Final = 1  # views
FOREIGN_SHARE: Final = 0.3  # of the hands there
PALM_RANGE: Final = (0.08, 0.45)  # torso lengths

_PALM: Final = (0, 5, 9, 13, 17)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place (x, y) in px where hands of two people seem to touch; a score 0..1 and the reason in words.

    ``people`` are places in the list of persons, when it is known who they are; what is said of a place
    within ``reach_px`` is about the same contact.
    """

    score: float
    at: tuple[float, float]
    reason: str
    reach_px: float
    people: tuple[int, ...] = ()


def touch_evidence(persons: Sequence[Person], hands: Sequence[HandPose]) -> list[Evidence]:
    """The signs in a picture, the strongest first; ``hands`` may hold a hand once for each view."""
    found = [*arms_that_meet(persons), *palms_with_two_wrists(hands, persons), *foreign_hands(persons, hands)]
    kept: list[Evidence] = []
    for one in sorted(found, key=lambda one: -one.score):
        # A body read twice, or two signs of one contact, are told once.
        if all(math.dist(one.at, other.at) > max(one.reach_px, other.reach_px) for other in kept):
            kept.append(one)
    return kept


def arms_that_meet(persons: Sequence[Person]) -> list[Evidence]:
    """The two people whose arms seem most to meet, for each pair of whom one at least is surely there."""
    found = []
    for (i, one), (j, other) in combinations(enumerate(persons), 2):
        size, views = (one.size + other.size) / 2, (one.views, other.views)
        if max(views) < LEAST_VIEWS:
            continue
        if float(np.linalg.norm(one.chest - other.chest)) < LEAST_APART * size:
            continue
        if min(one.size, other.size) < LEAST_RATIO * max(one.size, other.size):
            continue
        sums = [(_meeting(a, b, size), a, b) for a in one.arms for b in other.arms]
        total, a, b = max(sums, key=lambda each: each[0])
        total -= ONE_VIEW_COST if min(views) < LEAST_VIEWS else 0.0
        middle = (a.hand + b.hand) / 2
        at = float(middle[0]), float(middle[1])
        found.append(
            Evidence(_logistic(total), at, "arms of two people end at one place", GAP * size, (i, j))
        )
    return found


def palms_with_two_wrists(hands: Sequence[HandPose], persons: Sequence[Person] = ()) -> list[Evidence]:
    """The place where one palm seems to have two wrists, coming from different sides."""
    best: Evidence | None = None
    for one, other in combinations(hands, 2):
        size, smaller = max(one.size_px, other.size_px, 1.0), min(one.size_px, other.size_px)
        apart = float(np.linalg.norm(one.landmarks[0, :2] - other.landmarks[0, :2])) / size
        if smaller < SIMILAR * size or apart < WRISTS_APART:
            continue
        if _angle(_direction(one), _direction(other)) < WRISTS_ANGLE:
            continue
        gap = float(np.linalg.norm(one.palm - other.palm)) / size
        middle = (one.palm + other.palm) / 2
        score = _logistic(WRISTS_WEIGHT * (WRISTS_GAP - gap))
        if (best is None or score > best.score) and not _are_of_one(middle, persons):
            best = Evidence(score, (float(middle[0]), float(middle[1])), "two wrists meet in one palm", size)
    return [] if best is None else [best]


def foreign_hands(persons: Sequence[Person], hands: Sequence[HandPose]) -> list[Evidence]:
    """Hands at the end of a person's arm that come from the other side."""
    found = []
    for index, person in enumerate(persons):
        if person.views < LEAST_VIEWS:
            continue
        for arm in person.arms:
            evidence = _foreign_hand(index, person, arm, hands)
            if evidence is not None:
                found.append(evidence)
    return found


def _meeting(one: Arm, other: Arm, size: float) -> float:
    length = min(one.length, other.length) / size
    if length < SHORTEST or min(one.visible, other.visible) < LEAST_VISIBLE:
        return -9.0
    gap = float(np.linalg.norm(one.hand - other.hand)) / size
    angle = min(_angle(one.hand - one.elbow, other.hand - other.elbow), MOST_ANGLE)
    return (
        GAP_WEIGHT * (GAP - gap)
        + (angle - ANGLE) / ANGLE_SPREAD
        + VISIBLE_WEIGHT * (min(one.visible, other.visible) - VISIBLE)
        + SPREAD_WEIGHT * (SPREAD - max(one.spread, other.spread) / size)
        - SHORT_COST * max(0.0, 1.0 - length / LEAST_FOREARM)
    )


def _are_of_one(middle: NDArray[np.floating], persons: Sequence[Person]) -> bool:
    """Whether both arms of one person end there: somebody folds the hands."""
    return any(
        all(
            arm.visible >= VISIBLE and np.linalg.norm(arm.hand - middle) < FOREIGN_GAP * one.size
            for arm in one.arms
        )
        for one in persons
    )


def _foreign_hand(index: int, person: Person, arm: Arm, hands: Sequence[HandPose]) -> Evidence | None:
    size = person.size
    if arm.visible < VISIBLE or arm.length < LEAST_FOREARM * size or arm.spread > SPREAD * size:
        return None
    low, high = PALM_RANGE
    near = [
        _angle(_direction(hand), arm.hand - arm.elbow)
        for hand in hands
        if low * size < hand.size_px < high * size
        and np.linalg.norm(hand.palm - arm.hand) < FOREIGN_GAP * size
    ]
    foreign = sum(angle > FOREIGN_ANGLE for angle in near)
    share = foreign / (len(near) + 1)
    if foreign < LEAST_FOREIGN or share < FOREIGN_SHARE:
        return None
    other = person.arms[1] if arm is person.arms[0] else person.arms[0]
    if np.linalg.norm(other.hand - arm.hand) < FOREIGN_GAP * size:
        return None  # its own other hand
    at = float(arm.hand[0]), float(arm.hand[1])
    score = 0.5 + 0.5 * (share - FOREIGN_SHARE)
    reason = "a hand from the other side lies at the end of an arm"
    return Evidence(score, at, reason, GAP * size, (index,))


def _direction(hand: HandPose) -> NDArray[np.float32]:
    return np.asarray(hand.landmarks[9, :2] - hand.landmarks[0, :2], np.float32)


def _angle(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Degrees between two directions, 0..180."""
    lengths = max(float(np.linalg.norm(one) * np.linalg.norm(other)), 1e-6)
    return math.degrees(math.acos(min(1.0, max(-1.0, float(one @ other) / lengths))))


def _logistic(total: float) -> float:
    return 1.0 / (1.0 + math.exp(min(CLAIM - total, 50.0)))
