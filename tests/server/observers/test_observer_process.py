"""What an observer says of a game that it cannot watch, before anything slow is done."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from kemps_rules.events import GameClosed
from kemps_server.errors import KempsServerError
from kemps_server.observers.lifeline import Task, alone
from kemps_server.observers.process import watch_table
from kemps_server.observers.telling import RecentMeter, Teller
from kemps_server.store.store import Store

SIX = "".join(f'[[seat]]\nid = "{seat}"\nname = "{seat}"\n' for seat in "ABCDEF")


def watch(store: Store, game: str, table: str = "club") -> None:
    watch_table(Task(store, game, table), Teller(io.StringIO(), RecentMeter()))


def test_a_game_that_is_closed_is_not_watched(store: Store, game: str) -> None:
    store.games.journal(game).append(GameClosed(at_ms=9))
    with pytest.raises(KempsServerError, match="is closed; begin the next"):
        watch(store, game)


def test_a_table_that_has_other_seats_by_now_needs_a_new_game(store: Store, game: str) -> None:
    store.tables.save("club", f"[[camera]]\nsource = '0'\n{SIX}")
    with pytest.raises(KempsServerError, match=r"other seats now than its game \(A B C D\)"):
        watch(store, game)


@pytest.mark.parametrize(
    ("config", "says"),
    [("", "has no source"), ("[[camera]]\nsource = '.'\n", "neither a camera nor a video file")],
)
def test_a_camera_that_is_none_is_told(store: Store, game: str, config: str, says: str) -> None:
    store.tables.save("club", config)
    with pytest.raises(KempsServerError, match=says):
        watch(store, game)
    with pytest.raises(KempsServerError, match="there is no table 'attic'"):
        watch(store, game, "attic")


def test_nobody_else_watches_a_game_meanwhile(
    store: Store, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kemps_server.observers.lifeline.WAIT_S", 0.2)
    folder = store.folder.beside(game)
    with alone(folder), pytest.raises(KempsServerError, match="another process watches"), alone(folder):
        pass
    with alone(folder):
        pass


def test_the_process_tells_in_one_line_why_it_cannot_begin(store: Store, game: str) -> None:
    store.tables.save("club", "")
    command = [sys.executable, "-m", "kemps_server.observers", str(store.folder.root), game, "club"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as observer:
        assert observer.wait(120) == 2  # its standard input is still open
        assert observer.stderr is not None
        said = observer.stderr.read()
    assert said.count("\n") == 1
    assert "choose one on the table's set-up page" in said
