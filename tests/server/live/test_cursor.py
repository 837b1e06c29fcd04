from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from kemps_rules.journal import format_event, read_journal
from kemps_server.live.cursor import Cursor, Note
from kemps_server.live.public_state import public_state
from kemps_server.live.staff_state import staff_state
from kemps_server.store.journals import Line

RIGHT = "R12-fair-right.jsonl"
SECRETS = {
    "gesture",
    "brow_raise",
    "hand_hidden",
    "packet_hidden",
    "hands_touched",
    "flags",
    "hands_at",
    "known",
}


def lines_of(path: Path) -> list[Line]:
    return [Line(number, format_event(event) + "\n") for number, event in read_journal(path).numbered]


def followed(lines: Iterable[Line]) -> Cursor:
    cursor = Cursor("thursday")
    for line in lines:
        cursor.take(line)
    return cursor


def notes_after(lines: list[Line], *more: str) -> list[Note]:
    cursor = followed(lines)
    for number, text in enumerate(more, len(lines)):
        cursor.take(Line(number, text))
    assert cursor.seen is not None
    return list(cursor.seen.notes.values())


@pytest.fixture
def right(journals: Path) -> list[Line]:
    return lines_of(journals / RIGHT)


def test_lines_taken_at_once_and_one_by_one_come_to_the_same(journals: Path) -> None:
    for path in sorted(journals.glob("*.jsonl")):
        lines = lines_of(path)
        one, other = followed(lines), Cursor("thursday")
        other.load(lines)
        assert one.seen is not None, path.name
        assert other.seen is not None, path.name
        told = staff_state(one.seen) | {"notes": {}}
        assert told == staff_state(other.seen), path.name


def test_the_public_is_told_a_right_call_with_its_letters_and_the_hand_laid_open(right: list[Line]) -> None:
    seen = followed(right).seen
    assert seen is not None
    state = public_state(seen)
    verdict = state["deals"]["1"]["verdict"]
    assert (verdict["call"], verdict["by"], verdict["ruling"]) == ("kemps", "C", "right")
    assert verdict["is_provisional"]
    assert state["pairs"]["BD"]["letters"] == "K"
    assert state["shown"] == {"A": ["9s", "9h", "9d", "9c"]}
    assert state["seats"]["A"] == {"name": "Player A", "pair": "AC"}
    assert state["words"]["stop"]["ru"] == "Стоп-Кемпс"


def test_no_public_state_of_any_sample_holds_what_is_secret(journals: Path) -> None:
    for path in sorted(journals.glob("*.jsonl")):
        cursor = Cursor("thursday")
        for line in lines_of(path):
            cursor.take(line)
            if cursor.seen is None:
                continue
            told = json.dumps(public_state(cursor.seen))
            assert not [word for word in SECRETS if f'"{word}"' in told], path.name


def test_only_the_public_members_are_there(right: list[Line]) -> None:
    seen = followed(right).seen
    assert seen is not None
    assert set(public_state(seen)) == {
        "game", "word", "scoring", "goal", "words", "seats", "pairs", "deal", "centre", "missing",
        "stock", "shown", "deals", "notes", "is_over", "is_closed",
    }  # fmt: skip


def test_what_the_ledger_knows_changes_nothing_for_the_public(right: list[Line]) -> None:
    """Gestures, reaches and hidden spans: the same bytes whether they happened or not."""
    cursor = followed(right[:6])
    assert cursor.seen is not None
    before = public_state(cursor.seen)
    secret = [
        '{"kind":"gesture","at_ms":39000,"until_ms":39400,"seat":"A","gesture":"wink_left","strength":0.9}',
        '{"kind":"hand_hidden","at_ms":39100,"until_ms":39900,"seat":"C"}',
        '{"kind":"hands_touched","at_ms":39100,"until_ms":39900,"seats":["A","C"],"where":"below_table"}',
        '{"kind":"card_passed","at_ms":39500,"from":"A","to":"C"}',
        '{"kind":"hand_reached","at_ms":39500,"until_ms":39600,"seat":"B","card":"2h"}',
        '{"kind":"card_touched","at_ms":39600,"seat":"B","card":"2h"}',
        '{"kind":"settled","at_ms":39700,"camera":"table"}',
        '{"kind":"not_measurable","at_ms":39700,"seat":"D","what":"eyes"}',
    ]
    for number, text in enumerate(secret, cursor.position):
        cursor.take(Line(number, text))
    assert cursor.seen is not None
    assert public_state(cursor.seen) == before
    assert staff_state(cursor.seen)["flags"]


