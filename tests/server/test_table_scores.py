"""What a journal is worth against the truth of a table clip: swaps, seats, times, centre, calls and fouls."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from kemps_rules.cards import Card
from kemps_rules.events import (
    Called,
    CardLaid,
    CardPassed,
    CardTaken,
    CentreSwept,
    CentreTurned,
    DealStarted,
    Event,
    GameOpened,
    HandHidden,
    HandShown,
    HandsTouched,
)
from kemps_server.bench.table_scores import ClipScore, score_clip
from kemps_server.bench.table_truth import Span, calls_in, card_name, deals_in, fouls_in, moves_in

CENTRE = ("9c", "2h", "5d", "Js")


def cards(*names: str) -> tuple[Card, ...]:
    return tuple(map(Card.parse, names))


def take(at_ms: int, seat: str, card: str) -> dict[str, Any]:
    return {"type": "take", "t0_ms": at_ms, "t1_ms": at_ms, "seat": seat, "card": card, "lifted_ms": at_ms}


def lay(at_ms: int, seat: str, card: str) -> dict[str, Any]:
    return {"type": "lay", "t0_ms": at_ms, "t1_ms": at_ms, "seat": seat, "card": card, "released_ms": at_ms}


def reveal(seat: str, names: Sequence[str], at_ms: int = 7000, count: int = 4) -> dict[str, Any]:
    return {
        "type": "reveal",
        "seat": seat,
        "cards": list(names),
        "n_cards": count,
        "is_quad": len({name[0] for name in names}) == 1,
        "style": "row",
        "t0_ms": at_ms - 1500,
        "all_down_ms": at_ms,
    }


def truth(*rows: dict[str, Any], duration_ms: int = 10_000, **more: list[Any]) -> dict[str, Any]:
    """A clip with four cards in the centre; its centre follows its takes and lays."""
    slots: list[str | None] = list(CENTRE)
    centre = [{"t_ms": 0, "slots": list(slots)}]
    for row in rows:
        if row["type"] == "take" and row["card"] in slots:
            slots[slots.index(row["card"])] = None
            centre.append({"t_ms": row["lifted_ms"], "slots": list(slots)})
        elif row["type"] == "lay":
            slots[slots.index(None)] = row["card"]
            centre.append({"t_ms": row["released_ms"], "slots": list(slots)})
    return {"events": list(rows), "centre": centre, "duration_ms": duration_ms, "slots": [], **more}


def taken(at_ms: int, seat: str | None, card: str) -> CardTaken:
    return CardTaken(at_ms=at_ms, seat=seat, card=Card.parse(card))


def laid(at_ms: int, seat: str | None, card: str) -> CardLaid:
    return CardLaid(at_ms=at_ms, seat=seat, card=Card.parse(card))


OPENED: list[Event] = [
    GameOpened(at_ms=0, seats={seat: seat for seat in "ABCD"}),
    DealStarted(at_ms=0, dealer=None),
    CentreTurned(at_ms=0, cards=cards(*CENTRE), first_sight=True),
]


def scored(clip: dict[str, Any], *events: Event) -> ClipScore:
    return score_clip(clip, [*OPENED, *events])


SWAP = (take(3000, "A", "2h"), lay(4000, "A", "Kc"))


def test_a_card_is_found_when_name_and_time_agree_and_its_seat_counts_then() -> None:
    score = scored(truth(*SWAP), taken(3090, "A", "2h"), laid(4700, None, "Kc"))
    assert (score.found.total(), score.missed.total(), score.extra.total()) == (2, 0, 0)
    assert dict(score.seats) == {"right": 1, "null": 1}
    assert score.errors_ms == [90, 700]
    assert [fault.kind for fault in score.faults if fault.kind != "centre wrong"] == ["seat null"]


def test_a_card_told_too_late_or_by_another_name_is_missed_and_extra() -> None:
    score = scored(truth(*SWAP), taken(3801, "A", "2h"), laid(4000, "A", "Ks"))
    assert dict(score.missed) == {"card_taken": 1, "card_laid": 1}
    assert dict(score.extra) == {"card_taken": 1, "card_laid": 1}
    assert score.errors_ms == []


def test_each_told_event_stands_for_one_move_only() -> None:
    twice = truth(*SWAP, take(5000, "B", "Kc"), lay(6000, "B", "2h"), take(6500, "C", "2h"))
    score = scored(twice, taken(3000, "A", "2h"), laid(4000, "A", "Kc"), taken(5000, "B", "Kc"))
    assert dict(score.found) == {"card_taken": 2, "card_laid": 1}
    assert dict(score.missed) == {"card_taken": 1, "card_laid": 1}


@pytest.mark.parametrize(
    ("told", "how"),
    [
        ((), "neither"),
        ((taken(3000, "A", "2h"), laid(4200, "A", "2h")), "both"),
        ((taken(3000, "A", "2h"),), "half"),
    ],
)
def test_a_card_put_back_is_no_swap(told: tuple[Event, ...], how: str) -> None:
    clip = truth(take(3000, "A", "2h"), lay(4200, "A", "2h"))
    assert [move.is_put_back for move in moves_in(clip)] == [True, True]
    score = scored(clip, *told)
    assert dict(score.put_back) == {how: 1}
    assert (score.found.total(), score.missed.total(), score.extra.total()) == (0, 0, 0)


def test_a_card_that_comes_back_to_the_centre_much_later_is_swapped() -> None:
    clip = truth(
        *SWAP, take(5000, "B", "5d"), lay(6000, "B", "5c"), take(6500, "A", "Kc"), lay(9700, "A", "2h")
    )
    assert not any(move.is_put_back for move in moves_in(clip))


def test_the_centre_is_looked_at_a_second_away_from_changes() -> None:
    right = scored(truth(*SWAP), taken(3000, "A", "2h"), laid(4000, "A", "Kc"))
    assert right.centre[0] == right.centre[1] == 11 + 45
    late = scored(truth(*SWAP), taken(3000, "A", "2h"), laid(6000, "A", "Kc"))
    assert right.centre[0] - late.centre[0] == 10
    wrong = next(fault for fault in late.faults if fault.kind == "centre wrong")
    assert (wrong.at_ms, wrong.text) == (5000, "more: -; missing: Kc")


def test_sweeps_and_deals_are_found_near_their_time_and_invented_elsewhere() -> None:
    sweep = {"type": "sweep", "cards": [*CENTRE], "first_card_moves_ms": 3000, "table_clear_ms": 4000}
    lines = [
        '{"kind":"deal_started","at_ms":0,"dealer":"A"}',
        '{"kind":"deal_started","at_ms":6000,"dealer":"B"}',
    ]
    clip = truth({**sweep, "t0_ms": 3000}, journal=lines)
    assert deals_in(clip) == [Span(3500, 8500)]
    score = scored(
        clip, CentreSwept(at_ms=3100), CentreSwept(at_ms=9200), DealStarted(at_ms=7000, dealer=None)
    )
    assert (score.found["centre_swept"], score.extra["centre_swept"]) == (1, 1)
    assert (score.found["deal_started"], score.missed["deal_started"]) == (1, 0)
    assert deals_in(truth()) is None


def test_a_centre_that_is_gathered_for_the_next_deal_may_be_told_as_swept() -> None:
    lines = ['{"kind":"deal_started","at_ms":6000,"dealer":"B"}']
    clip = truth(journal=lines)
    clip["centre"].append({"t_ms": 4000, "slots": [None] * 4})
    for told in (CentreSwept(at_ms=4100), DealStarted(at_ms=4500, dealer=None)):
        score = scored(clip, told)
        assert score.extra["centre_swept"] == 0
        assert score.centre[0] == score.centre[1] > 50


def test_cards_turned_may_be_told_together_with_the_last_of_them() -> None:
    rows = [
        {"type": "deal", "t0_ms": at_ms, "seat": "A", "card": card, "released_ms": at_ms}
        for at_ms, card in ((3000, "3c"), (3500, "4c"))
    ]
    score = scored(truth(*rows), CentreTurned(at_ms=3600, cards=cards("3c", "4c", "5c")))
    assert (score.found["centre_turned"], score.extra["centre_turned"]) == (2, 1)


CALL = {"type": "call", "t0_ms": 5000, "t1_ms": 5000, "seat": "C", "word": "kemps", "against": None}
CALLED = Called(at_ms=5000, seat="C", call="kemps", uncertainty_ms=60)
NINES = ("9s", "9h", "9d", "9c")


def shown(*names: str, seat: str = "A") -> HandShown:
    return HandShown(at_ms=7050, seat=seat, cards=cards(*names))


def test_a_verdict_is_right_wrong_or_open() -> None:
    well = [{"seat": "A", "well_shown_ms": 1400}]
    clip = truth(CALL, reveal("A", NINES), verdicts=["right"], shown=well)
    (right,) = scored(clip, CALLED, shown(*NINES)).ruled
    assert (right.got, right.is_wrong, right.is_open, right.call.is_well_shown) == (
        "right",
        False,
        False,
        True,
    )
    (wrong,) = scored(clip, CALLED, shown("9s", "9h", "9d", "8c")).ruled
    assert (wrong.got, wrong.is_wrong) == ("wrong", True)
    score = scored(clip, CALLED)
    assert score.ruled[0].is_open
    assert any(fault.kind == "verdict open" for fault in score.faults)
    assert score.missed["hand_shown"] == 1


def test_a_hand_is_well_shown_when_each_card_was_for_a_second_and_none_lies_face_down() -> None:
    for more, seen, expected in (({}, 1000, True), ({}, 900, False), ({"face_down": 1}, 2000, False)):
        rows = (CALL, {**reveal("A", NINES), **more})
        clip = truth(*rows, verdicts=["right"], shown=[{"seat": "A", "well_shown_ms": seen}])
        assert calls_in(clip)[0].is_well_shown is expected


def test_a_card_under_the_player_s_hand_may_be_told_when_it_was_seen_before() -> None:
    clip = truth(CALL, {**reveal("A", NINES[:3]), "under": [NINES[3]], "unread": 1}, verdicts=["right"])
    for told in (NINES, NINES[:3]):
        assert scored(clip, CALLED, shown(*told)).found["hand_shown"] == 1
    assert scored(clip, CALLED, shown(*NINES[:2])).missed["hand_shown"] == 1
    assert scored(clip, CALLED, shown(*NINES, seat="B")).missed["hand_shown"] == 1


def test_what_a_call_of_the_other_renderer_must_come_to_is_worked_out_from_the_hands() -> None:
    stop = {**CALL, "word": "stop", "against": ["A", "C"], "seat": "B"}
    for rows, want in (
        ((CALL, reveal("A", NINES)), "right"),
        ((CALL, reveal("A", ("9s", "9h", "9d", "8c"))), "wrong"),
        (({**CALL, "note": "before_lay"}, reveal("A", NINES)), "wrong"),
        ((stop, reveal("A", NINES)), "right"),
        ((stop, reveal("A", ("9s", "9h", "9d", "8c"))), "open"),
        ((stop, reveal("A", ("9s", "9h", "9d", "8c")), reveal("C", ("2s", "3h", "4d", "8h"))), "wrong"),
    ):
        assert calls_in(truth(*rows))[0].want == want


def test_fouls_are_found_by_their_seats_and_others_are_false() -> None:
    clip = truth(
        {"type": "direct_pass", "t0_ms": 2000, "t1_ms": 2600, "giver": "A", "receiver": "B"},
        {"type": "under_table", "t0_ms": 5000, "seat": "D", "hidden_ms": [5200, 6400]},
        measured_contacts=[{"t0_ms": 3000, "t1_ms": 3200, "hands": ["AR", "BL"]}],
        crossings=[{"t0_ms": 8000, "t1_ms": 8400, "seats": ["B", "C"]}],
    )
    score = scored(
        clip,
        CardPassed(at_ms=2300, from_seat="A", to_seat="B"),
        HandsTouched(at_ms=1400, until_ms=1500, seats=("A", "B")),
        HandsTouched(at_ms=3100, until_ms=3300, seats=("A", "B")),
        HandsTouched(at_ms=6000, until_ms=6100, seats=("A", "B")),
        HandsTouched(at_ms=8100, until_ms=8200, seats=("B", None)),
        HandHidden(at_ms=5300, until_ms=6300, seat="C"),
    )
    assert (score.found["card_passed"], score.found["hands_touched"], score.found["hand_hidden"]) == (1, 1, 0)
    assert dict(score.extra) == {"hands_touched": 1, "hand_hidden": 1}
    assert score.crossings == 2, "where hands lie over each other, or hold one card, contact may be told"


def test_made_up_people_s_truth_is_read_too_and_short_hiding_is_none() -> None:
    people = {
        "acts": [
            {"kind": "pass_under", "hands": ["AR", "BL"], "at_ms": 0, "until_ms": 400}
            | {"core_ms": [100, 300], "from": "A", "to": "B"},
            {"kind": "clasp", "hands": ["AR", "CL"], "at_ms": 400, "until_ms": 900, "core_ms": [500, 700]},
            {"kind": "reach", "hands": ["DR"], "at_ms": 400, "until_ms": 900, "core_ms": [500, 700]},
        ],
        "contacts": [
            {"seats": ["A", "C"], "at_ms": 500, "until_ms": 700},
            {"seats": ["C", "D"], "at_ms": 600, "until_ms": 800},
        ],
        "hidden": [
            {"seat": "D", "at_ms": 0, "until_ms": 499},
            {"seat": "D", "at_ms": 1000, "until_ms": 1500},
        ],
    }
    assert fouls_in(people) == {
        "card_passed": [Span(100, 300, frozenset("AB"))],
        "hands_touched": [Span(500, 700, frozenset("AC"))],
        "hand_hidden": [Span(1000, 1500, frozenset("D"))],
    }
    score = score_clip({**people, "duration_ms": 2000}, [])
    assert score.missed.total() == 3
    assert score.centre == (0, 0), "nothing is known of cards there"
    brushed = HandsTouched(at_ms=600, until_ms=700, seats=("C", "D"))
    told = score_clip({**people, "duration_ms": 2000}, [brushed])
    assert (told.crossings, told.extra.total()) == (1, 0), "arms that brush may be told or not"


@pytest.mark.parametrize(("in_frame", "extra"), [(0.2, 0), (1.0, 1)])
def test_a_hand_said_to_be_hidden_that_left_the_picture_is_out_of_view_at_least(
    in_frame: float, extra: int
) -> None:
    hands = [
        {"seat": "D", "side": side, "in_frame": share, "hidden": 0.1}
        for side, share in (("L", 1.0), ("R", in_frame))
    ]
    frames = [{"at_ms": at_ms, "hands": hands} for at_ms in range(0, 2000, 100)]
    clip = {"acts": [], "contacts": [], "hidden": [], "frames": frames, "duration_ms": 2000}
    score = score_clip(clip, [HandHidden(at_ms=500, until_ms=1500, seat="D")])
    assert score.extra["hand_hidden"] == extra


def test_names_of_cards_are_written_as_the_journal_writes_them() -> None:
    assert [card_name(name) for name in ("10H", "AS", "9c")] == ["Th", "As", "9c"]
    assert json.loads(json.dumps(CENTRE)) == [*CENTRE]
