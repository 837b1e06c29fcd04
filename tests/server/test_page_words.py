from __future__ import annotations

import re
from importlib.resources import files

import pytest

from kemps_rules.events import KINDS
from kemps_server.errors import KempsServerError
from kemps_server.page.words import LANGUAGES, Phrase, Words, load_words, places

TEMPLATES = files("kemps_server.page").joinpath("templates")


def bare(text: str) -> str:
    return re.sub(r"\{\w+\}", "", text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_keys(language: str) -> None:
    assert set(load_words(language).texts) == set(load_words("en").texts)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_uses_the_places_that_are_filled(language: str) -> None:
    for key, text in load_words("en").texts.items():
        theirs = places(load_words(language).texts[key])
        if key.startswith("because."):
            assert theirs <= {"reason", "hands"}, key
        else:
            assert theirs == places(text), key


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_a_language_is_not_english_left_as_it_was(language: str) -> None:
    english, theirs = load_words("en").texts, load_words(language).texts
    same = {
        key for key, text in theirs.items() if text == english[key] and re.search(r"[a-z]{4}", bare(text))
    }
    # Kemps is Kemps, and what two languages spell alike.
    alike = {
        "pt": {"timeline.centre"},
        "fr": {"table.centre", "timeline.centre", "verdicts.title", "rule.R12.name", "rule.R13.name"},
    }
    kemps = {key for key in same if key.startswith(("call.", "rule.R12.name", "rule.R13.name"))}
    assert same - kemps <= alike.get(language, set())


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_are_one_clean_line(language: str) -> None:
    for key, text in load_words(language).texts.items():
        assert text == text.strip() != "", key
        assert "\n" not in text, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_rule_has_a_name_and_a_paragraph(language: str) -> None:
    words = load_words(language)
    for number in range(1, 19):
        assert words.say(f"rule.R{number}.name")
        assert len(words.say(f"rule.R{number}.text")) > 30


def test_each_kind_of_event_that_people_see_has_words() -> None:
    words = load_words("en")
    special = {"settled", "game_opened"}
    assert all(f"event.{kind}" in words for kind in KINDS if kind not in special)


def test_keys_named_in_templates_exist() -> None:
    words = load_words("en", "analysis")
    for template in TEMPLATES.iterdir():
        named = re.findall(
            r'(?:say|attr|tspan)\((?:"[\w-]+", )?"([a-z_.]+[a-z])"[,)]', template.read_text("utf-8")
        )
        assert all(key in words for key in named), (template.name, named)


def test_a_phrase_fills_its_places_with_text_and_with_phrases() -> None:
    words = Words("xx", {"a": "{who} calls {call}", "b": "Kemps"})
    assert words.say(Phrase("a", {"who": "{call}", "call": Phrase("b")})) == "{call} calls Kemps"
    assert words.say("a", who="Ann") == "Ann calls {call}"


def test_a_language_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(KempsServerError, match="en, ru, pt, fr, es"):
        load_words("de")


def test_no_text_is_left_that_nothing_says() -> None:
    package = files("kemps_server")
    sources = [
        path
        for folder in ("page", "page/templates", "page/static", "site/templates")
        for path in (package / folder).iterdir()
    ]
    text = "".join(path.read_text("utf-8") for path in sources if path.is_file())
    built = [
        "event.",
        "ruling.",
        "rule.",
        "gesture.",
        "because.",
        "why.",
        "call.",
        "house.",
        "evidence.",
        "page.theme_",
        "timeline.",
    ]
    built += ["flags.decision_", "verdicts.ended_", "verdicts.call_", "table.owes_", "sentence."]
    standings = {"page.leads", "page.level", "page.lost", "page.shared", "page.won"}
    unused = {key for key in load_words("en").texts if key not in text and not key.startswith(tuple(built))}
    assert unused <= standings
