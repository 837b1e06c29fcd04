"""Spans in which nobody saw the table: nobody is flagged for them, no verdict is wrong because of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kemps_rules.errors import JournalError
from kemps_rules.events import (
    CardLaid,
    CardTaken,
    Event,
    GameOpened,
    HandShown,
    NotObserved,
)
from kemps_rules.journal import format_event, parse_line
from kemps_rules.judgement import Judgement
from kemps_rules.replay import Replay, judge
from kemps_rules.seats import seats_of

from .fair_games import FairTable, PlayedDeal, without_span

Judge = Callable[..., Judgement]
SEED = st.integers(0, 2**32)


def header(count: int) -> GameOpened:
    return GameOpened(at_ms=0, seats={seat: f"Player {seat}" for seat in seats_of(count)})


def gap(from_ms: int, until_ms: int) -> NotObserved:
    return NotObserved(at_ms=from_ms, until_ms=until_ms, camera="table")


def flags_of(judgement: Judgement) -> list[str]:
    return [f"{flag.rule} {flag.message}" for flag in judgement.flags]


def vaguely_seen(events: list[Event], random: Random) -> list[Event]:
    """Of some moves nobody saw whose they were, of some cards which, and some hands are seen in part."""
    seen: list[Event] = []
    for event in events:
        vague = event
        if isinstance(event, CardTaken | CardLaid) and random.random() < 0.2:
            vague = replace(event, seat=None)
        elif isinstance(event, HandShown) and random.random() < 0.3:
            kept = random.randint(2, 3)
            is_whole = random.random() < 0.5
            vague = replace(
                event, cards=event.cards[:kept], unread=4 - kept if is_whole else 0, complete=is_whole
            )
        seen.append(vague)
    return seen


def spans_of(deal: PlayedDeal, random: Random) -> tuple[int, int]:
    """Two times, often near the call or a swap."""
    times = [event.at_ms for event in deal.events]
    at_ms = random.choice(times) - random.randint(0, 800)
    return max(0, at_ms), max(0, at_ms) + random.choice((100, 900, 3000, 20_000))


@settings(max_examples=250)
@given(SEED, st.sampled_from((4, 6, 8)))
def test_fair_play_of_which_a_span_was_not_seen_has_no_flags_and_no_wrong_verdict(
    seed: int, count: int
) -> None:
    random = Random(seed)
    table = FairTable(random, count)
    deal = table.deal("A")
    assert deal.call is not None
    from_ms, until_ms = spans_of(deal, random)
    events = without_span(vaguely_seen(deal.events, random), from_ms, until_ms)
    judgement = judge([header(count), *events, gap(from_ms, until_ms)])
    assert flags_of(judgement) == []
    rulings = [one.verdict.ruling for one in judgement.deals if one.verdict is not None]
    assert all(ruling in ("cannot_verify", "right" if deal.is_right else "wrong") for ruling in rulings)


@settings(max_examples=150)
@given(SEED)
def test_what_moves_after_the_call_in_a_span_that_nobody_saw_decides_nothing(seed: int) -> None:
    random = Random(seed)
    table = FairTable(random)
    deal = table.deal("A")
    call = deal.call
    assert call is not None
    shown = [event for event in deal.events if isinstance(event, HandShown)]
    before = [event for event in deal.events if not isinstance(event, HandShown)]
    seat = shown[0].seat
    assert seat is not None
    hand = list(shown[0].cards)
    hand[random.randrange(4)] = random.choice(table.centre)  # a swap after the call, which nobody saw
    from_ms = call.at_ms + random.randint(-300, 150)
    late = replace(shown[0], cards=tuple(hand), at_ms=from_ms + 2000)
    rest = [replace(event, at_ms=event.at_ms + 4000) for event in shown[1:]]
    judgement = judge([header(4), *before, gap(from_ms, from_ms + 1500), late, *rest])
    assert flags_of(judgement) == []
    (verdict,) = [one.verdict for one in judgement.deals if one.verdict is not None]
    assert verdict.ruling in ("cannot_verify", "right" if deal.is_right else "wrong")


@settings(max_examples=60)
@given(SEED)
def test_a_span_is_judged_the_same_at_once_and_when_it_is_told_late(seed: int) -> None:
    random = Random(seed)
    deal = FairTable(random).deal("A")
    from_ms, until_ms = spans_of(deal, random)
    told = vaguely_seen(without_span(deal.events, from_ms, until_ms), random)
    events = [header(4), *told, gap(from_ms, until_ms)]
    walk = Replay(header(4))
    for line, event in enumerate(events[1:], 1):
        walk.push(line, event)
    assert walk.judgement() == judge(events)


NINES = "44000 A shows 9s 9h 9d 9c"
SAME_GAP = '{"kind":"not_observed","at_ms":20000,"until_ms":24000,"camera":"table"}\n'


def only_verdict(judgement: Judgement) -> tuple[str, str]:
    (verdict,) = [deal.verdict for deal in judgement.deals if deal.verdict is not None]
    return verdict.ruling, verdict.because


def test_a_swap_that_nobody_saw_is_nobodys_fault(judged: Judge) -> None:
    """Without the span the hand contradicts the ledger: a king that A had laid, a nine that lay there."""
    text = "8000 A takes 2h\n9000 A lays Kc\n{gap}41250~120 C says kemps\n44000 A shows Kc Kd Kh 9c"
    assert {flag.rule for flag in judged(text.format(gap="")).flags} >= {"R1"}
    judgement = judged(text.format(gap=SAME_GAP))
    assert judgement.flags == ()
    assert only_verdict(judgement) == ("wrong", "no_quad")


def test_a_swap_that_was_open_before_the_span_leaves_a_shown_hand_as_it_is(judged: Judge) -> None:
    text = "19000 A takes 9c\n{gap}41250~120 C says kemps\n" + NINES
    assert only_verdict(judged(text.format(gap=""))) == ("cannot_verify", "open")
    judgement = judged(text.format(gap=SAME_GAP))
    assert (only_verdict(judgement), judgement.flags) == (("right", "quad"), ())


def test_between_call_and_showing_nobody_saw_the_cards(judged: Judge) -> None:
    judgement = judged(
        "8000 A takes 9c\n9000 A lays Kc\n41250~120 C says kemps\n"
        '{"kind":"not_observed","at_ms":41500,"until_ms":43000,"camera":"table"}\n' + NINES
    )
    (deal,) = judgement.deals
    assert deal.verdict is not None
    assert (deal.verdict.ruling, deal.verdict.because) == ("cannot_verify", "unobserved")
    assert "from 41.5 to 43.0 s, between the call and then, nobody saw the cards" in deal.verdict.reason


@pytest.mark.parametrize(
    "span",
    [
        '"camera":"faces"',
        '"camera":"left","role":"faces"',
        '"camera":"table","seats":["B","D"]',
    ],
)
def test_what_was_out_of_sight_elsewhere_changes_nothing_of_the_hand_asked_for(
    judged: Judge, span: str
) -> None:
    row = f'{{"kind":"not_observed","at_ms":41500,"until_ms":43000,{span}}}\n'
    assert only_verdict(judged("41250~120 C says kemps\n" + row + NINES)) == ("right", "quad")


def test_of_cameras_those_that_settle_are_the_tables(judged: Judge) -> None:
    row = '{"kind":"not_observed","at_ms":41500,"until_ms":43000,"camera":"west"}\n'
    text = "41250~120 C says kemps\n" + row + NINES
    assert only_verdict(judged(text)) == ("cannot_verify", "unobserved")
    assert only_verdict(judged("30000 settled table\n" + text)) == ("right", "quad")
    assert only_verdict(judged("30000 settled west\n" + text)) == ("cannot_verify", "unobserved")


def test_a_place_out_of_sight_makes_its_own_hand_unsure_only(judged: Judge) -> None:
    row = '{"kind":"not_observed","at_ms":20000,"until_ms":24000,"camera":"table","seats":["A"]}\n'
    swaps = "8000 A takes 9c\n9000 A lays Kc\n10000 B takes 2h\n11000 B lays 3h\n"
    shown = "41250~120 C says kemps\n44000 A shows Kc 9h 9d 9s\n"
    assert judged(swaps + row + shown).flags != ()  # the centre was seen: the king still lies in it
    assert judged(swaps + row + shown.replace("Kc", "2h")).flags != ()  # and B's hand: the two is B's
    assert judged(swaps + row + shown.replace("Kc", "4c")).flags == ()  # the nine may have gone


def test_a_call_before_which_nobody_saw_whether_the_centre_was_open(judged: Judge) -> None:
    judgement = judged(SAME_GAP + "26000 C says kemps\n28000 A shows 9s 9h 9d 9c", start="19000 deal A\n")
    assert (only_verdict(judgement), judgement.flags) == (("cannot_verify", "unobserved"), ())


def test_a_span_whose_end_is_not_known_lasts_until_a_card_moves(judged: Judge) -> None:
    row = '{"kind":"not_observed","at_ms":41500,"camera":"table"}\n'
    assert only_verdict(judged("41250 C says kemps\n" + row + NINES)) == ("cannot_verify", "unobserved")
    late = "45000 B takes 2h\n46000 B lays 3h\n60000 C says kemps\n62000 A shows 9s 9h 9d 9c"
    assert only_verdict(judged(row + late)) == ("right", "quad")


def test_a_new_centre_after_a_span_came_after_a_sweep_that_nobody_saw(judged: Judge) -> None:
    judgement = judged(SAME_GAP + "25000 turn 3c 3h 4d Ks\n26000 A takes 3c\n27000 A lays 9c\n")
    assert judgement.flags == ()


def test_after_a_span_that_follows_a_call_the_next_cards_are_the_next_deal(judged: Judge) -> None:
    judgement = judged("19000 C says kemps\n" + SAME_GAP + "31000 turn 9c 3h 4d Ks\n")
    assert [deal.deal for deal in judgement.deals] == [1, 2]
    assert judgement.flags == ()


def test_a_span_is_written_and_read_and_names_seats_of_the_table_only() -> None:
    span = NotObserved(at_ms=5, until_ms=9, camera="table", role="table", seats=("A", "C"))
    assert parse_line(format_event(span), 3) == span
    with pytest.raises(JournalError, match="role is 'sound', but must be one of table, faces"):
        parse_line('{"kind":"not_observed","at_ms":5,"role":"sound"}', 1)
    with pytest.raises(JournalError, match="seat F is not at this table"):
        judge([header(4), replace(span, seats=("F",))])
