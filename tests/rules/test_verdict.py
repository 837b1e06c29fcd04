"""Verdicts: three values, and a ruling only where every completion agrees."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from kemps_rules.judgement import Judgement
from kemps_rules.verdict import Verdict

Judge = Callable[..., Judgement]
Ask = Callable[..., Verdict]

SWAP = "8400 A takes 9c\n9300 A lays Kc\n"
CALL = "41250~120 C says kemps\n"
NINES = "44000 A shows 9s 9h 9d 9c\n"


@pytest.fixture
def asked(judged: Judge) -> Ask:
    """The verdict of the first deal of a game from text."""

    def make(text: str, **options: object) -> Verdict:
        verdict = judged(text, **options).deals[0].verdict
        assert verdict is not None
        return verdict

    return make


def rules(judgement: Judgement) -> list[str]:
    return [flag.rule for flag in judgement.flags]


@pytest.mark.parametrize(
    ("shown", "ruling"),
    [
        ("9s 9h 9d 9c", "right"),
        ("9s 9h 9d ?", "right"),  # the ledger knows the unread one: A took the nine of clubs
        ("9s 9h 9c ?", "cannot_verify"),
        ("9s 9h ? ?", "cannot_verify"),
        ("? ? ? ?", "cannot_verify"),
        ("_ _ _ _", "cannot_verify"),
        ("9s 9h 9c _", "cannot_verify"),
        ("9s 8h ? ?", "wrong"),
        ("8s 8h 8d ?", "wrong"),  # the unread one is the nine
        ("8s ? ? ?", "wrong"),
        ("9s 9h 9c joker", "wrong"),
        ("joker ? ? ?", "wrong"),
        ("9s 9h 9d", "wrong"),
        ("9s 9h 9d 9c 2c", "wrong"),
        ("9s 9h 9d 9c ?", "wrong"),
        ("", "wrong"),
        ("9s 9h 9d 9c …", "right"),  # four by the ledger
        ("9s 9h 9d …", "right"),
        ("9s 9h 9c …", "cannot_verify"),
        ("9s 9h 9d 9c 2c …", "wrong"),
        ("9s 9h …", "cannot_verify"),
        ("…", "cannot_verify"),
        ("9s 9s 9h 9d", "cannot_verify"),  # the same card twice in one hand
        ("9s 9s 2h 3d", "cannot_verify"),
    ],
)
def test_a_shown_hand(asked: Ask, shown: str, ruling: str) -> None:
    assert asked(SWAP + CALL + f"44000 A shows {shown}\n").ruling == ruling


@pytest.mark.parametrize(
    ("cards", "unread", "at_most", "ruling"),
    [
        ("9s 9h 9d 9c", 0, 1, "right"),  # the fifth may be another sight of one of them; four by the ledger
        ("9s 9h 9d 9c", 1, 1, "wrong"),  # the fifth surely is there
        ("9s 9h 9d 9c", 1, 2, "wrong"),
        ("9s 9h 9d", 0, 0, "wrong"),  # three and no more
        ("9s 9h 9d", 0, 1, "right"),  # A took the fourth nine
        ("9s 9h 9c", 0, 1, "cannot_verify"),
        ("9s 9h 2c", 0, 2, "wrong"),
        ("", 0, 4, "cannot_verify"),
        ("9s 9h", 0, 1, "wrong"),  # at most three
    ],
)
def test_unread_cards_that_are_there_and_those_that_may_be(
    asked: Ask, cards: str, unread: int, at_most: int, ruling: str
) -> None:
    row = {"kind": "hand_shown", "at_ms": 44000, "seat": "A", "cards": cards.split(), "unread": unread}
    text = json.dumps(row | {"unread_at_most": at_most, "complete": False})
    assert asked(SWAP + CALL + text + "\n").ruling == ruling


def test_a_swap_that_was_open_may_be_the_card_that_may_be_there(asked: Ask) -> None:
    row = '{"kind":"hand_shown","at_ms":44000,"seat":"A","cards":["9s","9h","9d","9c"],"complete":false'
    for at_most, ruling in ((1, "cannot_verify"), (3, "cannot_verify"), (0, "right")):
        text = f'8400 A takes 9c\n{CALL}{row},"unread_at_most":{at_most}}}\n'
        assert asked(text).ruling == ruling


@pytest.mark.parametrize(
    ("before", "ruling"),
    [
        ("", "cannot_verify"),
        ("5000 B takes 2h\n5500 B lays 8c\n", "wrong"),  # the fourth eight lies in the centre
        ("5000 B takes 2h\n5500 B lays 8c\n6000 D takes 8c\n6500 D lays 3h\n", "wrong"),  # in another hand
        ("5000 B takes 2h\n5500 B lays 8c\n6000 A sweeps\n7000 turn 3c 4c 6c 7c\n", "wrong"),  # set aside
        ("5000 B takes 2h\n5500 B lays 8c\n6000 ? takes 8c\n6500 ? lays 3h\n", "cannot_verify"),
        ("5000 B takes 2h\n5500 B lays 8c\n6000 ? takes ?\n6500 ? lays ?\n", "cannot_verify"),
    ],
)
def test_three_and_an_unread_card_depend_on_where_the_fourth_is(asked: Ask, before: str, ruling: str) -> None:
    assert asked(before + CALL + "44000 A shows 8s 8h 8d ?\n").ruling == ruling


def test_a_fourth_card_shown_by_another_hand_cannot_be_the_unread_one(asked: Ask) -> None:
    text = "41250~120 B says stop A\n44000 A shows 8s 8h 8d ?\n44500 C shows 8c 3h 6d Ks\n"
    assert asked(text).ruling == "wrong"
    assert asked(text.replace("8c 3h", "7c 3h")).ruling == "cannot_verify"


def test_a_card_that_two_hands_show_is_unread_in_both(judged: Judge) -> None:
    text = "41250~120 B says stop A\n44000 A shows 8s 8h 8d 8c\n44500 C shows 8c 3h 6d Ks\n"
    judgement = judged(text)
    assert judgement.deals[0].verdict is not None
    assert judgement.deals[0].verdict.ruling == "cannot_verify"
    assert rules(judgement) == ["R1"]


@pytest.mark.parametrize(
    ("lay_at", "ruling"),
    [
        ("41009", "right"),
        ("41010", "cannot_verify"),
        ("41250", "cannot_verify"),
        ("41490", "cannot_verify"),
        ("41491", "wrong"),
    ],
)
def test_the_lay_and_the_call_are_apart_or_not(asked: Ask, lay_at: str, ruling: str) -> None:
    text = f"40000 A takes 9c\n{lay_at}~120 A lays Kc\n" + CALL + NINES
    assert asked(text).ruling == ruling


@pytest.mark.parametrize(
    ("take_at", "ruling"),
    [("41009", "wrong"), ("41250", "wrong"), ("41490", "wrong"), ("41491", "wrong")],
)
def test_a_take_near_the_call_with_its_lay_after_it_is_wrong_either_way(
    asked: Ask, take_at: str, ruling: str
) -> None:
    text = f"{take_at}~120 A takes 9c\n42000 A lays Kc\n" + CALL + NINES
    assert asked(text).ruling == ruling


def test_a_swap_whose_both_halves_are_too_close_to_the_call_is_unclear(asked: Ask) -> None:
    assert asked("41200~60 A takes 9c\n41240~60 A lays Kc\n" + CALL + NINES).ruling == "cannot_verify"


def test_times_that_are_equal_without_uncertainty_are_not_apart(asked: Ask) -> None:
    text = "40000 A takes 9c\n41250 A lays Kc\n41250 C says kemps\n" + NINES
    assert asked(text).ruling == "cannot_verify"
    assert asked(text.replace("41250 A lays", "41249 A lays")).ruling == "right"


def test_close_moves_of_others_do_not_matter(asked: Ask) -> None:
    assert asked(SWAP + "41200 B takes 2h\n41300 B lays 3c\n" + CALL + NINES).ruling == "right"


def test_how_many_cards_are_shown_is_unclear_and_the_ledger_knows_of_an_open_swap(asked: Ask) -> None:
    assert asked("8400 A takes 9c\n" + CALL + "44000 A shows 9s 9h 9d 9c …\n").ruling == "cannot_verify"
    assert asked("8400 A lays Kc\n" + CALL + "44000 A shows 9s 9h 9d 9c …\n").ruling == "cannot_verify"
    assert asked("8400 A takes 9c\n" + CALL).ruling == "cannot_verify"


def test_many_close_moves_are_unclear_but_not_slow(asked: Ask) -> None:
    moves = "".join(f"{41200 + 2 * n} A takes 2h\n{41201 + 2 * n} A lays 2h\n" for n in range(20))
    assert asked(SWAP + moves + CALL + NINES).ruling == "cannot_verify"


def test_a_take_whose_lay_was_never_seen(asked: Ask) -> None:
    text = "8400 A takes 9c\n" + CALL
    assert asked(text + NINES).ruling == "cannot_verify"
    assert asked(text + "44000 A shows 9s 9h 9d 9c Kc\n").ruling == "wrong"
    assert asked(text + "44000 A shows 9s 9h 9c Kc\n").ruling == "wrong"  # no quad either way
    assert asked(text + "44000 A shows 9s 9h 9c ?\n").ruling == "cannot_verify"


def test_a_lay_whose_take_was_never_seen(asked: Ask) -> None:
    text = "8400 A lays Kc\n" + CALL
    assert asked(text + NINES).ruling == "cannot_verify"
    assert asked(text + "44000 A shows 9s 9h 9d\n").ruling == "wrong"


def test_the_card_of_an_unseen_take_may_be_any_that_seems_to_lie_in_the_centre_or_aside(asked: Ask) -> None:
    hand = "44000 A shows 9s 9h 9d ?\n"
    assert asked("8400 A lays Kc\n" + CALL + hand).ruling == "cannot_verify"
    swept = "8400 A lays Kc\n20000 A sweeps\n21000 turn 3d 4d 7s 7c\n"
    assert asked(swept + CALL + hand).ruling == "cannot_verify"
    assert asked("8400 A takes 2h\n" + CALL + hand).ruling == "wrong"  # the nine still lies there


def test_a_move_that_was_seen_stays_its_seats_among_moves_of_nobody(asked: Ask) -> None:
    others = "20000 ? takes 2h\n21000 ? lays 3h\n"
    assert asked("8400 B takes 9c\n" + others + CALL + NINES).ruling == "right"
    text = "8400 A takes 9c\n9300 ? lays Kc\n10000 B takes Kc\n11000 B lays 3h\n"
    assert asked(text + CALL + NINES).ruling == "right"


def test_cards_may_not_move_until_all_hands_of_the_handled_stop_are_shown(judged: Judge) -> None:
    calls = "41250~120 C says kemps\n41300~120 B says stop A\n"
    text = SWAP + calls + NINES + "44200 B takes 2h\n44400 B lays 7h\n44500 C shows 2s 3h 6d 8d\n"
    assert rules(judged(text)) == ["R14", "R14"]


def test_what_came_in_after_the_call_does_not_count(asked: Ask) -> None:
    after = "42000 A takes 9c\n42500 A lays Kc\n"
    assert asked(CALL + after + NINES).ruling == "wrong"
    assert asked(CALL + after + "44000 A shows ? ? ? 9c\n").ruling == "cannot_verify"  # four kings?
    assert asked(CALL + after + "44000 A shows 9s ? ? 9c\n").ruling == "wrong"
    broken = SWAP + CALL + "42000 A takes 2h\n42500 A lays 9c\n"
    assert asked(broken + "44000 A shows 9s 9h 9d 2h\n").ruling == "right"
    assert asked(broken + "44000 A shows 9s 9h ? 2h\n").ruling == "cannot_verify"
    fifth = SWAP + CALL + "42000 A takes 2h\n"
    assert asked(fifth + "44000 A shows 9s 9h 9d 9c 2h\n").ruling == "right"


def test_what_moves_after_the_hand_was_shown_changes_nothing(asked: Ask) -> None:
    text = "41250~120 B says stop A\n44000 A shows 9s 9h 9d 9c\n45000 A lays 9c\n46000 C shows 2s 3h 6d 8d\n"
    assert asked(SWAP + text).ruling == "right"


@pytest.mark.parametrize(
    ("moves", "ruling"),
    [
        ("8400 ? takes 9c\n9300 ? lays Kc\n", "right"),
        ("8400 ? takes 9c\n9300 A lays Kc\n", "right"),
        ("8400 A takes 9c\n9300 ? lays Kc\n", "right"),
        ("8400 ? takes 9c\n", "cannot_verify"),  # somebody's swap: A's, for A shows the nine
        ("8400 ? takes 9c\n42000 ? lays Kc\n", "wrong"),  # A's, and it was closed after the call
        ("8400 ? takes 9c\n9300 ? lays Kc\n41000 ? takes 2h\n", "right"),  # not A's: A shows no two
        ("8400 ? takes 9c\n9300 ? lays Kc\n40000 ? takes ?\n", "cannot_verify"),
        ("8400 ? takes 9c\n9300 ? lays Kc\n40000 ? lays 3h\n", "cannot_verify"),
        ("8400 ? takes 9c\n9300 ? lays Kc\n40000 B takes 2h\n", "right"),
        ("42000 ? takes 9c\n42500 ? lays Kc\n", "wrong"),
        ("41200 ? takes 9c\n41300 ? lays Kc\n", "cannot_verify"),
        ("8400 ? takes 9c\n8500 ? takes 2h\n9300 ? lays Kc\n", "cannot_verify"),
        ("8400 ? takes ?\n9300 ? lays ?\n", "right"),
    ],
)
def test_moves_of_unknown_seats_make_ledgers_possible_not_wrong(
    judged: Judge, moves: str, ruling: str
) -> None:
    judgement = judged(moves + CALL + NINES)
    verdict = judgement.deals[0].verdict
    assert verdict is not None
    assert verdict.ruling == ruling
    assert {flag.rule for flag in judgement.flags} <= {"R14", "R1"}


def swaps(seat: str, cards: str, start_ms: int = 2000) -> str:
    """The seat takes the cards one after the other, and lays one for each."""
    given = ("2c", "3c", "4c", "6c")
    rows = [
        f"{start_ms + 900 * n} {seat} takes {card}\n{start_ms + 500 + 900 * n} {seat} lays {laid}\n"
        for n, (card, laid) in enumerate(zip(cards.split(), given, strict=False))
    ]
    return "".join(rows)


def test_a_hand_that_was_not_shown_may_be_known_by_the_ledger(asked: Ask) -> None:
    assert asked(CALL).ruling == "cannot_verify"
    assert asked(SWAP + CALL).ruling == "cannot_verify"
    alike = "0 deal A\n1200 turn 9c 9h 9d 9s\n"
    assert asked(swaps("A", "9c 9h 9d 9s") + CALL, start=alike).ruling == "right"
    verdict = asked(swaps("A", "9c 2h 5d Js") + CALL)
    assert verdict.ruling == "wrong"
    assert verdict.reason == "A's hand was not seen, but by the ledger held no four of a rank"


@pytest.mark.parametrize("taken", ["9c 2h", "9c 2h 5d"])
def test_two_ranks_known_of_a_hand_of_four_are_no_quad_whatever_the_others_are(
    asked: Ask, taken: str
) -> None:
    verdict = asked(swaps("A", taken) + CALL)
    assert verdict.ruling == "wrong"
    assert verdict.reason == "A's hand was not seen, but by the ledger held no four of a rank"


def test_not_seen_is_not_refused(asked: Ask) -> None:
    refuses = "44000 A refuses\n"
    assert asked(SWAP + CALL + refuses).reason == "A did not show"
    by_ledger = asked(swaps("A", "9c 2h 5d Js") + CALL + refuses).reason
    assert by_ledger == "A did not show, but by the ledger held no four of a rank"


def test_the_last_full_sight_of_a_hand_counts_and_a_contradiction_does_not(asked: Ask) -> None:
    dim = "43000 A shows 9s 9h ? 9c\n"
    assert asked(SWAP + CALL + dim).ruling == "cannot_verify"
    assert asked(SWAP + CALL + dim + NINES).ruling == "right"
    assert asked(SWAP + CALL + NINES + dim.replace("43000", "45000")).ruling == "right"
    assert asked(SWAP + CALL + NINES + "45000 A shows 9s 9h 3d 9c\n").ruling == "cannot_verify"


def test_a_hand_shown_before_the_call_is_no_answer_to_it(asked: Ask) -> None:
    assert (
        asked(SWAP + "20000 A shows 9s 9h 3d 9c\n30000 A takes 2h\n30500 A lays 3d\n" + CALL + NINES).ruling
        == "right"
    )


def test_a_hand_shown_by_nobody_known_proves_nothing(asked: Ask) -> None:
    assert asked(SWAP + CALL + "44000 ? shows 9s 9h 9d 9c\n").ruling == "cannot_verify"


def test_a_readable_hand_outranks_the_ledger_and_the_contradiction_is_a_flag(judged: Judge) -> None:
    for text, rule in (
        (CALL + NINES, "R1"),  # the nine still lies in the centre
        ("20000 A sweeps\n21000 turn 3d 4d 7s 7c\n" + CALL + NINES, "R9"),
        ("8400 B takes 9c\n9300 B lays Kc\n" + CALL + NINES, "R8"),
        ("8400 B takes 9c\n" + CALL + NINES, "R8"),
        (SWAP + "16000 A passes C\n" + CALL + NINES, "R8"),
    ):
        judgement = judged(text)
        verdict = judgement.deals[0].verdict
        assert verdict is not None
        assert verdict.ruling == "right"
        assert rule in rules(judgement)


def test_a_quad_made_with_a_surplus_card_does_not_count(asked: Ask) -> None:
    assert asked(SWAP + "20000 A takes 2h\n" + CALL + "44000 A shows 9s 9h 9d 9c 2h\n").ruling == "wrong"


@pytest.mark.parametrize("seats", [4, 6, 8])
def test_a_stop_is_right_when_either_hand_holds_a_quad(asked: Ask, seats: int) -> None:
    partner = {4: "C", 6: "D", 8: "E"}[seats]
    stop = SWAP + "41250~120 B says stop " + partner + "\n"
    poor = f"44500 {partner} shows 2s 3h 6d 8d\n"
    verdict = asked(stop + NINES + poor, seats=seats)
    assert (verdict.ruling, verdict.hands, verdict.letters_to) == ("right", ("A", partner), ("A" + partner,))
    assert asked(stop + NINES, seats=seats).ruling == "right"
    assert asked(stop + poor, seats=seats).ruling == "cannot_verify"
    assert asked(stop + poor + "44000 A shows 9s 9h 3d 9c\n", seats=seats).ruling == "wrong"
    assert asked(stop + poor + "44000 A shows 9s 9h ? 9c\n", seats=seats).ruling == "cannot_verify"


def test_one_of_two_quads_is_valid_whosever_the_open_swap_was(asked: Ask) -> None:
    """The ledger leaves open whose swap was open; with two quads one of them was valid in any case."""
    text = SWAP + "20000 ? takes ?\n41250~120 B says stop A\n" + NINES
    assert asked(text + "44500 C shows 8s 8h 8d 8c\n").ruling == "right"
    assert asked(text + "44500 C shows 8s 8h 8d 7c\n").ruling == "cannot_verify"


def test_a_call_by_nobody_is_unclear_until_a_person_assigns_it(judged: Judge) -> None:
    text = SWAP + "41250~120 ? says kemps\n" + NINES
    judgement = judged(text)
    assert rules(judgement) == ["R12"]
    assert judgement.letters == {"AC": "", "BD": ""}
    assigned = judged(text + '{"kind":"corrected","at_ms":60000,"event":5,"to":{"seat":"C"},"by":"ref"}')
    assert rules(assigned) == []
    assert assigned.letters == {"AC": "", "BD": "K"}


def test_a_call_before_the_start_is_void_and_the_deal_goes_on(judged: Judge) -> None:
    start = "0 deal A\n900 turn 9c 2h 5d\n1000~60 C says kemps\n1200 turn Js\n"
    judgement = judged(SWAP + "41250~120 D says kemps\n44000 B shows 3s 4h 6d 8c\n", start=start)
    (deal,) = judgement.deals
    assert deal.verdict is not None
    assert (deal.verdict.by, deal.verdict.ruling) == ("D", "wrong")
    assert [call.line for call in deal.void_calls] == [3]
    assert rules(judgement) == ["R4"]


def test_a_call_too_close_to_the_start_to_tell_is_no_breach(judged: Judge) -> None:
    start = "0 deal A\n900 turn 9c 2h 5d\n1150~60 C says kemps\n1200 turn Js\n"
    judgement = judged("3000 A shows 3s 4h 6d 8c\n", start=start)
    assert rules(judgement) == []
    assert judgement.deals[0].verdict is not None


def test_later_calls_are_void(judged: Judge) -> None:
    judgement = judged(SWAP + CALL + "42000~120 B says stop A\n" + NINES + "50000~120 D says kemps\n")
    (deal,) = judgement.deals
    assert deal.verdict is not None
    assert deal.verdict.by == "C"
    assert [(call.event.seat, call.call) for call in deal.void_calls] == [("B", "stop"), ("D", "kemps")]
    assert judgement.as_json()["deals"][0]["void_calls"][0]["by"] == "B"


@pytest.mark.parametrize(
    ("calls", "ruling", "by"),
    [
        ("41250~120 C says kemps\n41300~120 B says stop A\n", "right", "B"),
        ("41250~120 C says kemps\n41491~120 B says stop A\n", "right", "C"),
        ("41250~120 C says kemps\n41300~120 B says stop A\n41310~120 D says stop A\n", "cannot_verify", None),
        ("41250~120 C says kemps\n41300~120 A says kemps\n", "cannot_verify", None),
        ("41250~120 C says kemps\n41300~120 C says kemps\n", "right", "C"),
        ("41250~120 ? says kemps\n41300~120 ? says kemps\n", "cannot_verify", None),
        ("41250 C says kemps\n41250 B says stop A\n", "right", "B"),
        ("41250 C says kemps\n41251 B says stop A\n", "right", "C"),
        # the third is close to the second only: the earliest decides
        ("41250~50 C says kemps\n41340~50 A says kemps\n41430~50 B says stop A\n", "cannot_verify", None),
    ],
)
def test_calls_that_cannot_be_told_apart(asked: Ask, calls: str, ruling: str, by: str | None) -> None:
    verdict = asked(SWAP + calls + NINES + "44500 C shows 2s 3h 6d 8d\n")
    assert (verdict.ruling, verdict.by) == (ruling, by)


def test_a_refusal_counts_once_a_person_confirms_it(judged: Judge) -> None:
    text = SWAP + "41250~120 B says stop A\n44000 A refuses\n44500 C shows 2s 3h 6d 8d\n"
    assert rules(judged(text)) == ["R13"]
    assert judged(text).letters == {"AC": "", "BD": ""}
    review = (
        '{"kind":"reviewed","at_ms":60000,"target":{"rule":"R13","events":[6]},"decision":"%s","by":"ref"}\n'
    )
    confirmed = judged(text + review % "confirm")
    assert confirmed.letters == {"AC": "K", "BD": ""}
    assert confirmed.deals[0].verdict is not None
    assert confirmed.deals[0].verdict.reason.startswith("A did not show; a person has confirmed")
    assert judged(text + review % "dismiss").letters == {"AC": "", "BD": ""}
    assert judged(text + review % "confirm" + review % "reopen").letters == {"AC": "", "BD": ""}


def test_deals_without_a_ruling_say_how_they_ended(judged: Judge) -> None:
    text = "10000 end {why}\n20000 deal {dealer}\n21000 turn 3c 4h 6d Qs\n"
    for why, dealer in (("dry", "B"), ("redeal", "A"), ("voided", "A"), ("open", "B")):
        judgement = judged(text.format(why=why, dealer=dealer))
        assert [deal.ended for deal in judgement.deals] == [why, "open"]
        assert judgement.flags == ()
        assert judgement.as_json()["deals"][0]["verdict"] is None
        assert judgement.as_json()["deals"][0]["ended"] == why


def test_a_voided_deal_gives_no_letters_even_after_its_call(judged: Judge) -> None:
    judgement = judged(SWAP + CALL + NINES + "50000 end voided\n60000 deal A\n62000 turn 3c 4h 6d Qs\n")
    assert judgement.letters == {"AC": "", "BD": ""}
    assert judgement.deals[0].ended == "voided"
    assert judgement.flags == ()


def test_after_the_end_of_the_game_deals_are_listed_without_letters(judged: Judge) -> None:
    more = "60000 deal B\n62000 turn 3c 4h 6d Qs\n63000~9 D says kemps\n65000 B shows 2s 4s 6s 8d\n"
    judgement = judged(SWAP + CALL + NINES + more, letters={"BD": "KEMP", "AC": "K"})
    assert judgement.lost == ("BD",)
    assert judgement.won == ("AC",)
    assert judgement.letters == {"AC": "K", "BD": "KEMPS"}
    assert [deal.verdict.letters_to for deal in judgement.deals if deal.verdict] == [("BD",), ()]


def test_reasons_are_for_people(asked: Ask) -> None:
    assert asked(SWAP + CALL + NINES).reason == "A shows 9♠ 9♥ 9♦ 9♣: four nines"
    assert asked(SWAP + CALL + "44000 A shows 9s 9h 9c ?\n").reason == "A shows 9♠ 9♥ 9♣ and 1 not read"
    assert "too close to the call" in asked("40000 A takes 9c\n41200 A lays Kc\n" + CALL + NINES).reason
    assert "swap open" in asked("40000 A takes 9c\n" + CALL + NINES).reason
    assert "completed after the call" in asked(CALL + "42000 A takes 9c\n42500 A lays Kc\n" + NINES).reason
    assert "not seen" in asked(CALL).reason
    assert "same card twice" in asked(CALL + "44000 A shows 9s 9s 9h 9d\n").reason
    assert "5 cards" in asked(SWAP + CALL + "44000 A shows 9s 9h 9d 9c 2c\n").reason
    assert "nobody saw whose" in asked(SWAP + "40000 ? takes ?\n" + CALL + NINES).reason


def test_a_wrong_double_kemps_is_explained_by_the_callers_hand(asked: Ask) -> None:
    text = "41250 C says double_kemps\n44000 A shows Ks Kh Kd Kc\n44500 C shows 2s 3s 4s 5s\n"
    verdict = asked(text, house={"double_kemps": "shouted"})
    assert verdict.ruling == "wrong"
    assert verdict.reason == "A shows K♠ K♥ K♦ K♣: four kings; but C shows 2♠ 3♠ 4♠ 5♠: no quad"
