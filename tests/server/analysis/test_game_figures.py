"""Figures of a game worked out by hand, and of long ones that must add up."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from kemps_rules import events
from kemps_rules.journal import Journal, journal_of, read_journal
from kemps_rules.replay import judge
from kemps_server.analysis.estimates import LEAST_COMPARED, Rate, Share, Spread
from kemps_server.analysis.figure_rows import figure_rows
from kemps_server.analysis.game import GameFigures, analyse
from kemps_server.analysis.looks import look_of

SAMPLES = sorted((Path(__file__).resolve().parents[3] / "samples/journals").glob("*.jsonl"))
HEADER = '{"kind":"game_opened","at_ms":0,"seats":{"A":"Ann","B":"Ben","C":"Cem","D":"Dot"}}\n'


def figures(lines: str) -> GameFigures:
    return analyse(journal_of((HEADER + lines).encode()))


def test_what_was_not_filmed_is_taken_out(short: GameFigures) -> None:
    coverage = short.coverage
    assert coverage.length_ms == 90_000
    assert coverage.play_ms == 15_000 + 10_000 + 10_000
    assert coverage.table_unseen_ms == 2_000
    assert coverage.takes_without_seat == Share.of_count(1, 5)
    assert {face.seat: face.unseen_ms for face in coverage.faces} == {"A": 3_000, "B": 0, "C": 0, "D": 0}


def test_letters_come_at_the_calls_that_gave_them(short: GameFigures) -> None:
    steps = {one.pair: [(step.at_ms, step.count) for step in one.steps] for one in short.letters}
    assert steps == {"AC": [(50_000, 1), (80_000, 2)], "BD": [(25_000, 1)]}
    assert {one.pair: one.letters for one in short.letters} == {"AC": "KE", "BD": "K"}


def test_calls_are_counted_by_player_and_by_pair(short: GameFigures) -> None:
    assert [(call.seat, call.ruling) for call in short.calls] == [
        ("C", "right"),
        ("D", "right"),
        ("A", "wrong"),
    ]
    assert {one.player: one.right.count for one in short.players} == {"Ann": 0, "Ben": 0, "Cem": 1, "Dot": 1}
    assert {one.pair: (one.right.count, one.right.of) for one in short.pairs} == {"AC": (1, 2), "BD": (1, 1)}


def test_the_time_to_a_call_counts_from_the_swap_that_completed_the_hand(short: GameFigures) -> None:
    first, second, third = short.calls
    assert first.after_ms == 25_000 - 13_400
    assert first.is_at_most, "somebody's swap was not seen after that"
    assert (second.after_ms, second.after_doubt_ms, second.is_at_most) == (8_000, 100, False)
    assert third.after_ms is None
    tallies = {one.player: one.after for one in short.players}
    assert tallies["Cem"] == Spread.of_times([]), "a time that may be less is no median's"
    assert tallies["Dot"] == Spread.of_times([8_000])


def test_swaps_are_counted_against_the_play_in_view_and_a_card_put_back_is_none(short: GameFigures) -> None:
    swaps = {one.player: one for one in short.swaps}
    assert swaps["Ann"].takes == Rate.of_count(1, 33_000)
    assert swaps["Ben"].takes == Rate.of_count(2, 33_000)
    assert swaps["Dot"].takes == Rate.of_count(0, 33_000)
    assert swaps["Dot"].put_back == 1
    assert swaps["Ben"].open_times == Spread.of_times([2_000, 1_000])
    assert swaps["Ben"].ranks == {"2": 1, "T": 1}
    assert swaps["Ben"].laid_ranks == {"2": 1, "7": 1}


def test_a_contest_has_a_first_only_when_the_touches_can_be_told_apart(short: GameFigures) -> None:
    clear, close = short.contests
    assert (clear.card, clear.first, clear.gap_ms, clear.doubt_ms, clear.taker) == ("9c", "A", 100, 60, "A")
    assert (close.card, close.first, close.gap_ms, close.taker) == ("2h", None, 60, "B")
    tally = {one.player: one for one in short.contested}
    assert tally["Ann"].first == Share.of_count(1, 1)
    assert tally["Ben"].first == Share.of_count(0, 1)
    assert (tally["Ben"].too_close, tally["Dot"].too_close) == (1, 1)
    assert tally["Ben"].got == Share.of_count(1, 2)


def test_a_gesture_is_held_against_the_players_own_rate_at_other_times(short: GameFigures) -> None:
    (wink,) = short.gestures
    assert (wink.player, wink.gesture, wink.calls) == ("Ann", "wink_left", Share.of_count(1, 1))
    assert wink.total == Rate.of_count(1, 32_000)
    assert wink.before == Rate.of_count(1, 10_000)
    assert wink.otherwise == Rate.of_count(0, 22_000)
    assert wink.times.times is None
    assert wink.times.high is None
    assert not short.signs, "one call is too few to hold anything against chance"


@pytest.mark.parametrize(
    ("lines", "is_sure", "complete_ms"),
    [
        pytest.param("", True, 3_000, id="all seen"),
        pytest.param(
            '{"kind":"card_taken","at_ms":4000,"seat":null,"card":"2h"}\n', False, 3_000, id="somebody's"
        ),
        pytest.param(
            '{"kind":"not_observed","at_ms":5000,"until_ms":6000,"camera":"table"}\n',
            False,
            3_000,
            id="not seen",
        ),
        pytest.param(
            '{"kind":"card_taken","at_ms":4000,"seat":"A","card":"2h"}\n'
            '{"kind":"card_laid","at_ms":4500,"seat":"A","card":"2h"}\n',
            True,
            3_000,
            id="put back",
        ),
        pytest.param(
            '{"kind":"card_laid","at_ms":4000,"seat":"A","card":"3d"}\n', False, 4_000, id="half a swap"
        ),
    ],
)
def test_a_hand_was_complete_since_its_last_swap_as_far_as_that_was_seen(
    lines: str, is_sure: bool, complete_ms: int
) -> None:
    found = figures(
        '{"kind":"deal_started","at_ms":0,"dealer":"A"}\n'
        '{"kind":"centre_turned","at_ms":1000,"cards":["9c","2h","5d","Js"]}\n'
        '{"kind":"card_taken","at_ms":2000,"seat":"A","card":"9c"}\n'
        '{"kind":"card_laid","at_ms":3000,"seat":"A","card":"Kc"}\n'
        f"{lines}"
        '{"kind":"called","at_ms":9000,"seat":"C","call":"kemps"}\n'
        '{"kind":"hand_shown","at_ms":10000,"seat":"A","cards":["9s","9h","9d","9c"]}\n'
    )
    (quad,) = found.quads
    assert (quad.rank, quad.complete_ms, quad.is_sure, quad.known_from) == (
        "9",
        complete_ms,
        is_sure,
        "shown",
    )


def test_a_hand_that_was_never_shown_is_known_where_all_its_cards_were_seen_to_come() -> None:
    lines = '{"kind":"deal_started","at_ms":0,"dealer":"A"}\n'
    at_ms = 1000
    for suit in "cdhs":
        lines += (
            f'{{"kind":"centre_turned","at_ms":{at_ms},"cards":["9{suit}","2{suit}","5{suit}","J{suit}"]}}\n'
        )
        lines += f'{{"kind":"card_taken","at_ms":{at_ms + 100},"seat":"A","card":"9{suit}"}}\n'
        lines += f'{{"kind":"card_laid","at_ms":{at_ms + 200},"seat":"A","card":"K{suit}"}}\n'
        lines += f'{{"kind":"centre_swept","at_ms":{at_ms + 500}}}\n'
        at_ms += 1000
    (quad,) = figures(lines).quads
    assert (quad.seat, quad.rank, quad.complete_ms, quad.known_from) == ("A", "9", 4200, "ledger")


def test_a_player_who_took_over_is_another_player() -> None:
    found = figures(
        '{"kind":"deal_started","at_ms":0,"dealer":"A"}\n'
        '{"kind":"centre_turned","at_ms":10000,"cards":["9c","2h","5d","Js"]}\n'
        '{"kind":"card_taken","at_ms":20000,"seat":"A","card":"9c"}\n'
        '{"kind":"card_laid","at_ms":21000,"seat":"A","card":"Kc"}\n'
        '{"kind":"seat_changed","at_ms":40000,"seat":"A","to":"Paula","by":"ref","why":"tired"}\n'
        '{"kind":"card_taken","at_ms":50000,"seat":"A","card":"2h"}\n'
        '{"kind":"card_laid","at_ms":51000,"seat":"A","card":"Ks"}\n'
        '{"kind":"dry","at_ms":70000}\n'
    )
    takes = {one.player: one.takes for one in found.swaps if one.seat == "A"}
    assert takes == {"Ann": Rate.of_count(1, 30_000), "Paula": Rate.of_count(1, 30_000)}


def test_people_decide_what_counts(short_text: str) -> None:
    ruled = '{"kind":"ruled","at_ms":95000,"event":16,"ruling":"wrong","by":"ref","why":"seen again"}\n'
    taken_out = '{"kind":"retracted","at_ms":96000,"event":9,"by":"ref","why":"never was"}\n'
    found = analyse(journal_of((short_text + ruled + taken_out).encode()))
    assert [call.ruling for call in found.calls] == ["wrong", "right", "wrong"]
    assert found.calls[0].ruled_by == "ref"
    assert next(one for one in found.swaps if one.player == "Ben").takes.count == 1


def test_points_are_counted_where_the_house_plays_for_them() -> None:
    header = HEADER.replace('"at_ms":0,', '"at_ms":0,"rules":"points","points":{"AC":2},')
    deal = (
        '{"kind":"deal_started","at_ms":0,"dealer":"A"}\n'
        '{"kind":"centre_turned","at_ms":1000,"cards":["9c","2h","5d","Js"]}\n'
        '{"kind":"called","at_ms":9000,"seat":"C","call":"kemps"}\n'
        '{"kind":"hand_shown","at_ms":10000,"seat":"A","cards":["9s","9h","9d","9c"]}\n'
    )
    deal = deal.replace('"9c","2h"', '"8c","2h"')
    ann = analyse(journal_of((header + deal).encode())).letters[0]
    assert (ann.carried, ann.count, [step.count for step in ann.steps]) == (2, 3, [3])


def test_a_journal_of_nothing_but_its_header_has_empty_figures() -> None:
    found = figures("")
    assert not [*found.calls, *found.quads, *found.contests, *found.gestures, *found.signs]
    assert found.coverage.play_ms == 0
    assert all(one.takes.a_minute is None for one in found.swaps)
    assert look_of(found, word="KEMPS").letters is None


@pytest.mark.parametrize("path", SAMPLES[::3], ids=lambda path: path.stem)
def test_a_sample_has_figures_that_add_up_and_can_be_told(path: Path) -> None:
    check_sums(read_journal(path))


@pytest.mark.parametrize("seats", [4, 6, 8])
def test_a_long_game_has_figures_that_add_up(seats: int, evening: Callable[[int], Journal]) -> None:
    check_sums(evening(seats))


def check_sums(journal: Journal) -> None:
    found, judgement = analyse(journal), judge(journal)
    json.dumps(asdict(found))
    assert list(figure_rows(found))
    look_of(found, word="KEMPS")
    assert {one.pair: one.letters for one in found.letters if one.letters} == {
        pair: letters for pair, letters in judgement.letters.items() if letters
    }
    known = [call for call in found.calls if call.seat is not None]
    told = sum(one.right.of + one.unverified + one.void for one in found.players)
    assert told == len(known) == sum(one.right.of + one.unverified + one.void for one in found.pairs)
    assert Counter(call.ruling for call in found.calls if call.ruling != "void") == Counter(
        deal.verdict.ruling for deal in judgement.deals if deal.verdict is not None
    )
    taken = sum(sum(one.ranks.values()) for one in found.swaps)
    in_coverage = found.coverage.takes_without_seat
    assert taken + sum(one.put_back for one in found.swaps) >= in_coverage.of - in_coverage.count - 1
    assert 0 <= found.coverage.table_unseen_ms <= found.coverage.play_ms <= found.coverage.length_ms
    for figure in found.gestures:
        assert figure.before.count + figure.otherwise.count == figure.total.count
        assert figure.before.watched_ms + figure.otherwise.watched_ms == figure.total.watched_ms
    for share in (*(one.right for one in found.players), *(one.first for one in found.contested)):
        assert share.share is None or 0 <= (share.low or 0) <= share.share <= (share.high or 0) <= 1


def test_the_signs_that_were_made_up_stand_out_and_nothing_else(long_figures: GameFigures) -> None:
    true = {"AC": "wink_left", "BD": "brow_raise"}
    out = {(one.pair, one.gesture) for one in long_figures.signs if one.stands_out}
    assert out
    assert out <= set(true.items())
    assert {one.pair: one.gesture for one in long_figures.sign_times}.items() <= true.items()
    for timing in long_figures.sign_times:
        assert timing.seen <= timing.n
        assert timing.to_sign.n == timing.to_call.n == timing.seen


def test_a_sign_named_aloud_and_confirmed_is_taken_as_the_pairs(long_journal: Journal) -> None:
    named = events.SignNamed(
        at_ms=long_journal.events[-1].at_ms, seat="A", against="B", sign="smile", is_right=True
    )
    journal = Journal((*long_journal.events, named), (*long_journal.lines, long_journal.lines[-1] + 1))
    found = analyse(journal)
    assert next(one for one in found.sign_times if one.pair == "BD").gesture == "smile"


def test_whoever_has_few_occasions_is_drawn_hollow(long_figures: GameFigures) -> None:
    look = look_of(long_figures, word="KEMPS")
    for line, one in zip(look.right.lines, long_figures.players, strict=True):
        if line.mark is not None:
            assert line.mark.is_weak == (one.right.of < LEAST_COMPARED)
    names = [line.row.label for line in look.right.lines]
    assert names == ["Ana", "Bruno", "Clara", "Davi"], "seats' order, whatever the figures"
