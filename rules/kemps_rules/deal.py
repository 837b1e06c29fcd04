"""One deal while it is being followed: where each card is, what moved, who called, what was shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from kemps_rules.cards import Card
from kemps_rules.events import Called, CentreTurned, HandShown, ShowRefused, SignNamed
from kemps_rules.flags import Flag
from kemps_rules.house import House
from kemps_rules.seats import Seat, partner_of
from kemps_rules.table import Hand

CENTRE: Final = "centre"
ASIDE: Final = "aside"
SOME_HAND: Final = "?"

Place = str
"""``CENTRE``, ``ASIDE``, ``SOME_HAND`` or a seat; a card in none of them has not been seen in this deal."""


class Move(NamedTuple):
    """A card that came into a hand (``is_in``) or left it; ``seat`` or ``card`` None = not known."""

    at_ms: int
    uncertainty_ms: int
    line: int
    seat: Seat | None
    is_in: bool
    card: Card | None
    is_pass: bool = False


class Touch(NamedTuple):
    """A seat's finger on a centre card."""

    at_ms: int
    uncertainty_ms: int
    line: int
    seat: Seat


class Gap(NamedTuple):
    """A span of which nothing is known; of ``seats`` only, or (none named) of the whole table."""

    at_ms: int
    until_ms: int
    seats: tuple[Seat, ...] = ()

    def is_about(self, seat: Seat) -> bool:
        """Whether a seat's hand may have changed in it."""
        return not self.seats or seat in self.seats


@dataclass(frozen=True, slots=True)
class CallMade:
    """A call with what the table looked like when it came; ``void`` says why it does not count."""

    line: int
    event: Called
    call: str
    void: str
    centre: frozenset[Card]
    aside: frozenset[Card]
    sizes: dict[Seat, int]
    unassigned_takes: int
    unassigned_lays: int
    unsized: frozenset[Seat]
    is_early_perhaps: bool  # a gap may have hidden that the centre was opened, or not


