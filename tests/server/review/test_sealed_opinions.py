from __future__ import annotations

from collections.abc import Callable

import pytest

from kemps_rules.events import Reviewed, Ruled
from kemps_server.errors import KempsServerError
from kemps_server.review.desk import Desk, Done
from kemps_server.review.incident import State
from kemps_server.store.store import Store

AddGame = Callable[..., str]
DoAct = Callable[..., Done]


@pytest.fixture(autouse=True)
def _thursday(add_game: AddGame) -> None:
    add_game()


def test_a_sealed_opinion_writes_nothing_into_the_journal(store: Store, desk: Desk, do: DoAct) -> None:
    lines = len(store.games.journal("thursday"))
    done = do("R10-5", "dismiss", why="a cough", is_sealed=True)
    assert len(done.record.lines) == 0
    assert len(store.games.journal("thursday")) == lines
    standing = desk.find("thursday").incident("R10-5").standing
    assert (standing.state, standing.by, standing.decision, standing.why) == (State.SEALED, "Ida", "", "")


def test_two_opinions_that_agree_are_one_decision_with_both_in_it(desk: Desk, do: DoAct) -> None:
    do("call-7", "right", why="four nines", is_sealed=True)
    done = do("call-7", "right", why="I saw the nine", by="Tom")  # whether sealed or not: it is the second
    (event,) = (done.found.look.events[line] for line in done.record.lines)
    assert isinstance(event, Ruled)
    assert (event.ruling, event.by) == ("right", "Ida, Tom")
    assert event.extra["opinions"] == [
        {"by": "Ida", "decision": "right", "why": "four nines"},
        {"by": "Tom", "decision": "right", "why": "I saw the nine"},
    ]
    assert desk.find("thursday").incident("call-7").standing.decision == "right"


def test_two_opinions_that_differ_hold_the_incident_with_both_in_it(desk: Desk, do: DoAct) -> None:
    do("R10-5", "dismiss", is_sealed=True)
    done = do("R10-5", "confirm", by="Tom", is_sealed=True)
    for line in done.record.lines:
        event = done.found.look.events[line]
        assert isinstance(event, Reviewed)
        assert (event.decision, event.by) == ("hold", "Ida, Tom")
        assert [one["decision"] for one in event.extra["opinions"]] == ["dismiss", "confirm"]
    standing = desk.find("thursday").incident("R10-5").standing
    assert (standing.state, standing.by) == (State.HELD, "Ida, Tom")
    do("R10-5", "confirm", by="Uwe")
    assert desk.find("thursday").incident("R10-5").standing.by == "Uwe"


def test_nobody_is_their_own_second(do: DoAct) -> None:
    do("R10-5", "dismiss", is_sealed=True)
    for is_sealed in (True, False):
        with pytest.raises(KempsServerError, match="your opinion on this is sealed"):
            do("R10-5", "dismiss", is_sealed=is_sealed)


def test_a_sealed_opinion_can_be_withdrawn_by_its_owner_only(desk: Desk, do: DoAct) -> None:
    do("R10-5", "dismiss", is_sealed=True)
    with pytest.raises(KempsServerError, match="nothing to undo"):
        do("R10-5", "undo", by="Tom")
    do("R10-5", "undo")
    assert desk.find("thursday").incident("R10-5").standing.state is State.OPEN
    do("R10-5", "confirm", by="Tom")
    assert desk.find("thursday").incident("R10-5").standing.by == "Tom"


def test_an_opinion_follows_its_incident_when_that_becomes_part_of_another(
    store: Store, desk: Desk, do: DoAct, add_game: AddGame
) -> None:
    hidden = {"kind": "hand_hidden", "seat": "A"}
    add_game([hidden | {"at_ms": 9000, "until_ms": 9600}], "friday")
    do("R10-1", "dismiss", game="friday", is_sealed=True)
    add = store.games.journal("friday").append_texts
    add(['{"kind":"hand_hidden","seat":"A","at_ms":7500,"until_ms":8400}\n'])
    (incident,) = desk.find("friday").incidents
    assert incident.standing.state is State.SEALED
