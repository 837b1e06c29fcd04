"""What the replay says in five languages."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from kemps_server.page.words import LANGUAGES, load_words, places

TEMPLATE = files("kemps_server.site").joinpath("templates", "replay.html.j2").read_text(encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_all_of_it_with_the_same_places(language: str) -> None:
    english, theirs = load_words("en", "replay").texts, load_words(language, "replay").texts
    own = [key for key in english if key.startswith("replay.")]
    assert {key for key in theirs if key.startswith("replay.")} == set(own)
    for key in own:
        assert places(theirs[key]) == places(english[key]), key
        assert theirs[key] == theirs[key].strip() != "", key


def test_no_word_is_there_for_nothing() -> None:
    kinds = ("all", "calls", "flags", "unsure", "swaps", "gestures")
    used = set(re.findall(r"replay\.\w+", TEMPLATE)) | {f"replay.show_{kind}" for kind in kinds}
    own = {key for key in load_words("en", "replay").texts if key.startswith("replay.")}
    assert own - used == set()
