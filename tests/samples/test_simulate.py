"""Random legal players against the rules: never flagged, never unclear, judged as their true hands say."""

from __future__ import annotations

import copy
import pickle
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kemps_rules.events import (
    Called,
    CardLaid,
    CardTaken,
    CentreTurned,
    Corrected,
    Event,
    GameOpened,
    HandShown,
    Undone,
)
from kemps_rules.house import PRESETS, House, house_from
from kemps_rules.journal import format_event, parse_line
from kemps_rules.judgement import Judgement
from kemps_rules.replay import Replay, judge, replay
from kemps_scenes.simulate import simulate, simulate_game

VARIANTS: tuple[dict[str, Any], ...] = (
    {"double_kemps": "shouted"},
    {"double_kemps": "counts"},
    {"counter_target": "player"},
    {"dry_stock": "reshuffle"},
    {"dealt_alike": "redraw"},
    {"decks": "short"},
    {"tie": "earlier"},
    {"tie": "person", "word": "PICKLE"},
    {"preset": "points", "points_to": 15},
    {"swap_size": "any", "swap_order": "lay_first"},
)
HOUSES = [House.preset(name) for name in PRESETS] + [house_from(v, name="variant") for v in VARIANTS]
SEEDS = st.integers(0, 2**32 - 1)


def fits(house: House, seats: int) -> bool:
    return not (house.decks == "two" and seats < 8) and not (house.decks == "short" and seats == 8)


TABLES = [(house, seats) for house in HOUSES for seats in (4, 6, 8) if fits(house, seats)]
TABLE = st.sampled_from(TABLES)


@settings(max_examples=90)
@given(SEEDS, TABLE)
def test_a_legal_game_is_never_flagged_and_judged_as_the_true_hands_say(
    seed: int, table: tuple[House, int]
) -> None:
    house, seats = table
    game = simulate(seed, seats, house=house)
    judgement = judge(game.events)
    assert judgement.flags == ()
    assert [(d.ruling, d.ended) for d in game.deals] == [
        (deal.verdict.ruling if deal.verdict else None, deal.ended) for deal in judgement.deals
    ]
    counts = judgement.points or {pair: len(letters) for pair, letters in judgement.letters.items()}
    assert counts == {
        pair: count if judgement.points else min(count, house.full_score)
        for pair, count in game.counts.items()
    }
    assert bool(judgement.lost) == any(count >= house.full_score for count in game.counts.values())


@settings(max_examples=60)
@given(SEEDS, TABLE)
def test_no_card_is_in_two_places(seed: int, table: tuple[House, int]) -> None:
    house, seats = table
    for step in replay(simulate_game(seed, seats, 2, house)):
        state = step.table
        places = [*state.centre, *state.aside, *state.unassigned]
        places += [card for hand in state.hands.values() for card in hand.known]
        assert all(places.count(card) <= house.copies for card in places)
        assert all(len(hand.known) <= hand.size for hand in state.hands.values())


@settings(max_examples=25)
@given(SEEDS, TABLE, st.floats(0, 1))
def test_replay_goes_on_from_any_line(seed: int, table: tuple[House, int], where: float) -> None:
    house, seats = table
    events = simulate_game(seed, seats, 2, house)
    walk = started(events)
    cut = 1 + int(where * (len(events) - 2))
    for line in range(1, cut):
        walk.push(line, events[line])
    twins = [walk, copy.deepcopy(walk), pickle.loads(pickle.dumps(walk))]  # noqa: S301 - our own bytes
    for twin in twins:
        steps = [twin.push(line, events[line]) for line in range(cut, len(events))]
        assert twin.judgement() == judge(events)
        assert steps == list(replay(events))[cut:]


def started(events: list[Event]) -> Replay:
    assert isinstance(events[0], GameOpened)
    return Replay(events[0])


