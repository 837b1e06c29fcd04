"""Acts of referees: each key once, with all its lines or none, and never over what was decided meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from threading import Barrier, Thread

import pytest

from kemps_rules.errors import JournalError
from kemps_rules.events import CentreSwept, Corrected, Reviewed
from kemps_server.errors import KempsServerError
from kemps_server.store.acts import ActRecord, MeanwhileError, NewAct
from kemps_server.store.store import Store

OpenStore = Callable[[], Store]


def review(decision: str = "confirm") -> Reviewed:
    return Reviewed(at_ms=5, rule="R10", events=(1,), decision=decision, by="Ida")


def begun(store: Store, header: str) -> str:
    return store.games.take_in("g", (header + '{"kind":"dry","at_ms":1}\n').encode()).game.id


def test_an_act_stands_with_its_lines(open_store: OpenStore, header: str) -> None:
    store = open_store()
    game = begun(store, header)
    act = NewAct(key="k1", body="b", person="Ida", incident="R10-1", events=[review(), review("hold")])
    done = store.acts.add(game, act, seen_lines=2, seen_acts=0)
    assert (done.lines, done.person, done.incident) == (range(2, 4), "Ida", "R10-1")
    assert open_store().acts.of(game) == (done,)
    assert store.acts.last() == done.n
    assert [record.line for record in store.decisions.of(game)] == [2, 3]


def test_an_act_that_is_impossible_leaves_nothing(open_store: OpenStore, header: str) -> None:
    store = open_store()
    game = begun(store, header)
    wrong = Corrected(at_ms=5, event=1, to={"x": float("nan")}, by="Ida")
    with pytest.raises(JournalError):
        store.acts.add(
            game, NewAct(key="k", body="b", person="Ida", events=[review(), wrong]), seen_lines=2, seen_acts=0
        )
    assert store.acts.of(game) == ()
    assert len(store.games.journal(game)) == 2
    with pytest.raises(KempsServerError, match="no stored game"):
        store.acts.add("other", NewAct(key="k", body="b", person="Ida"), seen_lines=0, seen_acts=0)


def test_lines_of_an_observer_are_no_conflict_and_a_persons_are(open_store: OpenStore, header: str) -> None:
    store = open_store()
    game = begun(store, header)
    store.games.journal(game).append(CentreSwept(at_ms=9))
    store.acts.add(
        game, NewAct(key="k1", body="1", person="Ida", events=[review()]), seen_lines=2, seen_acts=0
    )
    with pytest.raises(MeanwhileError):
        store.acts.add(
            game, NewAct(key="k2", body="2", person="Tom", events=[review()]), seen_lines=3, seen_acts=0
        )
    sealed = store.acts.add(
        game, NewAct(key="k3", body="3", person="Tom", opinion="hold"), seen_lines=4, seen_acts=1
    )
    assert sealed.count == 0
    with pytest.raises(MeanwhileError):
        store.acts.add(game, NewAct(key="k4", body="4", person="Ida"), seen_lines=4, seen_acts=1)


def test_one_key_sent_at_the_same_time_is_done_once(open_store: OpenStore, header: str) -> None:
    store = open_store()
    game = begun(store, header)
    done: list[ActRecord] = []
    barrier = Barrier(4)
    act = NewAct(key="k", body="b", person="Ida", events=[review()])

    def send() -> None:
        barrier.wait()
        done.append(store.acts.add(game, act, seen_lines=2, seen_acts=0))

    threads = [Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 4
    assert len(set(done)) == 1
    assert len(store.games.journal(game)) == 3


def test_acts_go_with_their_game(open_store: OpenStore, header: str) -> None:
    store = open_store()
    game = begun(store, header)
    store.acts.add(game, NewAct(key="k", body="b", person="Ida"), seen_lines=2, seen_acts=0)
    store.games.remove(game)
    assert store.acts.of(game) == ()
