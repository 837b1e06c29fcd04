"""A store with games that a referee looks at, and the desk over it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kemps_server.data_folder import DataFolder
from kemps_server.review.acts import Act
from kemps_server.review.desk import Desk, Done
from kemps_server.store.store import Store

HEADER: dict[str, Any] = {
    "kind": "game_opened",
    "at_ms": 0,
    "seats": {"A": "Ann", "B": "Ben", "C": "Cem", "D": "Dot"},
}
EVENING: list[dict[str, Any]] = [
    {"kind": "deal_started", "at_ms": 0, "dealer": "A"},
    {"kind": "centre_turned", "at_ms": 1200, "cards": ["9c", "2h", "5d", "Js"]},
    {"kind": "card_taken", "at_ms": 8400, "seat": "A", "card": "9c"},
    {"kind": "card_laid", "at_ms": 9300, "seat": "A", "card": "Kc"},
    {"kind": "hand_hidden", "at_ms": 15000, "until_ms": 17300, "seat": "C"},
    {"kind": "hand_hidden", "at_ms": 16000, "until_ms": 18000, "seat": "C"},
    {"kind": "called", "at_ms": 41250, "seat": "C", "call": "kemps", "uncertainty_ms": 120},
    {"kind": "hand_shown", "at_ms": 44000, "seat": "A", "cards": ["9s", "9h"], "unread": 2},
    {"kind": "card_taken", "at_ms": 42500, "seat": "B", "card": "2h"},
]
"""Line 5 and 6: a hand out of view twice. Line 7: a call that cannot be verified. Line 9: after the call."""

AddGame = Callable[..., str]
DoAct = Callable[..., Done]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with Store.open(DataFolder(tmp_path / "data")) as opened:
        yield opened


@pytest.fixture
def add_game(store: Store) -> AddGame:
    """Stores a game of some events, EVENING unless others are given, and returns its id."""

    def add(events: list[dict[str, Any]] | None = None, title: str = "thursday") -> str:
        rows = [HEADER, *(EVENING if events is None else events)]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        return store.games.take_in(title, text.encode()).game.id

    return add


@pytest.fixture
def desk(store: Store) -> Desk:
    """The desk of the store."""
    return Desk(store)


@pytest.fixture
def do(desk: Desk) -> DoAct:
    """Does an act about an incident of the game ``thursday``, each under a key of its own."""
    numbers = count()

    def act(name: str, word: str, *, by: str = "Ida", game: str = "thursday", **more: Any) -> Done:  # noqa: ANN401
        more.setdefault("key", f"test-key-{next(numbers)}")
        return desk.act(game, name, Act(word=word, **more), by)

    return act
