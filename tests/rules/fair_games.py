"""Made-up games in which everybody plays by the rules, with what is true of each deal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from kemps_rules.cards import RANKS, SUITS, Card
from kemps_rules.events import (
    Called,
    CardLaid,
    CardTaken,
    CentreSwept,
    CentreTurned,
    DealEnded,
    DealStarted,
    Dry,
    Event,
    HandShown,
)
from kemps_rules.seats import Seat, partner_of, seats_of

DECK = tuple(Card(rank, suit) for rank in RANKS for suit in SUITS)


@dataclass
class PlayedDeal:
    """A deal's events in the order of time, the dealer, and whether its call was right (None: no call)."""

    events: list[Event]
    dealer: Seat
    call: Called | None = None
    is_right: bool | None = None


@dataclass
class FairTable:
    """Players who follow the rules. Its clock goes on from deal to deal."""

    random: Random
    count: int = 4
    at_ms: int = 0
    hands: dict[Seat, list[Card]] = field(default_factory=dict)
    centre: list[Card] = field(default_factory=list)
    stock: list[Card] = field(default_factory=list)

    def deal(self, dealer: Seat, *, turns: int = 6, is_dry: bool = False) -> PlayedDeal:
        """A deal that ends with a call, or without one as nobody wants the last centre."""
        deal = PlayedDeal([], dealer)
        deck = list(DECK)
        self.random.shuffle(deck)
        lucky = self.random.choice(RANKS[:4])  # quads are rare: cards of one rank are dealt to one seat
        deck.sort(key=lambda card: card.rank != lucky)
        owner, *others = self.random.sample(seats_of(self.count), self.count)
        luck = self.random.choice((2, 3, 4))
        self.hands = {owner: deck[:luck]}
        rest = deck[luck:]
        self.random.shuffle(rest)
        for seat in (owner, *others):
            self.hands.setdefault(seat, [])
            while len(self.hands[seat]) < 4:
                self.hands[seat].append(rest.pop())
        self.stock = rest
        deal.events.append(DealStarted(at_ms=self._later(3000), dealer=dealer))
        self._turn(deal)
        for _ in range(turns):
            if len(self.stock) >= 4 and self.random.random() < 0.2:
                self._sweep(deal)
            else:
                self._swaps(deal, lucky)
        if not is_dry:
            self._call(deal, partner_of(owner, self.count))
            return deal
        while len(self.stock) >= 4:
            self._sweep(deal)
        deal.events.append(Dry(at_ms=self._later(2000)))
        return deal

    def _later(self, most_ms: int = 1500) -> int:
        self.at_ms += self.random.randint(200, most_ms)
        return self.at_ms

    def _turn(self, deal: PlayedDeal) -> None:
        self.centre = [self.stock.pop() for _ in range(4)]
        deal.events.append(CentreTurned(at_ms=self._later(), cards=tuple(self.centre)))

    def _sweep(self, deal: PlayedDeal) -> None:
        deal.events.append(CentreSwept(at_ms=self._later(), seat=deal.dealer))
        self._turn(deal)

    def _swaps(self, deal: PlayedDeal, lucky: str) -> None:
        """One or two seats at the same time take a card and lay another."""
        seats = self.random.sample(list(self.hands), self.random.randint(1, 2))
        for seat in seats:
            card = next((c for c in self.centre if c.rank == lucky), self.random.choice(self.centre))
            self.centre.remove(card)
            deal.events.append(CardTaken(at_ms=self._later(), seat=seat, card=card))
            self.hands[seat].append(card)
        for seat in seats:
            hand = self.hands[seat][:4]  # a card laid back is no swap
            ranks = [card.rank for card in self.hands[seat]]
            card = min(hand, key=lambda one: (ranks.count(one.rank), self.random.random()))
            self.hands[seat].remove(card)
            self.centre.append(card)
            deal.events.append(CardLaid(at_ms=self._later(), seat=seat, card=card))

    def _call(self, deal: PlayedDeal, caller: Seat) -> None:
        asked: tuple[Seat, ...] = (partner_of(caller, self.count),)
        deal.call = Called(at_ms=self._later(), seat=caller, call="kemps", uncertainty_ms=100)
        if self.random.random() < 0.4:
            accused = self.random.choice([s for s in self.hands if s not in (caller, *asked)])
            asked = (accused, partner_of(accused, self.count))
            deal.call = Called(
                at_ms=deal.call.at_ms, seat=caller, call="stop", against=accused, uncertainty_ms=100
            )
        deal.events.append(deal.call)
        has_quad = [len({card.rank for card in self.hands[seat]}) == 1 for seat in asked]
        deal.is_right = any(has_quad)
        for seat in asked:
            shown = HandShown(at_ms=self._later(4000), seat=seat, cards=tuple(self.hands[seat]))
            deal.events.append(shown)

    def end(self, deal: PlayedDeal, why: str) -> None:
        """Somebody says that the deal is over."""
        deal.events.append(DealEnded(at_ms=self._later(), why=why))


def without_span(events: Sequence[Event], from_ms: int, until_ms: int) -> list[Event]:
    """What of it is known when nobody sees the table in a span; calls are heard all the same."""
    return [e for e in events if isinstance(e, Called) or not from_ms <= e.at_ms <= until_ms]
