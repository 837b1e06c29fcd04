"""Whole made-up games of 4, 6 and 8: who deals, which deal it is, and whose letters, by the rules."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kemps_rules.cards import Card
from kemps_rules.events import (
    CardLaid,
    CentreSwept,
    CentreTurned,
    DealEnded,
    DealStarted,
    Dry,
    Event,
    GameOpened,
)
from kemps_rules.replay import Replay, judge
from kemps_rules.seats import Pair, Seat, next_seat, pair_of, pairs_of, seats_of

from .fair_games import FairTable, PlayedDeal

SEED = st.integers(0, 2**32)
SIZE = st.sampled_from((4, 6, 8))


@dataclass
class FairGame:
    """Deals one after the other, and what must come of them: the dealers, and each pair's letters."""

    count: int
    deals: list[PlayedDeal] = field(default_factory=list)
    letters: dict[Pair, int] = field(default_factory=dict)

    @property
    def header(self) -> GameOpened:
        return header_of(self.count)

    @property
    def events(self) -> list[Event]:
        return [event for deal in self.deals for event in deal.events]


def played(seed: int, count: int, *, most: int = 9) -> FairGame:
    """A game of up to ``most`` deals, some dry, some voided or dealt again, until somebody has lost."""
    random = Random(seed)
    table, game = FairTable(random, count), FairGame(count, letters=dict.fromkeys(pairs_of(count), 0))
    dealer: Seat = random.choice(seats_of(count))
    while len(game.deals) < most and max(game.letters.values()) < 5:
        turned = random.choice(("call", "call", "call", "call", "dry", "voided"))
        deal = table.deal(dealer, turns=random.randint(1, 4), is_dry=turned == "dry")
        game.deals.append(deal)
        if turned == "voided":
            table.end(deal, "voided")
            continue
        if random.random() < 0.5:  # nobody has to say that it is over
            table.end(deal, "call" if deal.call is not None else "dry")
        count_letters(game, deal)
        dealer = next_seat(dealer, count)
    return game


def count_letters(game: FairGame, deal: PlayedDeal) -> None:
    if deal.call is None or deal.call.seat is None:
        return
    own = pair_of(deal.call.seat, game.count)
    rivals = [pair for pair in game.letters if pair != own]
    if deal.call.against is not None:
        rivals = [pair_of(deal.call.against, game.count)]
    for pair in rivals if deal.is_right else [own]:
        game.letters[pair] += 1


@settings(max_examples=60)
@given(SEED, SIZE)
def test_dealers_numbers_and_letters_of_a_whole_game_are_those_of_the_rules(seed: int, count: int) -> None:
    game = played(seed, count)
    judgement = judge([game.header, *game.events])
    assert judgement.flags == ()
    assert [deal.deal for deal in judgement.deals] == list(range(1, len(game.deals) + 1))
    assert [deal.dealer for deal in judgement.deals] == [deal.dealer for deal in game.deals]
    assert judgement.letters == {pair: "KEMPS"[:letters] for pair, letters in game.letters.items()}
    assert judgement.lost == tuple(pair for pair, letters in game.letters.items() if letters >= 5)


@settings(max_examples=25)
@given(SEED, SIZE)
def test_without_anybody_saying_who_deals_it_follows_from_the_first_dealer(seed: int, count: int) -> None:
    """As cameras tell it: a deal begins, and nobody says whose it is."""
    game = played(seed, count)
    first, *rest = [event for event in game.events if isinstance(event, DealStarted)]
    events = [replace(event, dealer=None) if event in rest else event for event in game.events]
    walk = Replay(game.header)
    seen: dict[int, Seat | None] = {}
    for line, event in enumerate(events, 1):
        table = walk.push(line, event).table
        seen.setdefault(table.deal, table.dealer)
    judgement = walk.judgement()
    assert first.dealer == game.deals[0].dealer
    assert [seen[deal.deal] for deal in judgement.deals] == [deal.dealer for deal in game.deals]
    assert judgement == judge([game.header, *events])
    assert judgement.flags == ()


@settings(max_examples=40)
@given(SEED, SIZE)
def test_who_sweeps_first_deals_when_nobody_was_named(seed: int, count: int) -> None:
    game = played(seed, count, most=4)
    events = [replace(one, dealer=None) if isinstance(one, DealStarted) else one for one in game.events]
    swept = [any(isinstance(event, CentreSwept) for event in deal.events) for deal in game.deals]
    judgement = judge([game.header, *events])
    assert judgement.flags == ()
    for number, (deal, told) in enumerate(zip(judgement.deals, game.deals, strict=True)):
        is_known = any(swept[: number + 1])
        assert deal.dealer == (told.dealer if is_known else None)


@settings(max_examples=40)
@given(SEED, SIZE)
def test_a_deal_that_is_told_twice_is_one_deal_and_keeps_its_dealer(seed: int, count: int) -> None:
    """A person names the dealer, the camera sees a deal begin: in whichever order, it is one deal."""
    game, random = played(seed, count, most=4), Random(seed)
    events: list[Event] = []
    for event in game.events:
        twice = [event]
        if isinstance(event, DealStarted):
            twice = [event, replace(event, dealer=None, at_ms=event.at_ms + 50)]
            if random.random() < 0.5:
                twice = [replace(event, dealer=None), replace(event, at_ms=event.at_ms + 50)]
        events += twice
    judgement = judge([game.header, *events])
    assert [deal.dealer for deal in judgement.deals] == [deal.dealer for deal in game.deals]
    assert judgement.flags == ()


@settings(max_examples=40)
@given(SEED, SIZE)
def test_the_deal_after_a_dry_one_begins_with_cards_that_cannot_be_the_old_ones(
    seed: int, count: int
) -> None:
    """Nobody says that the stock is dry or that a deal begins: cards are turned up, one by one."""
    random = Random(seed)
    table = FairTable(random, count)
    dry = table.deal("A", is_dry=True)
    dry.events.pop()  # nobody says so
    dry.events.append(CentreSwept(at_ms=table.at_ms, seat="A"))
    after = table.deal("B", turns=2)
    events: list[Event] = [header_of(count), *dry.events]
    for event in after.events[1:]:
        cards = event.cards if isinstance(event, CentreTurned) else ()
        ones = (
            [replace(event, cards=(card,)) for card in cards] if isinstance(event, CentreTurned) else [event]
        )
        events += ones
    used = {card for one in dry.events if isinstance(one, CentreTurned | CardLaid) for card in cards_of(one)}
    turned = next(one for one in after.events if isinstance(one, CentreTurned))
    assume(used & set(turned.cards))  # four that all lay in hands before look like cards too many (R3)
    judgement = judge(events)
    assert judgement.flags == ()
    assert [(deal.ended, deal.dealer) for deal in judgement.deals] == [("dry", "A"), ("call", "B")]
    (verdict,) = [deal.verdict for deal in judgement.deals if deal.verdict is not None]
    assert verdict.ruling == ("right" if after.is_right else "wrong")


def header_of(count: int) -> GameOpened:
    return GameOpened(at_ms=0, seats={seat: seat for seat in seats_of(count)})


def cards_of(event: CentreTurned | CardLaid) -> tuple[Card | None, ...]:
    return event.cards if isinstance(event, CentreTurned) else (event.card,)


def test_a_game_has_each_kind_of_end() -> None:
    """The games above are made of all of them."""
    ends = [event for seed in range(12) for event in played(seed, 4).events]
    assert any(isinstance(event, Dry) for event in ends)
    assert {event.why for event in ends if isinstance(event, DealEnded)} == {"call", "dry", "voided"}
