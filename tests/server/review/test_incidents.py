from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kemps_rules.events import GameOpened, HandHidden
from kemps_rules.journal import parse_line
from kemps_server.review.desk import Desk, MissingError
from kemps_server.review.incident import Incident, Sort, State, Weight
from kemps_server.store.store import Store

AddGame = Callable[..., str]
EVENT = ({"kind": "hand_hidden", "at_ms": 9000, "until_ms": 9600, "seat": "A"},)
JOURNALS = Path(__file__).resolve().parents[3] / "samples/journals"


def incidents(desk: Desk, game: str = "thursday") -> dict[str, Incident]:
    return {one.id: one for one in desk.find(game).incidents}


def reasons(incident: Incident) -> set[str]:
    return {reason.key.removeprefix("desk.reason.") for reason in incident.reasons}


def test_a_call_that_cannot_be_verified_comes_first(add_game: AddGame, desk: Desk) -> None:
    add_game()
    first = desk.find("thursday").incidents[0]
    assert (first.id, first.sort, first.rule) == ("call-7", Sort.CALL, "R12")
    assert first.weight is Weight.HIGH
    assert first.verdict == "cannot_verify"
    assert first.seats == ("C", "A")
    assert first.evidence == (8,)
    assert "because_open" in reasons(first)
    assert first.standing.state is State.OPEN


def test_what_one_rule_says_of_the_same_seat_at_the_same_time_is_one_incident(
    add_game: AddGame, desk: Desk
) -> None:
    add_game()
    hidden = incidents(desk)["R10-5"]
    assert hidden.lines == (5, 6)
    assert (hidden.at_ms, hidden.until_ms) == (15000, 18000)
    assert "repeated" in reasons(hidden)
    assert [one.rule for one in incidents(desk).values()].count("R10") == 1


def test_flags_that_lie_apart_or_are_anothers_are_incidents_of_their_own(
    add_game: AddGame, desk: Desk
) -> None:
    hidden = [(0, 1000, "A"), (2900, 4000, "A"), (6001, 7000, "A"), (6500, 7500, "B")]
    add_game(
        [
            {"kind": "hand_hidden", "at_ms": at_ms, "until_ms": until_ms, "seat": seat}
            for at_ms, until_ms, seat in hidden
        ]
    )
    found = {one.id: one.lines for one in incidents(desk).values() if one.rule == "R10"}
    assert found == {"R10-1": (1, 2), "R10-3": (3,), "R10-4": (4,)}


def test_an_incident_keeps_its_name_when_lines_come_and_answers_to_those_that_joined_it(
    store: Store, add_game: AddGame, desk: Desk
) -> None:
    add_game([{"kind": "hand_hidden", "at_ms": 9000, "until_ms": 9600, "seat": "A"}])
    add = store.games.journal("thursday").append
    assert list(incidents(desk)) == ["R10-1"]
    add(HandHidden(at_ms=1000, until_ms=2000, seat="A"))
    assert set(incidents(desk)) == {"R10-1", "R10-2"}
    add(HandHidden(at_ms=3500, until_ms=7200, seat="A"))  # between the two: they are one now
    assert list(incidents(desk)) == ["R10-1"]
    for name in ("R10-1", "R10-2", "R10-3"):
        assert desk.find("thursday").incident(name).id == "R10-1"
    with pytest.raises(MissingError, match="R10-9"):
        desk.find("thursday").incident("R10-9")


def test_both_partners_out_of_view_is_one_item_to_decide_not_three(add_game: AddGame, desk: Desk) -> None:
    add_game(
        [
            {"kind": "hand_hidden", "at_ms": 15000, "until_ms": 17300, "seat": "C"},
            {"kind": "hand_hidden", "at_ms": 16000, "until_ms": 18000, "seat": "A"},
        ]
    )
    weights = {one.rule: one.weight for one in incidents(desk).values()}
    assert weights == {"R11": Weight.MIDDLE, "R10": Weight.ROUTINE}
    assert all("covered" in reasons(one) for one in incidents(desk).values() if one.rule == "R10")


def test_a_clear_call_is_routine_and_one_with_a_flag_on_its_hands_is_not(
    add_game: AddGame, desk: Desk
) -> None:
    call = {"kind": "called", "at_ms": 41250, "seat": "C", "call": "kemps"}
    shown = {"kind": "hand_shown", "at_ms": 44000, "seat": "A", "cards": ["9s", "9h", "9d", "9c"]}
    late = {"kind": "card_taken", "at_ms": 42000, "seat": "A", "card": "2h"}
    deal = [
        {"kind": "deal_started", "at_ms": 0, "dealer": "A"},
        {"kind": "centre_turned", "at_ms": 1200, "cards": ["8c", "2h", "5d", "Js"]},
    ]
    add_game([*deal, call, shown], "clear")
    add_game([*deal, call, late, shown], "flagged")
    assert desk.find("clear").incident("call-3").weight is Weight.ROUTINE
    flagged = desk.find("flagged").incident("call-3")
    assert flagged.weight is Weight.MIDDLE
    assert "flagged" in reasons(flagged)


def test_what_was_seen_with_little_confidence_is_told_as_such(add_game: AddGame, desk: Desk) -> None:
    add_game(
        [
            {"kind": "centre_turned", "at_ms": 1200, "cards": ["8c", "2h", "5d", "Js"]},
            {"kind": "called", "at_ms": 41250, "seat": "C", "call": "kemps"},
            {
                "kind": "hand_shown",
                "at_ms": 44000,
                "seat": "A",
                "cards": ["9s", "9h", "9d", "9c"],
                "confidence": 0.5,
            },
        ]
    )
    found = incidents(desk)
    assert "unsure" in reasons(found["call-2"])
    assert found["call-2"].weight is Weight.MIDDLE
    assert found["reading-3"].weight is Weight.MIDDLE


