from __future__ import annotations

from typing import Any

from kemps_rules.events import Event
from kemps_rules.journal import parse_line
from kemps_server.truth import Tally, compare

TRUTH: dict[str, Any] = {
    "events": [
        {"type": "deal", "seat": "B", "card": "9c", "t0_ms": 700, "released_ms": 1000},
        {"type": "deal", "seat": "B", "card": "2h", "t0_ms": 1200, "released_ms": 1500},
        {"type": "take", "seat": "A", "card": "9c", "lifted_ms": 5000},
        {"type": "lay", "seat": "A", "card": "Kc", "released_ms": 6000},
        {"type": "hover", "seat": "C", "card": "2h", "t0_ms": 7000},
        {"type": "sweep", "seat": "B", "first_card_moves_ms": 8000, "table_clear_ms": 9000},
        {"type": "reveal", "seat": "A", "cards": ["9s", "9c"], "t0_ms": 11000, "all_down_ms": 12000},
    ]
}
EXACT = [
    '{"kind":"centre_turned","at_ms":1490,"cards":["9c","2h"]}',
    '{"kind":"card_taken","at_ms":5200,"seat":"A","card":"9c"}',
    '{"kind":"card_laid","at_ms":6100,"seat":null,"card":"Kc"}',
    '{"kind":"centre_swept","at_ms":8500,"seat":"B"}',
    '{"kind":"hand_shown","at_ms":12500,"seat":"A","cards":["9c","9s"]}',
]


def journal(lines: list[str]) -> list[Event]:
    return [parse_line(line) for line in lines]


def tally(lines: list[str], what: str) -> Tally:
    return next(one for one in compare(journal(lines), TRUTH) if one.what == what)


def test_all_that_happened_is_counted_as_seen_once() -> None:
    tallies = compare(journal(EXACT), TRUTH)
    assert [(one.what, one.seen, one.of) for one in tallies] == [
        ("turned", 2, 2),
        ("taken", 1, 1),
        ("laid", 1, 1),
        ("swept", 1, 1),
        ("shown", 1, 1),
    ]
    assert all(one.is_exact for one in tallies)


def test_what_did_not_happen_is_invented_and_counts_for_nothing() -> None:
    twice = tally([*EXACT, EXACT[1]], "taken")
    assert (twice.seen, twice.of, twice.invented) == (1, 1, 1)
    assert not twice.is_exact


def test_another_card_or_time_is_a_miss_and_an_invention() -> None:
    other = [EXACT[1].replace("9c", "9s")]
    late = [EXACT[1].replace("5200", "5801")]
    just = [EXACT[1].replace("5200", "5800")]
    assert (tally(other, "taken").seen, tally(other, "taken").invented) == (0, 1)
    assert (tally(late, "taken").seen, tally(late, "taken").invented) == (0, 1)
    assert tally(just, "taken").seen == 1


def test_a_seat_that_is_not_told_is_no_error_and_a_wrong_one_is() -> None:
    assert (tally(EXACT, "laid").named, tally(EXACT, "laid").misnamed) == (0, 0)
    wrong = tally([EXACT[1].replace('"A"', '"B"')], "taken")
    assert (wrong.seen, wrong.named, wrong.misnamed) == (1, 1, 1)
    assert not wrong.is_exact


def test_a_hand_shown_with_a_card_missing_is_not_seen() -> None:
    part = [EXACT[4].replace('"9c","9s"', '"9c"')]
    assert (tally(part, "shown").seen, tally(part, "shown").invented) == (0, 1)


def test_nothing_observed_is_nothing_seen() -> None:
    assert sum(one.seen for one in compare([], TRUTH)) == 0