@settings(max_examples=60)
@given(SEEDS, TABLE, st.randoms(use_true_random=False))
def test_lines_may_come_in_any_order(seed: int, table: tuple[House, int], chance: random.Random) -> None:
    """Vision is often late: what counts is when it happened."""
    house, seats = table
    events = simulate_game(seed, seats, 2, house)
    assert len({event.at_ms for event in events if not_settled(event)}) > 1
    late = sorted(events[1:], key=lambda event: event.at_ms + chance.randint(0, 3000))
    shuffled = [events[0], *spread(late)]
    walk = started(shuffled)
    for line in range(1, len(shuffled)):
        walk.push(line, shuffled[line])
    assert (
        answer(walk.judgement()) == answer(judge(shuffled)) == answer(judge([events[0], *spread(events[1:])]))
    )


def not_settled(event: Event) -> bool:
    return event.kind != "settled"


def spread(events: list[Event]) -> list[Event]:
    """Without the few events that share a time: for them the order of lines does count."""
    times = [event.at_ms for event in events]
    return [event for event in events if times.count(event.at_ms) == 1]


def answer(judgement: Judgement) -> dict[str, Any]:
    """A judgement without line numbers."""
    data = judgement.as_json()
    for row in [*data["flags"], *[deal["verdict"] or {} for deal in data["deals"]]]:
        for key in ("event", "events", "evidence"):
            row.pop(key, None)
    for deal in data["deals"]:
        for call in deal.get("void_calls", ()):
            call.pop("event")
    data["flags"].sort(key=repr)
    return data


@settings(max_examples=60)
@given(SEEDS, TABLE, st.data())
def test_independent_events_of_two_seats_at_the_same_time_may_change_lines(
    seed: int, table: tuple[House, int], data: st.DataObject
) -> None:
    house, seats = table
    events = simulate_game(seed, seats, 2, house)
    pairs = [line for line in range(1, len(events) - 1) if independent(events[line], events[line + 1])]
    if not pairs:
        return
    line = data.draw(st.sampled_from(pairs))
    same = events[line].at_ms
    together = [*events]
    together[line + 1] = moved(events[line + 1], same)
    turned = [*together]
    turned[line], turned[line + 1] = together[line + 1], together[line]
    assert answer(judge(together)) == answer(judge(turned))


def independent(one: Event, two: Event) -> bool:
    is_swap = isinstance(one, CardTaken | CardLaid) and isinstance(two, CardTaken | CardLaid)
    if not is_swap:
        return False
    assert isinstance(one, CardTaken | CardLaid)
    assert isinstance(two, CardTaken | CardLaid)
    return one.seat != two.seat and one.card != two.card


def moved(event: Event, at_ms: int) -> Event:
    row = parse_line(format_event(event))
    assert isinstance(row, CardTaken | CardLaid)
    return type(row)(at_ms=at_ms, seat=row.seat, card=row.card)


@settings(max_examples=40)
@given(SEEDS, TABLE, st.data())
def test_an_undone_correction_leaves_no_trace(
    seed: int, table: tuple[House, int], data: st.DataObject
) -> None:
    house, seats = table
    events = simulate_game(seed, seats, 2, house)
    lines = [n for n, event in enumerate(events) if isinstance(event, HandShown | CardTaken | CentreTurned)]
    line = data.draw(st.sampled_from(lines))
    wrong = {"cards": ["joker"]} if isinstance(events[line], HandShown | CentreTurned) else {"card": "joker"}
    last = events[-1].at_ms
    correction = Corrected(at_ms=last, event=line, to=wrong, by="ref")
    undone = Undone(at_ms=last, event=len(events), by="ref")
    plain = judge(events)
    assert judge([*events, correction]) != plain
    assert judge([*events, correction, undone]) == plain
    walk = started(events)
    for number, event in enumerate([*events[1:], correction, undone], 1):
        walk.push(number, event)
    assert walk.judgement() == plain


