from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kemps_rules.events import Corrected, Event, Noted, Retracted, Reviewed, Ruled, Undone
from kemps_server.errors import KempsServerError
from kemps_server.review.acts import words_for
from kemps_server.review.desk import ConflictError, Desk, Done, MissingError
from kemps_server.review.incident import Incident, State
from kemps_server.review.standing import history_of
from kemps_server.store.acts import Acts, MeanwhileError
from kemps_server.store.store import Store

AddGame = Callable[..., str]
DoAct = Callable[..., Done]


@pytest.fixture(autouse=True)
def _thursday(add_game: AddGame) -> None:
    add_game()


def incident(desk: Desk, name: str) -> Incident:
    return desk.find("thursday").incident(name)


def events_of(desk: Desk, done: Done) -> list[Event]:
    events = desk.find("thursday").look.events
    return [events[line] for line in done.record.lines]


@pytest.mark.parametrize("word", ["confirm", "overturn", "dismiss"])
def test_a_flag_is_decided_by_one_review_for_each_part(desk: Desk, do: DoAct, word: str) -> None:
    done = do("R10-5", word, why="he tied his shoe")
    events = events_of(desk, done)
    assert [type(event) for event in events] == [Reviewed, Reviewed]
    assert {event.by for event in events if isinstance(event, Reviewed)} == {"Ida"}
    standing = incident(desk, "R10-5").standing
    assert (standing.state, standing.decision, standing.by) == (State.DECIDED, word, "Ida")
    assert standing.why == "he tied his shoe"
    judgement = desk.find("thursday").look.judgement
    assert ("R10" in {flag.rule for flag in judgement.flags}) is (word == "confirm")


def test_a_call_is_ruled_and_the_letters_follow(desk: Desk, do: DoAct) -> None:
    done = do("call-7", "right", why="the fourth nine lay under the cup")
    (ruled,) = events_of(desk, done)
    assert isinstance(ruled, Ruled)
    assert (ruled.event, ruled.ruling) == (7, "right")
    assert incident(desk, "call-7").standing.decision == "right"
    assert desk.find("thursday").look.judgement.letters["BD"] == "K"


def test_overturn_is_the_other_ruling_and_says_nothing_where_nothing_was_verified(
    desk: Desk, do: DoAct, add_game: AddGame
) -> None:
    add_game(
        [
            {"kind": "centre_turned", "at_ms": 1200, "cards": ["8c", "2h", "5d", "Js"]},
            {"kind": "called", "at_ms": 41250, "seat": "C", "call": "kemps"},
            {"kind": "hand_shown", "at_ms": 44000, "seat": "A", "cards": ["9s", "9h", "9d", "9c"]},
        ],
        "clear",
    )
    do("call-2", "overturn", game="clear", why="the swap was still open")
    assert desk.find("clear").incident("call-2").standing.decision == "wrong"
    with pytest.raises(KempsServerError, match="overturn cannot be said"):
        do("call-7", "overturn", why="x")


def test_a_call_that_never_was_stays_in_the_list_and_can_come_back(desk: Desk, do: DoAct) -> None:
    done = do("call-7", "dismiss", why="he said cans")
    assert isinstance(events_of(desk, done)[0], Retracted)
    gone = incident(desk, "call-7")
    assert (gone.standing.state, gone.standing.decision, gone.verdict) == (State.DECIDED, "dismiss", "")
    do("call-7", "reopen")
    assert incident(desk, "call-7").standing.state is State.OPEN
    assert incident(desk, "call-7").verdict == "cannot_verify"


def test_hold_and_reopen_on_flags_and_calls(desk: Desk, do: DoAct) -> None:
    for name in ("R10-5", "call-7"):
        do(name, "hold", why="wait for the other camera")
        assert incident(desk, name).standing.state is State.HELD
        do(name, "reopen")
        assert incident(desk, name).standing.state is State.OPEN
    do("call-7", "hold")
    do("call-7", "wrong", why="three nines only")
    do("call-7", "reopen")
    assert incident(desk, "call-7").standing.state is State.OPEN


def test_what_goes_against_the_observer_needs_a_reason(do: DoAct) -> None:
    for name, word in (("R10-5", "overturn"), ("call-7", "right"), ("call-7", "dismiss"), ("R14-9", "note")):
        with pytest.raises(KempsServerError, match="reason"):
            do(name, word, why="  ")
    do("call-7", "cannot_verify")


