from __future__ import annotations

import re
import tomllib
from importlib.resources import files

import pytest

from kemps_server.live.overlay_looks import PARTS
from kemps_server.page.words import LANGUAGES, load_words, places

AREA = files("kemps_server.site").joinpath("words", "overlay")
PAGES = files("kemps_server.site")


def own(language: str) -> dict[str, str]:
    """What the area adds to the words of games."""
    tables = tomllib.loads(AREA.joinpath(f"{language}.toml").read_text(encoding="utf-8"))
    return {f"{table}.{key}": text for table, texts in tables.items() for key, text in texts.items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_keys_with_the_same_places(language: str) -> None:
    english, other = own("en"), own(language)
    assert list(english) == list(other)
    assert {key: places(text) for key, text in english.items()} == {
        key: places(text) for key, text in other.items()
    }


def test_each_part_of_an_overlay_has_a_name() -> None:
    assert {f"overlay_setup.part_{part}" for part in PARTS} <= set(own("en"))


def test_the_scripts_say_only_what_the_words_have() -> None:
    words = load_words("en", "overlay")
    scripts = [path for path in PAGES.joinpath("static").iterdir() if path.name.startswith("overlay")]
    said = set()
    for script in scripts:
        said |= set(re.findall(r'say\("([a-z_.]+)"', script.read_text(encoding="utf-8")))
    assert len(said) > 10
    assert {key for key in said if key not in words} == set()
