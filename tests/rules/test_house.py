"""House rules: presets, files, errors; and each switch changes what is judged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kemps_rules.errors import HouseError
from kemps_rules.events import Event, GameOpened
from kemps_rules.house import LANGUAGES, PRESETS, House, house_from, load_house
from kemps_rules.journal import format_event, parse_line
from kemps_rules.judgement import Judgement
from kemps_rules.replay import Replay, judge

Judge = Callable[..., Judgement]
Game = Callable[..., list[Event]]

SWAP = "8400 A takes 9c\n9300 A lays Kc\n"
KEMPS = SWAP + "41250~120 C says kemps\n44000 A shows 9s 9h 9d 9c\n"
CALLED = "41250~120 C says kemps\n44000 A shows 9s 9h 9d 9c\n"
LOST = SWAP + "41250~120 C says kemps\n44000 A shows 9s 9h 4d 9c\n"
STOP = SWAP + "41250~120 B says stop A\n44000 A shows 9s 9h 9d 9c\n44500 C shows 2s 3h 6d 8d\n"
NO_STOP = SWAP + "41250~120 B says stop A\n44000 A shows 9s 9h 4d 9c\n44500 C shows 2s 3h 6d 8d\n"


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_what_its_switches_say(name: str) -> None:
    house = House.preset(name)
    assert house.name == name
    assert house_from(house.switches(), name=name) == house
    assert load_house(name) is house


def test_the_presets_differ_as_their_names_say() -> None:
    leaflet = House.preset("leaflet")
    changed = {
        name: {
            key: value
            for key, value in House.preset(name).switches().items()
            if leaflet.switches().get(key) != value
        }
        for name in PRESETS
    }
    earned = {"wrong_kemps": "opponents", "wrong_stop": "opponents"}
    assert changed == {
        "leaflet": {},
        "one_card": {},
        "any_number": {"swap_size": "any"},
        "points": {"scoring": "points", "points_to": 5} | earned,
        "reward_letters": {"scoring": "reward_letters"} | earned,
        "lay_first": {"swap_order": "lay_first"},
        "two_decks": {"decks": "two"},
    }


def test_a_file_says_only_what_differs(tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text('preset = "any_number"\nword = "PICKLE"\n[call_words]\nen = ["Cash"]\n', "utf-8")
    house = load_house(path)
    assert (house.name, house.word, house.swap_size) == ("ours", "PICKLE", "any")
    assert house.call_named("cash") == "kemps"
    assert house.call_named("Kent") is None


BAD: dict[str, tuple[str, str]] = {
    "unknown key": ("swap_sise = 1", "do you mean swap_size"),
    "unknown table": ("[people]", "unknown switch 'people'"),
    "no toml": ("word = KEMPS", "cannot read"),
    "wrong choice": ('tie = "toss"', "stop_first, earlier, person"),
    "wrong type": ("tie = 1", "tie = 1"),
    "a bool for a number": ("swap_size = true", "swap_size"),
    "two": ("swap_size = 2", "must be one of 1, any"),
    "unknown preset": ('preset = "casino"', "no rule set 'casino'"),
    "preset no text": ("preset = 1", "must be a text"),
    "short word": ('word = "K"', "2 to 12 capital letters"),
    "small word": ('word = "kemps"', "capital letters"),
    "word with digits": ('word = "K2"', "capital letters"),
    "points without a goal": ('scoring = "points"', "points_to"),
    "a goal too low": ('scoring = "points"\npoints_to = 2', "3 to 15"),
    "a goal too high": ('scoring = "points"\npoints_to = 16', "3 to 15"),
    "a goal that is no number": ('scoring = "points"\npoints_to = "5"', "3 to 15"),
    "a goal for letters": ("points_to = 5", "makes no sense"),
    "a penalty for the others": ('wrong_kemps = "opponents"', "must be 'own_pair'"),
    "a reward for a wrong call": ('scoring = "reward_letters"', "must be 'opponents'"),
    "a word for both calls": ('[counter_words]\nen = ["kent"]', "is a call word and a counter word"),
    "no word at all": ("[call_words]", "nobody can call"),
    "words in no language": ('[call_words]\nxx = ["Kemps"]', "the languages are"),
    "words no list": ('[call_words]\nen = "Kemps"', "list of words"),
    "words no table": ("call_words = 1", "table of languages"),
    "an empty word": ('[call_words]\nen = ["!"]', "list of words"),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD.keys())
def test_senseless_rules_are_one_clear_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(HouseError, match=message) as caught:
        load_house(path)
    assert str(caught.value).startswith((str(path), f"cannot read {path}"))
    assert "\n" not in str(caught.value)


def test_rules_that_are_not_there_name_the_presets() -> None:
    with pytest.raises(HouseError, match="one_card"):
        load_house("nonsense")


def test_words_of_each_language_are_heard() -> None:
    house = House.preset("leaflet")
    assert set(house.call_words) == set(house.counter_words) == set(LANGUAGES)
    assert {house.call_named(word) for words in house.call_words.values() for word in words} == {"kemps"}
    assert {house.call_named(word) for words in house.counter_words.values() for word in words} == {"stop"}
    assert house.call_named("КЕМПС") == "kemps"
    assert house.call_named("contre kemps") == "stop"
    assert house.call_named("double Kent") == "double_kemps"


def test_the_header_keeps_the_switches_so_that_no_file_rejudges_an_old_game() -> None:
    house = house_from({"word": "CASH"}, name="ours")
    seats = dict.fromkeys("ABCD", "x")
    header = GameOpened(at_ms=0, rules="ours", seats=seats, house=house.switches())
    assert Replay(parse_header(header)).house == house
    assert Replay(GameOpened(at_ms=0, rules="points", seats=seats)).house == House.preset("points")
    only_one = GameOpened(at_ms=0, rules="points", seats=seats, house={"points_to": 3})
    assert Replay(only_one).house.points_to == 3
    assert Replay(only_one, House.preset("leaflet")).house == House.preset("leaflet")
    with pytest.raises(HouseError, match="names no switches"):
        Replay(GameOpened(at_ms=0, rules="ours", seats=seats))
    with pytest.raises(HouseError, match="the header's house rules: unknown switch"):
        Replay(GameOpened(at_ms=0, rules="ours", seats=seats, house={"x": 1}))


def parse_header(header: GameOpened) -> GameOpened:
    read = parse_line(format_event(header))
    assert isinstance(read, GameOpened)
    return read


@pytest.mark.parametrize(
    ("decks", "seats", "stock"),
    [("one", 4, 32), ("one", 6, 24), ("one", 8, 16), ("two", 8, 68), ("short", 4, 12), ("short", 6, 4)],
)
def test_the_stock_is_what_the_deal_leaves(decks: str, seats: int, stock: int) -> None:
    assert house_from({"decks": decks}, name="x").stock_after_deal(seats) == stock


def test_decks_that_do_not_fit_the_table_are_an_error(judged: Judge) -> None:
    with pytest.raises(HouseError, match="for 8 seats, here are 6"):
        judged("", seats=6, rules="two_decks")
    with pytest.raises(HouseError, match="too few cards for 8 seats"):
        judged("", seats=8, rules="x", house={"decks": "short"})


def letters(judgement: Judgement) -> tuple[str, str]:
    return judgement.letters["AC"], judgement.letters["BD"]


SCORING: dict[str, tuple[dict[str, Any], list[tuple[int, int]]]] = {
    # the counts of A/C and B/D after a right Kemps, a wrong Kemps, a right Stop and a wrong Stop
    "penalty letters": ({}, [(0, 1), (1, 0), (1, 0), (0, 1)]),
    "reward letters": ({"preset": "reward_letters"}, [(1, 0), (0, 1), (0, 1), (1, 0)]),
    "points": ({"preset": "points"}, [(1, 0), (0, 1), (0, 1), (1, 0)]),
    "points with a loss": (
        {"preset": "points", "wrong_kemps": "own_pair", "wrong_stop": "own_pair"},
        [(1, 0), (0, 0), (0, 1), (0, 0)],
    ),
}


@pytest.mark.parametrize(("house", "wanted"), SCORING.values(), ids=SCORING.keys())
def test_scoring(judged: Judge, house: dict[str, Any], wanted: list[tuple[int, int]]) -> None:
    for text, counts in zip((KEMPS, LOST, STOP, NO_STOP), wanted, strict=True):
        judgement = judged(text, rules="x", house=house)
        found = judgement.points or {pair: len(word) for pair, word in judgement.letters.items()}
        assert (found["AC"], found["BD"]) == counts


def test_points_are_taken_away_but_never_below_nothing(judged: Judge) -> None:
    house = {"preset": "points", "wrong_kemps": "own_pair", "points_to": 3}
    assert judged(LOST, rules="x", house=house, points={"AC": 2}).points == {"AC": 1, "BD": 0}
    won = judged(KEMPS, rules="x", house=house, points={"AC": 2})
    assert (won.won, won.lost) == (("AC",), ("BD",))


def test_points_of_three_pairs_go_to_all_opponents_of_a_wrong_kemps(judged: Judge) -> None:
    text = SWAP + "41250~120 D says kemps\n44000 A shows 9s 9h 4d 9c\n"
    assert judged(text, seats=6, rules="points").points == {"AD": 0, "BE": 1, "CF": 1}


def test_word(judged: Judge) -> None:
    for word in ("KEMP", "CASH", "PICKLE"):
        judgement = judged(KEMPS, rules="x", house={"word": word}, letters={"BD": word[:-2]})
        assert letters(judgement) == ("", word[:-1])
        assert judgement.lost == ()
    assert judged(KEMPS, rules="x", house={"word": "CASH"}, letters={"BD": "CAS"}).lost == ("BD",)


def test_counter_target(judged: Judge) -> None:
    text = SWAP + "41250~120 B says stop C\n44000 A shows 9s 9h 9d 9c\n44500 C shows 2s 3h 6d 8d\n"
    assert letters(judged(text)) == ("K", "")
    assert letters(judged(text, rules="x", house={"counter_target": "player"})) == ("", "K")
    unnamed = judged(text.replace("stop C", "stop"), rules="x", house={"counter_target": "player"})
    assert [flag.rule for flag in unnamed.flags] == ["R13"]
    assert letters(unnamed) == ("", "")


@pytest.mark.parametrize(
    ("switch", "call", "owner_too", "wanted"),
    [
        ("off", "kemps", True, ("", "K")),
        ("off", "double_kemps", True, ("", "K")),
        ("off", "double_kemps", False, ("", "K")),
        ("shouted", "kemps", True, ("", "K")),
        ("shouted", "double_kemps", True, ("", "KE")),
        ("shouted", "double_kemps", False, ("K", "")),
        ("counts", "kemps", True, ("", "KE")),
        ("counts", "kemps", False, ("", "K")),
    ],
)
def test_double_kemps(
    judged: Judge, switch: str, call: str, owner_too: bool, wanted: tuple[str, str]
) -> None:
    cards = "8s 8h 8d 8c" if owner_too else "8s 8h 8d 7c"
    text = SWAP + f"41250~120 C says {call}\n44000 A shows 9s 9h 9d 9c\n45000 C shows {cards}\n"
    assert letters(judged(text, rules="x", house={"double_kemps": switch})) == wanted


@pytest.mark.parametrize(
    ("is_right", "switch", "wanted"),
    [
        ("true", "off", ("K", "")),
        ("true", "one", ("KE", "")),
        ("false", "one", ("K", "K")),
        ("null", "one", ("K", "")),
    ],
)
def test_naming_the_sign(judged: Judge, is_right: str, switch: str, wanted: tuple[str, str]) -> None:
    sign = f'{{"kind":"sign_named","at_ms":46000,"seat":"B","sign":"wink","is_right":{is_right}}}'
    assert letters(judged(STOP + sign, rules="x", house={"naming_sign": switch})) == wanted


def test_naming_the_sign_for_points(judged: Judge) -> None:
    house = {"preset": "points", "naming_sign": "one"}
    for is_right, points in (("true", 2), ("false", 0)):
        sign = f'{{"kind":"sign_named","at_ms":46000,"seat":"D","sign":"wink","is_right":{is_right}}}'
        assert judged(STOP + sign, rules="x", house=house).points == {"AC": 0, "BD": points}


def test_swap_size_and_order(judged: Judge) -> None:
    two = "8000 A takes 9c\n8500 A takes 2h\n9000 A lays Kc\n9500 A lays Kd\n"
    assert [flag.rule for flag in judged(two).flags] == ["R6"]
    assert judged(two, rules="any_number").flags == ()
    assert [flag.rule for flag in judged(SWAP, rules="lay_first").flags] == ["R6"]
    assert judged("8000 A lays Kc\n8500 A takes 9c\n", rules="lay_first").flags == ()


def test_decks(judged: Judge) -> None:
    start = "0 deal A\n1200 turn 9c 9c 5d Js\n"
    twice = SWAP + "41250~120 E says kemps\n44000 A shows 9s 9s 9c 9c\n"
    assert {flag.rule for flag in judged(twice, start=start, seats=8).flags} == {"R1"}
    judgement = judged(twice, start=start, seats=8, rules="two_decks")
    assert judgement.flags == ()
    assert judgement.letters == {"AE": "", "BF": "K", "CG": "K", "DH": "K"}
    third = judged(twice.replace("9s 9s", "9c 9s"), start=start, seats=8, rules="two_decks")
    assert [flag.rule for flag in third.flags] == ["R1"]
    assert [flag.rule for flag in judged("", rules="x", house={"decks": "short"}).flags] == ["R1", "R1"]


def test_dry_stock(judged: Judge) -> None:
    text = SWAP + "30000 dry\n" + KEMPS.removeprefix(SWAP)
    assert [deal.ended for deal in judged(text).deals] == ["dry"]
    assert letters(judged(text, rules="x", house={"dry_stock": "reshuffle"})) == ("", "K")
    back = "20000 A sweeps\n21000 turn 3d 4d 7s 7c\n30000 dry\n31000 A sweeps\n32000 turn 9c 2h Js Qd\n"
    assert judged(back, rules="x", house={"dry_stock": "reshuffle"}).flags == ()


def test_dealt_alike(judged: Judge) -> None:
    dealt = "41250~120 C says kemps\n44000 A shows 8s 8h 8d 8c\n"
    redraw = {"dealt_alike": "redraw"}
    assert letters(judged(dealt)) == ("", "K")
    assert [deal.ended for deal in judged(dealt, rules="x", house=redraw).deals] == ["redeal"]
    collected = judged(KEMPS, rules="x", house=redraw)
    assert (letters(collected), collected.flags) == (("", "K"), ())
    three = "0 deal A\n1200 turn 9c 5h 5d 5s\n"
    judgement = judged(KEMPS, rules="x", house=redraw, start=three)
    assert [deal.ended for deal in judgement.deals] == ["redeal"]
    assert [flag.rule for flag in judgement.flags] == ["R3"]
    swept = "5000 A sweeps\n7000 turn 2h 9d Js Kd\n8000 A takes 9d\n8300 A lays Kc\n"
    fresh = judged(swept + CALLED, start=three.replace("9c", "8c"), rules="x", house=redraw)
    assert (letters(fresh), fresh.flags) == (("", "K"), ())


def test_signals(judged: Judge) -> None:
    spoken = '{"kind":"called","at_ms":30000,"seat":"A","call":"what lovely weather"}'
    assert [flag.rule for flag in judged(spoken).flags] == ["R11"]
    assert judged(spoken, rules="x", house={"signals": "words"}).flags == ()


@pytest.mark.parametrize(
    ("tie", "wanted"), [("stop_first", ("K", "")), ("earlier", ("", "K")), ("person", ("", ""))]
)
def test_tie(judged: Judge, tie: str, wanted: tuple[str, str]) -> None:
    text = STOP.replace("41250~120 B", "41250~120 C says kemps\n41400~120 B")
    assert letters(judged(text, rules="x", house={"tie": tie})) == wanted


def test_call_words(judged: Judge, game: Game) -> None:
    for word in ("Kent", "Кемпс", "kem's"):
        assert letters(judged(KEMPS.replace("says kemps", f"says {word}"))) == ("", "K")
    assert letters(judged(STOP.replace("says stop", "says Cut"))) == ("K", "")
    only_ours = house_from({"call_words": {"en": ["Ringo"]}}, name="x")
    events = game(KEMPS.replace("says kemps", "says Kent"))
    assert judge(events, only_ours).deals[0].verdict is None
    assert judge(game(KEMPS.replace("says kemps", "says ringo")), only_ours).letters["BD"] == "K"


def test_letters_that_are_no_beginning_of_the_word_are_an_error(judged: Judge) -> None:
    with pytest.raises(HouseError, match="word here is KEMPS"):
        judged("", letters={"AC": "X"})
    with pytest.raises(HouseError, match="AB is no pair"):
        judged("", letters={"AB": "K"})
    assert judged("", letters={"CA": "KE"}).letters["AC"] == "KE"