def test_only_what_makes_sense_can_be_said(desk: Desk, do: DoAct) -> None:
    with pytest.raises(KempsServerError, match="nothing that can be done"):
        do("R10-5", "guilty")
    with pytest.raises(KempsServerError, match="it takes confirm, overturn, dismiss"):
        do("R10-5", "right", why="x")
    do("R10-5", "confirm")
    with pytest.raises(KempsServerError, match="it takes reopen, note, undo"):
        do("R10-5", "dismiss")
    with pytest.raises(MissingError):
        do("R10-77", "confirm")
    with pytest.raises(MissingError):
        do("R10-5", "confirm", game="friday")
    assert "first" not in words_for(incident(desk, "call-7"))


def test_an_act_is_about_one_incident_only(desk: Desk, do: DoAct) -> None:
    before = {one.id: one.standing for one in desk.find("thursday").incidents}
    do("R10-5", "dismiss")
    after = {one.id: one.standing for one in desk.find("thursday").incidents}
    assert {name for name in after if after[name] != before[name]} == {"R10-5"}


def test_undo_takes_the_last_act_back_and_then_the_one_before(desk: Desk, do: DoAct) -> None:
    do("R10-5", "hold")
    do("R10-5", "confirm")
    done = do("R10-5", "undo")
    assert [type(event) for event in events_of(desk, done)] == [Undone, Undone]
    assert incident(desk, "R10-5").standing.state is State.HELD
    do("R10-5", "undo")
    assert incident(desk, "R10-5").standing.state is State.OPEN
    with pytest.raises(KempsServerError, match="nothing to undo"):
        do("R10-5", "undo")


def test_an_undo_can_be_undone_by_its_line_and_so_can_a_reopening(desk: Desk, do: DoAct) -> None:
    do("call-7", "right", why="seen")
    undone = do("call-7", "undo")
    assert incident(desk, "call-7").standing.state is State.OPEN
    do("call-7", "undo", line=undone.record.first)
    assert incident(desk, "call-7").standing.decision == "right"
    do("call-7", "reopen")
    assert incident(desk, "call-7").standing.state is State.OPEN
    do("call-7", "undo")
    assert incident(desk, "call-7").standing.decision == "right"


def test_a_note_decides_nothing_and_can_be_taken_back(desk: Desk, do: DoAct) -> None:
    done = do("R10-5", "note", why="ask Cem what happened")
    (note,) = events_of(desk, done)
    assert note == Noted(at_ms=note.at_ms, rule="R10", events=(5,), by="Ida", why="ask Cem what happened")
    assert incident(desk, "R10-5").standing.state is State.OPEN
    assert len(desk.find("thursday").look.plan.notes) == 1
    do("R10-5", "undo")
    assert desk.find("thursday").look.plan.notes == ()
    entries = history_of(desk.find("thursday").look, incident(desk, "R10-5"))
    assert [(entry.event.kind, entry.is_undone) for entry in entries] == [("noted", True), ("undone", False)]


def test_the_same_act_twice_is_done_once(store: Store, desk: Desk, do: DoAct) -> None:
    first = do("R10-5", "confirm", key="the-same-key")
    again = do("R10-5", "confirm", key="the-same-key")
    assert (again.is_repeat, again.record) == (True, first.record)
    assert len(store.decisions.of("thursday")) == 2
    with pytest.raises(KempsServerError, match="key was given to another act"):
        do("R10-5", "dismiss", key="the-same-key")
    correction = {"kind": "corrected", "event": 3, "to": {"card": "2h"}, "why": "looked again"}
    one = desk.decide("thursday", correction, by="Ida", key="another-key", seen=None)
    two = desk.decide("thursday", correction, by="Ida", key="another-key", seen=None)
    assert (two.is_repeat, two.record) == (True, one.record)


def test_what_somebody_else_decided_meanwhile_is_told_and_not_overwritten(
    store: Store, desk: Desk, do: DoAct
) -> None:
    seen = desk.find("thursday").look.lines
    do("R10-5", "confirm", by="Tom", seen=seen)
    with pytest.raises(ConflictError, match="meanwhile by Tom"):
        do("R10-5", "dismiss", seen=seen)
    do("R14-9", "dismiss", seen=seen)  # another one is another matter
    do("R14-9", "undo", seen=seen)  # and so is what one did oneself
    do("R10-5", "note", seen=seen, why="I would have dismissed it")
    do("R10-5", "reopen", seen=seen + 2, why="look again")
    assert [record.by for record in store.decisions.of("thursday")] == [
        "Tom",
        "Tom",
        "Ida",
        "Ida",
        "Ida",
        "Ida",
        "Ida",
    ]