def test_an_unread_card_is_told_as_one_that_was_not_read() -> None:
    cursor = followed(
        Line(number, text)
        for number, text in enumerate(
            [
                '{"kind":"game_opened","at_ms":0,"seats":{"A":"a","B":"b","C":"c","D":"d"}}',
                '{"kind":"centre_turned","at_ms":9,"cards":["9c","2h"],"unread":2}',
            ]
        )
    )
    assert cursor.seen is not None
    assert public_state(cursor.seen)["centre"] == ["9c", "2h", None, None]


def test_a_ruling_of_a_person_is_noted_with_what_stood_before(right: list[Line]) -> None:
    ruled = '{"kind":"ruled","at_ms":99000,"event":6,"ruling":"wrong","by":"Ida","why":"he spoke"}'
    assert notes_after(right, ruled) == [Note("verdict", 1, by_person=True, was="right", now="wrong")]


def test_a_ruling_that_is_taken_back_is_noted_too(right: list[Line]) -> None:
    ruled = '{"kind":"ruled","at_ms":99000,"event":6,"ruling":"wrong","by":"Ida","why":"he spoke"}'
    undone = '{"kind":"undone","at_ms":99100,"event":8,"by":"Ida","why":"he did not"}'
    assert [note.now for note in notes_after(right, ruled, undone)] == ["wrong", "right"]


def test_a_verdict_that_turns_when_more_is_seen_is_noted_as_the_observers(right: list[Line]) -> None:
    late = '{"kind":"card_laid","at_ms":41900,"seat":"A","card":"9d"}'
    again = '{"kind":"hand_shown","at_ms":46000,"seat":"A","cards":["9s","9h","2d","9c"],"unread":0}'
    notes = notes_after(right, late, again)
    assert notes
    assert {note.by_person for note in notes} == {False}


def test_the_first_verdict_on_a_call_is_no_correction(right: list[Line]) -> None:
    assert notes_after(right) == []


def test_a_corrected_centre_card_is_noted(right: list[Line]) -> None:
    cards = '{"cards":["9c","2h","5d","Jh"]}'
    corrected = f'{{"kind":"corrected","at_ms":20000,"event":2,"to":{cards},"by":"Ida","why":"glare"}}'
    assert notes_after(right[:5], corrected) == [Note("centre", 1, by_person=True)]


def test_neither_names_nor_reasons_of_those_who_decide_reach_the_public(right: list[Line]) -> None:
    ruled = '{"kind":"ruled","at_ms":99000,"event":6,"ruling":"wrong","by":"Ida","why":"she winked"}'
    cursor = followed([*right, Line(len(right), ruled)])
    assert cursor.seen is not None
    told = json.dumps(public_state(cursor.seen))
    assert "Ida" not in told
    assert "winked" not in told
    assert json.dumps(staff_state(cursor.seen)).count("winked")


def test_a_line_that_cannot_be_used_is_left_out_and_the_game_goes_on(right: list[Line]) -> None:
    bad = '{"kind":"ruled","at_ms":99000,"event":2,"ruling":"wrong","by":"Ida","why":"no call"}'
    cursor = Cursor("thursday")
    cursor.load([*right[:3], Line(3, bad), *(Line(line.number + 1, line.text) for line in right[3:])])
    assert cursor.problems == 1
    assert cursor.position == len(right) + 1
    assert cursor.seen is not None
    assert public_state(cursor.seen)["centre"] == ["2h", "5d", "Js", "Kc"]


def test_a_game_is_closed_until_somebody_takes_that_back(right: list[Line]) -> None:
    cursor = followed([*right, Line(len(right), '{"kind":"game_closed","at_ms":99000}')])
    assert cursor.seen is not None
    assert cursor.seen.is_closed
    text = f'{{"kind":"retracted","at_ms":99500,"event":{len(right)},"by":"Ida","why":"too soon"}}'
    cursor.take(Line(len(right) + 1, text))
    assert not cursor.seen.is_closed
