from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kemps_rules.journal import read_journal
from kemps_server.bench.played_game import PlayedGame
from kemps_server.live.delay import set_delay
from kemps_server.live.disclosure import Audience
from kemps_server.live.feed import Feed
from kemps_server.live.hub import Hub
from kemps_server.observers.observers import WATCHED
from kemps_server.recording.status import STATUS
from kemps_server.store.clock import clock_ms
from kemps_server.store.schema import games, lines
from kemps_server.store.store import Store


class Later:
    """A clock that is ahead of the machine's by as much as is said."""

    def __init__(self) -> None:
        self.ahead_ms = 0

    def __call__(self) -> int:
        return clock_ms() + self.ahead_ms


@pytest.fixture
def clock() -> Later:
    return Later()


@pytest.fixture
def follow(store: Store, clock: Later) -> Iterator[Callable[..., Feed]]:
    feeds: list[Feed] = []

    def start(**what: str) -> Feed:
        feed = Feed(store, clock=clock, **what)
        feeds.append(feed)
        feed.start()
        return feed

    yield start
    for feed in feeds:
        feed.stop()


def told(feed: Feed, audience: Audience = Audience.VIEWER) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(feed.snapshot(audience))
    return message


def eventually(is_so: Callable[[], object]) -> None:
    ends = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < ends, "it never came to be so"
        time.sleep(0.01)


def rulings(feed: Feed, audience: Audience = Audience.VIEWER) -> list[str]:
    deals = told(feed, audience)["state"].get("deals", {}).values()
    return [deal["verdict"]["ruling"] for deal in deals if "verdict" in deal]


def test_a_game_is_told_as_it_goes_on(follow: Callable[..., Feed], played: PlayedGame) -> None:
    feed = follow(table="club")
    assert told(feed)["state"]["game"] == played.id
    assert rulings(feed) == []
    played.play()
    eventually(lambda: rulings(feed) == ["right"])
    assert told(feed, Audience.REFEREE)["state"]["lines"] == len(played.journal)


def test_the_public_waits_and_those_who_judge_do_not(
    store: Store, follow: Callable[..., Feed], played: PlayedGame, clock: Later
) -> None:
    set_delay(store.tables, "club", 60_000)
    clock.ahead_ms = 0
    feed = follow(table="club")
    played.play()
    eventually(lambda: rulings(feed, Audience.OWNER) == ["right"])
    assert rulings(feed) == rulings(feed, Audience.PLAYER) == []
    clock.ahead_ms = 61_000
    eventually(lambda: rulings(feed) == ["right"])


def test_a_shorter_delay_lets_nothing_out_that_was_promised_a_longer_one(
    store: Store, follow: Callable[..., Feed], played: PlayedGame, clock: Later
) -> None:
    set_delay(store.tables, "club", 60_000)
    played.play()
    set_delay(store.tables, "club", 0)
    feed = follow(table="club")
    eventually(lambda: rulings(feed, Audience.OWNER) == ["right"])
    clock.ahead_ms = 20_000
    time.sleep(0.4)  # longer than the feed rests
    assert rulings(feed) == []
    clock.ahead_ms = 61_000
    eventually(lambda: rulings(feed) == ["right"])


def test_a_game_page_is_as_late_as_its_table_also_after_a_restart(
    store: Store, follow: Callable[..., Feed], played: PlayedGame, clock: Later
) -> None:
    set_delay(store.tables, "club", 60_000)
    played.play()
    for _ in range(2):
        feed = follow(game=played.id)
        assert told(feed)["state"]["centre"] == []
        assert rulings(feed, Audience.REFEREE) == ["right"]
        feed.stop()
    clock.ahead_ms = 61_000
    assert rulings(follow(game=played.id)) == ["right"]


