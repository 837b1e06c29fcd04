"""The made-up evening: whole, repeatable, long enough, and read by the rules as any other game."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from kemps_rules.events import CardTaken, Gesture, NotObserved
from kemps_rules.journal import journal_of
from kemps_rules.replay import judge
from kemps_server.bench.long_game import journal_text, long_game

evening = cache(long_game)


@pytest.mark.parametrize("seats", [4, 6, 8])
def test_an_evening_is_an_hour_of_thousands_of_events_and_a_pair_loses(seats: int) -> None:
    game = evening(seats)
    journal = journal_of(journal_text(game).encode())
    assert journal.events == game
    assert not journal.warnings
    assert len(game) >= 5_000
    assert 55 * 60_000 <= game[-1].at_ms <= 65 * 60_000
    judgement = judge(journal)
    assert judgement.lost
    rulings = Counter(deal.verdict.ruling if deal.verdict else deal.ended for deal in judgement.deals)
    assert rulings["right"]
    assert rulings["dry"]
    assert not {"open", "cannot_verify"} & {ruling for ruling, count in rulings.items() if count > 2}


def test_the_same_seed_gives_the_same_evening_and_another_seed_another() -> None:
    once = long_game(4, minutes=35, seed=1)
    assert long_game(4, minutes=35, seed=1) == once
    assert long_game(4, minutes=30, seed=4) != once


def test_no_gesture_is_told_of_a_moment_when_no_face_was_filmed() -> None:
    game = evening(8)
    gone = [
        (event.at_ms, event.until_ms or event.at_ms)
        for event in game
        if isinstance(event, NotObserved) and event.camera == "faces"
    ]
    assert gone
    gestures = [event.at_ms for event in game if isinstance(event, Gesture)]
    assert not [at for at in gestures for start, end in gone if start <= at < end]


def test_some_seats_and_cards_are_not_known() -> None:
    taken = [event for event in evening(4) if isinstance(event, CardTaken)]
    assert any(event.seat is None for event in taken)
    assert any(event.card is None for event in taken)
    assert sum(event.seat is not None and event.card is not None for event in taken) > 0.9 * len(taken)
