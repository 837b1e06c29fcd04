"""The centre's story: cards that came and left become turned, taken, laid and swept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Final, Protocol, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from kemps_rules.cards import Card
from kemps_rules.events import CardLaid, CardTaken, CardTouched, CentreSwept, CentreTurned
from kemps_rules.seats import Seat
from kemps_vision.appearance import Quad
from kemps_vision.changes import Appeared, Left
from kemps_vision.interpret.moving_hands import Sight
from kemps_vision.interpret.reaching import clearest
from kemps_vision.interpret.swap_seats import LEAST, MARGIN, SwapSeats

CentreEvent: TypeAlias = CentreTurned | CardTouched | CardTaken | CardLaid | CentreSwept

CENTRE_SIZE: Final = 4
FIRST_SIGHT_MS: Final = 400  # a card at rest this soon after the first frame was there before
FIRST_SIGHT_WAIT_MS: Final = 2500  # for the rest of a centre that is read card by card
HOLD_MS: Final = 2500  # a card that left was taken if the others still lie there after so long
HOLD_LONGEST_MS: Final = 6000
UNSEEN_LONGEST_MS: Final = 15_000  # ... or if nothing of the others shows for so long
SWEEP_GAP_MS: Final = 2500  # between two cards of one sweep
SWEEP_LEAST: Final = 3  # cards; a swap may be open when the dealer sweeps
SWEEP_QUIET_MS: Final = 800  # after the last card, in which nobody lays one
BESIDE: Final = 0.35  # card lengths: half a card's width
PLACE_AFTER_CALL: Final = 0.7
PLACE: Final = 1.6  # card lengths from the middles of the centre's cards: one laid beside them
SWEPT_AT: Final = 0.35  # of the span in which it was not seen: under a hand that gathers cards
LET_GO_MS: Final = 100  # a hand stays on a card that already lies still, at the most usual
SHARP_MS: Final = 60  # by how much a sharp loss may be off, beside the frame interval


class SeesHands(Protocol):
    """What is asked about hands, such as ``reaching.Reaches``: at a card (4, 2) at some time."""

    def seats_at(self, quad: Quad, at_ms: int) -> Mapping[Seat, float]:
        """How much speaks for each seat's hand there and then."""

    def moved(self, change: Left | Appeared) -> Sight:
        """How much speaks for each seat having taken or laid a card."""

    def touches(self, quad: Quad, at_ms: int) -> Mapping[Seat, int]:
        """Since when which seats' hands had been on it."""


