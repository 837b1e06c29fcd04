"""Which call was first, and what is said when nobody can tell."""

from __future__ import annotations

from kemps_vision.hearing.deciding import Why, decide, proposed
from kemps_vision.hearing.detector import Heard


def heard(call: str, at_ms: float, score: float = 2.0, overlap: float = 0.0) -> Heard:
    return Heard(call, at_ms, score, 40, overlap)


def test_the_first_onset_is_first() -> None:
    decision = decide([heard("stop", 5300), heard("kemps", 5000)])
    assert decision.why is Why.FIRST
    assert decision.call == heard("kemps", 5000)


def test_onsets_closer_than_their_uncertainties_are_a_tie() -> None:
    decision = decide([heard("kemps", 5000), heard("stop", 5080)])
    assert (decision.why, decision.call) == (Why.TIE, None)
    assert decision.others == (heard("kemps", 5000), heard("stop", 5080))
    assert decide([heard("kemps", 5000), heard("stop", 5081)]).why is Why.FIRST


def test_overlapped_voices_are_for_a_person() -> None:
    assert decide([heard("kemps", 5000, overlap=1.2), heard("stop", 5300)]).why is Why.OVERLAP
    assert decide([heard("kemps", 5000), heard("stop", 5300, overlap=1.2)]).why is Why.OVERLAP
    assert decide([heard("kemps", 5000), heard("stop", 7000, overlap=1.2)]).why is Why.FIRST


def test_calls_count_only_while_the_deal_is_open() -> None:
    calls = [heard("kemps", 900), heard("stop", 5000), heard("kemps", 9000)]
    assert decide(calls, from_ms=1000, until_ms=9000).call == heard("stop", 5000)
    assert decide(calls, from_ms=5100, until_ms=9000).why is Why.NOTHING


def test_what_is_too_faint_is_no_call_but_told() -> None:
    decision = decide([heard("kemps", 5000, score=0.7)])
    assert (decision.why, decision.call) == (Why.UNSURE, None)


def test_a_proposal_is_an_event_with_its_uncertainty_and_nobody_guessed() -> None:
    event = proposed(heard("kemps", 41250.4))
    assert (event.at_ms, event.seat, event.call, event.uncertainty_ms) == (41250, None, "kemps", 40)
    assert event.confidence == 0.75
    assert event.extra == {"source": "heard", "heard": {"score": 2.0, "overlap": False}}
    assert proposed(heard("stop", 10), "B").seat == "B"


def test_the_time_of_overlapped_voices_covers_both_and_is_never_sure() -> None:
    event = proposed(heard("kemps", 5000, score=9.0, overlap=2.0))
    assert event.uncertainty_ms >= 500
    assert event.confidence <= 0.5
