"""Whatever happens at a table, the rules observe and never refuse: events that no legal game would have."""

from __future__ import annotations

import copy
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from kemps_rules.cards import JOKER, Card
from kemps_rules.events import (
    Called,
    CardLaid,
    CardPassed,
    CardTaken,
    CardTouched,
    CentreSwept,
    CentreTurned,
    Corrected,
    DealEnded,
    DealStarted,
    Dry,
    Event,
    GameOpened,
    HandHidden,
    HandReached,
    HandShown,
    HandsTouched,
    IdentitiesSwapped,
    NotObserved,
    Retracted,
    Reviewed,
    Ruled,
    Settled,
    ShowRefused,
    SignNamed,
    Undone,
)
from kemps_rules.house import PRESETS, House, house_from
from kemps_rules.judgement import Judgement
from kemps_rules.replay import Replay, judge

# few cards, seats and times, so that they meet often
CARD = st.sampled_from([Card.parse(text) for text in ("9c", "9d", "9h", "9s", "Kc", "2h")] + [JOKER])
CARDS = st.lists(CARD, max_size=5).map(tuple)
MAYBE_CARD = st.none() | CARD
SEAT = st.sampled_from("ABCD")
MAYBE_SEAT = st.none() | SEAT
FEW = st.integers(0, 2)
HOUSES = [House.preset(name) for name in PRESETS if name != "two_decks"] + [
    house_from(switches, name="x")
    for switches in (
        {"double_kemps": "counts", "dealt_alike": "redraw", "dry_stock": "reshuffle"},
        {"double_kemps": "shouted", "tie": "person", "counter_target": "player", "naming_sign": "one"},
        {
            "preset": "points",
            "wrong_kemps": "own_pair",
            "tie": "earlier",
            "signals": "words",
            "decks": "short",
        },
    )
]


@st.composite
def an_event(draw: st.DrawFn) -> Event:
    at_ms, uncertainty_ms = draw(st.integers(0, 40)) * 100, draw(st.sampled_from((0, 0, 60, 500)))
    seat, card = draw(MAYBE_SEAT), draw(MAYBE_CARD)
    kind = draw(st.integers(0, 20))
    if kind < 3:
        return CardTaken(at_ms=at_ms, seat=seat, card=card, uncertainty_ms=uncertainty_ms)
    if kind < 6:
        return CardLaid(at_ms=at_ms, seat=seat, card=card, uncertainty_ms=uncertainty_ms)
    if kind < 8:
        call = draw(st.sampled_from(("kemps", "stop", "double_kemps", "hello")))
        against = draw(MAYBE_SEAT)
        return Called(at_ms=at_ms, seat=seat, call=call, against=against, uncertainty_ms=uncertainty_ms)
    if kind < 11:
        unread, face_down, complete = draw(FEW), draw(FEW), draw(st.booleans())
        cards = draw(CARDS)
        return HandShown(
            at_ms=at_ms, seat=seat, cards=cards, unread=unread, face_down=face_down, complete=complete
        )
    if kind < 13:
        return CentreTurned(at_ms=at_ms, cards=draw(CARDS), unread=draw(FEW), first_sight=draw(st.booleans()))
    if kind < 15:
        passed = CardPassed(at_ms=at_ms, from_seat=seat, to_seat=draw(MAYBE_SEAT), card=card)
        return passed if kind < 14 else CentreSwept(at_ms=at_ms, seat=seat)
    if kind < 17:
        return DealStarted(at_ms=at_ms, dealer=seat) if kind < 16 else Dry(at_ms=at_ms)
    if kind < 18:
        return DealEnded(at_ms=at_ms, why=draw(st.sampled_from(("call", "dry", "redeal", "voided", "open"))))
    if kind < 19:
        seats = draw(st.sampled_from(((), (), ("A",), ("B", "C"))))
        until_ms = draw(st.sampled_from((None, at_ms, at_ms + 300, at_ms + 2000)))
        return NotObserved(at_ms=at_ms, until_ms=until_ms, camera="table", seats=seats)
    other: list[Event] = [
        ShowRefused(at_ms=at_ms, seat=seat),
        SignNamed(at_ms=at_ms, seat=seat, is_right=draw(st.none() | st.booleans())),
        Settled(at_ms=at_ms, camera="table"),
        CardTouched(at_ms=at_ms, seat=seat, card=card),
        HandReached(at_ms=at_ms, seat=seat, card=card),
        HandHidden(at_ms=at_ms, until_ms=at_ms + 700, seat=seat),
        HandsTouched(at_ms=at_ms, seats=(seat, draw(SEAT)), where="centre"),
    ]
    return draw(st.sampled_from(other))


