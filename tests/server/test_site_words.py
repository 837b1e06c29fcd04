"""What the server's pages say: each area in five languages, with the same keys and places."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from kemps_server.page.words import LANGUAGES, load_words, places

AREAS = sorted(area.name for area in files("kemps_server.site").joinpath("words").iterdir() if area.is_dir())
OWN = ("access", "settings")


@pytest.mark.parametrize("area", AREAS)
@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_language_says_the_same_things(area: str, language: str) -> None:
    english, theirs = load_words("en", "site", area).texts, load_words(language, "site", area).texts
    assert set(theirs) == set(english)
    for key, text in theirs.items():
        assert text == text.strip() != "", key
        if not key.startswith("because."):
            assert places(text) == places(english[key]), key


@pytest.mark.parametrize("area", OWN)
def test_no_text_is_left_that_no_page_says(area: str) -> None:
    package = files("kemps_server")
    folders = [package / "site/templates", package / "site/static", package / "routes", package / "access"]
    sources = "".join(
        path.read_text("utf-8") for folder in folders for path in folder.iterdir() if path.is_file()
    )
    own = set(load_words("en", "site", area).texts) - set(load_words("en", "site").texts)
    built = ("message.", "settings.forget.")  # put together from a status, and from the names of fields
    unsaid = {key for key in own if not re.search(rf'"{re.escape(key.removeprefix("settings."))}"', sources)}
    assert {key for key in unsaid if key not in sources and not key.startswith(built)} == set()
