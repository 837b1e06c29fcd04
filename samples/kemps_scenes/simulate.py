"""Whole games by random legal players: food for tests and benchmarks of the rules.

The players know their cards and keep to every rule of the house; the journal shows what an observer would
see. What each deal must come to is worked out from the true hands, without the ledger that the rules keep.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

from kemps_rules.cards import Card
from kemps_rules.events import (
    Called,
    CardLaid,
    CardTaken,
    CardTouched,
    CentreSwept,
    CentreTurned,
    DealEnded,
    DealStarted,
    Dry,
    Event,
    GameOpened,
    Gesture,
    HandReached,
    HandShown,
    HandsTouched,
    Settled,
)
from kemps_rules.house import House
from kemps_rules.seats import Pair, Seat, next_seat, pair_of, pairs_of, partner_of, seats_of

MOST_DEALS = 80


@dataclass(frozen=True, slots=True)
class TrueDeal:
    """What a deal came to: ``right`` or ``wrong``, or how it ended without a call."""

    ruling: str | None
    ended: str
    by: Seat | None = None


@dataclass(slots=True)
class SimulatedGame:
    """A game's events with the truth about it."""

    events: list[Event] = field(default_factory=list)
    deals: list[TrueDeal] = field(default_factory=list)
    counts: dict[Pair, int] = field(default_factory=dict)


def simulate_game(
    seed: int, seats: int = 4, deals: int | None = None, house: House | None = None
) -> list[Event]:
    """The events of a game: ``deals`` of them, or until a pair has lost or won."""
    return simulate(seed, seats, deals, house).events


def simulate(
    seed: int, seats: int = 4, deals: int | None = None, house: House | None = None
) -> SimulatedGame:
    """A game with its truth; the same arguments give the same game."""
    table = _Table(random.Random(seed), seats, house or House.preset("leaflet"))
    while len(table.game.deals) < (deals or MOST_DEALS) and (deals or not table.is_over):
        table.play_deal()
    return table.game


