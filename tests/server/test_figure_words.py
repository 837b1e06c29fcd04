"""What the figures' pages say: every language the same keys and places, and nothing left in English."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from typing import Any

import pytest

from kemps_server.page.words import LANGUAGES, places

AREA = files("kemps_server.site").joinpath("words", "analysis")


def texts(language: str) -> dict[str, str]:
    tables: dict[str, dict[str, Any]] = tomllib.loads(AREA.joinpath(f"{language}.toml").read_text("utf-8"))
    return {f"{table}.{key}": text for table, keys in tables.items() for key, text in keys.items()}


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_a_language_says_the_same_with_the_same_places(language: str) -> None:
    english, theirs = texts("en"), texts(language)
    assert set(theirs) == set(english)
    for key, text in english.items():
        assert places(theirs[key]) == places(text), key
        assert theirs[key].strip() == theirs[key] != "", key


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_a_language_is_not_english_left_as_it_was(language: str) -> None:
    english = texts("en")
    same = [
        key
        for key, text in texts(language).items()
        if text == english[key] and re.search("[a-z]{4}", re.sub(r"\{\w+\}", "", text))
    ]
    assert same == (["reel.moment"] if language == "fr" else []), "what two languages spell alike"


def test_no_text_is_left_that_nothing_says() -> None:
    package = files("kemps_server")
    folders = ("analysis", "page/templates", "site/templates", "site/static", "routes", "reel")
    sources = "".join(
        path.read_text("utf-8")
        for folder in folders
        for path in (package / folder).iterdir()
        if path.is_file()
    )
    assert not [
        key
        for key in texts("en")
        if key not in sources and not key.startswith(("figures.quads_", "reel.reason_"))
    ]