def test_the_next_game_at_a_table_comes_to_the_public_when_the_last_one_has_been_told(
    store: Store, follow: Callable[..., Feed], played: PlayedGame, clock: Later, journals: Path
) -> None:
    played.play()
    feed = follow(table="club")
    eventually(lambda: rulings(feed) == ["right"])
    set_delay(store.tables, "club", 60_000)
    store.sittings.end(played.id)
    following = PlayedGame(store, "club", "Friday", read_journal(journals / "R12-breach-no-quad.jsonl"))
    eventually(lambda: told(feed, Audience.OWNER)["state"]["game"] == following.id)
    assert told(feed)["state"]["game"] == played.id
    clock.ahead_ms = 61_000
    eventually(lambda: told(feed)["state"]["game"] == following.id)


def test_a_table_without_a_game_and_a_game_that_was_removed_are_empty(
    store: Store, follow: Callable[..., Feed], played: PlayedGame
) -> None:
    store.tables.save("attic", "")
    assert set(told(follow(table="attic"))["state"]) == {"table", "overlay"}
    feed = follow(game=played.id)
    assert told(feed)["state"]["game"] == played.id
    store.games.remove(played.id)
    eventually(lambda: told(feed)["state"] == {})


def test_a_table_whose_observer_is_gone_is_told_as_old(
    store: Store, follow: Callable[..., Feed], played: PlayedGame, clock: Later
) -> None:
    beside = store.folder.beside(played.id)
    beside.mkdir()
    note = beside / STATUS
    note.write_text('{"is_running": true}')
    feed = follow(table="club")
    assert not told(feed)["is_stale"]
    clock.ahead_ms = 8_000
    eventually(lambda: told(feed)["is_stale"])
    assert told(feed)["why"] == "observer"
    ahead = clock() / 1000
    os.utime(note, (ahead, ahead))
    eventually(lambda: not told(feed)["is_stale"])
    note.write_text('{"is_running": false}')
    os.utime(note, (ahead, ahead))
    eventually(lambda: told(feed)["is_stale"])
    store.sittings.end(played.id)
    eventually(lambda: not told(feed)["is_stale"])


def test_a_table_that_is_to_be_watched_and_is_not_yet_is_told_as_old(
    store: Store, follow: Callable[..., Feed], played: PlayedGame
) -> None:
    feed = follow(table="club")
    assert not told(feed)["is_stale"], "its lines come from somebody of whom nothing is known"
    store.tables.set_settings("club", **{WATCHED: True})
    eventually(lambda: told(feed)["why"] == "observer")
    store.sittings.end(played.id)
    eventually(lambda: not told(feed)["is_stale"])


def test_a_journal_that_was_rewritten_is_told_anew(
    store: Store, follow: Callable[..., Feed], played: PlayedGame
) -> None:
    feed = follow(table="club")
    assert told(feed)["state"]["seats"]["A"]["name"] == "Player A"
    before = told(feed)["epoch"]
    with store.database.writing() as connection:
        header = lines.update().where(lines.c.game == played.id, lines.c.n == 0)
        text = played.journal.read(0, 1)[0].text.replace("Player A", "somebody")
        connection.execute(header.values(text=text))
        connection.execute(games.update().where(games.c.id == played.id).values(revision=1))
    eventually(lambda: told(feed)["state"]["seats"]["A"]["name"] == "somebody")
    assert told(feed)["epoch"] != before


def test_how_the_overlay_looks_is_told_when_it_changes(store: Store, follow: Callable[..., Feed]) -> None:
    feed = follow(table="club")
    assert told(feed)["state"]["overlay"]["theme"] == "felt"
    store.tables.set_settings("club", overlay={"theme": "slate", "scale": "huge"})
    eventually(lambda: told(feed)["state"]["overlay"]["theme"] == "slate")
    assert told(feed)["state"]["overlay"]["scale"] == 100


def test_a_hub_keeps_one_feed_for_each_table_and_ends_them_all(store: Store, played: PlayedGame) -> None:
    hub = Hub(store)
    assert hub.table("club") is hub.table("club")
    assert hub.feed(played.id) is not hub.table("club")
    assert hub.table("club").ready()
    hub.close()
    hub.close()
