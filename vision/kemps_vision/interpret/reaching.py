"""Who reached: whose hand was at a card when it came or went.

Two kinds of looks speak, each picture by picture: the arms that differ from how the table mostly was (see
``people.arms``), followed ahead from the edge of the centre to where they end, and the tips of hands that a
landmarker found, where people are followed. Whose an arm or a hand is is not always clear: each speaks for
all the seats that it may be of, as much as it may be. Hands over the centre are of different seats, and where
one was found its tips say better where it is than its arm. A hand that was there long before and stays long
after did not move the card, so what is seen a while before and after counts against it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.seats import Seat
from kemps_vision.appearance import Quad
from kemps_vision.changes import Appeared, Left
from kemps_vision.interpret.moving_hands import HandsOver, Sight, moved, span_of
from kemps_vision.people.arms import Arm, Arms
from kemps_vision.people.usual import Small
from kemps_vision.zones import TableZones

HISTORY_MS: Final = 12_000  # events are told up to so long after they happened
BEFORE_MS, AFTER_MS = 200, 100  # round the moment in which the hand is at the card
EARLIER_MS: Final = (900, 450)  # before it, when a hand that moves the card is not there yet
LATER_MS: Final = (300, 750)  # after it, when that hand has left
STAYS: Final = 0.4  # what is seen then, against what is seen at the moment
TIPS_WEIGHT: Final = 0.6  # of tips against arms
TIP_REACH: Final = 0.6  # card lengths between a finger's tip and the card's middle
BEND: Final = 0.5  # card lengths, and as much of the way, that a hand may lie beside its arm's direction
PAST: Final = (0.7, 1.5)  # card lengths behind the card where an arm that ends there is not
PAST_WEIGHT: Final = 0.7
SHORT_OF: Final = 0.7  # card lengths that the card may lie on this side of the edge
TOUCHING: Final = 0.45  # of full presence: the hand is on the card
OTHERS: Final = 0.95  # that a hand over the centre is not of a seat that another one there is of
FOUND: Final = 0.4  # of an arm's say that its hand takes over where it was found
BESIDE: Final = 0.1  # of the centre's size, between it and a finger tip of a hand over it
REACH_LOOKS: Final = 3  # pictures of an arm over the centre; a body that leans may look like one for less
TOUCH_GAP: Final = 2  # pictures in which it may not be seen


# How likely a hand is each seat's, and its finger tips (n, 2) in px of the picture.
Hand: TypeAlias = tuple[Mapping[Seat, float], NDArray[np.float64]]


@dataclass(slots=True, eq=False)
class _Look:
    at_ms: int
    mask: Small
    scale: float
    hands: list[Hand] | None = None  # None: nobody looked for hands
    apart: list[tuple[Hand, bool]] | None = None
    arms: list[Arm] | None = None


class Reaches:
    """The last seconds of arms and hands, asked who was at a card."""

    def __init__(self, zones: TableZones) -> None:
        self._looks: deque[_Look] = deque()
        self._arms: Arms | None = None
        self.set_zones(zones)

    def set_zones(self, zones: TableZones) -> None:
        """Where centre and seats are, once it is known."""
        is_known = zones.centre is not None and zones.seats
        self._centre = None if zones.centre is None else np.asarray(zones.centre, np.float32)
        self._names = tuple(sorted(zones.seats))
        self._arms = Arms(zones.centre, zones.seats) if is_known and zones.centre is not None else None
        for look in self._looks:
            look.arms = look.apart = None

    def watch(self, at_ms: int, mask: Small, scale: float) -> None:
        """Keep what differs in this picture, see ``people.usual``; times must rise."""
        self._looks.append(_Look(at_ms, mask, scale))
        while at_ms - self._looks[0].at_ms > HISTORY_MS:
            self._looks.popleft()

    def see_hands(self, at_ms: int, hands: Iterable[Hand]) -> None:
        """The hands found in the picture watched last."""
        if self._looks and self._looks[-1].at_ms == at_ms:
            self._looks[-1].hands, self._looks[-1].apart = list(hands), None

    def moved(self, change: Left | Appeared) -> Sight:
        """How much speaks for each seat's hand having taken a card, or laid it, and when that was."""
        start_ms, end_ms = span_of(change)
        return moved(self._over(change.quad, start_ms, end_ms), change)

    def seats_at(self, quad: Quad, at_ms: int) -> dict[Seat, float]:
        """How much speaks for each seat's hand having moved this card then, about 0..1.6."""
        there = self._presence(quad, at_ms - BEFORE_MS, at_ms + AFTER_MS)
        earlier = self._presence(quad, at_ms - EARLIER_MS[0], at_ms - EARLIER_MS[1])
        later = self._presence(quad, at_ms + LATER_MS[0], at_ms + LATER_MS[1])
        return {
            seat: share - STAYS * (earlier.get(seat, 0.0) + later.get(seat, 0.0))
            for seat, share in there.items()
        }

    def has_reached(self, seat: Seat, from_ms: int, until_ms: int) -> bool:
        """Whether this seat's arm lay over the centre's edge for some pictures of a span."""
        looks = [look for look in self._looks if from_ms <= look.at_ms <= until_ms]
        return sum(any(arm.seat == seat for arm in self._arms_in(look)) for look in looks) >= REACH_LOOKS

    def touched_since(self, quad: Quad, seat: Seat, until_ms: int) -> int | None:
        """Since when this seat's hand has been on the card without a break, or None."""
        since, gap = None, 0
        for look in reversed(self._looks):
            if look.at_ms > until_ms:
                continue
            share = self._arms_at(look, quad).get(seat, 0.0) + self._tips_at(look, quad).get(seat, 0.0)
            if share >= TOUCHING:
                since, gap = look.at_ms, 0
            else:
                gap += 1
                if gap > TOUCH_GAP:
                    break
        return since

    def touches(self, quad: Quad, at_ms: int) -> dict[Seat, int]:
        """Since when which seats' hands were on a card that was taken then."""
        scores = self.seats_at(quad, at_ms)
        since = {seat: self.touched_since(quad, seat, at_ms) for seat in scores if scores[seat] >= TOUCHING}
        return {seat: then for seat, then in since.items() if then is not None}

    def _presence(self, quad: Quad, start_ms: int, end_ms: int) -> dict[Seat, float]:
        """How far each seat's hand is at the card in the pictures of a span, 0..1.6."""
        looks = [look for look in self._looks if start_ms <= look.at_ms <= end_ms]
        total = _mean([self._arms_at(look, quad) for look in looks])
        tips = [self._tips_at(look, quad) for look in looks if look.hands is not None]
        for seat, share in _mean(tips).items():
            total[seat] = total.get(seat, 0.0) + TIPS_WEIGHT * share
        return total

    def _over(self, quad: Quad, start_ms: int, end_ms: int) -> HandsOver:
        """How far each seat's hand is over a card in each picture of a span."""
        looks = [look for look in self._looks if start_ms <= look.at_ms <= end_ms]
        rows = [self._at(look, quad) for look in looks]
        shape = (len(looks), len(self._names))
        return HandsOver(
            self._names,
            np.array([look.at_ms for look in looks], np.int64),
            np.array([arms for arms, _ in rows], np.float64).reshape(shape),
            np.array([tips for _, tips in rows], np.float64).reshape(shape),
        )

    def _at(self, look: _Look, quad: Quad) -> tuple[list[float], list[float]]:
        """What arms and finger tips say for each seat in one picture, tips NaN where nobody looked."""
        arms, found = self._arms_at(look, quad), self._found(look)
        by_arm = [arms.get(seat, 0.0) * (1.0 - FOUND * found.get(seat, 0.0)) for seat in self._names]
        if look.hands is None:
            return by_arm, [np.nan] * len(self._names)
        tips = self._tips_at(look, quad)
        return by_arm, [tips.get(seat, 0.0) for seat in self._names]

    def _hands_in(self, look: _Look) -> list[tuple[Hand, bool]]:
        """The hands of a picture, each with whether it is over the centre; such are of different seats."""
        if look.apart is None:
            hands = [(hand, self._is_over(hand[1])) for hand in look.hands or []]
            over = [odds for (odds, _), is_over in hands if is_over]
            look.apart = [
                ((_apart(odds, over) if is_over else odds, tips), is_over) for (odds, tips), is_over in hands
            ]
        return look.apart

    def _is_over(self, tips: NDArray[np.float64]) -> bool:
        if self._centre is None:
            return False
        places = [(float(x), float(y)) for x, y in tips]
        inside = max(cv2.pointPolygonTest(self._centre, place, measureDist=True) for place in places)
        return inside >= -BESIDE * float(np.sqrt(cv2.contourArea(self._centre)))

    def _found(self, look: _Look) -> dict[Seat, float]:
        """How likely each seat's hand was found over the centre."""
        found: dict[Seat, float] = {}
        for (odds, _), is_over in self._hands_in(look):
            for seat, share in odds.items() if is_over else ():
                found[seat] = max(found.get(seat, 0.0), share)
        return found

    def _tips_at(self, look: _Look, quad: Quad) -> dict[Seat, float]:
        middle, length = _place(quad)
        near: dict[Seat, float] = {}
        for (odds, tips), _ in self._hands_in(look):
            away = float(np.linalg.norm(tips - middle, axis=1).min()) / max(length, 1.0)
            is_at = float(np.exp(-((away / TIP_REACH) ** 2)))
            for seat, share in odds.items():
                near[seat] = max(near.get(seat, 0.0), share * is_at)
        return near

    def _arms_at(self, look: _Look, quad: Quad) -> dict[Seat, float]:
        middle, length = _place(quad)
        found: dict[Seat, float] = {}
        for arm in self._arms_in(look):
            ends = _ends_at(look.mask, arm, middle * look.scale, length * look.scale)
            for seat, share in arm.odds.items():
                found[seat] = max(found.get(seat, 0.0), share * ends)
        return found

    def _arms_in(self, look: _Look) -> list[Arm]:
        if look.arms is None:
            look.arms = [] if self._arms is None else self._arms.reaching(look.mask, look.scale)
        return look.arms


