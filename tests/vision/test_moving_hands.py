"""Whose hand moved a card, by how far each was at it over time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kemps_vision.changes import Appeared, Left
from kemps_vision.interpret.moving_hands import HandsOver, moved

QUAD = np.array([[0, 0], [60, 0], [60, 84], [0, 84]], np.float64)
FRAME_MS = 66


def hands(**there: Callable[[int], bool]) -> HandsOver:
    """What is seen in eight seconds of hands that are at the card when they are said to be."""
    times = np.arange(0, 8000, FRAME_MS)
    arms = np.array([[float(is_there(int(at))) for is_there in there.values()] for at in times])
    return HandsOver(tuple(sorted(there)), times, arms, np.full(arms.shape, np.nan))


def gone(shown_ms: int, bare_ms: int, *, covered_ms: int = 3000, is_sharp: bool = False) -> Left:
    return Left(
        spot=0,
        card=None,
        quad=QUAD,
        covered_ms=covered_ms,
        shown_ms=shown_ms,
        bare_ms=bare_ms,
        is_sharp=is_sharp,
    )


def best(scores: dict[str, float]) -> str:
    return max(scores, key=scores.__getitem__)


def test_who_left_with_the_card_took_it_and_not_who_lies_there_all_the_time() -> None:
    seen = hands(A=lambda at: at < 8000, B=lambda at: 3500 <= at <= 4000)
    scores = moved(seen, gone(4000, 4300)).scores
    assert best(scores) == "B"
    assert scores["B"] - scores["A"] > 0.5


def test_a_card_that_another_hand_hid_may_have_gone_before_it_was_last_taken_to_show() -> None:
    seen = hands(A=lambda at: 4100 <= at <= 8000, B=lambda at: 3000 <= at <= 4000)
    sight = moved(seen, gone(4500, 6000))
    assert best(sight.scores) == "B"
    assert 3800 <= sight.at_ms <= 4100


def test_a_card_that_nobody_covered_before_has_not_gone_before() -> None:
    seen = hands(A=lambda at: 3000 <= at <= 4000, B=lambda at: 4500 <= at <= 4900)
    assert best(moved(seen, gone(4900, 5200, covered_ms=4600)).scores) == "B"


def test_a_card_under_a_hand_may_have_gone_after_its_last_sight() -> None:
    seen = hands(A=lambda at: at < 8000, B=lambda at: 3900 <= at <= 4400)
    sight = moved(seen, gone(4000, 4900))
    assert best(sight.scores) == "B"
    assert sight.at_ms > 4100


def test_who_brought_a_card_laid_it_and_not_who_was_there_before() -> None:
    card = Appeared(
        spot=0, card=None, quad=QUAD, rest_ms=4000, clear_ms=4300, settled_ms=4600, confidence=1.0
    )
    seen = hands(A=lambda at: 2500 <= at <= 4300, B=lambda at: 3800 <= at <= 4300)
    assert best(moved(seen, card).scores) == "B"


def test_finger_tips_count_where_hands_were_looked_for() -> None:
    seen = hands(A=lambda at: 3500 <= at <= 4000, B=lambda at: 3500 <= at <= 4000)
    tips = np.where(np.arange(len(seen.times_ms))[:, None] % 3 == 0, seen.arms * [0.0, 1.0], np.nan)
    looked = HandsOver(seen.seats, seen.times_ms, seen.arms, tips)
    scores = moved(looked, gone(4000, 4300)).scores
    assert scores["B"] - scores["A"] > 0.7


def test_nothing_seen_says_nothing() -> None:
    none = HandsOver((), np.zeros(0, np.int64), np.zeros((0, 0)), np.zeros((0, 0)))
    assert moved(none, gone(4000, 4300)).scores == {}
    unseen = HandsOver(("A", "B"), np.zeros(0, np.int64), np.zeros((0, 2)), np.zeros((0, 2)))
    assert max(moved(unseen, gone(4000, 4300)).scores.values()) <= 0.0
