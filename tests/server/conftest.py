"""A game for the tests of pages and server, and the page that it makes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kemps_rules.journal import read_journal
from kemps_server.page.binding import tell_story
from kemps_server.page.story import Story

HOSTILE = "<img src=x onerror=alert(1)>\"'&{{7*7}}"

GAME = """
{"kind":"game_opened","at_ms":0,"version":1,"rules":"leaflet","seats":{"A":"Anna","B":"Boris","C":"Carla","D":"Dmitri"}}
{"kind":"deal_started","at_ms":0,"dealer":"A"}
{"kind":"centre_turned","at_ms":1200,"cards":["9c","2h","5d","Js"]}
{"kind":"card_taken","at_ms":8400,"seat":"A","card":"9c"}
{"kind":"card_laid","at_ms":9300,"seat":"A","card":"Kc"}
{"kind":"card_taken","at_ms":12400,"seat":null,"card":"2h"}
{"kind":"card_laid","at_ms":13300,"seat":null,"card":"4c"}
{"kind":"hand_hidden","at_ms":15000,"until_ms":17300,"seat":"C"}
{"kind":"centre_swept","at_ms":20100,"seat":"A"}
{"kind":"centre_turned","at_ms":21200,"cards":["Td","3h","5c","Qs"]}
{"kind":"gesture","at_ms":22000,"until_ms":22400,"seat":"A","gesture":"brow_raise"}
{"kind":"called","at_ms":23250,"seat":"C","call":"kemps","uncertainty_ms":120}
{"kind":"hand_shown","at_ms":26000,"seat":"A","cards":["9s","9h","9d","9c"],"unread":0}
{"kind":"settled","at_ms":30000,"camera":"table"}
""".lstrip()

WriteGame = Callable[..., Path]


@pytest.fixture
def hostile() -> str:
    """A player's name that would do harm in a page that does not escape it."""
    return HOSTILE


@pytest.fixture
def game_text() -> str:
    """The journal of a short game: a swap, a swap by nobody knows who, a sweep, a right Kemps."""
    return GAME


@pytest.fixture
def write_game(tmp_path: Path) -> WriteGame:
    """Writes a journal as the folder ``name`` of a game and returns the folder."""

    def write(text: str = GAME, name: str = "thursday") -> Path:
        folder = tmp_path / "data" / name
        folder.mkdir(parents=True)
        (folder / "game.jsonl").write_text(text, encoding="utf-8")
        return folder

    return write


@pytest.fixture
def story_of(tmp_path: Path) -> Callable[[str], Story]:
    """The story of a journal given as text."""

    def tell(text: str) -> Story:
        path = tmp_path / "game.jsonl"
        path.write_text(text, encoding="utf-8")
        return tell_story(read_journal(path), title="A game", lines=text.splitlines())

    return tell
