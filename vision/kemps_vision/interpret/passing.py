"""Direct passes: a card that one seat's hand brings and another's takes away, and never in the centre.

Hands that only touch carry no card, and a hand that passes another keeps its own. Where no card is seen
nothing is told here: then it is a touch. Below the table a pass is not seen, but a hand that goes there with
a card, and another seat's that comes up beside it with one, tell it too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.events import CardPassed
from kemps_rules.seats import Seat
from kemps_vision.interpret.held_cards import HeldCard, HeldCards
from kemps_vision.people.usual import Small, Usual
from kemps_vision.zones import TableZones

LOST_MS: Final = 1700  # hands that meet may cover the card for so long
BLINK_MS: Final = 210  # in which a hand on its way may hide it
REACH: Final = 0.9  # card lengths that a card may be from where it was seen last
REACH_A_SECOND: Final = 11.0  # ... and so much more for each second of a blink
REACH_LOST: Final = 1.4  # ... or after a longer time, in which hands have met and stood
LEAST_LOOKS: Final = (
    3  # at it in each hand: two in a row are now and then a shadow, or another arm over its packet
)
CARRIED: Final = 0.7  # card lengths: less is no way that a hand has brought it
GONE_MS: Final = 250  # after the last look at it in a hand: it went with that hand
BELOW_MS: Final = (1200, 4500)  # from the last look at a card that goes below the table to the first after it
SWAP_MS: Final = 500  # before and after, in which a hand at the centre swaps and passes nothing
BELOW_REACH: Final = 4.0  # card lengths between the two
BELOW_SIZE: Final = 0.6  # cards: a lone look at one must be good
HAND_GONE_MS: Final = (200, 700)  # after the last look, and before the first, the hand is not there
HAND_GONE: Final = 0.35  # of its skin
HAND_LEAST: Final = 0.3  # cards of skin, of a hand beside a card
CENTRE_MARGIN: Final = 0.2  # card lengths round the centre
OVER_TABLE: Final = "a card came in one hand and left in another"
BELOW_TABLE: Final = "a hand went below the table with a card, and another came up with one"


class SeesSkin(Protocol):
    """What is asked about hands, such as ``held_cards.HeldCards``."""

    def skin_near(
        self, at: NDArray[np.float64], from_ms: int, until_ms: int, length_px: float
    ) -> float | None:
        """How much skin was round a place then, in cards."""


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    at_ms: int
    at: NDArray[np.float64]  # (2,) px
    size: float
    seat: Seat | None
    is_beside: bool  # the centre, that is: in it a card is laid and taken


class CardPasses:
    """Follows the cards in hands and tells which were passed.

    Args:
        skin: Tells where hands were.
        is_centre: Whether a card at a point (2,) in px may lie in the centre.
        has_reached: Whether a seat's arm was over the centre in a span of time.
    """

    def __init__(
        self,
        skin: SeesSkin,
        is_centre: Callable[[NDArray[np.float64]], bool],
        has_reached: Callable[[Seat, int, int], bool],
    ) -> None:
        self._skin = skin
        self._is_centre = is_centre
        self._has_reached = has_reached
        self._tracks: list[list[_Look]] = []
        self._gone_below: list[_Look] = []  # the last looks at cards, perhaps

    def step(self, at_ms: int, held: Sequence[HeldCard], length_px: float) -> list[CardPassed]:
        """The passes that are known by now; times must rise. ``length_px`` is a card's length."""
        over = [track for track in self._tracks if at_ms - track[-1].at_ms > LOST_MS]
        self._tracks = [track for track in self._tracks if at_ms - track[-1].at_ms <= LOST_MS]
        self._follow(at_ms, held, length_px)
        return self._passes(over, length_px)

    def finish(self, length_px: float) -> list[CardPassed]:
        """The passes of the cards that are in hands now; nothing more of them will be seen."""
        over, self._tracks = self._tracks, []
        return self._passes(over, length_px)

    def _follow(self, at_ms: int, held: Sequence[HeldCard], length_px: float) -> None:
        looks = [_Look(at_ms, card.at, card.size, card.seat, not self._is_centre(card.at)) for card in held]
        free = list(self._tracks)
        # The largest patch first: a hand or a fold of its shadow may tear a small one off the card.
        for look in sorted(looks, key=lambda look: -look.size):
            near = [(_apart(track[-1], look) / length_px, i) for i, track in enumerate(free)]
            near = [(away, i) for away, i in near if away <= _reach(at_ms - free[i][-1].at_ms)]
            if near:
                free.pop(min(near)[1]).append(look)
            else:
                self._tracks.append([look])

    def _passes(self, over: Sequence[Sequence[_Look]], length_px: float) -> list[CardPassed]:
        found = []
        for track in over:
            found += _passes_in(track, length_px)
            seen = [look for look in track if look.seat is not None]
            if not seen:
                continue
            found += self._passed_below(seen[0], length_px)
            if self._may_go_below(seen[-1], length_px):
                self._gone_below = [look for look in self._gone_below if _is_of_late(look, seen[-1])]
                self._gone_below.append(seen[-1])
        return sorted(found, key=lambda event: event.at_ms)

    def _may_go_below(self, look: _Look, length_px: float) -> bool:
        """Whether a hand that was seen with a card left its place, and the card was not seen again."""
        soon, late = HAND_GONE_MS
        return _is_good(look) and self._is_hand_gone(look, look.at_ms + soon, look.at_ms + late, length_px)

    def _is_hand_gone(self, look: _Look, from_ms: int, until_ms: int, length_px: float) -> bool:
        there = self._skin.skin_near(look.at, look.at_ms, look.at_ms, length_px)
        then = self._skin.skin_near(look.at, from_ms, until_ms, length_px)
        return there is not None and then is not None and there >= HAND_LEAST and then <= HAND_GONE * there

    def _passed_below(self, first: _Look, length_px: float) -> list[CardPassed]:
        soon, late = HAND_GONE_MS
        if not _is_good(first):
            return []
        if not self._is_hand_gone(first, first.at_ms - late, first.at_ms - soon, length_px):
            return []
        givers = [
            last
            for last in self._gone_below
            if last.seat != first.seat
            and BELOW_MS[0] <= first.at_ms - last.at_ms <= BELOW_MS[1]
            and _apart(first, last) <= BELOW_REACH * length_px
            and not any(self._is_swapping(seat, last, first) for seat in (last.seat, first.seat) if seat)
        ]
        if not givers:
            return []
        self._gone_below.remove(givers[-1])
        return [_passed([givers[-1]], [first], BELOW_TABLE)]

    def _is_swapping(self, seat: Seat, last: _Look, first: _Look) -> bool:
        return self._has_reached(seat, last.at_ms - SWAP_MS, first.at_ms + SWAP_MS)