def _apart(odds: Mapping[Seat, float], others: Sequence[Mapping[Seat, float]]) -> dict[Seat, float]:
    """A hand's odds, given those of all that it is not of the same seat as, itself among them."""
    free = {
        seat: share * float(np.prod([1.0 - OTHERS * one.get(seat, 0.0) for one in others if one is not odds]))
        for seat, share in odds.items()
    }
    total = sum(free.values())
    return {seat: share / total for seat, share in free.items()} if total > 0 else dict(odds)


def _place(quad: Quad) -> tuple[NDArray[np.float64], float]:
    """A card's middle and its length, in px."""
    length = float(np.linalg.norm(quad[[3, 2]] - quad[[0, 1]], axis=1).mean())
    return np.asarray(quad.mean(axis=0), np.float64), length


def _mean(shares: Sequence[Mapping[Seat, float]]) -> dict[Seat, float]:
    """What each seat has in the mean of some pictures."""
    total: dict[Seat, float] = {}
    for one in shares:
        for seat, share in one.items():
            total[seat] = total.get(seat, 0.0) + share / len(shares)
    return total


def clearest(scores: Mapping[Seat, float], *, least: float, margin: float) -> Seat | None:
    """The seat for which clearly more speaks than for any other, or None."""
    ranked = sorted(((score, seat) for seat, score in scores.items()), reverse=True)
    if not ranked or ranked[0][0] < least:
        return None
    return None if len(ranked) > 1 and ranked[0][0] - ranked[1][0] < margin else ranked[0][1]


