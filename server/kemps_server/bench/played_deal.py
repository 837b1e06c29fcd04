"""A deal played by made-up players who all know what they hold; what a camera would see of it is told."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Final

from kemps_rules import events
from kemps_rules.cards import DECK_52, Card
from kemps_rules.seats import Pair, Seat, pair_of, pairs_of, partner_of

FREE_MS: Final = 420  # from the touch until the card follows the hand
_SPECULATIONS: Final = 3  # cards a seat takes from one centre without collecting their rank
SIGNALS: Final = ("wink_left", "brow_raise", "hand_to_ear", "mouth_open")


@dataclass(frozen=True, slots=True)
class Told:
    """An event with the moment at which the observer knows of it."""

    known_ms: int
    event: events.Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How people at a table play; chances are of one occasion.

    Attributes:
        think_ms: From seeing a card to reaching for it, about.
        notice: That a partner sees a signal.
        rival: That somebody of another pair does, and says Stop.
        decoy: That a seat shows its pair's sign for nothing, each time a centre is turned.
        believe: That the partner falls for it.
        greed: That a seat takes a card of a rank it does not collect.
        overlook: That a seat does not see, for as long as it lies there, that a card is of use.
    """

    think_ms: int = 2600
    notice: float = 0.22
    rival: float = 0.03
    decoy: float = 0.06
    believe: float = 0.08
    greed: float = 0.3
    overlook: float = 0.5


