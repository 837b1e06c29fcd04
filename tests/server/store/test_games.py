"""Stored games: begun, taken in from files once however often, found, listed, forgotten."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kemps_rules.errors import JournalError
from kemps_rules.events import CentreSwept, GameOpened
from kemps_server.errors import KempsServerError
from kemps_server.store.games import Novelty
from kemps_server.store.journals import content_of
from kemps_server.store.store import Store

OpenStore = Callable[[], Store]
SWEEP = '{"kind":"centre_swept","at_ms":30100,"seat":"A"}\n'


def content(store: Store, game: str) -> bytes:
    return content_of(store.games.journal(game).read())


@pytest.mark.parametrize(
    "lines",
    [
        SWEEP * 3,
        SWEEP * 2 + SWEEP.rstrip("\n"),
        "\n\n" + SWEEP.replace("\n", "\r\n") + "\n",
        '{"kind":"centre_swept", "at_ms": 5 ,"seat":"B", "note":"№ 1 \u2028 ✔"}\n',
        "",
    ],
)
def test_a_file_goes_out_as_it_came_in(open_store: OpenStore, header: str, lines: str) -> None:
    for mark in ("", "\ufeff"):
        opening = header.replace("Ann", f"Ann {len(mark)}")
        file = f"{mark}{opening}{lines}".encode()
        taken = open_store().games.take_in("Thursday", file)
        assert (taken.novelty, taken.warnings) == (Novelty.NEW, ())
        assert content(open_store(), taken.game.id) == file
        assert taken.game.lines == taken.new_lines == len(file.decode().removesuffix("\n").split("\n"))


def test_the_same_file_twice_is_one_game(open_store: OpenStore, header: str) -> None:
    store = open_store()
    first = store.games.take_in("Thursday", f"{header}{SWEEP}".encode())
    for again in (f"{header}{SWEEP}", f"{header}{SWEEP}".rstrip("\n"), header):
        taken = store.games.take_in("Another name", again.encode())
        assert (taken.novelty, taken.game, taken.new_lines) == (Novelty.KNOWN, first.game, 0)
    assert len(store.games.all()) == 1


def test_a_file_that_has_grown_is_the_same_game_with_its_new_lines(
    open_store: OpenStore, header: str
) -> None:
    store = open_store()
    first = store.games.take_in("Thursday", f"{header}{SWEEP}".encode().rstrip(b"\n"))
    longer = f"{header}{SWEEP}{SWEEP.replace('A', 'B')}".encode()
    grown = store.games.take_in("Thursday", longer)
    assert (grown.novelty, grown.new_lines, grown.game.id) == (Novelty.GROWN, 1, first.game.id)
    assert grown.game.lines == 3
    assert content(store, first.game.id) == longer


def test_a_game_decided_upon_and_exported_is_known_again(open_store: OpenStore, header: str) -> None:
    store = open_store()
    game = store.games.take_in("Thursday", f"{header}{SWEEP}".encode()).game
    store.games.journal(game.id).append(CentreSwept(at_ms=40_000, seat="B"))
    assert store.games.take_in("Thursday", content(store, game.id)).novelty is Novelty.KNOWN
    assert store.games.take_in("Thursday", f"{header}{SWEEP}".encode()).novelty is Novelty.KNOWN
    other = store.games.take_in("Thursday", f"{header}{SWEEP.replace('30100', '30101')}".encode())
    assert (other.novelty, other.game.id) == (Novelty.NEW, "thursday-2")


def test_files_taken_in_at_the_same_time_are_one_game(open_store: OpenStore, header: str) -> None:
    stores = [open_store() for _ in range(4)]
    file = f"{header}{SWEEP * 50}".encode()
    with ThreadPoolExecutor(4) as pool:
        taken = list(pool.map(lambda store: store.games.take_in("Thursday", file), stores))
    assert sorted(one.novelty for one in taken) == ["known", "known", "known", "new"]
    assert len(stores[0].games.all()) == 1


def test_a_half_written_last_line_is_left_out_and_told(open_store: OpenStore, header: str) -> None:
    store = open_store()
    taken = store.games.take_in("Thursday", f"{header}{SWEEP}{SWEEP[:20]}".encode())
    assert "not written to its end" in taken.warnings[0]
    assert content(store, taken.game.id) == f"{header}{SWEEP}".encode()
    whole = store.games.take_in("Thursday", f"{header}{SWEEP}{SWEEP}".encode())
    assert whole.novelty is Novelty.GROWN


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (b"", "begins with its header"),
        (SWEEP.encode(), "begins with its header"),
        (b"\xff\xfe\n", "line 1: not written in UTF-8"),
        (b"{header}{header}", "line 2: a second header"),
        (b'{header}{"kind":"centre_swept","at_ms":5,"seat":"F"}\n', "line 2: seat F"),
        (b"{header}nonsense\n", "line 2: not readable"),
    ],
)
def test_what_is_no_journal_leaves_nothing(
    open_store: OpenStore, header: str, file: bytes, message: str
) -> None:
    store = open_store()
    with pytest.raises(JournalError, match=message):
        store.games.take_in("Thursday", file.replace(b"{header}", header.encode()))
    assert store.games.all() == ()


def test_a_game_begun_live_has_its_header_at_once(open_store: OpenStore) -> None:
    opening = GameOpened(at_ms=0, seats={"A": "Ann", "B": "Bo", "C": "Cy", "D": "Di"})
    record = open_store().games.begin("Table 1", opening)
    store = open_store()
    assert store.games.find("table-1") == record
    assert [line.event for line in store.games.journal("table-1").read()] == [opening]
    assert store.games.begin("Table 1", opening).id == "table-1-2"
    with pytest.raises(JournalError):
        store.games.begin("Table 1", GameOpened(at_ms=0, seats={"A": "Ann"}))
    assert len(store.games.all()) == 2


def test_titles_change_and_ids_stay(open_store: OpenStore, header: str) -> None:
    store = open_store()
    game = store.games.take_in("<Игра № 1>", header.encode()).game
    assert (game.id, game.title) == ("игра-no-1", "<Игра № 1>")
    store.games.rename(game.id, "Четверг")
    assert [(one.id, one.title) for one in store.games.all()] == [(game.id, "Четверг")]


def test_a_forgotten_game_is_gone_with_its_lines(open_store: OpenStore, header: str) -> None:
    store = open_store()
    game = store.games.take_in("Thursday", f"{header}{SWEEP}".encode()).game
    journal = store.games.journal(game.id)
    store.games.remove(game.id)
    assert store.games.find(game.id) is None
    assert journal.read() == ()
    with pytest.raises(KempsServerError, match="no stored game 'thursday'"):
        journal.append(CentreSwept(at_ms=5, seat="A"))
    with pytest.raises(KempsServerError, match="no stored game 'thursday'"):
        store.games.journal("thursday")


def test_games_are_listed_by_title_with_their_lines(open_store: OpenStore, header: str) -> None:
    store = open_store()
    store.games.take_in("b", f"{header}{SWEEP}".encode())
    store.games.take_in("a", header.replace("Ann", "Anna").encode())
    assert [(game.title, game.lines) for game in store.games.all()] == [("a", 1), ("b", 2)]
    added = [game.added_at for game in store.games.all()]
    assert all(at.endswith("+00:00") for at in added)


@pytest.mark.parametrize("name", ["", ".", "../thursday", "thursday\x00", "\ud800", "Thursday", "a--b"])
def test_a_name_that_is_no_id_is_no_game(open_store: OpenStore, header: str, name: str) -> None:
    store = open_store()
    store.games.take_in("thursday", header.encode())
    assert store.games.find(name) is None
    with pytest.raises(KempsServerError, match="there is no stored game"):
        store.games.journal(name)


@pytest.mark.parametrize(
    ("title", "game", "kept"),
    [
        ("odd\udcff", "odd", "odd?"),
        ("a\x00b\n\x1b[31m", "a-b-31m", "a b [31m"),
        ("\u202e", "game", "game"),
        ("…", "game", "…"),
        ("x" * 300, "x" * 60, "x" * 200),
    ],
)
def test_odd_titles_are_made_plain(
    open_store: OpenStore, header: str, title: str, game: str, kept: str
) -> None:
    record = open_store().games.take_in(title, header.encode()).game
    assert (record.id, record.title) == (game, kept)
    store = open_store()
    store.games.rename(game, title)
    found = store.games.find(game)
    assert found is not None
    assert found.title == kept


def test_lines_of_another_process_are_heard(open_store: OpenStore, header: str) -> None:
    writer, reader = open_store(), open_store()  # nothing shared but the database
    game = writer.games.take_in("Thursday", header.encode()).game.id
    heard: list[int] = []
    waiting = Thread(target=lambda: heard.append(reader.games.journal(game).wait(1, 60)))
    waiting.start()
    writer.games.journal(game).append(CentreSwept(at_ms=5, seat="A"))
    waiting.join(60)
    assert heard == [2]


_LINE = st.one_of(
    st.sampled_from(["", " \t", "\r", SWEEP.rstrip("\n"), SWEEP.replace("\n", " \r")]),
    st.builds(
        lambda at_ms, note: json.dumps({"kind": "noted", "at_ms": at_ms, "note": note}, ensure_ascii=False),
        st.integers(0, 10**9),
        st.text(max_size=20),
    ),
)


@given(rows=st.lists(_LINE, max_size=8), mark=st.sampled_from(["", "\ufeff"]), is_ended=st.booleans())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_journal_looks_like_it_comes_out_as_it_went_in(
    store: Store, header: str, rows: list[str], mark: str, is_ended: bool
) -> None:
    file = (mark + "\n".join([header.rstrip("\n"), *rows]) + "\n" * is_ended).encode()
    taken = store.games.take_in("Thursday", file)
    try:
        assert content(store, taken.game.id) == file
        assert store.games.take_in("Again", file).novelty is Novelty.KNOWN
    finally:
        store.games.remove(taken.game.id)
