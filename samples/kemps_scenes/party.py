"""Players at a table who know their cards, and all that can happen between two calls: scripts for clips.

Every method lets somebody do something from ``now`` on and leaves ``now`` behind it. The journal that comes
of it tells only what a script can say (see the README of samples); what was dealt stays with the players.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from kemps_rules.cards import DECK_52, Card
from kemps_rules.events import (
    Called,
    CardLaid,
    CardTaken,
    CardTouched,
    CentreSwept,
    CentreTurned,
    DealStarted,
    Event,
    GameOpened,
    HandReached,
    HandShown,
)

QUICK_MS: Final = 300  # between the swaps of two seats
_SWAP_MS: Final = (850, 1500)  # from a take to its lay
_DEALING_MS: Final = 5200  # from the first card dealt to the fourth one turned
_SWEEPING_MS: Final = 4200


class Party:
    """One table of players.

    Attributes:
        events: The script so far.
        now: The time up to which it is written, in ms.
        hands: What each seat holds.
        centre: What lies in the centre.
    """

    def __init__(self, rng: np.random.Generator, seats: str, *, is_row: bool = True) -> None:
        self.rng, self.seats, self.is_row = rng, seats, is_row
        self.events: list[Event] = [
            GameOpened(at_ms=0, rules="leaflet", seats={seat: f"Player {seat}" for seat in seats})
        ]
        self.now = 0
        self.dealer = str(rng.choice(list(seats)))
        self.hands: dict[str, list[Card]] = {}
        self.centre: list[Card] = []
        self.stock: list[Card] = []
        self.lucky: str | None = None
        self._wanted: Card | None = None
        self._pushed: dict[Card, list[float]] = {}

    def wait(self, least: int, most: int) -> int:
        """Some time goes by; the time it is then."""
        self.now += int(self.rng.integers(least, most))
        return self.now

    def sit_down(self) -> None:
        """The watching begins when the cards are dealt and the centre lies there."""
        self._deal_out()
        self.events += [
            DealStarted(at_ms=0, dealer=self.dealer),
            CentreTurned(at_ms=0, cards=tuple(self.centre), first_sight=True),
        ]
        self.now = 1500

    def deal(self) -> None:
        """The next dealer gathers all cards, deals, and turns four."""
        self.dealer = self.seats[(self.seats.index(self.dealer) + 1) % len(self.seats)]
        self._deal_out()
        at_ms = self.wait(2600, 3200)
        self.now = at_ms + _DEALING_MS
        self.events += [
            DealStarted(at_ms=at_ms, dealer=self.dealer),
            CentreTurned(at_ms=self.now, cards=tuple(self.centre)),
        ]
        self.wait(500, 900)

    def _deal_out(self) -> None:
        """Who gets what; one seat is dealt three of a rank whose fourth is turned up first."""
        self.stock = [DECK_52[int(index)] for index in self.rng.permutation(len(DECK_52))]
        rank = self.stock[0].rank
        alike = [card for card in self.stock if card.rank == rank]
        self.stock = [card for card in self.stock if card.rank != rank]
        self.lucky, self._wanted = str(self.rng.choice(list(self.seats))), alike[3]
        self.hands = {seat: [self.stock.pop() for _ in range(4)] for seat in self.seats}
        self._pushed = {}
        self.hands[self.lucky] = [*alike[:3], self.hands[self.lucky][3]]
        self.centre = [alike[3], *(self.stock.pop() for _ in range(3))]

    def swap(self, seat: str, at_ms: int, card: Card | None = None, onto: Card | None = None) -> int:
        """A seat takes a card at a time and lays another; the time when that lies there."""
        card = card or self.choose()
        laid_ms = at_ms + int(self.rng.integers(*_SWAP_MS))
        laid = self._worst(seat, card)
        self.centre[self.centre.index(card)] = laid
        self.hands[seat].remove(laid)
        self.hands[seat].append(card)
        hint = {} if onto is None else {"onto": str(onto)}
        self.events += [
            CardTaken(at_ms=at_ms, seat=seat, card=card),
            CardLaid(at_ms=laid_ms, seat=seat, card=laid, extra=hint),
        ]
        return laid_ms

    def choose(self, besides: Sequence[Card] = ()) -> Card:
        """A card of the centre that anybody may take: not the one that somebody waits for."""
        free = [card for card in self.centre if card not in besides and card != self._wanted]
        return free[int(self.rng.integers(len(free)))]

    def _worst(self, seat: str, taken: Card) -> Card:
        """The card that a seat lays for another: not of the rank that it has most of."""
        ranks = Counter(card.rank for card in [*self.hands[seat], taken])
        rarest = min(ranks[card.rank] for card in self.hands[seat])
        worst = [card for card in self.hands[seat] if ranks[card.rank] == rarest]
        return worst[int(self.rng.integers(len(worst)))]

    def swap_one(self) -> None:
        """One seat swaps."""
        self.now = self.swap(self._somebody(), self.now)

    def swap_onto(self) -> None:
        """One seat swaps, and lays its card partly on another."""
        card = self.choose()
        others = [other for other in self.centre if other != card]
        self.now = self.swap(self._somebody(), self.now, card, others[int(self.rng.integers(3))])

    def swap_quickly(self) -> None:
        """Two or three seats swap, each a third of a second after the other."""
        seats = self._some(int(self.rng.integers(2, 4)))
        chosen: list[Card] = []
        for _ in seats:
            free = [card for card in self.centre if card not in chosen and card != self._wanted]
            chosen.append(free[int(self.rng.integers(len(free)))])
        start = self.now
        ends = [
            self.swap(seat, start + QUICK_MS * index, card)
            for index, (seat, card) in enumerate(zip(seats, chosen, strict=True))
        ]
        self.now = max(ends)

    def swap_twice(self) -> None:
        """One seat swaps, and at once again."""
        seat = self._somebody()
        self.now = self.swap(seat, self.now)
        self.now = self.swap(seat, self.now + 450)

    def dispute(self) -> None:
        """Two seats reach for one card; the one who touched it first takes it."""
        card = self.choose()
        first, second = self._some(2)
        behind = int(self.rng.integers(90, 260))
        self.events += [
            CardTouched(at_ms=self.now, seat=first, card=card),
            CardTouched(at_ms=self.now + behind, seat=second, card=card),
        ]
        self.now = self.swap(first, self.now + int(self.rng.integers(300, 420)), card)

    def put_back(self) -> None:
        """A seat lifts a card, looks at it and puts it back."""
        seat, card, at_ms = self._somebody(), self.choose(), self.now
        self.now += int(self.rng.integers(1100, 1900))
        self.events += [
            CardTaken(at_ms=at_ms, seat=seat, card=card),
            CardLaid(at_ms=self.now, seat=seat, card=card),
        ]

    def push(self) -> None:
        """A seat pushes a card aside and leaves it there; one that was pushed before is pushed back."""
        away = float(self.rng.choice((-1, 1))) * (
            self.rng.uniform(26, 40) if self.is_row else self.rng.uniform(8, 14)
        )
        by = [round(float(self.rng.uniform(-9, 9)), 1), round(float(away), 1)]
        seat, card = self._somebody(), self._any_card()
        if card in self._pushed:
            by = [-way for way in self._pushed.pop(card)]
        else:
            self._pushed[card] = by
        self.events.append(CardTouched(at_ms=self.now, seat=seat, card=card, extra={"pushed_mm": by}))
        self.now += 500

    def hover(self, least_ms: int = 400, most_ms: int = 1600) -> None:
        """A hand lies over a card for a while and takes nothing."""
        seat, until = self._somebody(), self.now + int(self.rng.integers(least_ms, most_ms))
        self.events.append(HandReached(at_ms=self.now, until_ms=until, seat=seat, card=self._any_card()))
        self.now = until

    def cover(self) -> None:
        """A hand covers a card for seconds, and another seat swaps meanwhile."""
        one, other = self._some(2)
        until = self.now + int(self.rng.integers(3200, 5000))
        hidden = self._any_card()
        self.events.append(HandReached(at_ms=self.now, until_ms=until, seat=one, card=hidden))
        self.now = max(until, self.swap(other, self.now + 900, self.choose(besides=(hidden,))))

    def contest(self, seats: int = 2) -> None:
        """Seats reach for one card at once, and all of them let it be."""
        card = self._any_card()
        for index, seat in enumerate(self._some(seats)):
            self.events.append(CardTouched(at_ms=self.now + 110 * index, seat=seat, card=card))
        self.now += 110 * seats + 250

    def lean_over(self) -> None:
        """Two hands lie over two cards at once, for seconds."""
        cards = [self.centre[int(index)] for index in self.rng.permutation(4)[:2]]
        until = self.now + int(self.rng.integers(2500, 4500))
        for seat, card in zip(self._some(2), cards, strict=True):
            self.events.append(HandReached(at_ms=self.now, until_ms=until, seat=seat, card=card))
        self.now = until

    def sweep(self) -> None:
        """The dealer sets the centre aside and turns four new cards."""
        at_ms = self.wait(500, 900)
        self.centre = [self.stock.pop() for _ in range(4)]
        self._wanted = None
        self.now = at_ms + _SWEEPING_MS
        self.events += [
            CentreSwept(at_ms=at_ms, seat=self.dealer),
            CentreTurned(at_ms=self.now, cards=tuple(self.centre)),
        ]
        self.wait(500, 900)

    def complete(self) -> None:
        """The seat that waited for its fourth card takes it, where that still lies in the centre."""
        if self.lucky is not None and self._wanted in self.centre:
            self.now = self.swap(self.lucky, self.now + 200, self._wanted)

    def call(self) -> None:
        """The partner of the lucky seat calls, and that seat lays its hand open."""
        at_ms = self.wait(500, 1100)
        shown = self.lucky or self.seats[0]
        half = len(self.seats) // 2
        caller = self.seats[(self.seats.index(shown) + half) % len(self.seats)]
        self.now = at_ms + 2500
        self.events += [
            Called(at_ms=at_ms, seat=caller, call="kemps", uncertainty_ms=60),
            HandShown(at_ms=self.now, seat=shown, cards=tuple(self.hands[shown])),
        ]
        self.wait(2300, 2800)

    def holds_quad(self) -> bool:
        """Whether the lucky seat has four of a rank."""
        return self.lucky is not None and len({card.rank for card in self.hands[self.lucky]}) == 1

    def _any_card(self) -> Card:
        return self.centre[int(self.rng.integers(len(self.centre)))]

    def _somebody(self) -> str:
        return self._some(1)[0]

    def _some(self, count: int) -> list[str]:
        return [str(seat) for seat in self.rng.permutation(list(self.seats))[:count]]