class PassWatch:
    """Sees direct passes in one camera's pictures.

    Args:
        zones: Where centre and seats are.
        has_reached: See ``CardPasses``.
    """

    def __init__(self, zones: TableZones, has_reached: Callable[[Seat, int, int], bool]) -> None:
        self._has_reached = has_reached
        self._length_px = 0.0
        self.set_zones(zones)

    def set_zones(self, zones: TableZones) -> None:
        """Where centre and seats are, once it is known or has changed."""
        self._zones = zones
        self._held = HeldCards(zones.seats, zones.middle or (0.0, 0.0))
        self._passes = CardPasses(self._held, self._is_centre, self._has_reached)

    def step(
        self, at_ms: int, usual: Usual, differs: Small, scale: float, length_px: float
    ) -> list[CardPassed]:
        """The passes that are known by now; ``usual`` has just compared this moment's picture.

        ``differs`` and ``scale`` are what it gave; ``length_px`` is a card's length.
        """
        if usual.pictures is None or self._zones.centre is None:
            return []
        self._length_px = length_px
        held = self._held.find(at_ms, *usual.pictures, differs, scale, length_px)
        return self._passes.step(at_ms, held, length_px)

    def see_hands(self, hands: Iterable[NDArray[np.float64]]) -> None:
        """Points (n, 2) on the skin of each hand found in that picture, in px."""
        self._held.see_hands(hands)

    def finish(self) -> list[CardPassed]:
        """The passes of the cards that are in hands now; nothing more of them will be seen."""
        return self._passes.finish(self._length_px)

    def _is_centre(self, at: NDArray[np.float64]) -> bool:
        outline = np.asarray(self._zones.centre, np.float32)
        inside_px = cv2.pointPolygonTest(outline, (float(at[0]), float(at[1])), measureDist=True)
        return inside_px > -CENTRE_MARGIN * self._length_px


def _apart(one: _Look, other: _Look) -> float:
    return float(np.linalg.norm(one.at - other.at))


def _reach(gap_ms: int) -> float:
    return REACH + REACH_A_SECOND * gap_ms / 1000 if gap_ms <= BLINK_MS else REACH_LOST


def _is_good(look: _Look) -> bool:
    return look.seat is not None and look.is_beside and look.size >= BELOW_SIZE


def _is_of_late(look: _Look, now: _Look) -> bool:
    return now.at_ms - look.at_ms <= BELOW_MS[1]


def _passes_in(track: Sequence[_Look], length_px: float) -> list[CardPassed]:
    seen = [look for look in track if look.seat is not None]
    runs = [list(run) for _, run in groupby(seen, key=lambda look: look.seat)]
    runs = [run for run in runs if len(run) >= LEAST_LOOKS]
    found = []
    for giver, taker in pairwise(runs):
        if giver[0].seat == taker[0].seat or not (giver[-1].is_beside and taker[0].is_beside):
            continue
        until_taken = [look for look in track if giver[0].at_ms <= look.at_ms <= taker[0].at_ms]
        is_taken = _way(taker) >= CARRIED * length_px or track[-1].at_ms - taker[-1].at_ms <= GONE_MS
        if _way(until_taken) >= CARRIED * length_px and is_taken:
            found.append(_passed(giver, taker, OVER_TABLE))
    return found


def _way(run: Sequence[_Look]) -> float:
    """How far in px a card went."""
    return max(_apart(look, run[0]) for look in run)


def _passed(giver: Sequence[_Look], taker: Sequence[_Look], reason: str) -> CardPassed:
    begin_ms, end_ms = giver[-1].at_ms, taker[0].at_ms
    at_ms = (begin_ms + end_ms) // 2
    looks = min(len(giver), len(taker))
    return CardPassed(
        at_ms=at_ms,
        uncertainty_ms=end_ms - at_ms,
        from_seat=giver[0].seat,
        to_seat=taker[0].seat,
        confidence=round(1 - 0.5 ** ((1 + looks) / 2), 3),
        extra={"until_ms": end_ms, "reason": reason},
    )