@dataclass(slots=True)
class PlayedDeal:
    """One deal; ``run`` plays it and leaves what was seen in ``told``.

    Attributes:
        loser: The pairs that get a letter.
        until_ms: When it was over.
    """

    count: int
    seats: tuple[Seat, ...]
    dealer: Seat
    begins_ms: int
    manners: Manners
    random: Random
    told: list[Told] = field(default_factory=list)
    losers: tuple[Pair, ...] = ()
    until_ms: int = 0
    _hands: dict[Seat, list[Card]] = field(default_factory=dict)
    _stock: list[Card] = field(default_factory=list)
    _centre: list[Card] = field(default_factory=list)
    _busy: set[Seat] = field(default_factory=set)
    _quads: set[Seat] = field(default_factory=set)
    _taken: Counter[Seat] = field(default_factory=Counter)
    _looked: dict[tuple[Seat, Card], bool] = field(default_factory=dict)
    _agenda: list[tuple[int, int, Callable[[int], None]]] = field(default_factory=list)
    _number: int = 0
    _restless: int = 0
    _is_over: bool = False

    def run(self) -> PlayedDeal:
        """The deal, played to its end."""
        self._deal()
        while self._agenda and not self._is_over:
            at_ms, _, act = heapq.heappop(self._agenda)
            act(at_ms)
        return self

    def signal_of(self, seat: Seat) -> str:
        """The sign that a pair has agreed on."""
        return SIGNALS[pairs_of(self.count).index(pair_of(seat, self.count))]

    def _deal(self) -> None:
        deck = list(DECK_52)
        self.random.shuffle(deck)
        for seat in self.seats:
            self._hands[seat] = [deck.pop() for _ in range(4)]
        self._stock = deck
        self._tell(self.begins_ms, events.DealStarted(at_ms=self.begins_ms, dealer=self.dealer))
        self._turn(self.begins_ms + self._about(14_000))

    def _tell(self, at_ms: int, event: events.Event, *, late_ms: int = 400) -> None:
        self.told.append(Told(at_ms + late_ms, event))

    def _about(self, ms: int) -> int:
        return round(ms * self.random.uniform(0.55, 1.6))

    def _later(self, at_ms: int, act: Callable[[int], None]) -> None:
        self._number += 1
        heapq.heappush(self._agenda, (at_ms, self._number, act))

    def _turn(self, at_ms: int) -> None:
        self._centre = [self._stock.pop() for _ in range(4)]
        self._taken.clear()
        self._looked.clear()
        self._tell(
            at_ms, events.CentreTurned(at_ms=at_ms, cards=tuple(self._centre), confidence=self._sureness())
        )
        for seat in self.seats:
            if seat not in self._quads and self.random.random() < self.manners.decoy:
                when = at_ms + self._about(3000)
                self._later(when, lambda now, seat=seat: self._signal(seat, now))  # type: ignore[misc]
        self._wake(at_ms)

    def _sureness(self) -> float:
        return round(1 - abs(self.random.gauss(0, 0.02)), 3)

    def _wake(self, at_ms: int) -> None:
        """Everybody looks at the centre; when nobody wants anything it is swept."""
        self._restless += 1
        for seat in self.seats:
            when = at_ms + self._about(self.manners.think_ms)
            self._later(when, lambda now, seat=seat: self._decide(seat, now))  # type: ignore[misc]
        state = self._restless
        self._later(at_ms + self._about(3 * self.manners.think_ms), lambda now: self._sweep(now, state))

    def _decide(self, seat: Seat, at_ms: int) -> None:
        if seat in self._busy or self._has_quad(seat):
            return
        card = self._wanted(seat)
        if card is None:
            return
        self._centre.remove(card)
        self._busy.add(seat)
        self._taken[seat] += card.rank != self._collected(seat)
        self._reach(seat, card, at_ms)
        self._dispute(seat, card, at_ms)
        taken_ms = at_ms + self._about(FREE_MS)
        self._tell(
            taken_ms,
            events.CardTaken(at_ms=taken_ms, seat=seat, card=card, confidence=self._sureness()),
        )
        self._later(taken_ms + self._about(1100), lambda now: self._lay(seat, card, now))

    def _reach(self, seat: Seat, card: Card, at_ms: int) -> None:
        until_ms = at_ms + self._about(700)
        began_ms = at_ms - self._about(250)
        reached = events.HandReached(at_ms=began_ms, until_ms=until_ms, seat=seat, card=card)
        self._tell(until_ms, reached)
        self._tell(at_ms, events.CardTouched(at_ms=at_ms, seat=seat, card=card, uncertainty_ms=33))

    def _dispute(self, seat: Seat, card: Card, at_ms: int) -> None:
        """Whoever collects the same rank may put a finger on the card, too late."""
        for other in self.seats:
            is_rival = other != seat and other not in self._busy and self._collected(other) == card.rank
            if not is_rival or self.random.random() > 0.6:
                continue
            gap_ms = 20 + round(self.random.expovariate(1 / 180))
            touched_ms = at_ms + gap_ms
            if gap_ms < FREE_MS // 2:
                touched = events.CardTouched(at_ms=touched_ms, seat=other, card=card, uncertainty_ms=33)
                self._tell(touched_ms, touched)
            if gap_ms < 90:
                contact = events.HandsTouched(
                    at_ms=touched_ms, until_ms=touched_ms + 180, seats=(seat, other), where="centre"
                )
                self._tell(touched_ms + 180, contact)

    def _lay(self, seat: Seat, taken: Card, at_ms: int) -> None:
        hand = [*self._hands[seat], taken]
        counts = Counter(card.rank for card in hand)
        laid = min((card for card in hand if card != taken), key=lambda card: (counts[card.rank], str(card)))
        hand.remove(laid)
        self._hands[seat] = hand
        self._centre.append(laid)
        self._busy.discard(seat)
        self._tell(at_ms, events.CardLaid(at_ms=at_ms, seat=seat, card=laid, confidence=self._sureness()))
        if self._has_quad(seat):
            self._quads.add(seat)
            self._later(at_ms + self._about(1900), lambda now: self._signal(seat, now))
        self._wake(at_ms)

    def _has_quad(self, seat: Seat) -> bool:
        return len({card.rank for card in self._hands[seat]}) == 1

    def _collected(self, seat: Seat) -> str:
        counts = Counter(card.rank for card in self._hands[seat])
        return max(counts, key=lambda rank: (counts[rank], rank))

    def _wanted(self, seat: Seat) -> Card | None:
        rank = self._collected(seat)
        for card in self._centre:
            if card.rank == rank and self._sees(seat, card):
                return card
        held = {card.rank for card in self._hands[seat]}
        others = [card for card in self._centre if card.rank in held]
        is_curious = self._taken[seat] < _SPECULATIONS and self.random.random() < self.manners.greed
        return self.random.choice(others or self._centre) if self._centre and is_curious else None

    def _sees(self, seat: Seat, card: Card) -> bool:
        if (seat, card) not in self._looked:
            self._looked[seat, card] = self.random.random() >= self.manners.overlook
        return self._looked[seat, card]

    def _sweep(self, at_ms: int, state: int) -> None:
        if state != self._restless or self._busy:
            return
        if len(self._stock) < 4:
            self._tell(at_ms, events.Dry(at_ms=at_ms))
            self._end(at_ms + 900, "dry")
            return
        self._tell(at_ms, events.CentreSwept(at_ms=at_ms, seat=self.dealer))
        self._centre = []
        self._later(at_ms + self._about(1800), self._turn)

    def _signal(self, seat: Seat, at_ms: int) -> None:
        """The pair's sign, by somebody with four alike or by one who wants to mislead."""
        is_true = self._has_quad(seat)
        length_ms = self._about(380)
        shown = events.Gesture(
            at_ms=at_ms,
            until_ms=at_ms + length_ms,
            seat=seat,
            gesture=self.signal_of(seat),
            strength=round(self.random.uniform(0.5, 0.95), 2),
            confidence=round(self.random.uniform(0.6, 0.98), 2),
            extra={"camera": "faces"},
        )
        self._tell(at_ms + length_ms, shown, late_ms=600)
        chance = self.manners.notice if is_true else self.manners.believe
        if self.random.random() < chance:
            called_ms = at_ms + length_ms + self._about(1500)
            partner = partner_of(seat, self.count)
            self._later(called_ms, lambda now: self._call(partner, "kemps", seat, now))
        elif self.random.random() < self.manners.rival:
            rival = self.random.choice(
                [one for one in self.seats if pair_of(one, self.count) != pair_of(seat, self.count)]
            )
            called_ms = at_ms + length_ms + self._about(2100)
            self._later(called_ms, lambda now: self._call(rival, "stop", seat, now))
        if is_true:
            self._later(at_ms + self._about(15_000), lambda now: self._signal(seat, now))

    def _call(self, caller: Seat, call: str, about: Seat, at_ms: int) -> None:
        self._tell(
            at_ms,
            events.Called(
                at_ms=at_ms,
                seat=caller,
                call=call,
                against=about if call == "stop" else None,
                uncertainty_ms=120,
            ),
        )
        asked = (about, partner_of(about, self.count)) if call == "stop" else (about,)
        shown_ms = at_ms
        for seat in asked:
            shown_ms += self._about(2400)
            hand = tuple(self._hands[seat])
            self._tell(shown_ms, events.HandShown(at_ms=shown_ms, seat=seat, cards=hand), late_ms=900)
        is_right = any(self._has_quad(seat) for seat in asked)
        self.losers = tuple(self._losers(caller, call, about, is_right=is_right))
        self._end(shown_ms + self._about(2500), "call")

    def _losers(self, caller: Seat, call: str, about: Seat, *, is_right: bool) -> Iterator[Pair]:
        own = pair_of(caller, self.count)
        for pair in pairs_of(self.count):
            is_accused = pair == pair_of(about, self.count) if call == "stop" else pair != own
            if (is_right and is_accused) or (not is_right and pair == own):
                yield pair

    def _end(self, at_ms: int, why: str) -> None:
        self._is_over = True
        self._tell(at_ms, events.DealEnded(at_ms=at_ms, why=why))
        self.until_ms = at_ms
