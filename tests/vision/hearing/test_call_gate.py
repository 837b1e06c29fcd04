"""Which heard calls count: of an open deal, the first, and none that a person has told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kemps_rules.cards import Card
from kemps_rules.events import Called, CentreTurned, DealStarted, HandShown
from kemps_vision.hearing.gate import HOLD_MS, CallGate, is_same_call, is_unconfirmed

CARDS = tuple(Card.parse(name) for name in ("9c", "2h", "5d", "Js"))
HEARD = {"heard": {"score": 1.4, "overlap": False}}


def heard(at_ms: int, call: str = "kemps", seat: str | None = None, uncertainty_ms: int = 40) -> Called:
    return Called(
        at_ms=at_ms, seat=seat, call=call, confidence=0.64, uncertainty_ms=uncertainty_ms, extra=dict(HEARD)
    )


def pressed(at_ms: int, call: str = "kemps", seat: str | None = "C") -> Called:
    return Called(at_ms=at_ms, seat=seat, call=call, uncertainty_ms=500)


def opened(at_ms: int = 1000) -> CallGate:
    gate = CallGate()
    gate.told(DealStarted(at_ms=0, dealer=None))
    gate.told(CentreTurned(at_ms=at_ms, cards=CARDS))
    return gate


def test_a_call_of_an_open_deal_counts_once() -> None:
    gate = opened()
    gate.hear(heard(20_000))
    assert gate.due(21_500) == [heard(20_000)]
    assert gate.due(21_600) == []


def test_what_is_called_before_the_centre_lies_open_waits_for_it_and_is_then_let_go_of() -> None:
    gate = CallGate()
    gate.told(DealStarted(at_ms=0, dealer=None))
    gate.hear(heard(900))
    gate.hear(heard(5000))
    assert gate.due(6500) == []
    gate.told(CentreTurned(at_ms=4000, cards=CARDS))  # what was seen becomes known later than what was heard
    assert gate.due(7000) == [heard(5000)]
    gate.told(CentreTurned(at_ms=1000 + HOLD_MS, cards=CARDS))
    assert gate.due(1000 + HOLD_MS) == []


def test_the_first_onset_is_first_and_a_tie_is_told_as_one() -> None:
    gate = opened()
    gate.hear(heard(20_060, "stop"))
    gate.hear(heard(20_000))
    assert [call.at_ms for call in gate.due(22_000)] == [20_000, 20_060]


def test_the_same_call_by_two_microphones_is_one() -> None:
    gate = opened()
    gate.hear(heard(20_000, seat="A"))
    gate.hear(heard(20_030))
    assert gate.due(22_000) == [heard(20_000, seat="A")]


def test_once_a_hand_lies_open_the_deal_is_over() -> None:
    gate = opened()
    gate.hear(heard(20_000))
    gate.due(21_500)
    gate.hear(heard(24_000, "stop"))  # the first might be denied, and then this one ended the deal
    assert gate.due(25_500) == [heard(24_000, "stop")]
    gate.told(HandShown(at_ms=26_000, seat="A", cards=CARDS))
    gate.hear(heard(28_000, "stop"))
    assert gate.due(29_500) == []


def test_the_next_deal_is_open_again() -> None:
    gate = opened()
    gate.told(pressed(20_000))
    gate.hear(heard(30_000))
    assert gate.due(31_500) == []
    gate.told(DealStarted(at_ms=29_000, dealer=None))
    gate.told(CentreTurned(at_ms=29_500, cards=CARDS))
    assert gate.due(32_000) == [heard(30_000)]


@pytest.mark.parametrize("at_ms", [19_600, 20_500, 22_500])
def test_a_button_near_a_heard_call_is_the_one_call(at_ms: int) -> None:
    gate = opened()
    gate.hear(heard(20_000, "stop"))
    gate.pressed(pressed(at_ms))
    assert gate.due(21_500) == []


def test_a_button_ends_the_deal_for_whatever_is_heard_later() -> None:
    gate = opened()
    gate.told(pressed(20_000))
    gate.hear(heard(26_000))
    assert gate.due(27_500) == []


def test_two_who_are_known_to_be_different_made_two_calls() -> None:
    assert is_same_call(heard(20_000), pressed(20_500, seat="B"))
    assert is_same_call(heard(20_000, seat="B"), pressed(20_500, seat="B"))
    assert not is_same_call(heard(20_000, seat="A"), pressed(20_500, seat="B"))


def test_a_call_that_a_person_denies_leaves_its_deal_open() -> None:
    gate = opened()
    gate.hear(heard(20_000))
    gate.due(21_500)
    gate.told(HandShown(at_ms=21_000, seat="A", cards=CARDS))
    gate.withdraw(20_000, "kemps")
    gate.hear(heard(40_000))
    assert gate.due(41_500) == [heard(40_000)]


def test_a_confirmed_call_ends_the_deal_as_a_button_does() -> None:
    gate = opened()
    gate.told(replace(heard(20_000), confidence=1.0))
    gate.hear(heard(26_000))
    assert gate.due(27_500) == []


def test_a_person_who_confirms_makes_a_heard_call_certain() -> None:
    assert is_unconfirmed(heard(20_000))
    assert not is_unconfirmed(replace(heard(20_000), confidence=1.0))
    assert not is_unconfirmed(pressed(20_000))
