from __future__ import annotations

from pathlib import Path

import pytest

from kemps_server.access.visitor import NOBODY, Visitor
from kemps_server.bench.played_game import PlayedGame
from kemps_server.library import Library
from kemps_server.live.delay import set_delay
from kemps_server.live.disclosure import Audience, audience_of, is_released, may_see_all
from kemps_server.store.clock import clock_ms
from kemps_server.store.store import Store
from kemps_server.store.users import Role

CLOSED = '{"kind":"game_closed","at_ms":99000}'


class Somewhere:
    def __init__(self, store: Store) -> None:
        self.library = Library(store)


def seen_by(role: Role, store: Store, game: str, now_ms: int | None = None) -> bool:
    return may_see_all(Visitor(role, "x"), Somewhere(store), game, now_ms)


def test_each_role_is_an_audience_of_its_own_name() -> None:
    assert [audience_of(Visitor(role)) for role in Role] == [Audience(role.value) for role in Role]
    assert [Audience(role.value).is_staff for role in Role] == [False, False, True, True]


def test_those_who_judge_see_all_and_the_public_only_a_closed_game(store: Store, played: PlayedGame) -> None:
    played.play()
    assert [seen_by(role, store, played.id) for role in Role] == [False, False, True, True]
    played.play(CLOSED)
    assert [seen_by(role, store, played.id) for role in Role] == [True] * 4
    assert not may_see_all(NOBODY, Somewhere(store), played.id)


def test_a_closed_game_is_held_back_by_the_delay_too(store: Store, played: PlayedGame) -> None:
    set_delay(store.tables, "club", 60_000)
    played.play(CLOSED)
    now = clock_ms()
    assert not seen_by(Role.VIEWER, store, played.id, now + 30_000)
    set_delay(store.tables, "club", 0)
    assert not seen_by(Role.PLAYER, store, played.id, now + 30_000)
    assert seen_by(Role.VIEWER, store, played.id, now + 90_000)


def test_a_close_that_was_taken_back_hides_the_game_again(store: Store, played: PlayedGame) -> None:
    played.play(CLOSED, '{"kind":"retracted","at_ms":99500,"event":1,"by":"Ida","why":"too soon"}')
    assert not seen_by(Role.VIEWER, store, played.id)
    played.play('{"kind":"undone","at_ms":99600,"event":2,"by":"Ida","why":"no, it is over"}')
    assert seen_by(Role.VIEWER, store, played.id)


def test_a_person_may_insert_the_close_and_undo_it(store: Store, played: PlayedGame) -> None:
    played.play('{"kind":"inserted","at_ms":9,"as":{"kind":"game_closed"},"by":"Ida","why":"it is over"}')
    assert seen_by(Role.PLAYER, store, played.id)
    played.play('{"kind":"undone","at_ms":9,"event":1,"by":"Ida","why":"not yet"}')
    assert not seen_by(Role.PLAYER, store, played.id)


@pytest.mark.parametrize("name", ["nothing", "../x", ""])
def test_a_game_that_is_not_there_is_never_released(store: Store, name: str) -> None:
    assert not is_released(Library(store), name, clock_ms())


def test_a_folder_of_a_game_is_released_by_its_own_journal(store: Store, journals: Path) -> None:
    folder = Path(store.folder.root) / "evening"
    folder.mkdir()
    text = (journals / "R12-fair-right.jsonl").read_text()
    (folder / "game.jsonl").write_text(text)
    assert not seen_by(Role.VIEWER, store, "evening")
    (folder / "game.jsonl").write_text(text.rstrip("\n") + "\n" + CLOSED + "\n")
    assert seen_by(Role.VIEWER, store, "evening")
    (folder / "game.jsonl").write_text("nonsense")
    assert not seen_by(Role.VIEWER, store, "evening")