@st.composite
def a_decision(draw: st.DrawFn, events: list[Event], at_ms: int) -> Event:
    """A decision about one of the events so far, of a kind that it can be about."""
    line = draw(st.integers(1, len(events) - 1))
    target = events[line]
    if isinstance(target, Retracted | Corrected | Undone | Ruled | Reviewed | IdentitiesSwapped):
        return Undone(at_ms=at_ms, event=line)
    kind = draw(st.integers(0, 4))
    if kind == 0 and isinstance(target, Called):
        ruling = draw(st.sampled_from(("right", "wrong", "cannot_verify", "first")))
        return Ruled(at_ms=at_ms, event=line, ruling=ruling)
    if kind == 1:
        return Reviewed(
            at_ms=at_ms, rule=draw(st.sampled_from(("R6", "R12", "R13"))), events=(line,), decision="confirm"
        )
    if kind == 2:
        return Retracted(at_ms=at_ms, event=line)
    if kind == 3:
        return IdentitiesSwapped(
            at_ms=draw(st.integers(0, 4000)), seats=draw(st.permutations("ABCD").map(lambda p: (p[0], p[1])))
        )
    time = max(draw(st.integers(0, 4000)), 0)
    has_span = getattr(target, "until_ms", None) is not None
    return Corrected(at_ms=at_ms, event=line, to={"confidence": 0.5} if has_span else {"at_ms": time})


@st.composite
def a_game(draw: st.DrawFn) -> list[Event]:
    header = GameOpened(at_ms=0, seats={seat: seat for seat in "ABCD"})
    events: list[Event] = [header, *draw(st.lists(an_event(), min_size=1, max_size=25))]
    for _ in range(draw(st.integers(0, 6))):
        events.append(draw(a_decision(events, 5000)))
    return events


@settings(max_examples=300)
@given(a_game(), st.sampled_from(HOUSES))
def test_whatever_happens_is_judged_the_same_at_once_and_line_by_line(
    events: list[Event], house: House
) -> None:
    at_once = judge(events, house)
    assert isinstance(events[0], GameOpened)
    walk = Replay(events[0], house)
    for line, event in enumerate(events[1:], 1):
        step = walk.push(line, event)
        places = Counter([*step.table.centre, *step.table.aside, *step.table.unassigned])
        places.update(card for hand in step.table.hands.values() for card in hand.known)
        assert max(places.values(), default=1) == 1
        assert 0 <= step.table.missing <= len(step.table.centre)
        assert step.table.unread >= 0
    assert walk.judgement() == at_once
    assert copy.deepcopy(walk).judgement().as_json() == at_once.as_json()
    check(at_once)


def check(judgement: Judgement) -> None:
    for deal in judgement.deals:
        verdict = deal.verdict
        if verdict is None:
            assert deal.ended in ("dry", "redeal", "voided", "open")
            continue
        assert verdict.reason
        assert verdict.ruling in ("right", "wrong", "cannot_verify")
        if verdict.ruling == "cannot_verify" or verdict.by is None:
            assert (verdict.letters_to, verdict.points_to) == ((), {})
        if verdict.because == "quad":
            assert verdict.hands
    assert {flag.rule for flag in judgement.flags} <= {f"R{number}" for number in range(1, 19)}
