"""People decide, by events that can be taken back."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from kemps_rules.decisions import plan_of
from kemps_rules.errors import JournalError
from kemps_rules.events import Event, GameOpened
from kemps_rules.judgement import Judgement
from kemps_rules.replay import Replay, judge

Judge = Callable[..., Judgement]
Game = Callable[..., list[Event]]

# lines: 0 header, 1 deal, 2 centre, 3 take, 4 lay, 5 call, 6 hand
BASE = "8400 A takes 9c\n9300 A lays Kc\n41250~120 C says kemps\n44000 A shows 9s 9h 9d 9c\n"


def line(kind: str, **fields: object) -> str:
    return json.dumps({"kind": kind, "at_ms": 90000, "by": "ref", **fields}) + "\n"


def ruling(judgement: Judgement) -> str | None:
    verdict = judgement.deals[0].verdict
    return None if verdict is None else verdict.ruling


def both_ways(events: list[Event]) -> Judgement:
    """The judgement in one go, which must be that of the lines one by one."""
    at_once = judge(events)
    assert isinstance(events[0], GameOpened)
    walk = Replay(events[0])
    for number, event in enumerate(events[1:], 1):
        walk.push(number, event)
    assert walk.judgement() == at_once
    return at_once


def test_a_corrected_hand_is_judged_and_undoing_leaves_no_trace(game: Game) -> None:
    plain = judge(game(BASE))
    text = BASE + line("corrected", event=6, to={"cards": ["9s", "9h", "9d", "4c"]})
    assert ruling(both_ways(game(text))) == "wrong"
    undone = text + line("undone", event=7)
    assert both_ways(game(undone)) == plain
    again = undone + line("undone", event=8)
    assert ruling(both_ways(game(again))) == "wrong"
    assert both_ways(game(again + line("undone", event=9))) == plain


def test_of_two_corrections_each_changes_its_own_fields(game: Game) -> None:
    text = (
        BASE + line("corrected", event=5, to={"at_ms": 9000}) + line("corrected", event=5, to={"seat": "B"})
    )
    judgement = both_ways(game(text))
    assert judgement.deals[0].verdict is not None
    assert (judgement.deals[0].verdict.at_ms, judgement.deals[0].verdict.by) == (9000, "B")
    back = both_ways(game(text + line("undone", event=7)))
    assert back.deals[0].verdict is not None
    assert (back.deals[0].verdict.at_ms, back.deals[0].verdict.by) == (41250, "B")


def test_an_automatic_line_after_a_correction_does_not_overwrite_it(game: Game) -> None:
    text = BASE + line("corrected", event=3, to={"seat": "B"})
    mixed_up = line("identities_swapped", at_ms=0, seats=["A", "B"])
    judgement = both_ways(game(text + mixed_up))
    # the take stays B's by the correction, the lay becomes B's by the exchange, so does the hand
    assert judgement.deals[0].verdict is not None
    assert judgement.deals[0].verdict.reason == "A's hand was not seen"
    assert judgement.flags == ()


def test_an_event_that_was_missed_is_inserted_and_can_itself_be_corrected(game: Game) -> None:
    missed = BASE.replace("9300 A lays Kc\n", "")
    assert ruling(judge(game(missed))) == "cannot_verify"
    text = missed + line(
        "inserted", **{"as": {"kind": "card_laid", "at_ms": 9300, "seat": "A", "card": "Kc"}}
    )
    assert ruling(both_ways(game(text))) == "right"
    late = text + line("corrected", event=6, to={"at_ms": 42000})
    assert ruling(both_ways(game(late))) == "wrong"
    assert ruling(both_ways(game(late + line("undone", event=7)))) == "right"
    assert ruling(both_ways(game(text + line("undone", event=6)))) == "cannot_verify"
    assert ruling(both_ways(game(text + line("retracted", event=6)))) == "cannot_verify"


def test_an_inserted_call_can_be_ruled_on(game: Game) -> None:
    missed = BASE.replace("41250~120 C says kemps\n", "")
    text = missed + line(
        "inserted", **{"as": {"kind": "called", "at_ms": 41250, "seat": "C", "call": "kemps"}}
    )
    assert ruling(both_ways(game(text))) == "right"
    assert ruling(both_ways(game(text + line("ruled", event=6, ruling="wrong")))) == "wrong"


def test_an_event_that_never_was_is_retracted(game: Game) -> None:
    text = BASE + "60000 A passes C\n"
    passed = BASE.replace("41250", "16000 A passes C\n41250")
    assert [flag.rule for flag in judge(game(passed)).flags] == ["R8", "R6", "R6"]
    gone = passed + line("retracted", event=5)
    assert both_ways(game(gone)).flags == ()
    assert both_ways(game(gone + line("undone", event=8))) == judge(game(passed))
    assert judge(game(text)).flags == ()  # cards are being cleared away by then


def test_a_retracted_call_lets_the_deal_go_on(game: Game) -> None:
    text = BASE + line("retracted", event=5) + "50000~9 D says kemps\n52000 B shows 3s 4s 6s 8s\n"
    judgement = both_ways(game(text))
    assert judgement.deals[0].verdict is not None
    assert judgement.deals[0].verdict.by == "D"


@pytest.mark.parametrize("word", ["right", "wrong", "cannot_verify"])
def test_a_persons_ruling_stands_above_the_programs(judged: Judge, word: str) -> None:
    judgement = judged(BASE + line("ruled", event=5, ruling=word, why="camera 2"))
    verdict = judgement.deals[0].verdict
    assert verdict is not None
    assert (verdict.ruling, verdict.ruled_by, verdict.reason) == (word, "ref", "ruled by ref: camera 2")
    wanted = {"right": ("", "K"), "wrong": ("K", ""), "cannot_verify": ("", "")}[word]
    assert (judgement.letters["AC"], judgement.letters["BD"]) == wanted


def test_the_last_ruling_counts_and_each_can_be_undone(game: Game) -> None:
    text = BASE + line("ruled", event=5, ruling="wrong") + line("ruled", event=5, ruling="cannot_verify")
    assert ruling(both_ways(game(text))) == "cannot_verify"
    assert ruling(both_ways(game(text + line("undone", event=8)))) == "wrong"
    assert ruling(both_ways(game(text + line("undone", event=7)))) == "cannot_verify"
    both = text + line("undone", event=8) + line("undone", event=7)
    assert both_ways(game(both)) == judge(game(BASE))


def test_a_person_names_the_first_of_two_calls(game: Game) -> None:
    tied = BASE.replace("44000", "41300~120 A says kemps\n44000") + "44500 C shows 3s 4h 6d 8c\n"
    assert ruling(judge(game(tied))) == "cannot_verify"
    for first, letters in ((5, {"AC": "", "BD": "K"}), (6, {"AC": "K", "BD": ""})):
        judgement = both_ways(game(tied + line("ruled", event=first, ruling="first")))
        assert judgement.letters == letters
        assert [call.line for call in judgement.deals[0].void_calls] == [11 - first]
    assert both_ways(game(tied + line("ruled", event=6, ruling="right"))).letters == {"AC": "", "BD": "K"}
    moved = tied + line("corrected", event=6, to={"at_ms": 43000})
    assert ruling(both_ways(game(moved))) == "right"


def test_a_void_call_that_a_person_lets_count_is_the_one_handled(judged: Judge) -> None:
    text = (
        BASE + "50000~120 B says stop A\n50500 C shows 3s 4h 6d 8c\n" + line("ruled", event=7, ruling="right")
    )
    judgement = judged(text)
    verdict = judgement.deals[0].verdict
    assert verdict is not None
    assert (verdict.by, verdict.ruling) == ("B", "right")
    assert judgement.letters == {"AC": "K", "BD": ""}


def test_a_void_call_that_a_person_could_not_verify_stays_void(judged: Judge) -> None:
    text = BASE + "50000~120 B says stop A\n" + line("ruled", event=7, ruling="cannot_verify")
    verdict = judged(text).deals[0].verdict
    assert verdict is not None
    assert (verdict.by, verdict.ruling) == ("C", "right")


FLAGGED = BASE.replace("41250", "16000-17000 B hides packet\n41250")  # the packet is line 5


@pytest.mark.parametrize("decision", ["dismiss", "overturn"])
def test_a_dismissed_flag_leaves_the_flags_and_stands_under_reviewed(game: Game, decision: str) -> None:
    review = line("reviewed", target={"rule": "R10", "events": [5]}, decision=decision, why="a sneeze")
    judgement = both_ways(game(FLAGGED + review))
    assert judgement.flags == ()
    (entry,) = judgement.as_json()["reviewed"]
    assert (entry["rule"], entry["decision"], entry["by"], entry["why"]) == (
        "R10",
        decision,
        "ref",
        "a sneeze",
    )
    reopened = line("reviewed", target={"rule": "R10", "events": [5]}, decision="reopen")
    back = both_ways(game(FLAGGED + review + reopened))
    assert (back.flags, back.reviewed) == (judge(game(FLAGGED)).flags, ())
    assert both_ways(game(FLAGGED + review + line("undone", event=8))) == judge(game(FLAGGED))


@pytest.mark.parametrize("decision", ["confirm", "hold"])
def test_a_confirmed_or_held_flag_stays_with_its_decision(judged: Judge, decision: str) -> None:
    review = line("reviewed", target={"rule": "R10", "events": [5]}, decision=decision)
    answer = judged(FLAGGED + review).as_json()
    assert [(flag["rule"], flag["decision"]) for flag in answer["flags"]] == [("R10", decision)]
    assert [entry["decision"] for entry in answer["reviewed"]] == [decision]


def test_a_review_of_another_flag_changes_nothing(judged: Judge) -> None:
    for target in (
        {"rule": "R11", "events": [5]},
        {"rule": "R10", "events": [4]},
        {"rule": "R10", "events": []},
    ):
        judgement = judged(FLAGGED + line("reviewed", target=target, decision="dismiss"))
        assert [flag.rule for flag in judgement.flags] == ["R10"]
        assert judgement.reviewed == ()


def test_one_line_of_a_flag_with_several_is_enough_to_name_it(judged: Judge) -> None:
    hidden = "15000-17000 A hides hand\n16000-18000 C hides hand\n"
    judgement = judged(hidden + line("reviewed", target={"rule": "R11", "events": [4]}, decision="dismiss"))
    assert [flag.rule for flag in judgement.flags] == ["R10", "R10"]


def test_a_call_that_is_held_says_so_until_it_is_opened_again(game: Game) -> None:
    target = {"rule": "call", "events": [5]}
    hold = line("reviewed", target=target, decision="hold", why="camera 2 first")
    held = both_ways(game(BASE + hold))
    (deal,) = held.as_json()["deals"]
    assert deal["verdict"]["review"] == {"decision": "hold", "by": "ref", "why": "camera 2 first"}
    assert (ruling(held), held.letters, held.reviewed) == ("right", judge(game(BASE)).letters, ())
    for back in (line("reviewed", target=target, decision="reopen"), line("undone", event=7)):
        assert both_ways(game(BASE + hold + back)) == judge(game(BASE))


def test_reviews_of_readings_and_notes_are_kept_in_the_plan_and_change_nothing(game: Game) -> None:
    target = {"rule": "reading", "events": [6]}
    said = line("reviewed", target=target, decision="confirm") + line("noted", target=target, why="dark")
    events = game(BASE + said)
    assert both_ways(events) == judge(game(BASE))
    plan = plan_of((number, events[number]) for number in (7, 8))
    assert plan.review_of("reading", (6,)) == (7, events[7])
    assert plan.review_of("reading", (5,)) is plan.review_of("call", (6,)) is None
    assert [number for number, _ in plan.notes] == [8]


def test_a_note_is_undone_and_in_older_journals_retracted_but_never_corrected(game: Game) -> None:
    for back in ("undone", "retracted"):
        events = game(BASE + line("noted", why="dark") + line(back, event=7))
        assert both_ways(events) == judge(game(BASE))
        assert plan_of((number, events[number]) for number in (7, 8)).notes == ()
    with pytest.raises(JournalError, match="line 9: noted cannot be corrected; undo it instead"):
        judge(game(BASE + line("noted") + line("corrected", event=7, to={"why": "x"})))


def test_exchanged_identities_count_from_their_time_on(game: Game) -> None:
    mixed = "8400 A takes 9c\n9300 A lays Kc\n41250~120 C says kemps\n44000 B shows 9s 9h 9d 9c\n"
    swap = line("identities_swapped", at_ms=43000, seats=["A", "B"])
    assert ruling(judge(game(mixed))) == "cannot_verify"
    assert ruling(both_ways(game(mixed + swap))) == "right"
    assert ruling(both_ways(game(mixed + swap + swap))) == "cannot_verify"
    assert ruling(both_ways(game(mixed + swap + line("undone", event=7)))) == "cannot_verify"
    late = line("identities_swapped", at_ms=44001, seats=["A", "B"])
    assert ruling(both_ways(game(mixed + late))) == "cannot_verify"


def test_three_seats_mixed_up_in_two_steps(game: Game) -> None:
    """First A and B, then those called B and C since: what the camera calls A is C, and its C is B."""
    steps = line("identities_swapped", at_ms=100, seats=["A", "B"])
    steps += line("identities_swapped", at_ms=200, seats=["B", "C"])
    judgement = both_ways(game(steps + "20000 A passes D\n30000 C passes D\n40000 B passes D\n"))
    assert [flag.seats for flag in judgement.flags] == [("C", "D"), ("B", "D"), ("A", "D")]


def test_people_who_change_seats_take_their_names_along(game: Game) -> None:
    events = game(BASE + line("seat_changed", seat="A", to="Paula") + line("seat_changed", seat="B", to="D"))
    assert isinstance(events[0], GameOpened)
    walk = Replay(events[0])
    for number, event in enumerate(events[1:], 1):
        step = walk.push(number, event)
    assert step.table.players == {"A": "Paula", "B": "Player D", "C": "Player C", "D": "Player B"}
    assert [flag.rule for flag in step.flags] == ["R2"]


WRONG = {
    "a line that is not there": line("corrected", event=70, to={}),
    "a later line": line("retracted", event=8),
    "itself": line("undone", event=7),
    "an observed event undone": line("undone", event=3),
    "the header corrected": line("corrected", event=0, to={}),
    "the header retracted": line("retracted", event=0),
    "a ruling on a card": line("ruled", event=3, ruling="right"),
    "a review of a line that is not there": line(
        "reviewed", target={"rule": "R1", "events": [99]}, decision="hold"
    ),
    "a review of a call that is none": line(
        "reviewed", target={"rule": "call", "events": [3]}, decision="hold"
    ),
    "a reading of the header": line("reviewed", target={"rule": "reading", "events": [0]}, decision="hold"),
    "a note about a line that is not there": line("noted", target={"rule": "R1", "events": [99]}),
    "another kind": line("corrected", event=3, to={"kind": "card_laid"}),
    "an impossible card": line("corrected", event=3, to={"card": "99"}),
    "an impossible time": line("corrected", event=3, to={"at_ms": -1}),
    "a seat that is not there": line("corrected", event=3, to={"seat": "F"}),
    "one seat exchanged with itself": line("identities_swapped", seats=["A", "A"]),
    "three seats exchanged": line("identities_swapped", seats=["A", "B", "C"]),
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG.keys())
def test_a_decision_that_cannot_be_is_an_error_that_names_its_line_and_changes_nothing(
    game: Game, text: str
) -> None:
    events = game(BASE + text + "95000 settled table\n")
    with pytest.raises(JournalError, match=r"^line 8: "):
        judge(events)
    assert isinstance(events[0], GameOpened)
    walk = Replay(events[0])
    for number, event in enumerate(events[1:7], 1):
        walk.push(number, event)
    with pytest.raises(JournalError, match=r"^line 8: "):
        walk.push(7, events[7])
    walk.push(7, events[8])
    assert walk.judgement() == judge(events[:7])


def test_a_decision_about_a_decision_is_refused(game: Game) -> None:
    ruled = BASE + line("ruled", event=5, ruling="wrong")
    for text in (line("corrected", event=7, to={"ruling": "right"}), line("retracted", event=7)):
        with pytest.raises(JournalError, match="line 9: ruled cannot be"):
            judge(game(ruled + text))


def test_a_second_header_is_refused(game: Game) -> None:
    events = game(BASE)
    with pytest.raises(JournalError, match="line 8: a second header"):
        judge([*events, events[0]])