class CentreStory:
    """Tells what happened in the centre; told in the order of knowledge, each event with its own time.

    ``hands`` tells whose body-hands were where.
    """

    def __init__(self, hands: SeesHands, frame_ms: float) -> None:
        self._hands = hands
        self._seats = SwapSeats()
        self._frame_ms = frame_ms
        self._lying: dict[int, Appeared] = {}
        self._told_ms: dict[int, int] = {}  # when each card was laid, by its spot
        self._pending: list[Left] = []
        self._first: list[Appeared] = []
        self._waiting: list[Appeared] = []  # laid, or turned by a dealer who swept under their arm
        self._hidden: Set[int] = frozenset()
        self._turned = 0
        self._first_seen = 0
        self._places: list[Quad] = []
        self._hull: tuple[NDArray[np.float32], float] | None = None
        self._start_ms: int | None = None

    @property
    def unread(self) -> int:
        """How many more lie there that could not be read."""
        return sum(one.card is None for one in [*self._lying.values(), *self._waiting])

    def cards_at(self, at_ms: int) -> set[Card]:
        """The known cards that lay there at a time not long ago, as far as told or held back."""
        there = [*self._lying.values(), *self._waiting]
        lying = {one.card for one in there if one.rest_ms <= at_ms}
        leaving = {left.card for left in self._pending if left.shown_ms >= at_ms}
        return {card for card in lying | leaving if card is not None}

    def is_place(self, point: NDArray[np.float64], *, is_called: bool = False) -> bool:
        """Whether a card there lies with the centre's cards, once all are known.

        After a call hands are shown, perhaps near by: then only the centre's own places count.
        """
        if not self.is_open or len(self._places) < CENTRE_SIZE:
            return True
        hull, length = self._outline()
        distance = cv2.pointPolygonTest(hull, (float(point[0]), float(point[1])), measureDist=True)
        return distance >= -(PLACE_AFTER_CALL if is_called else PLACE) * length

    @property
    def beside_px(self) -> float:
        """How far a card of the centre may lie beside its zone; 0 until it is known how long cards are."""
        return BESIDE * self._outline()[1] if self.is_open and len(self._places) >= CENTRE_SIZE else 0.0

    def _outline(self) -> tuple[NDArray[np.float32], float]:
        """The hull round the middles of all places so far, and a card's length; kept, as often asked for."""
        if self._hull is None:
            centres = np.asarray([quad.mean(axis=0) for quad in self._places], np.float32)
            length = float(np.median([_length(quad) for quad in self._places]))
            self._hull = np.asarray(cv2.convexHull(centres), np.float32), length
        return self._hull

    @property
    def is_open(self) -> bool:
        """Whether all four cards have been turned, so that a new one comes from a hand."""
        return self._turned >= CENTRE_SIZE

    @property
    def oldest_pending_ms(self) -> int | None:
        """The time of the oldest event that is held back, or None."""
        times = [left.shown_ms for left in self._pending]
        times += [one.rest_ms for one in [*self._first, *self._waiting]]
        return min(times, default=None)

    def began(self, at_ms: int) -> None:
        """The first frame's time."""
        self._start_ms = at_ms

    def camera_moved(self, moved: Callable[[Quad], Quad]) -> None:
        """The places of the centre lie elsewhere in the picture now; ``moved`` maps points (n, 2)."""
        self._places = [moved(quad) for quad in self._places]
        self._hull = None

    def appeared(self, card: Appeared) -> list[CentreEvent]:
        """A card lies in the centre."""
        if card.nudged_from is not None and self._forget_pending(card.nudged_from):
            self._lying[card.spot] = card
            return []
        if self._waiting or self._may_be_swept():
            self._waiting.append(card)
            return []
        return self._came(card)

    def _came(self, card: Appeared) -> list[CentreEvent]:
        if self.is_open and not self._is_first_sight(card):
            self._seats.saw(card, self._hands.moved(card))
        events = self._resolve_before(card.rest_ms)
        self._places.append(card.quad)
        self._hull = None
        self._lying[card.spot] = card
        if self._is_first_sight(card):
            self._first.append(card)
            self._first_seen += 1
            self._turned += 1
            return events
        if not self.is_open:
            self._turned += 1
            return [*events, _turned([card])]
        return [*events, self._laid(card)]

    def left(self, card: Left) -> list[CentreEvent]:
        """A card is no longer there."""
        events = self._tell_waiting() if any(one.spot == card.spot for one in self._waiting) else []
        self._lying.pop(card.spot, None)
        self._pending.append(card)
        return events

    def hide(self, spots: Set[int]) -> None:
        """Of which cards nothing shows now; to be told before what appears and leaves."""
        self._hidden = spots

    def step(self, now_ms: int, *, are_others_clear: bool, unsettled: int = 0) -> list[CentreEvent]:
        """What has become clear by now.

        ``are_others_clear``: nothing lies over the cards that remain. ``unsettled``: how many more lie
        there that are not read yet.
        """
        events = self._tell_first_sight(now_ms, unsettled)
        if self._waiting:
            is_late = now_ms - self._waiting[0].settled_ms >= HOLD_LONGEST_MS
            return events + (self._tell_waiting() if is_late or not self._may_be_swept() else [])
        if not self._pending:
            return events
        last_ms = self._pending[-1].bare_ms
        if self._looks_swept():
            return events + (self._sweep() if now_ms - last_ms >= SWEEP_QUIET_MS else [])
        waited_ms = now_ms - last_ms
        longest_ms = UNSEEN_LONGEST_MS if self._may_be_swept() else HOLD_LONGEST_MS
        if waited_ms >= longest_ms or (waited_ms >= HOLD_MS and are_others_clear):
            events += self._take_all()
        return events

    def finish(self) -> list[CentreEvent]:
        """Everything still held back; nothing more will be seen."""
        events = self._tell_first_sight(None) + self._tell_waiting()
        return events + (self._sweep() if self._looks_swept() else self._take_all())

    def _may_be_swept(self) -> bool:
        """Whether of the old cards none shows any more: some are gone, and the others may be."""
        is_any_seen = any(spot not in self._hidden for spot in self._lying)
        is_any_left = bool(self._lying) and bool(self._pending)
        return self.is_open and is_any_left and not is_any_seen and self._old >= SWEEP_LEAST

    @property
    def _old(self) -> int:
        return len(self._lying) + len(self._pending)

    def _tell_waiting(self) -> list[CentreEvent]:
        """The cards that came while it was not clear whether the old ones had been swept."""
        waiting, self._waiting = self._waiting, []
        events = self._sweep() if waiting and self._looks_swept() else []
        for card in waiting:
            events += self._came(card)
        return events

    def _is_first_sight(self, card: Appeared) -> bool:
        return (
            self._start_ms is not None
            and card.rest_ms - self._start_ms <= FIRST_SIGHT_MS
            and self._first_seen < CENTRE_SIZE
        )

    def _tell_first_sight(self, now_ms: int | None, unsettled: int = 0) -> list[CentreEvent]:
        if not self._first or self._start_ms is None:
            return []
        is_whole = len(self._first) >= CENTRE_SIZE
        waited_ms = 0 if now_ms is None else now_ms - min(one.settled_ms for one in self._first)
        if not is_whole and now_ms is not None and waited_ms < FIRST_SIGHT_WAIT_MS:
            return []
        event = _turned(self._first, first_sight=True, at_ms=self._start_ms)
        if len(self._first) + unsettled >= SWEEP_LEAST:
            self._turned = max(self._turned, CENTRE_SIZE)  # a card that was out when watching began
        self._first = []
        return [event]

    def _resolve_before(self, at_ms: int) -> list[CentreEvent]:
        """Settle what left before a card came: a sweep if everything was gone, else takes."""
        before = [left for left in self._pending if left.shown_ms <= at_ms]
        if len(before) == len(self._pending) and self._looks_swept():
            return self._sweep()
        events: list[CentreEvent] = []
        if self.is_open:
            events = self._take(before)
        if self.is_open:
            self._pending = [left for left in self._pending if left not in before]
        return events

    def _forget_pending(self, spot: int) -> bool:
        kept = [left for left in self._pending if left.spot != spot]
        is_known = len(kept) < len(self._pending)
        self._pending = kept
        return is_known

    def _looks_swept(self) -> bool:
        return not self._lying and len(self._gone_together()) >= SWEEP_LEAST

    def _gone_together(self) -> list[Left]:
        """The cards that went last, each soon after the one before; what went long before them was taken."""
        # One that lay under an arm for long may have gone with the others, if not before.
        last_ms = max((left.shown_ms for left in self._pending), default=0)
        gone = [(max(left.shown_ms, min(left.bare_ms, last_ms)), left) for left in self._pending]
        together: list[Left] = []
        since_ms = last_ms
        for at_ms, left in sorted(gone, key=lambda one: -one[0]):
            if since_ms - at_ms > SWEEP_GAP_MS:
                break
            together.append(left)
            since_ms = at_ms
        return together

    def _sweep(self) -> list[CentreEvent]:
        swept = self._gone_together()
        before = [left for left in self._pending if left not in swept]
        events = self._take(sorted(before, key=lambda left: left.shown_ms))
        self._pending = swept
        at_ms, uncertainty_ms = min(self._swept(left) for left in self._pending if self._tells_when(left))
        seat = self._sweeper()
        self._seats.swept()
        self._pending = []
        self._told_ms.clear()
        self._turned = 0
        self._places, self._hull = [], None
        return [*events, CentreSwept(at_ms=at_ms, uncertainty_ms=uncertainty_ms, seat=seat)]

    def _tells_when(self, left: Left) -> bool:
        """Whether one swept with others showed until about then: one under an arm tells little of it."""
        later = [one.shown_ms for one in self._pending if one.shown_ms > left.shown_ms]
        return not later or min(later) - left.shown_ms <= SWEEP_GAP_MS

    def _take_all(self) -> list[CentreEvent]:
        events = self._take(sorted(self._pending, key=lambda left: left.shown_ms))
        self._pending = []
        return events

    def _take(self, cards: Sequence[Left]) -> list[CentreEvent]:
        """The takes of cards; whose each was is weighed with the others in mind."""
        for left in cards:
            self._seats.saw(left, self._hands.moved(left))
        return [event for left in cards for event in self._taken(left)]

    def _taken(self, left: Left) -> list[CentreEvent]:
        """The take, after the touches of all whose hands were on the card."""
        at_ms, uncertainty_ms = self._lifted(left)
        seat = self._seats.seat_of(left)
        touches = self._hands.touches(left.quad, left.shown_ms)
        sure_ms = round(self._frame_ms) + SHARP_MS
        touched = [
            CardTouched(at_ms=min(since_ms, at_ms), uncertainty_ms=sure_ms, seat=one, card=left.card)
            for one, since_ms in sorted(touches.items(), key=lambda item: (item[1], item[0]))
        ]
        taken = CardTaken(at_ms=at_ms, uncertainty_ms=uncertainty_ms, seat=seat, card=left.card)
        return [*touched, taken]

    def _sweeper(self) -> Seat | None:
        """The seat that speaks most over all cards that went."""
        total: dict[Seat, float] = {}
        for left in self._pending:
            for seat, score in self._hands.seats_at(left.quad, left.shown_ms).items():
                total[seat] = total.get(seat, 0.0) + score / len(self._pending)
        return clearest(total, least=LEAST, margin=MARGIN)

    def _lifted(self, left: Left) -> tuple[int, int]:
        """When a card began to follow a hand, and by how much that may be off.

        It shows until it has moved by more than its look bears: it began to move a little before that.
        """
        told_ms = self._told_ms.pop(left.spot, None)
        at_ms = max(round(left.shown_ms - self._frame_ms / 2), 0 if told_ms is None else told_ms + 1)
        if left.is_sharp:
            return at_ms, round(self._frame_ms / 2) + SHARP_MS
        return at_ms, round(max(0, left.bare_ms - left.shown_ms) + self._frame_ms)

    def _swept(self, left: Left) -> tuple[int, int]:
        """When a card went that a hand gathers, perhaps under it, and by how much that may be off."""
        if left.is_sharp:
            return round(left.shown_ms + self._frame_ms / 2), round(self._frame_ms / 2) + SHARP_MS
        span_ms = max(0, left.bare_ms - left.shown_ms)
        ahead_ms = round(SWEPT_AT * span_ms)
        return left.shown_ms + ahead_ms, round(span_ms - ahead_ms + self._frame_ms)

    def _laid(self, card: Appeared) -> CardLaid:
        # It lies still under the hand from rest_ms on; the hand is off it by clear_ms and lets go between.
        span_ms = max(0, card.clear_ms - card.rest_ms)
        ahead_ms = min(LET_GO_MS, LET_GO_MS // 2 + span_ms // 4)
        at_ms = card.rest_ms + ahead_ms
        uncertainty_ms = round(max(span_ms - ahead_ms, self._frame_ms + SHARP_MS))
        self._told_ms[card.spot] = at_ms
        return CardLaid(
            at_ms=at_ms,
            uncertainty_ms=uncertainty_ms,
            seat=self._seats.seat_of(card),
            card=card.card,
            confidence=card.confidence,
        )


def _turned(
    cards: Sequence[Appeared], *, first_sight: bool = False, at_ms: int | None = None
) -> CentreTurned:
    return CentreTurned(
        at_ms=max(card.rest_ms for card in cards) if at_ms is None else at_ms,
        cards=tuple(card.card for card in sorted(cards, key=_reading_order) if card.card is not None),
        unread=sum(card.card is None for card in cards),
        first_sight=first_sight,
        confidence=min(card.confidence for card in cards),
    )


def _length(quad: Quad) -> float:
    return float(np.linalg.norm(quad[[3, 2]] - quad[[0, 1]], axis=1).mean())


def _reading_order(card: Appeared) -> tuple[float, float]:
    x, y = card.quad.mean(axis=0)
    return float(x), float(y)