def test_corrections_change_what_is_seen_and_are_checked(desk: Desk) -> None:
    def decide(by: str = "Ida", seen: int | None = None, **decision: Any) -> Done:  # noqa: ANN401
        return desk.decide("thursday", decision, by=by, key=f"k-{decision}-{by}"[:80], seen=seen)

    seen = desk.find("thursday").look.lines
    done = decide(
        kind="corrected", event=8, to={"cards": ["9s", "9h", "9d"], "unread": 1}, why="seen", by="Tom"
    )
    (event,) = events_of(desk, done)
    assert isinstance(event, Corrected)
    assert event.by == "Tom"
    assert incident(desk, "call-7").verdict == "right"
    for wrong, message in (
        ({"kind": "corrected", "event": 8, "to": {"cards": ["1x"]}}, "1x"),
        ({"kind": "corrected", "event": 3, "to": {"seat": "H"}}, "seat H is not at this table"),
        ({"kind": "corrected", "event": 99, "to": {}}, "not there"),
        ({"kind": "ruled", "event": 3, "ruling": "right"}, "a ruling is about a call"),
        (
            {"kind": "reviewed", "target": {"rule": "R9", "events": [5]}, "decision": "confirm"},
            "nothing of R9",
        ),
        ({"kind": "called", "seat": "A", "call": "stop"}, "no decision"),
        ({"kind": "identities_swapped", "at_ms": 0, "seats": ["A", "A"]}, "two different seats"),
        ({}, "no decision"),
    ):
        with pytest.raises(KempsServerError, match=message):
            decide(**wrong)
    with pytest.raises(ConflictError, match="line 9 was changed meanwhile by Tom"):
        decide(kind="corrected", event=8, to={"cards": ["9s"]}, seen=seen)
    decide(kind="identities_swapped", at_ms=10000, seats=["B", "C"], seen=seen)
    assert incident(desk, "R10-5").seats == ("B",)


def test_who_decides_is_never_taken_from_what_is_sent(store: Store, desk: Desk) -> None:
    body = {"kind": "ruled", "event": 7, "ruling": "right", "by": "the owner", "why": "seen"}
    desk.decide("thursday", body, by="Ida", key="key-of-ida", seen=None)
    assert [record.by for record in store.decisions.of("thursday")] == ["Ida"]


def test_an_act_is_worked_out_again_when_somebody_was_quicker(
    monkeypatch: pytest.MonkeyPatch, desk: Desk, do: DoAct
) -> None:
    do("R14-9", "hold", by="Tom")
    real = Acts.add
    refused: list[object] = []

    def add(self: Acts, *args: Any, **more: Any) -> Any:  # noqa: ANN401
        if not refused:
            refused.append(args)
            raise MeanwhileError("quicker")
        return real(self, *args, **more)

    monkeypatch.setattr(Acts, "add", add)
    do("R10-5", "confirm")
    assert incident(desk, "R10-5").standing.decision == "confirm"


def test_acts_hold_for_readings_too(desk: Desk, do: DoAct, add_game: AddGame) -> None:
    conflict = {"kind": "card_conflict", "at_ms": 3000, "card": "5d", "seen": "6d", "camera": "table"}
    doubtful = {"kind": "card_taken", "at_ms": 8400, "seat": "A", "card": "9c", "confidence": 0.4}
    add_game([conflict, doubtful], "friday")

    def state(name: str) -> tuple[State, str]:
        standing = desk.find("friday").incident(name).standing
        return standing.state, standing.decision

    do("reading-1", "confirm", game="friday")
    assert state("reading-1") == (State.DECIDED, "confirm")
    to = {"kind": "corrected", "event": 2, "to": {"card": "9s"}}
    desk.decide("friday", to, by="Ida", key="correction", seen=None)
    assert state("reading-2") == (State.DECIDED, "corrected")
    do("reading-2", "undo", game="friday")
    assert state("reading-2") == (State.OPEN, "")
