"""The walk: steps with their consequences, late lines, provisional verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from kemps_rules.cards import Card
from kemps_rules.errors import JournalError
from kemps_rules.events import Event, GameOpened, Gesture, UnknownEvent
from kemps_rules.replay import KEPT, STRIDE, Replay, Step, judge, replay
from kemps_rules.table import Hand

Game = Callable[..., list[Event]]
SWAP = "8400 A takes 9c\n9300 A lays Kc\n"
CALL = "41250~120 C says kemps\n"
NINES = "44000 A shows 9s 9h 9d 9c\n"


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card.parse(word) for word in text.split())


def test_each_line_is_a_step_with_the_table_after_it(game: Game) -> None:
    steps = list(replay(game(SWAP + "20000 A sweeps\n" + CALL + NINES)))
    assert [step.event.kind for step in steps][:3] == ["game_opened", "deal_started", "centre_turned"]
    assert [step.line for step in steps] == list(range(8))
    taken, laid, swept, shown = steps[3].table, steps[4].table, steps[5].table, steps[7].table
    assert taken.centre == cards("2h 5d Js")
    assert taken.hands["A"] == Hand(cards("9c"), 5)
    assert taken.open_swaps == {"A": 1}
    assert laid.centre == cards("2h 5d Js Kc")
    assert laid.open_swaps == {}
    assert (swept.centre, swept.aside, swept.stock) == ((), laid.centre, 32)
    assert shown.shown == {"A": cards("9s 9h 9d 9c")}
    assert (shown.deal, shown.dealer, shown.call, shown.is_open) == (1, "A", 6, True)
    assert steps[0].table.deal == 0


def test_a_verdict_is_provisional_until_vision_has_settled_past_the_call(game: Game) -> None:
    text = (
        CALL
        + "41370 settled table\n41400 settled faces\n"
        + NINES
        + "41371 settled table\n45000 settled faces\n"
    )
    states = [
        (step.event.kind, step.verdict.ruling, step.verdict.is_provisional)
        for step in replay(game(SWAP + text))
        if step.verdict is not None
    ]
    assert states == [
        ("called", "cannot_verify", True),
        ("settled", "cannot_verify", True),
        ("settled", "cannot_verify", True),
        ("hand_shown", "right", True),
        ("settled", "right", False),
        ("settled", "right", False),
    ]
    assert judge(game(SWAP + CALL)).deals[0].verdict is not None


def test_a_hand_that_was_not_shown_leaves_a_settled_verdict_provisional_while_the_deal_goes_on(
    game: Game,
) -> None:
    text = SWAP + CALL + "42000 settled table\n"
    step = last(game(text))
    assert step.verdict is not None
    assert step.verdict.is_provisional
    walk = started(game(text + "50000 deal B\n51000 turn 3c 4h 6d Qs\n"))
    verdict = walk.judgement(is_final=False).deals[0].verdict
    assert verdict is not None
    assert not verdict.is_provisional
    ended = last(game(text + "43000 end call\n")).verdict
    assert ended is not None
    assert not ended.is_provisional


def test_the_end_of_the_file_settles_everything(game: Game) -> None:
    verdict = judge(game(SWAP + CALL + NINES)).deals[0].verdict
    assert verdict is not None
    assert not verdict.is_provisional
    walk = started(game(SWAP + CALL + NINES))
    verdict = walk.judgement(is_final=False).deals[0].verdict
    assert verdict is not None
    assert verdict.is_provisional


def started(events: list[Event]) -> Replay:
    assert isinstance(events[0], GameOpened)
    walk = Replay(events[0])
    for line, event in enumerate(events[1:], 1):
        walk.push(line, event)
    return walk


def test_a_late_line_goes_to_its_place_in_time(game: Game) -> None:
    steps = list(replay(game("8400 A takes 9c\n" + CALL + NINES + "9300 A lays Kc\n")))
    assert [step.verdict.ruling for step in steps if step.verdict] == [
        "cannot_verify",
        "cannot_verify",
        "right",
    ]
    assert [flag.rule for flag in steps[4].flags] == ["R6"]
    assert [flag.rule for flag in steps[6].withdrawn] == ["R6"]
    assert steps[6].letters == {"AC": "", "BD": "K"}


def test_a_flag_that_is_explained_later_is_withdrawn(game: Game) -> None:
    contact = '{"kind":"hands_touched","at_ms":20050,"until_ms":20400,"seats":["A","B"],"where":"centre"}'
    steps = list(replay(game("20000 A touches 9c\n" + contact + "\n20100 B touches 9c\n")))
    assert [flag.rule for flag in steps[4].flags] == ["R11"]
    assert [flag.rule for flag in steps[5].withdrawn] == ["R11"]
    assert judge(game("20000 A touches 9c\n" + contact + "\n20100 B touches 9c\n")).flags == ()


def test_flags_of_all_steps_less_the_withdrawn_are_the_flags_of_the_game(game: Game) -> None:
    text = "16000 A passes C\n15000-17000 B hides hand\n8000 A takes Qh\n8100 A lays Qh\n" + CALL + NINES
    text += "60000 deal D\n61000 turn 3c 4h 6d Qs\n62000-63000 D hides packet\n"
    events = game(text)
    flags: list[object] = []
    for step in replay(events):
        flags = [flag for flag in flags if flag not in step.withdrawn] + list(step.flags)
    assert sorted(map(repr, flags)) == sorted(map(repr, judge(events).flags))
    assert len(flags) > 4


def test_events_may_be_endless(game: Game) -> None:
    def endless() -> Iterator[Event]:
        yield from game(SWAP)
        at_ms = 10_000
        while True:
            at_ms += 100
            yield Gesture(at_ms=at_ms, seat="A", gesture="smile")

    walk = replay(endless())
    steps = [next(walk) for _ in range(3 * STRIDE)]
    assert steps[-1].table == steps[4].table


def test_few_states_are_kept_however_long_a_deal(game: Game) -> None:
    walk = started(game(SWAP))
    for number in range(5, 5 + STRIDE * (KEPT + 5)):
        walk.push(number, Gesture(at_ms=number * 1000, seat="A", gesture="smile"))
    assert len(walk._lately) == KEPT
    assert len(walk._starts) == 1


def test_unknown_kinds_pass_through(game: Game) -> None:
    unknown = UnknownEvent(at_ms=9000, kind="coffee_spilled", fields={"cups": 2})
    events = game(SWAP + CALL + NINES)
    steps = list(replay([*events, unknown]))
    assert steps[-1].event == unknown
    assert judge([*events, unknown]) == judge(events)


def test_events_without_a_header_are_of_a_table_of_four(game: Game) -> None:
    events = game(SWAP + CALL + NINES)
    assert judge(events[1:]).letters == {"AC": "", "BD": "K"}
    assert [step.line for step in replay(events[1:])] == list(range(len(events) - 1))
    assert judge([]).deals == ()
    assert list(replay([])) == []


def test_watching_that_begins_in_the_middle_of_a_deal_accuses_nobody(game: Game) -> None:
    assert judge(game(SWAP + CALL + NINES, start="")).flags == ()
    seen = game("9300 A lays Kc\n" + CALL + NINES, start="8500 see 2h 5d Js\n")
    judgement = judge(seen)
    assert [flag.rule for flag in judgement.flags] == ["R6"]  # a lay whose take was not seen


def test_a_deal_whose_beginning_was_missed_begins_with_its_centre(game: Game) -> None:
    text = (
        SWAP
        + CALL
        + NINES
        + "60000 turn 3c 4h 6d Qs\n63000 B takes 3c\n64000 B lays 9c\n70000 D says kemps\n"
    )
    judgement = judge(game(text + "72000 B shows 3s 3h 3d 3c\n"))
    assert [deal.verdict.by if deal.verdict else None for deal in judgement.deals] == ["C", "D"]
    assert judgement.letters == {"AC": "K", "BD": "K"}
    assert judgement.flags == ()


def test_watching_that_begins_while_the_centre_is_turned_knows_when_it_opens(game: Game) -> None:
    text = "1000 turn 9c 2h\n1500 A takes 9c\n2000 turn 5d Js\n2500 A lays Kc\n"
    assert [flag.rule for flag in judge(game(text, start="")).flags] == ["R4"]


def test_a_few_cards_turned_after_a_deal_are_no_new_one(game: Game) -> None:
    over = SWAP + CALL + NINES
    assert len(judge(game(over + "60000 turn 3c 4h\n")).deals) == 1
    assert len(judge(game(over + "60000 turn 3c ? ?\n61000 B takes 3c\n")).deals) == 2
    assert len(judge(game("10000 dry\n60000 turn 3c 4h 6d\n61000 B takes 3c\n")).deals) == 2


def last(events: list[Event]) -> Step:
    return list(replay(events))[-1]


def test_the_stock_shrinks_with_each_card_turned_and_grows_when_reshuffled(game: Game) -> None:
    sweep = "20000 A sweeps\n23000 turn 3d 4d ? ?\n24000 A sweeps\n25000 turn 6c 6d 7d 8c\n"
    assert last(game(sweep)).table.stock == 24
    assert last(game(sweep + "30000 dry\n", rules="x", house={"dry_stock": "reshuffle"})).table.stock == 32
    assert last(game("", start="0 deal A\n1200 see 9c 2h 5d Js\n")).table.stock is None
    assert last(game("20000 A sweeps\n23000 turn 3d 3c 3h 3s 4d 4c 4h 4s\n")).table.stock == 24


def test_a_centre_that_is_looked_at_afresh_is_what_is_seen(game: Game) -> None:
    table = last(game("8000 A takes ?\n9000 A lays ?\n20000 see 9c 2h 3c Qs\n")).table
    assert (table.centre, table.unread, table.missing) == (cards("9c 2h 3c Qs"), 0, 0)


def test_with_two_decks_a_copy_laid_by_nobody_known_may_be_anybodys(game: Game) -> None:
    text = "8400 A takes 9c\n9300 A lays Kc\n10000 ? takes 2h\n11000 ? lays 9c\n"
    table = last(game(text, seats=8, rules="two_decks")).table
    assert table.hands["A"] == Hand((), 4)
    assert Card.parse("9c") in table.centre


def test_a_card_shown_twice_in_a_hand_is_not_known_to_be_there(game: Game) -> None:
    table = last(game("44000 A shows 9s 9s 9h 9d\n")).table
    assert table.hands["A"] == Hand(cards("9h 9d"), 4)
    assert table.hands["B"] == Hand((), 4)


def test_unread_cards_and_cards_of_which_nobody_saw_which_are_counted(game: Game) -> None:
    steps = list(
        replay(game("8000 A takes ?\n9000 A lays ?\n10000 B takes 2h\n11000 B lays 9h\n20000 A sweeps\n"))
    )
    tables = [step.table for step in steps[3:]]
    assert [(len(table.centre), table.unread, table.missing) for table in tables] == [
        (4, 0, 1),
        (4, 1, 1),
        (3, 1, 1),
        (4, 1, 1),
        (0, 0, 0),
    ]
    assert (tables[-1].aside, tables[-1].aside_unread) == ((), 4)
    assert tables[1].hands["A"] == Hand((), 4)


def test_a_card_that_was_not_read_in_the_centre_may_be_taken_by_name(game: Game) -> None:
    step = last(game("8000 A takes Kd\n9000 A lays 3c\n", start="0 deal A\n1200 turn 9c 2h 5d ?\n"))
    assert (
        judge(game("8000 A takes Kd\n9000 A lays 3c\n", start="0 deal A\n1200 turn 9c 2h 5d ?\n")).flags == ()
    )
    assert (step.table.centre, step.table.unread) == (cards("9c 2h 5d 3c"), 0)
    step = last(game("8000 A takes ?\n", start="0 deal A\n1200 turn 9c 2h 5d ?\n"))
    assert (step.table.unread, step.table.missing) == (1, 1)
    step = last(game("8000 A takes ?\n", start="0 deal A\n1200 turn ? ? ? ?\n"))
    assert (step.table.unread, step.table.missing) == (3, 0)


def test_a_swap_of_a_card_not_in_the_centre_is_flagged_not_refused(game: Game) -> None:
    step = last(game("8000 A takes Kd\n"))
    assert [flag.rule for flag in step.flags] == ["R6"]
    assert step.table.hands["A"] == Hand(cards("Kd"), 5)
    assert (len(step.table.centre), step.table.missing) == (4, 1)


def test_passed_cards_change_hands(game: Game) -> None:
    passed = '{"kind":"card_passed","at_ms":16000,"from":"A","to":"C","card":"9c"}\n'
    table = last(game(SWAP + passed)).table
    assert (table.hands["A"], table.hands["C"]) == (Hand((), 3), Hand(cards("9c"), 5))
    table = last(game(SWAP + "16000 A passes C\n")).table
    assert (table.hands["A"], table.hands["C"]) == (Hand((), 3), Hand((), 5))
    table = last(game(SWAP + "16000 ? passes C\n")).table
    assert (table.hands["A"].known, table.unassigned_open) == ((), -1)
    assert last(game(SWAP + "16000 A passes A\n")).flags == ()


def test_moves_of_nobody_known_are_kept_apart(game: Game) -> None:
    table = last(game("8400 ? takes 9c\n")).table
    assert (table.unassigned, table.unassigned_open, table.hands["A"]) == (cards("9c"), 1, Hand((), 4))
    table = last(game("8400 ? takes 9c\n9300 ? lays Kc\n")).table
    assert (table.unassigned, table.unassigned_open) == (cards("9c"), 0)


def test_a_line_can_be_taken_once_only(game: Game) -> None:
    events = game(SWAP)
    walk = started(events)
    with pytest.raises(JournalError, match="line 4: there is such a line already"):
        walk.push(3, events[3])


def test_an_unknown_seat_is_an_error_that_names_the_line_and_changes_nothing(game: Game) -> None:
    six = game("8400 F takes 9c\n", seats=6)
    walk = started(game(""))
    with pytest.raises(JournalError, match="line 4: seat F is not at this table"):
        walk.push(3, six[3])
    assert isinstance(walk.push(3, game(SWAP)[3]), Step)


def test_lines_in_any_order_give_the_same_game(game: Game) -> None:
    events = game(SWAP + "20000 A sweeps\n23000 turn 3d 4d 7s 7c\n" + CALL + NINES)
    forward, backward = started(events), Replay(header_of(events))
    for line in range(len(events) - 1, 0, -1):
        backward.push(line, events[line])
    assert forward.judgement() == backward.judgement()


def header_of(events: list[Event]) -> GameOpened:
    assert isinstance(events[0], GameOpened)
    return events[0]