class Deal:
    """The working state of a deal; grows event by event, ``copy`` gives a state that can go on by itself."""

    __slots__ = (
        "aside",
        "aside_unread",
        "asked",
        "beyond",
        "blind",
        "call_at",
        "calls",
        "centre",
        "dealer",
        "early",
        "ended",
        "first_centre",
        "flags",
        "gaps",
        "house",
        "is_centre_stale",
        "is_dealer_told",
        "is_implicit",
        "is_swapped",
        "known",
        "last_taken",
        "layouts",
        "loose",
        "loose_lays",
        "loose_takes",
        "missing",
        "moves",
        "number",
        "odd",
        "opened_at",
        "outcome",
        "refusals",
        "seats",
        "shown",
        "shows",
        "signs",
        "sizes",
        "stale",
        "started_line",
        "stock",
        "touches",
        "turned",
        "unread",
        "unsized",
        "where",
        "withdrawn",
    )

    def __init__(
        self, house: House, seats: tuple[Seat, ...], number: int, dealer: Seat | None, line: int
    ) -> None:
        self.house = house
        self.seats = seats
        self.number = number
        self.dealer = dealer
        self.is_dealer_told = dealer is not None  # else it follows from the deal before, or from who swept
        self.started_line = line
        self.is_implicit = False
        self.stock: int | None = house.stock_after_deal(len(seats)) + 4
        self.where: dict[Card, tuple[Place, ...]] = {}
        self.centre: list[Card] = []
        self.unread = self.missing = 0
        self.aside: list[Card] = []
        self.aside_unread = 0
        self.layouts = 0
        self.turned = 0  # since the centre was last set aside
        self.beyond: tuple[tuple[int, CentreTurned], ...] = ()  # turned up when the stock was dry
        self.first_centre: tuple[Card, ...] = ()
        self.opened_at: tuple[int, int] | None = None
        self.is_swapped = False
        self.known: dict[Seat, tuple[Card, ...]] = dict.fromkeys(seats, ())
        self.sizes: dict[Seat, int] = dict.fromkeys(seats, 4)
        self.loose: tuple[Card, ...] = ()
        self.loose_takes = self.loose_lays = 0  # by nobody knows whom, in this deal
        self.moves: list[Move] = []
        self.touches: dict[Card, tuple[Touch, ...]] = {}
        self.last_taken: dict[Seat, tuple[Card, int]] = {}
        self.early: list[tuple[int, int, int]] = []
        self.odd: frozenset[Card] = frozenset()
        self.calls: list[CallMade] = []
        self.call_at: tuple[int, int, int] | None = None
        self.asked: tuple[Seat, ...] = ()
        self.shows: list[tuple[int, HandShown]] = []
        self.shown: dict[Seat, tuple[Card, ...]] = {}
        self.refusals: list[tuple[int, ShowRefused]] = []
        self.signs: list[tuple[int, SignNamed]] = []
        self.gaps: tuple[Gap, ...] = ()  # in which nobody saw what happened
        self.blind: tuple[Gap, ...] = ()  # those that still last
        self.stale: frozenset[Card] = frozenset()  # lay in the centre before a gap, not seen to move since
        self.is_centre_stale = False  # a gap has been since it was laid out
        self.unsized: frozenset[Seat] = frozenset()  # whose hands may have any size, since a gap
        self.ended: str | None = None
        self.outcome: object = None  # kept here by whoever judges the deal
        self.flags: list[Flag] = []
        self.withdrawn: frozenset[tuple[str, int]] = frozenset()

    def copy(self) -> Deal:
        """A deal that is equal now and changes by itself from now on."""
        twin = Deal.__new__(Deal)
        for name in Deal.__slots__:
            value = getattr(self, name)
            setattr(twin, name, value.copy() if isinstance(value, list | dict) else value)
        twin.outcome = None
        return twin

    @property
    def centre_size(self) -> int:
        """How many cards lie in the centre, read or not."""
        return len(self.centre) + self.unread - self.missing

    @property
    def is_beyond_stock(self) -> bool:
        """Whether the stock is dry and nothing lies in the centre but what was turned up since."""
        beyond = sum(len(event.cards) + event.unread for _, event in self.beyond)
        return self.stock == 0 and self.centre_size == beyond

    @property
    def is_blank(self) -> bool:
        """Whether nothing has happened in it yet; cards turned up are nothing for a deal only guessed."""
        has_cards = not self.is_implicit and bool(self.layouts or self.centre_size)
        return not (self.moves or self.calls or self.shows or self.ended or has_cards)

    @property
    def is_called(self) -> bool:
        """Whether a call that counts has ended the swapping."""
        return self.call_at is not None

    @property
    def is_all_shown(self) -> bool:
        """Whether every hand that the first call asked for lies open."""
        return bool(self.asked) and all(seat in self.shown for seat in self.asked)

    @property
    def version(self) -> tuple[object, ...]:
        """Equal as long as nothing has come that an outcome could depend on."""
        counts = tuple(len(rows) for rows in (self.moves, self.calls, self.shows, self.refusals, self.signs))
        return (*counts, self.ended, self.opened_at, self.gaps)

    @property
    def hands(self) -> dict[Seat, Hand]:
        """Each seat's hand by the ledger."""
        return {seat: Hand(self.known[seat], self.sizes[seat]) for seat in self.seats}

    @property
    def is_over(self) -> bool:
        """Whether cards that move now are only being cleared away: it has ended, or the call is answered."""
        return self.ended is not None or (self.is_called and self.is_all_shown)

    def sure_centre(self) -> frozenset[Card]:
        """The cards that certainly lie in the centre."""
        return frozenset() if self.missing else frozenset(self.centre) - self.stale

    def partner(self, seat: Seat) -> Seat:
        """The seat opposite."""
        return partner_of(seat, len(self.seats))

    def put(self, card: Card, to: Place | None, *sources: Place) -> None:
        """Move a card to a place (None: out of sight) from the first source it is known at, else from any."""
        places = list(self.where.get(card, ()))
        self.stale -= {card}
        found = next((place for place in sources if place in places), None)
        if found is None and len(places) >= self.house.copies:
            found = next((place for place in places if place != to), places[0])
        if found is not None:
            places.remove(found)
            self._forget(card, found)
        if to is not None:
            places.append(to)
            self._note(card, to)
        self.where[card] = tuple(places)

    def _forget(self, card: Card, place: Place) -> None:
        if place == CENTRE:
            self.centre.remove(card)
            self.missing = min(self.missing, len(self.centre))
        elif place == ASIDE:
            self.aside.remove(card)
        elif place == SOME_HAND:
            self.loose = without(self.loose, card)
        else:
            self.known[place] = without(self.known[place], card)

    def _note(self, card: Card, place: Place) -> None:
        if place == CENTRE:
            self.centre.append(card)
        elif place == ASIDE:
            self.aside.append(card)
        elif place == SOME_HAND:
            self.loose += (card,)
        else:
            self.known[place] += (card,)

    def forget_hand(self, seat: Seat) -> None:
        """Nothing is certain about a hand any more: an unread card left it."""
        for card in self.known[seat]:
            self.put(card, None, seat)


def without(cards: tuple[Card, ...], card: Card) -> tuple[Card, ...]:
    """The cards less one of that kind."""
    index = cards.index(card)
    return cards[:index] + cards[index + 1 :]
