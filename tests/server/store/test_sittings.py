"""Which game is played at which table, and what the server does with a table."""

from __future__ import annotations

import pytest

from kemps_rules.events import GameOpened
from kemps_rules.journal import parse_line
from kemps_server.errors import KempsServerError
from kemps_server.store.store import Store


def begin(store: Store, header: str, title: str) -> str:
    opening = parse_line(header)
    assert isinstance(opening, GameOpened)
    return store.games.begin(title, opening).id


def test_one_game_is_played_at_a_table_at_a_time(store: Store, header: str) -> None:
    first, second = begin(store, header, "first"), begin(store, header, "second")
    store.sittings.begin("one", first)
    with pytest.raises(KempsServerError, match=f"'{first}' is played at table 'one'; end it first"):
        store.sittings.begin("one", second)
    with pytest.raises(KempsServerError, match="is played at table"):
        store.sittings.begin("two", first)
    store.sittings.end(first)
    sitting = store.sittings.begin("one", second)
    assert store.sittings.current("one") == sitting
    assert store.sittings.latest("one") == sitting
    ended = store.sittings.of_game(first)
    assert ended is not None
    assert ended.ended_at is not None


def test_the_last_game_of_a_table_stays_known_when_it_is_over(store: Store, header: str) -> None:
    game = begin(store, header, "only")
    store.sittings.begin("one", game)
    store.sittings.end(game)
    store.sittings.end(game)
    assert store.sittings.current("one") is None
    latest = store.sittings.latest("one")
    assert latest is not None
    assert latest.game == game
    store.games.remove(game)
    assert store.sittings.all() == ()


def test_settings_of_a_table_outlive_another_configuration(store: Store) -> None:
    store.tables.save("one", "")
    store.tables.set_settings("one", delay_ms=3000)
    store.tables.set_settings("one", overlay={"theme": "felt"})
    store.tables.save("one", 'rules = "leaflet"')
    table = store.tables.find("one")
    assert table is not None
    assert table.settings == {"delay_ms": 3000, "overlay": {"theme": "felt"}}
    with pytest.raises(KempsServerError, match="no table 'two'"):
        store.tables.set_settings("two", delay_ms=1)


def test_a_line_notes_when_it_came(store: Store, header: str) -> None:
    game = begin(store, header, "timed")
    assert store.games.journal(game).read()[0].written_ms > 1_700_000_000_000
