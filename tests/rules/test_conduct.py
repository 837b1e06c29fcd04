"""What people do with their hands, seats and words: boundaries of R2, R5, R10 to R13."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from kemps_rules.judgement import Judgement

Judge = Callable[..., Judgement]


def flags(judgement: Judgement) -> list[tuple[str, str]]:
    return [(flag.rule, "".join(flag.seats)) for flag in judgement.flags]


def contact(at_ms: int, until_ms: int | None, seats: str, where: str = "centre") -> str:
    named = [None if seat == "?" else seat for seat in seats]
    span = {} if until_ms is None else {"until_ms": until_ms}
    return (
        json.dumps({"kind": "hands_touched", "at_ms": at_ms, **span, "seats": named, "where": where}) + "\n"
    )


def reach(at_ms: int, seat: str, card: str | None = None) -> str:
    return (
        json.dumps(
            {"kind": "hand_reached", "at_ms": at_ms, "until_ms": at_ms + 300, "seat": seat, "card": card}
        )
        + "\n"
    )


@pytest.mark.parametrize(
    ("span", "found"), [("100-599", []), ("100-600", [("R10", "C")]), ("100", [("R10", "C")])]
)
def test_out_of_view_counts_from_half_a_second(
    judged: Judge, span: str, found: list[tuple[str, str]]
) -> None:
    assert flags(judged(f"{span} C hides hand\n")) == found
    assert flags(judged(f"{span} C hides packet\n")) == found


def test_a_hidden_hand_of_nobody_known_is_flagged_without_a_seat(judged: Judge) -> None:
    assert flags(judged("100-900 ? hides hand\n200-900 ? hides hand\n")) == [("R10", ""), ("R10", "")]


@pytest.mark.parametrize(
    ("second", "both"),
    [
        ("2999-4000 A hides hand", True),
        ("3000-4000 A hides hand", False),
        ("2999-3200 A hides hand", False),  # too short to count
        ("2999-4000 A hides packet", False),  # a packet is not a hand
        ("2999-4000 B hides hand", False),  # no partner
        ("1000-1600 A hides hand", True),
    ],
)
def test_both_partners_hands_out_of_view_at_the_same_time(judged: Judge, second: str, both: bool) -> None:
    found = judged(f"1000-3000 C hides hand\n{second}\n").flags
    assert [flag.seats for flag in found if flag.rule == "R11"] == ([("A", "C")] if both else [])
    if both:
        assert {flag.at_ms for flag in found if flag.rule == "R11"} == {int(second.split("-", maxsplit=1)[0])}


def test_the_longest_hidden_span_is_remembered(judged: Judge) -> None:
    text = "1000-9000 C hides hand\n2000-2600 C hides hand\n5000-6000 A hides hand\n"
    assert ("R11", "AC") in flags(judged(text))


@pytest.mark.parametrize("where", ["over_table", "below_table", "body"])
def test_contact_outside_the_centre_is_flagged_whatever_they_reach_for(judged: Judge, where: str) -> None:
    text = "19900 A touches 9c\n" + contact(20000, 20400, "AB", where) + "20100 B touches 9c\n"
    assert flags(judged(text)) == [("R11", "AB")]


@pytest.mark.parametrize(
    ("first", "second", "is_dispute"),
    [
        ("19500 A touches 9c\n", "20500 B touches 9c\n", True),
        ("19499 A touches 9c\n", "20500 B touches 9c\n", False),  # more than a second apart
        ("19500 A touches 9c\n", "20300 B touches 2h\n", False),  # different cards
        ("19500 A touches 9c\n", "20300 A touches 9c\n", False),  # one seat only
        ("19500 A touches 9c\n", "20300 D touches 9c\n", False),  # not one of those in contact
        (reach(19500, "A"), reach(20300, "B"), True),
        (reach(19500, "A", "9c"), "20300 B touches 2h\n", False),
        (reach(19500, "A"), "20300 B touches 2h\n", True),
        ("18000 A touches 9c\n", "18500 B touches 9c\n", False),  # long before the contact
        ("", "20900 A takes 9c\n21100 A lays Kc\n", False),
        ("19500 B touches 9c\n", "20300 A takes 9c\n21100 A lays Kc\n", True),
    ],
)
def test_contact_in_the_centre_is_a_dispute_when_both_reached_for_the_card(
    judged: Judge, first: str, second: str, is_dispute: bool
) -> None:
    found = flags(judged(first + contact(20000, 20400, "AB") + second))
    assert [flag for flag in found if flag[0] == "R11"] == ([] if is_dispute else [("R11", "AB")])


def test_a_dispute_that_ends_before_the_contact_is_seen_is_known_at_once(judged: Judge) -> None:
    text = "19500 A touches 9c\n19900 B touches 9c\n" + contact(20000, None, "AB")
    assert flags(judged(text)) == []


def test_contact_with_somebody_unknown_and_with_oneself(judged: Judge) -> None:
    assert flags(judged(contact(20000, 20400, "A?", "over_table"))) == [("R11", "A")]
    assert flags(judged(contact(20000, 20400, "??", "over_table"))) == [("R11", "")]
    assert flags(judged(contact(20000, 20400, "AA", "over_table"))) == []


@pytest.mark.parametrize(
    ("ending", "dealers"),
    [
        ("10000 dry", "B"),
        ("10000 end dry", "B"),
        ("10000 end voided", "A"),
        ("10000 end redeal", "AB"),
        ("10000 end open", "AB"),
        ("10000 A takes 9c", "AB"),
        ("10000 C says kemps", "B"),
        ("10000 end call", "B"),
    ],
)
def test_who_may_deal_next(judged: Judge, ending: str, dealers: str) -> None:
    for dealer in "ABCD":
        found = judged(f"{ending}\n20000 deal {dealer}\n21000 turn 3c 4h 6d Qs\n").flags
        assert [flag.rule for flag in found if flag.rule == "R5"] == ([] if dealer in dealers else ["R5"])


def test_a_dealer_who_is_not_known_is_not_accused_nor_the_one_after(judged: Judge) -> None:
    text = (
        "10000 dry\n20000 deal ?\n21000 turn 3c 4h 6d Qs\n30000 dry\n40000 deal D\n41000 turn 3c 4h 6d Qs\n"
    )
    assert flags(judged(text)) == []


def test_a_deal_started_twice_is_one_deal(judged: Judge) -> None:
    judgement = judged("10000 C says kemps\n", start="0 deal A\n500 deal A\n1200 turn 9c 2h 5d Js\n")
    assert len(judgement.deals) == 1
    assert judgement.flags == ()


def test_moving_seats_before_the_first_deal_is_nobodys_business(judged: Judge) -> None:
    moved = '{"kind":"seat_changed","at_ms":0,"seat":"A","to":"B","by":"ref"}\n'
    assert flags(judged("", start=moved + "10 deal A\n1200 turn 9c 2h 5d Js\n")) == []
    assert flags(judged(moved.replace('"at_ms":0', '"at_ms":5000'))) == [("R2", "AB")]
    assert flags(judged(moved.replace('"B"', '"Bea"').replace('"at_ms":0', '"at_ms":5000'))) == []


@pytest.mark.parametrize(
    ("call", "seats", "found"),
    [
        ("B says stop A", 6, []),
        ("B says stop B", 6, [("R13", "B")]),
        ("B says stop E", 6, [("R13", "B")]),
        ("B says stop", 6, [("R13", "B")]),
        ("B says stop", 4, []),
        ("B says stop D", 4, [("R13", "B")]),
        ("? says stop A", 4, [("R12", "")]),
        ("? says stop", 6, [("R12", ""), ("R13", "")]),
        ("? says kemps", 4, [("R12", "")]),
        ("B says kemps B", 4, [("R12", "B")]),
        ("B says kemps A", 4, []),
        ("B says abracadabra", 4, [("R11", "B")]),
        ("? says abracadabra", 4, [("R11", "")]),
    ],
)
def test_calls_that_cannot_be(judged: Judge, call: str, seats: int, found: list[tuple[str, str]]) -> None:
    assert flags(judged(f"10000 {call}\n", seats=seats)) == found


def test_words_before_the_first_deal_are_flagged_too(judged: Judge) -> None:
    judgement = judged("", start="0 A says abracadabra\n10-900 C hides hand\n")
    assert flags(judgement) == [("R11", "A"), ("R10", "C")]
    assert judgement.deals == ()


def test_a_refusal_of_somebody_who_was_not_asked_is_nothing(judged: Judge) -> None:
    text = "10000 C says kemps\n11000 {} refuses\n12000 A shows 2c 3c 4c 6c\n"
    assert flags(judged(text.format("B"))) == []
    assert flags(judged(text.format("A"))) == [("R12", "A")]
    assert flags(judged(text.format("?"))) == []


def test_a_hand_is_not_called_too_large_while_an_unassigned_lay_may_have_been_its_own(judged: Judge) -> None:
    half_seen = (
        "4000 D takes 9c\n5000 ? takes 2h\n5400 ? lays Th\n6500 A lays 4d\n7000 D takes 5d\n7600 D lays Ah\n"
    )
    shown = "9000 C says kemps\n11000 A shows 9s 9h 9d Ks\n"
    assert flags(judged(half_seen + shown)) == []
    fully_seen = half_seen.replace("5400 ?", "5400 B").replace("5000 ?", "5000 B").replace("6500 A", "6500 B")
    assert ("R6", "D") in flags(judged(fully_seen + shown))