def _ends_at(mask: Small, arm: Arm, middle: NDArray[np.float64], length: float) -> float:
    """How far an arm, followed ahead from the centre's edge, ends at a place, 0..1; in px of the mask."""
    way = middle - arm.edge
    ahead = float(way @ arm.ahead)
    if ahead < -SHORT_OF * length:
        return 0.0
    distance = max(float(np.linalg.norm(way)), 1e-6)
    aside = abs(float(way[0] * arm.ahead[1] - way[1] * arm.ahead[0]))
    fits = float(np.exp(-((aside / (BEND * (length + max(ahead, 0.0)))) ** 2)))
    straight = way / distance
    along = _covered(mask, arm.edge, straight, 0.0, distance)
    on = straight + arm.ahead
    on = on / max(float(np.linalg.norm(on)), 1e-6)
    past = _covered(mask, middle, on, PAST[0] * length, PAST[1] * length)
    return along * fits * (1.0 - PAST_WEIGHT * past)


def _covered(
    mask: Small, start: NDArray[np.float64], way: NDArray[np.float64], near: float, far: float
) -> float:
    """The share of a line that lies on the mask; ``near`` and ``far`` are px from its start."""
    steps = np.arange(near, far, 1.0)
    if not len(steps):
        return 1.0
    points = np.round(start + way * steps[:, None]).astype(int)
    columns = points[:, 0].clip(0, mask.shape[1] - 1)
    rows = points[:, 1].clip(0, mask.shape[0] - 1)
    return float((mask[rows, columns] > 0).mean())
