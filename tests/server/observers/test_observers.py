"""All observers of a server: start, stop, end, and what becomes of them when the server is gone."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from kemps_rules.events import Called, GameClosed, GameOpened
from kemps_server.bench.quick_observer import acknowledged
from kemps_server.bench.server_kills import measure_kills, quick_command
from kemps_server.errors import KempsServerError
from kemps_server.observers.calling import BUTTON_UNCERTAINTY_MS, take_call
from kemps_server.observers.clock import begin_clock
from kemps_server.observers.observers import WATCHED, Observers
from kemps_server.observers.supervised import ObserverState, Patience
from kemps_server.store.store import Store

pytestmark = pytest.mark.long

Script = Callable[..., list[str]]
Until = Callable[[Callable[[], bool]], None]
Command = Callable[[Path, str, str], list[str]]

REST = "import sys; sys.stdin.read()"


@pytest.fixture
def resting(script: Script) -> Command:
    return lambda *_: script(REST)


def test_a_table_is_started_stopped_gone_on_with_and_ended(
    store: Store, resting: Command, quick: Patience, until: Until
) -> None:
    tables = Observers(store, command=resting, patience=quick)
    assert tables.observed("club").state is ObserverState.OFF
    game = tables.start("club", title="Thursday", consent="all four")
    assert tables.start("club") == game
    header = store.games.journal(game).read()[0].event
    assert isinstance(header, GameOpened)
    assert header.seats == {"A": "Ana", "B": "Boris", "C": "Chloé", "D": "Diego"}
    assert header.extra["consent"] == "all four"
    assert header.opened_at is not None
    until(lambda: tables.observed("club").state is ObserverState.WATCHING)
    tables.stop("club", timeout_s=10)
    assert tables.observed("club").state is ObserverState.OFF
    assert tables.start("club") == game
    tables.stop("club")
    assert tables.start("club") == game  # while the first is still ending
    until(lambda: tables.observed("club").state is ObserverState.WATCHING)
    assert tables.end("club", is_released=False) == game
    assert store.sittings.current("club") is None
    assert not any(isinstance(line.event, GameClosed) for line in store.games.journal(game).read())
    tables.release(game)
    tables.release(game)
    assert [line.event.kind for line in store.games.journal(game).read()] == ["game_opened", "game_closed"]
    assert tables.start("club") != game
    assert tables.end("club", is_released=True) != game
    tables.close()


def test_a_table_that_is_not_there_or_has_no_camera_is_told(
    store: Store, script: Script, quick: Patience
) -> None:
    tables = Observers(store, command=lambda *_: script(REST), patience=quick)
    with pytest.raises(KempsServerError, match="there is no table 'attic'"):
        tables.start("attic")
    store.tables.save("attic", "")
    with pytest.raises(KempsServerError, match="choose one on its set-up page"):
        tables.start("attic")
    assert store.sittings.all() == ()
    with pytest.raises(KempsServerError, match="nothing is played"):
        tables.end("attic", is_released=False)


def test_after_a_restart_of_the_server_what_was_watched_is_watched_again(
    store: Store, resting: Command, quick: Patience, until: Until
) -> None:
    store.tables.save("attic", "[[camera]]\nsource = '1'\n")
    before = Observers(store, command=resting, patience=quick)
    game, other = before.start("club"), before.start("attic")
    before.stop("attic", timeout_s=10)
    before.close()
    after = Observers(store, command=resting, patience=quick)
    after.resume()
    until(lambda: after.observed("club").state is ObserverState.WATCHING)
    assert after.observed("club").game == game
    assert after.observed("attic").state is ObserverState.OFF
    assert after.start("attic") == other
    table = store.tables.find("attic")
    assert table is not None
    assert table.settings[WATCHED] is True
    after.close()
    assert after.observed("club").state is ObserverState.OFF


def _has_failed(observers: Observers) -> bool:
    return observers.observed("attic").state is ObserverState.FAILED


def test_after_a_restart_a_file_that_is_gone_is_told_and_not_tried_for_ever(
    store: Store, script: Script, quick: Patience, until: Until
) -> None:
    store.tables.save("attic", "[[camera]]\nsource = '/gone/film.mp4'\n")
    text = "import sys; print('film.mp4: there is no such file', file=sys.stderr); sys.exit(2)"
    for _ in range(2):
        observers = Observers(store, command=lambda *_: script(text, watches=False), patience=quick)
        if store.sittings.current("attic") is None:
            observers.start("attic")
        else:
            observers.resume()
        until(partial(_has_failed, observers))
        assert observers.observed("attic").reason == "film.mp4: there is no such file"
        assert observers.observed("attic").restarts == 0
        observers.close()


def test_an_observer_that_is_killed_loses_nothing_that_was_acknowledged_and_others_go_on(
    store: Store, resting: Command, quick: Patience, until: Until
) -> None:
    store.tables.save("attic", "[[camera]]\nsource = '1'\n")
    tables = Observers(
        store,
        command=lambda root, game, table: (
            quick_command(root, game, table) if table == "club" else resting(root, game, table)
        ),
        patience=quick,
    )
    game = tables.start("club")
    tables.start("attic")
    calls = {}
    for _ in range(2):
        until(lambda: tables.observed("club").state is ObserverState.WATCHING)
        lines = len(store.games.journal(game))
        until(lambda lines=lines: len(store.games.journal(game)) > lines + 3)  # type: ignore[misc]
        taken = take_call(store, game, seat="A", call="kemps")
        calls[taken.line] = taken.at_ms
        pid = tables.observed("club").pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        until(lambda pid=pid: tables.observed("club").pid not in {None, pid})  # type: ignore[misc]
    assert tables.observed("attic").restarts == 0
    tables.close()
    events = {line.number: line.event for line in store.games.journal(game).read()}
    told = acknowledged(store.folder.beside(game))
    assert len(told) > 6
    assert {line: events[line].at_ms for line in told | calls} == told | calls
    assert list(events) == list(range(len(events)))


def test_server_and_observer_are_killed_and_the_game_goes_on_with_all_that_was_acknowledged() -> None:
    report = measure_kills(1, seed=24)  # of both, after five calls
    assert report.is_fine
    assert report.calls > 0
    assert report.events > 0


def test_calls_are_taken_at_the_time_of_the_button_and_all_of_them(store: Store, game: str) -> None:
    with pytest.raises(KempsServerError, match="start its table first"):
        take_call(store, game, seat="A", call="kemps")
    clock = begin_clock(store.folder.beside(game))
    until_ms = clock.at_ms + 50
    while clock.at_ms < until_ms:
        pass
    first = take_call(store, game, seat="C", call="Kemps", age_ms=40)
    second = take_call(store, game, seat="B", call="Стоп-Кемпс", against="A")
    third = take_call(store, game, seat=None, call="stop")
    assert (first.line, second.line, third.line) == (1, 2, 3)
    assert first.at_ms < second.at_ms
    texts = [line.text for line in store.games.journal(game).read(1)]
    assert '"seat":"C","call":"kemps"' in texts[0]
    assert '"seat":"B","call":"stop","against":"A"' in texts[1]
    assert f'"uncertainty_ms":{BUTTON_UNCERTAINTY_MS}' in texts[2]


def test_calls_pressed_at_once_all_stand_in_the_journal(store: Store, game: str) -> None:
    begin_clock(store.folder.beside(game))
    with ThreadPoolExecutor(8) as pressed:
        taken = list(pressed.map(lambda seat: take_call(store, game, seat=seat, call="kemps"), "ABCDABCD"))
    assert sorted(call.line for call in taken) == list(range(1, 9))
    events = {line.number: line.event for line in store.games.journal(game).read()}
    for seat, call in zip("ABCDABCD", taken, strict=True):
        event = events[call.line]
        assert isinstance(event, Called)
        assert (event.seat, event.at_ms) == (seat, call.at_ms)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"seat": "E", "call": "kemps"}, "no seat 'E'"),
        ({"seat": "A", "call": "bingo"}, "is no call at this table"),
        ({"seat": "A", "call": "stop", "against": "C"}, "the caller's own pair"),
        ({"seat": "A", "call": "kemps", "against": "B"}, "leave out against"),
        ({"seat": "A", "call": "kemps", "age_ms": 90_000}, "age_ms"),
    ],
)
def test_what_can_be_no_call_is_told_and_nothing_is_written(
    store: Store, game: str, wrong: dict[str, str], says: str
) -> None:
    begin_clock(store.folder.beside(game))
    with pytest.raises(KempsServerError, match=says):
        take_call(store, game, **wrong)  # type: ignore[arg-type]
    assert len(store.games.journal(game)) == 1
