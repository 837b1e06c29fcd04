"""Events on their way into the store, calls on their way out, and games that go on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from kemps_rules.cards import Card
from kemps_rules.errors import JournalError
from kemps_rules.events import (
    Called,
    CardTaken,
    CentreTurned,
    Corrected,
    DealStarted,
    Event,
    GameClosed,
    GameOpened,
    HandShown,
    Inserted,
    NotObserved,
    Retracted,
    Undone,
)
from kemps_server.observers.made_calls import CallChange, MadeCalls
from kemps_server.observers.standing import Standing, standing_of
from kemps_server.observers.store_lines import StoreLines
from kemps_server.store.memory import MemoryJournal

HEADER = GameOpened(at_ms=0, seats={"A": "Ana", "B": "Bo", "C": "Cy", "D": "Di"})
DEAL = DealStarted(at_ms=60, dealer=None)
CALL = Called(at_ms=4200, seat="A", call="kemps", uncertainty_ms=500)
NINES = tuple(Card.parse(name) for name in ("9s", "9h", "9d", "9c"))
SHOWN = HandShown(at_ms=7000, seat="C", cards=NINES)
CENTRE = CentreTurned(
    at_ms=80, cards=tuple(Card.parse(name) for name in ("4s", "Jc", "6h", "2d")), first_sight=True
)


def journal(*events: Event) -> MemoryJournal:
    made = MemoryJournal("game")
    made.append(HEADER, *events)
    return made


def standing(*events: Event) -> Standing:
    return standing_of(journal(*events).read())


def test_a_new_game_stands_at_its_header() -> None:
    assert standing() == Standing(lines=1, seats=("A", "B", "C", "D"))
    assert not standing().goes_on


def test_a_game_stands_in_its_deal_with_its_call_and_the_hands_that_lie_open() -> None:
    told = standing(DEAL, CENTRE, CALL, SHOWN)
    assert (told.lines, told.last_ms, told.is_dealt, told.is_closed) == (5, 7000, True, False)
    assert told.call == (3, CALL)
    assert told.shown == {"C": NINES}


def test_a_call_that_was_taken_back_is_none_and_one_that_a_person_added_is_one() -> None:
    assert standing(DEAL, CENTRE, CALL, Retracted(at_ms=5000, event=3, by="r", why="slip")).call is None
    assert standing(DEAL, CENTRE, Inserted(at_ms=5000, as_event=CALL, by="r", why="heard")).call == (3, CALL)


def test_a_closed_game_is_over_and_no_journal_is_told() -> None:
    assert standing(DEAL, GameClosed(at_ms=9000)).is_closed
    with pytest.raises(JournalError, match="no header"):
        standing_of(())


def test_events_get_the_stores_lines_and_the_header_stands_there_already() -> None:
    place = journal()
    lines = StoreLines(place, standing())
    assert lines.keep([HEADER]) == []
    taken = CardTaken(at_ms=900, seat="A", card=None)
    assert lines.keep([DEAL, taken]) == [(1, DEAL), (2, taken)]
    assert [line.event for line in place.read(1)] == [DEAL, taken]


def test_a_call_of_the_server_is_heard_once_and_stands_in_its_own_line(
    until: Callable[[Callable[[], bool]], None],
) -> None:
    place = journal(DEAL)
    lines, is_over = StoreLines(place, standing_of(place.read())), threading.Event()
    follower = threading.Thread(target=lines.follow, args=(is_over,))
    follower.start()
    place.append(CALL, CALL, Inserted(at_ms=5000, as_event=CALL, by="r", why="heard"))
    heard: list[Called] = []

    def are_all_heard() -> bool:
        heard.extend(lines.calls())
        return len(heard) == 3

    until(are_all_heard)
    is_over.set()
    follower.join()
    assert heard == [CALL] * 3
    assert lines.keep([CALL]) == [(2, CALL)]
    assert lines.keep([CALL]) == [(3, CALL)]
    assert lines.keep([CALL]) == [(4, CALL)]
    assert len(place) == 5
    # One that nobody appended is the observer's own, of a microphone, say.
    assert lines.keep([CALL]) == [(5, CALL)]


def test_a_call_that_is_taken_back_is_withdrawn_and_one_put_right_is_another() -> None:
    made = MadeCalls()
    assert made.see(2, CALL) == (CallChange(2, None, CALL),)
    assert made.see(3, DEAL) == ()
    assert made.see(4, Retracted(at_ms=5000, event=2)) == (CallChange(2, CALL, None),)
    assert made.see(5, Undone(at_ms=5100, event=4)) == (CallChange(2, None, CALL),)
    other = replace(CALL, seat="B")
    assert made.see(6, Corrected(at_ms=5200, event=2, to={"seat": "B"})) == (CallChange(2, CALL, other),)
    assert made.see(7, Inserted(at_ms=5300, as_event=CALL)) == (CallChange(7, None, CALL),)
    assert made.see(8, Undone(at_ms=5400, event=7)) == (CallChange(7, CALL, None),)


def test_what_people_do_to_calls_reaches_the_watcher_once(
    until: Callable[[Callable[[], bool]], None],
) -> None:
    place = journal(DEAL)
    lines, is_over = StoreLines(place, standing_of(place.read())), threading.Event()
    follower = threading.Thread(target=lines.follow, args=(is_over,))
    follower.start()
    heard: list[Called] = []
    withdrawn: list[Called] = []

    def said(count: int, back: int) -> Callable[[], bool]:
        def is_said() -> bool:
            heard.extend(lines.calls())
            withdrawn.extend(lines.withdrawn())
            return (len(heard), len(withdrawn)) == (count, back)

        return is_said

    place.append(CALL)
    until(said(1, 0))
    assert lines.keep([CALL]) == [(2, CALL)]
    place.append(Retracted(at_ms=5000, event=2))
    until(said(1, 1))
    place.append(Undone(at_ms=5100, event=3))
    until(said(2, 1))
    assert lines.keep([CALL]) == [(2, CALL)]  # it is told anew and stands where it stood
    own = replace(CALL, at_ms=6000)
    assert lines.keep([own]) == [(5, own)]
    place.append(Retracted(at_ms=7000, event=5))
    until(said(2, 2))
    is_over.set()
    follower.join()
    assert (heard, withdrawn) == ([CALL] * 2, [CALL, own])


def test_a_game_that_goes_on_tells_its_gap_and_nothing_twice() -> None:
    place = journal(DEAL, CENTRE, CALL, SHOWN)
    gap = NotObserved(at_ms=1000, until_ms=8000, camera="table")
    lines = StoreLines(place, standing_of(place.read()), [gap])
    assert lines.calls() == [CALL]  # hands are looked for again
    assert lines.keep([HEADER]) == [(5, gap)]
    assert lines.keep([DEAL]) == []
    assert lines.keep([CALL]) == []
    again = CentreTurned(at_ms=8100, cards=CENTRE.cards, first_sight=True)
    other = HandShown(at_ms=8200, seat="B", cards=NINES[:3], unread=1)
    assert lines.keep([again, SHOWN, other]) == [(6, again), (7, other)]
    second = DealStarted(at_ms=9000, dealer=None)
    assert lines.keep([second]) == [(8, second)]