@settings(max_examples=40)
@given(SEEDS, TABLE)
def test_a_game_survives_writing_and_reading(seed: int, table: tuple[House, int]) -> None:
    events = simulate_game(seed, table[1], 2, table[0])
    assert [parse_line(format_event(event), line) for line, event in enumerate(events)] == events


@settings(max_examples=40)
@given(SEEDS, TABLE)
def test_hiding_who_took_what_never_makes_a_right_ruling_wrong(seed: int, table: tuple[House, int]) -> None:
    """With less knowledge a ruling may become unclear, never another one, and nobody is accused."""
    house, seats = table
    game = simulate(seed, seats, house=house)
    blind = [
        type(event)(at_ms=event.at_ms, seat=None, card=event.card, uncertainty_ms=event.uncertainty_ms)
        if isinstance(event, CardTaken | CardLaid)
        else event
        for event in game.events
    ]
    judgement = judge(blind)
    assert [flag for flag in judgement.flags if flag.rule != "R11"] == []
    for true, deal in zip(game.deals, judgement.deals, strict=True):
        if deal.verdict is not None:
            assert deal.verdict.ruling == true.ruling


@settings(max_examples=30)
@given(SEEDS, TABLE, st.data())
def test_unread_cards_never_turn_a_ruling_round(
    seed: int, table: tuple[House, int], data: st.DataObject
) -> None:
    house, seats = table
    game = simulate(seed, seats, house=house)
    dim: list[Event] = []
    for event in game.events:
        if isinstance(event, HandShown):
            kept = event.cards[data.draw(st.integers(0, 4)) :]
            dim.append(HandShown(at_ms=event.at_ms, seat=event.seat, cards=kept, unread=4 - len(kept)))
        else:
            dim.append(event)
    for true, deal in zip(game.deals, judge(dim).deals, strict=True):
        ruling = None if deal.verdict is None else deal.verdict.ruling
        assert ruling in (true.ruling, "cannot_verify")


@settings(max_examples=30)
@given(SEEDS, st.sampled_from((4, 6, 8)), st.randoms(use_true_random=False))
def test_what_was_missed_or_came_too_close_never_turns_a_ruling_round(
    seed: int, seats: int, chance: random.Random
) -> None:
    """One move a deal is not seen, some cards are not read, and the call's time is only roughly known."""
    game = simulate(seed, seats)
    starts = [n for n, event in enumerate(game.events) if event.kind == "deal_started"]
    missed = set()
    for start, end in zip(starts, [*starts[1:], len(game.events)], strict=True):
        moves = [n for n in range(start, end) if isinstance(game.events[n], CardTaken | CardLaid)]
        missed |= set(chance.sample(moves, min(1, len(moves))))
    dim = [dimmed(event, chance) for number, event in enumerate(game.events) if number not in missed]
    for true, deal in zip(game.deals, judge(dim).deals, strict=True):
        ruling = None if deal.verdict is None else deal.verdict.ruling
        assert ruling in (true.ruling, "cannot_verify")


def dimmed(event: Event, chance: random.Random) -> Event:
    if isinstance(event, Called):
        at_ms = event.at_ms + chance.randint(-500, 500)
        return replace(event, at_ms=at_ms, uncertainty_ms=500)
    if isinstance(event, HandShown):
        kept = tuple(card for card in event.cards if chance.random() < 0.8)
        return replace(event, cards=kept, unread=4 - len(kept))
    return event


@pytest.mark.parametrize("seats", [4, 6, 8])
def test_the_same_seed_gives_the_same_game(seats: int) -> None:
    assert simulate_game(7, seats) == simulate_game(7, seats)
    assert simulate_game(7, seats) != simulate_game(8, seats)


def test_games_have_all_kinds_of_ends() -> None:
    ends = {(deal.ruling, deal.ended) for seed in range(30) for deal in simulate(seed).deals}
    assert ends >= {("right", "call"), ("wrong", "call"), (None, "dry"), (None, "voided")}