class _Table:
    """One table: true hands, centre and stock, and the clock."""

    def __init__(self, chance: random.Random, count: int, house: House) -> None:
        self.chance, self.house, self.count = chance, house, count
        self.seats = seats_of(count)
        self.game = SimulatedGame(counts=dict.fromkeys(pairs_of(count), 0))
        self.now = 0
        self.dealer: Seat = chance.choice(self.seats)
        self.hands: dict[Seat, list[Card]] = {}
        self.centre: list[Card] = []
        self.stock: list[Card] = []
        self.aside: list[Card] = []
        header = {seat: f"Player {seat}" for seat in self.seats}
        switches = None if house == House.preset("leaflet") else house.switches()
        self.tell(GameOpened(at_ms=0, rules=house.name, seats=header, house=switches))

    @property
    def is_over(self) -> bool:
        return max(self.game.counts.values()) >= self.house.full_score

    def tell(self, event: Event) -> None:
        self.game.events.append(event)

    def wait(self, least: int = 150, most: int = 1500) -> int:
        self.now += self.chance.randint(least, most)
        return self.now

    def play_deal(self) -> None:
        """Deal and swap until somebody calls or the stock is dry."""
        if self.now:
            self.dealer = next_seat(self.dealer, self.count)
        self._deal()
        if self.chance.random() < 0.03:
            self.end("voided")
            self.dealer = self.seats[self.seats.index(self.dealer) - 1]
            return
        for _ in range(self.chance.randint(4, 60)):
            caller = self._who_calls()
            if caller is not None:
                self._call(*caller)
                return
            self._act()
        if self.chance.random() < 0.5:
            self._call(*self._bluff())
        else:
            self._play_dry()

    def end(self, why: str) -> None:
        self.tell(DealEnded(at_ms=self.wait(), why=why))
        self.game.deals.append(TrueDeal(None, why))

    def _deal(self) -> None:
        """Deal; a house that wants it deals again when four alike were dealt or three lie in the centre."""
        while True:
            deck = [card for card in sorted(self.house.cards) for _ in range(self.house.copies)]
            self.chance.shuffle(deck)
            self.hands = {seat: [deck.pop() for _ in range(4)] for seat in self.seats}
            self.stock, self.centre, self.aside = deck, [], []
            self.tell(DealStarted(at_ms=self.wait(1000, 4000), dealer=self.dealer))
            self._turn()
            alike = max(Counter(card.rank for card in self.centre).values()) >= 3
            alike = alike or any(self._is_quad(seat) for seat in self.seats)
            if not alike or self.house.dealt_alike == "play_on":
                return
            self.end("redeal")

    def _turn(self) -> None:
        cards = [self.stock.pop() for _ in range(4)]
        self.centre += cards
        size = self.chance.choice((1, 2, 4))
        for start in range(0, 4, size):
            self.tell(
                CentreTurned(at_ms=self.wait(), cards=tuple(cards[start : start + size]), confidence=0.99)
            )

    def _act(self) -> None:
        """One thing that happens between calls."""
        kind = self.chance.random()
        if kind < 0.12:
            self._noise()
        elif kind < 0.2 and self.stock:
            self._sweep()
        elif kind < 0.27:
            self._dispute()
        elif kind < 0.32:
            self._put_back()
        else:
            self._swap(self.chance.sample(self.seats, self.chance.randint(1, 2)))

    def _noise(self) -> None:
        at_ms, seat = self.wait(), self.chance.choice(self.seats)
        self.tell(Gesture(at_ms=at_ms, until_ms=at_ms + 300, seat=seat, gesture="wink_left", strength=0.6))
        self.tell(HandReached(at_ms=self.wait(), until_ms=self.now + 200, seat=seat))
        self.tell(Settled(at_ms=max(0, self.now - 400), camera="table"))

    def _sweep(self) -> None:
        self.tell(CentreSwept(at_ms=self.wait(), seat=self.dealer))
        self.aside += self.centre
        self.centre = []
        self._turn()

    def _dispute(self) -> None:
        """Two reach for one card; their hands meet, the first has it."""
        first, second = self.chance.sample(self.seats, 2)
        card = self.chance.choice(self.centre)
        self.wait(1100, 2000)
        lays_first = self.house.swap_order == "lay_first"
        if lays_first:
            self._lay(first, None)
        self.tell(CardTouched(at_ms=self.now, seat=first, card=card))
        self.tell(CardTouched(at_ms=self.now + 90, seat=second, card=card))
        self.tell(
            HandsTouched(at_ms=self.now + 100, until_ms=self.now + 200, seats=(first, second), where="centre")
        )
        self.now += 220
        self._take(first, card)
        if not lays_first:
            self._lay(first, card)

    def _put_back(self) -> None:
        seat, card = self.chance.choice(self.seats), self.chance.choice(self.centre)
        if self.house.swap_order == "lay_first":
            return
        self.wait(1100, 1500)
        self._take(seat, card)
        self.hands[seat].remove(card)
        self.centre.append(card)
        self.tell(CardLaid(at_ms=self.wait(), seat=seat, card=card))

    def _swap(self, seats: list[Seat]) -> None:
        """Swaps of one or two seats, which may overlap in time."""
        size = 1 if self.house.swap_size == 1 else self.chance.randint(1, 2)
        self.wait(1100, 1600)
        if self.house.swap_order == "lay_first":
            laid = [(seat, self._lay(seat, None)) for seat in seats for _ in range(size)]
            for seat, card in laid:
                self._take(seat, self._wanted(seat, card))
            return
        taken = [(seat, self._take(seat, self._wanted(seat, None))) for seat in seats for _ in range(size)]
        self.chance.shuffle(taken)
        for seat, card in taken:
            self._lay(seat, card)

    def _wanted(self, seat: Seat, not_card: Card | None) -> Card:
        """A card of the seat's best rank where there is one, else any but the one just laid."""
        choices = [card for card in self.centre if card != not_card] or self.centre
        ranks = Counter(card.rank for card in self.hands[seat])
        best = [card for card in choices if ranks[card.rank] == max(ranks.values(), default=0)]
        return self.chance.choice(best or choices)

    def _take(self, seat: Seat, card: Card) -> Card:
        self.centre.remove(card)
        self.hands[seat].append(card)
        self.tell(
            CardTaken(at_ms=self.wait(), seat=seat, card=card, uncertainty_ms=self.chance.choice((0, 40)))
        )
        return card

    def _lay(self, seat: Seat, taken: Card | None) -> Card:
        ranks = Counter(card.rank for card in self.hands[seat])
        choices = [card for card in self.hands[seat] if card != taken] or self.hands[seat]
        card = min(choices, key=lambda card: (ranks[card.rank], self.chance.random()))
        self.hands[seat].remove(card)
        self.centre.append(card)
        self.tell(
            CardLaid(at_ms=self.wait(), seat=seat, card=card, uncertainty_ms=self.chance.choice((0, 40)))
        )
        return card

    def _is_quad(self, seat: Seat) -> bool:
        return len({card.rank for card in self.hands[seat]}) == 1

    def _who_calls(self) -> tuple[Seat, str, Seat | None] | None:
        """Who calls about a quad that is there, if anybody sees it; the owner's partner or a rival."""
        owners = [seat for seat in self.seats if self._is_quad(seat)]
        if not owners or self.chance.random() < 0.3:
            return None
        owner = self.chance.choice(owners)
        partner = partner_of(owner, self.count)
        if self.chance.random() < 0.7:
            is_double = self.house.double_kemps == "shouted" and self._is_quad(partner)
            return partner, "double_kemps" if is_double else "kemps", None
        rival = self.chance.choice([seat for seat in self.seats if seat not in (owner, partner)])
        return rival, "stop", owner

    def _bluff(self) -> tuple[Seat, str, Seat | None]:
        caller = self.chance.choice([seat for seat in self.seats if not self._is_quad(seat)] or self.seats)
        rivals = [seat for seat in self.seats if pair_of(seat, self.count) != pair_of(caller, self.count)]
        if self.chance.random() < 0.5 and not self._is_quad(caller):
            return caller, "kemps", None
        return caller, "stop", self.chance.choice(rivals)

    def _call(self, caller: Seat, call: str, against: Seat | None) -> None:
        self.wait(600, 2000)
        self.tell(Called(at_ms=self.now, seat=caller, call=call, against=against, uncertainty_ms=120))
        asked = [partner_of(caller, self.count)] if against is None else [against]
        if against is not None and self.house.counter_target == "pair":
            asked = sorted((against, partner_of(against, self.count)))
        shown = [*asked, *([caller] if call == "double_kemps" or self.house.double_kemps == "counts" else [])]
        for seat in dict.fromkeys(shown):
            cards = self.chance.sample(self.hands[seat], 4)
            self.tell(HandShown(at_ms=self.wait(1000, 2500), seat=seat, cards=tuple(cards)))
        held = any(self._is_quad(seat) for seat in asked)
        is_right = held and (call != "double_kemps" or self._is_quad(caller))
        self.game.deals.append(TrueDeal("right" if is_right else "wrong", "call", caller))
        self._count(caller, call, pair_of(asked[0], self.count), is_right=is_right)

    def _count(self, caller: Seat, call: str, accused: Pair, *, is_right: bool) -> None:
        if self.is_over:
            return
        own = pair_of(caller, self.count)
        rivals = [accused] if call == "stop" else [pair for pair in self.game.counts if pair != own]
        is_penalty = self.house.scoring == "penalty_letters"
        gain = 1
        if call != "stop" and is_right and self._is_quad(caller):
            gain = (
                1
                if self.house.double_kemps == "off" or (call, self.house.double_kemps) == ("kemps", "shouted")
                else 2
            )
        for pair in rivals if is_right == is_penalty else [own]:
            self.game.counts[pair] = min(
                self.game.counts[pair] + gain, self.house.full_score + (not is_penalty)
            )

    def _play_dry(self) -> None:
        while self.stock:
            self._sweep()
            self._swap([self.chance.choice(self.seats)])
        self.tell(Dry(at_ms=self.wait()))
        if self.house.dry_stock == "ends":
            self.game.deals.append(TrueDeal(None, "dry"))
            return
        self.stock, self.aside = self.aside, []
        self.chance.shuffle(self.stock)
        self._sweep()
        self._swap([self.chance.choice(self.seats)])
        self._call(*self._bluff())