def test_conflicts_about_one_card_are_one_reading_and_a_card_that_lies_twice_weighs_more(
    add_game: AddGame, desk: Desk
) -> None:
    conflict: dict[str, Any] = {"kind": "card_conflict", "card": "5d", "seen": "6d", "camera": "table"}
    twin = {"kind": "card_conflict", "at_ms": 90000, "card": "Js", "seen": "Js", "lies_twice": True}
    add_game([conflict | {"at_ms": 3000}, conflict | {"at_ms": 5000}, conflict | {"at_ms": 40000}, twin])
    found = incidents(desk)
    assert found["reading-1"].lines == (1, 2)
    assert found["reading-3"].lines == (3,)
    assert reasons(found["reading-1"]) == {"conflict", "repeated"}
    assert (found["reading-4"].rule, found["reading-4"].weight) == ("R1", Weight.MIDDLE)
    assert reasons(found["reading-4"]) == {"lies_twice"}


def test_calls_that_are_tied_are_one_incident_with_both_lines(store: Store, desk: Desk) -> None:
    content = (JOURNALS / "R17-fair-a-person-decides.jsonl").read_bytes()
    store.games.take_in("tie", content)
    (tie,) = [one for one in desk.find("tie").incidents if one.sort is Sort.CALL]
    assert len(tie.lines) == 2
    assert {"because_tie", "several_calls"} <= reasons(tie)


def test_a_live_game_is_followed_line_by_line_to_what_it_would_be_when_read_at_once(
    store: Store, desk: Desk
) -> None:
    for path in sorted(JOURNALS.glob("R1[1247]-breach-*.jsonl"))[::2]:
        rows = path.read_text(encoding="utf-8").splitlines(keepends=True)
        header = parse_line(rows[0])
        assert isinstance(header, GameOpened)
        name = store.games.begin(path.stem, header).id
        for row in rows[1:]:
            store.games.journal(name).append_texts([row])
            desk.find(name)
        assert desk.find(name).incidents == Desk(store).find(name).incidents, path.stem


def test_a_game_that_cannot_be_judged_is_named_and_the_others_are_there(
    store: Store, add_game: AddGame, desk: Desk
) -> None:
    add_game()
    header = {
        "kind": "game_opened",
        "at_ms": 0,
        "rules": "nobody's",
        "seats": {"A": "a", "B": "b", "C": "c", "D": "d"},
    }
    texts = [json.dumps(header) + "\n"]
    with store.database.writing() as connection:
        store.games._add(connection, "odd", texts)
    queue = desk.queue()
    assert [found.look.game for found in queue.games] == ["thursday"]
    assert "none of" in queue.troubles["odd"]


def test_the_version_changes_with_each_line_and_each_act(store: Store, add_game: AddGame, desk: Desk) -> None:
    versions = {desk.version()}
    add_game()
    versions.add(desk.version())
    store.games.journal("thursday").append(HandHidden(at_ms=60000, until_ms=61000, seat="A"))
    versions.add(desk.version())
    assert len(versions) == 3
    assert desk.version() in versions
    assert desk.queue("thursday").version == desk.version()
    with pytest.raises(MissingError):
        desk.queue("friday")


def test_the_newest_games_are_looked_at_and_older_ones_when_they_are_named(
    add_game: AddGame, desk: Desk
) -> None:
    names = [add_game([{"kind": "dry", "at_ms": number}, *EVENT], f"game {number}") for number in range(4)]
    queue = desk.queue(newest=2)
    assert {found.look.game for found in queue.games} == set(names[-2:])
    assert {record.id for record in queue.stored} == set(names)
    assert [found.look.game for found in desk.queue(names[0], newest=2).games] == [names[0]]


def test_a_game_that_is_played_is_always_looked_at(store: Store, add_game: AddGame, desk: Desk) -> None:
    names = [add_game([{"kind": "dry", "at_ms": number}, *EVENT], f"game {number}") for number in range(3)]
    store.sittings.begin("table-1", names[0])
    assert {found.look.game for found in desk.queue(newest=1).games} == {names[0], names[2]}
    assert not desk.find(names[0]).look.is_final
    store.sittings.end(names[0])
    assert desk.find(names[0]).look.is_final


def test_few_games_are_kept_in_memory(monkeypatch: pytest.MonkeyPatch, add_game: AddGame, desk: Desk) -> None:
    monkeypatch.setattr("kemps_server.review.desk.MOST_KEPT", 1)
    names = [add_game([{"kind": "dry", "at_ms": number}, *EVENT], f"game {number}") for number in range(2)]
    first = desk.find(names[0])
    assert desk.find(names[0]).look is first.look
    desk.find(names[1])
    again = desk.find(names[0])
    assert again.look is not first.look
    assert again.incidents == first.incidents


def test_a_journal_with_a_decision_about_nothing_is_told_again_and_again(
    store: Store, add_game: AddGame, desk: Desk
) -> None:
    add_game()
    desk.find("thursday")
    store.games.journal("thursday").append_texts(
        ['{"kind":"dry","at_ms":60000}\n', '{"kind":"ruled","at_ms":60000,"event":3,"ruling":"right"}\n']
    )
    for _ in range(2):
        assert "a ruling is about a call" in desk.queue().troubles["thursday"]
