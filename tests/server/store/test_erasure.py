"""A name gives way in both databases, what the owner chose stays, and sessions are what logins give."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kemps_server.errors import KempsServerError
from kemps_server.store import passwords
from kemps_server.store.choices import OwnerChoices
from kemps_server.store.erasure import Replacement, compact, find_within, replace_within
from kemps_server.store.games import Novelty
from kemps_server.store.journals import content_of
from kemps_server.store.store import Store
from kemps_server.store.users import Role

OpenStore = Callable[[], Store]
ANN = Replacement(*[lambda text: text.replace("Ann", "x")] * 3)
CALL = '{"kind":"called","at_ms":4,"seat":"C","call":"kemps"}\n'


def test_a_name_is_found_then_replaced_and_all_else_stays(open_store: OpenStore, header: str) -> None:
    store = open_store()
    game = store.games.take_in("Ann's game", f"{header}{CALL}".encode()).game.id
    other = store.games.take_in("Other", f"{header.replace('Ann', 'Bob')}{CALL}".encode()).game.id
    written = [line.written_ms for line in store.games.journal(game).read()]
    with store.database.reading() as connection:
        found = find_within(connection, ANN)
    assert (found.lines, found.titles) == ({game: 1}, 1)
    assert "Ann" in content_of(store.games.journal(game).read()).decode()
    with store.database.writing() as connection:
        replace_within(connection, ANN)
    compact(store.database)
    again = open_store()
    content = content_of(again.games.journal(game).read())
    assert content.decode() == f"{header.replace('Ann', 'x')}{CALL}"
    assert [line.written_ms for line in again.games.journal(game).read()] == written
    assert [(one.id, one.title, one.revision) for one in again.games.all()] == [
        (other, "Other", 0),
        (game, "x's game", 1),
    ]
    assert again.games.take_in("again", content).novelty is Novelty.KNOWN


def test_a_replacement_that_fails_changes_nothing(open_store: OpenStore, header: str) -> None:
    store = open_store()
    game = store.games.take_in("Ann's game", f"{header}{CALL}".encode()).game.id

    def fail(text: str) -> str:
        raise KempsServerError(text)

    with pytest.raises(KempsServerError), store.database.writing() as connection:
        replace_within(connection, Replacement(ANN.in_line, fail, fail))
    assert content_of(store.games.journal(game).read()).decode() == f"{header}{CALL}"
    assert store.games.all()[0].revision == 0


def test_choices_are_kept_one_by_one(open_store: OpenStore) -> None:
    store = open_store()
    assert store.choices.read() == OwnerChoices()
    store.choices.set(video_days=30)
    store.choices.set(blur_faces=True)
    assert open_store().choices.read() == OwnerChoices(video_days=30, blur_faces=True)
    store.choices.set(video_days=None)
    assert store.choices.read().video_days is None
    for wrong in ({"video_days": 0}, {"video_days": "30"}, {"video_days": True}, {"colour": "red"}):
        with pytest.raises(KempsServerError):
            store.choices.set(**wrong)


def test_settings_of_a_game_are_kept_one_by_one(open_store: OpenStore, header: str) -> None:
    store = open_store()
    game = store.games.take_in("Thursday", header.encode()).game.id
    store.games.set_settings(game, consent="all of them")
    assert store.games.set_settings(game, keep={"why": "x"}).settings["consent"] == "all of them"
    assert open_store().games.find(game).settings["keep"] == {"why": "x"}  # type: ignore[union-attr]
    with pytest.raises(KempsServerError, match="no stored game"):
        store.games.set_settings("nothing", consent="")


def test_sessions_are_their_users_and_links_are_not(
    open_store: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "_LOG_N", 4)
    store = open_store()
    rex = store.users.add("Rex", Role.REFEREE, "battery staple")
    link, link_secret = store.tokens.issue(Role.PLAYER, "phone", user="Rex", leads_to="/watch")
    first, first_secret = store.tokens.open_session(rex)
    second, second_secret = store.tokens.open_session(rex)
    assert [token.id for token in store.tokens.links()] == [link.id]
    assert store.tokens.links()[0].leads_to == "/watch"
    store.users.set_role("Rex", Role.VIEWER)
    found = open_store().tokens.find(first_secret)
    assert found is not None
    assert (found.role, found.user, found.kind) == (Role.VIEWER, "Rex", "session")
    store.users.set_password("Rex", "tin soldier", keep=second.id)
    assert [store.tokens.holds(token.id) for token in (first, second, link)] == [False, True, True]
    assert store.tokens.end_sessions("Rex") == 1
    assert store.tokens.find(second_secret) is None
    assert store.tokens.find(link_secret) is not None
    assert not store.users.has_owner()
