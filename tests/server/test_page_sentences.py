"""What the rules say in English is found again in the catalogue, so that pages say it in five languages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.resources import files

import pytest

from kemps_server.page.sentences import phrase_of
from kemps_server.page.words import load_words

NAMES = {"A": "Ann", "B": "Bea", "C": "Cem", "D": "Dan"}
SPOKEN = {
    "A shows 9♠ 9♥ and 2 not read": "Ann показано 9♠ 9♥",
    "A took four of a rank through the centre": "через центр",
    "A shows 9♠ 9♥ 9♦ 9♣: four nines; but C's hand was not seen": "четыре девятки; но Cem: руку не видели",
    "A's hand was not seen; C shows no card, and perhaps more": "Cem: показано ни одной карты",
    "the calls of A (kemps) and D (stop) cannot be told apart; a person names the first": "Ann (Кемпс) и Dan",
    "hands of A and somebody were in contact (over table)": "Ann и кто-то (над столом)",
    "10♣ was in B's hand and came to D without the centre": "10♣ была в руке (Bea) и перешла (Dan)",
    "somebody shows 5 cards instead of four": "кто-то: показано карт 5 вместо четырёх",
    "a hand of B was out of view for 1.5 s": "Bea: рука не видна 1.5 с",
}


@pytest.mark.parametrize("text", SPOKEN)
def test_what_the_rules_say_is_said_in_the_page_s_language(text: str) -> None:
    phrase = phrase_of(text, lambda seat: NAMES[seat])
    assert phrase is not None
    said = load_words("ru").say(phrase)
    assert SPOKEN[text].removeprefix("Ann ") in said
    assert not re.search("[a-z]{3}", said)


def test_a_longer_sentence_is_not_taken_for_a_shorter_one_with_a_strange_end() -> None:
    phrase = phrase_of("A shows 9♠ 9♥ 9♦ 9♣, completed after the call")
    assert phrase is not None
    assert phrase.key == "sentence.reason.completed"


def test_what_is_not_in_the_catalogue_is_left_to_be_shown_as_it_is() -> None:
    assert phrase_of("A shows the moon; B sleeps") is None
    assert phrase_of("") is None


def test_each_flag_that_the_rules_raise_has_words() -> None:
    found = list(_templates())
    assert len(found) > 30
    known = {_shape(text) for text in load_words("en").texts.values()}
    assert [text for text in found if _shape(text) not in known] == []


def _shape(text: str) -> str:
    return re.sub(r"\{[^}]*\}", "{}", text).replace("{} and {} were", "{} were")


def _templates() -> Iterator[str]:
    """The texts of flags as they stand in the code of the rules: constants, and f-strings with places."""
    for name in ("rulebook.py", "conduct.py", "verdict.py"):
        for node in ast.walk(ast.parse(files("kemps_rules").joinpath(name).read_text("utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="_flag" | "Flag"), args=args):
                    yield from (text for arg in args[1:] if " " in (text := _text(arg)))
                case ast.Assign(targets=[ast.Name(id="message")], value=value):
                    yield _text(value)


def _text(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.JoinedStr(values=values):
            return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in values)  # type: ignore[misc]
        case _:
            return ""
