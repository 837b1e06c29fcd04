"""Journals on disk: what is read, what is an error with its line, what survives a crash."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kemps_rules.errors import JournalError
from kemps_rules.events import KINDS, CardTaken, CentreSwept, Event, GameOpened, Ruled, UnknownEvent
from kemps_rules.journal import (
    JournalWriter,
    format_event,
    journal_of,
    parse_line,
    read_events,
    read_journal,
    whole_lines,
)
from kemps_rules.replay import judge

HEADER = (
    '{"kind":"game_opened","at_ms":0,"version":1,"rules":"leaflet",'
    '"seats":{"A":"Ann","B":"Bo","C":"Cy","D":"Di"}}'
)
SWEEP = '{"kind":"centre_swept","at_ms":30100,"seat":"A"}'
TAKE = '{"kind":"card_taken","at_ms":8400,"seat":"A","card":"9c"}'

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "journals"
DESIGN = (SAMPLES / "design.jsonl").read_text("utf-8").splitlines()


def write(tmp_path: Path, *lines: str, end: str = "\n") -> Path:
    path = tmp_path / "game.jsonl"
    path.write_text("\n".join(lines) + end, "utf-8")
    return path


@pytest.mark.parametrize("line", DESIGN, ids=lambda line: json.loads(line)["kind"])
def test_the_lines_of_the_design_are_read_and_written_as_they_stand(line: str) -> None:
    event = parse_line(line)
    assert json.loads(format_event(event)) | {"card": None} == json.loads(line) | {"card": None}
    assert parse_line(format_event(event)) == event


def text() -> st.SearchStrategy[str]:
    return st.text(max_size=12)


CARDS = st.sampled_from(["9s", "Td", "joker", "Ac"])
SEAT = st.sampled_from("ABCDEFGH")
COUNT = st.integers(0, 5000)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "seat": st.none() | SEAT,
    "dealer": st.none() | SEAT,
    "against": st.none() | SEAT,
    "from": st.none() | SEAT,
    "to": SEAT,
    "card": st.none() | CARDS,
    "cards": st.lists(CARDS, max_size=5),
    "unread": st.integers(0, 4),
    "face_down": st.integers(0, 4),
    "complete": st.booleans(),
    "first_sight": st.booleans(),
    "call": st.sampled_from(["kemps", "stop", "Кемпс"]),
    "why": text(),
    "by": text(),
    "camera": text(),
    "what": text(),
    "where": st.sampled_from(["centre", "body"]),
    "gesture": text(),
    "sign": text(),
    "strength": st.none() | st.floats(0, 1),
    "is_right": st.none() | st.booleans(),
    "seats": st.lists(SEAT, min_size=2, max_size=2),
    "event": COUNT,
    "ruling": st.sampled_from(["right", "wrong", "cannot_verify", "first"]),
    "decision": st.sampled_from(["confirm", "overturn", "dismiss", "hold", "reopen"]),
    "until_ms": st.integers(5000, 9000),
    "confidence": st.floats(0, 1),
    "uncertainty_ms": COUNT,
    "note": st.recursive(st.none() | st.booleans() | st.integers() | text(), st.lists, max_leaves=4),
}
OF_KIND: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "deal_ended": {"why": st.sampled_from(["call", "dry", "redeal", "voided", "open"])},
    "corrected": {"to": st.dictionaries(text(), text(), max_size=3)},
    "reviewed": {"target": st.fixed_dictionaries({"rule": text(), "events": st.lists(COUNT, max_size=3)})},
    "inserted": {"as": st.fixed_dictionaries({"kind": st.just("card_laid"), "at_ms": COUNT, "card": CARDS})},
    "game_opened": {"seats": st.just(dict.fromkeys("ABCD", "x")), "letters": st.just({"AC": "KE"})},
}


REQUIRED = {
    "centre_turned": ("cards",),
    "called": ("call",),
    "hand_shown": ("cards",),
    "gesture": ("gesture",),
    "hands_touched": ("seats",),
    "identities_swapped": ("seats",),
    "seat_changed": ("to",),
    "retracted": ("event",),
    "corrected": ("event",),
    "undone": ("event",),
    "ruled": ("event", "ruling"),
    "reviewed": ("decision",),
}


@given(st.sampled_from([*KINDS, "coffee_spilled"]), st.data())
def test_every_kind_survives_writing_and_reading(kind: str, data: st.DataObject) -> None:
    fields = FIELDS | OF_KIND.get(kind, {})
    row: dict[str, Any] = {"kind": kind, "at_ms": data.draw(COUNT)}
    needed = {name for name in fields if data.draw(st.booleans(), label=name)} | set(OF_KIND.get(kind, {}))
    row |= {name: data.draw(strategy) for name, strategy in fields.items() if name in needed}
    row |= {name: data.draw(fields[name]) for name in REQUIRED.get(kind, ())}
    event = parse_line(json.dumps(row))
    assert parse_line(format_event(event)) == event
    assert format_event(parse_line(format_event(event))) == format_event(event)
    assert "\n" not in format_event(event)


def test_an_unknown_kind_is_kept_with_all_its_fields() -> None:
    line = '{"kind":"coffee_spilled","at_ms":5,"cups":[1,{"big":null}],"seat":"Z"}'
    event = parse_line(line)
    assert isinstance(event, UnknownEvent)
    assert format_event(event) == line
    assert format_event(parse_line('{"kind":"x"}')) == '{"kind":"x"}'


def test_unknown_fields_of_a_known_kind_are_kept() -> None:
    line = '{"kind":"deal_started","at_ms":0,"dealer":null,"inferred":true}'
    assert format_event(parse_line(line)) == line


def test_blank_lines_windows_line_ends_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + HEADER.encode() + b"\r\n\r\n   \r\n" + SWEEP.encode() + b"\r\n\n")
    journal = read_journal(path)
    assert [type(event) for event in journal] == [GameOpened, CentreSwept]
    assert journal.lines == (0, 3)
    assert journal.warnings == ()


def test_blank_lines_count_for_the_numbers_that_events_are_known_by(tmp_path: Path) -> None:
    correction = '{"kind":"retracted","at_ms":9000,"event":2,"by":"ref"}'
    path = write(tmp_path, HEADER, "", TAKE, correction)
    assert judge(read_journal(path)).flags == ()


def test_a_last_line_without_its_end_is_read_when_it_is_whole(tmp_path: Path) -> None:
    assert len(read_journal(write(tmp_path, HEADER, SWEEP, end=""))) == 2


@pytest.mark.parametrize("cut", [1, 5, len(SWEEP) // 2, len(SWEEP) - 1])
def test_a_half_written_last_line_is_dropped_with_a_warning(tmp_path: Path, cut: int) -> None:
    journal = read_journal(write(tmp_path, HEADER, TAKE, SWEEP[:cut], end=""))
    assert [event.kind for event in journal] == ["game_opened", "card_taken"]
    assert journal.warnings == ("line 3: the last line was not written to its end and is left out",)


def test_a_last_line_cut_within_a_letter_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(HEADER.encode() + b"\n" + '{"kind":"note","text":"Ж'.encode()[:-1])
    assert len(read_journal(path).warnings) == 1


BROKEN = {
    "half a line that was ended": SWEEP[:20],
    "no json": "hello",
    "a list": "[1,2]",
    "a number": "7",
    "no kind": '{"at_ms":5}',
    "kind no text": '{"kind":7,"at_ms":5}',
    "time missing": '{"kind":"dry"}',
    "time negative": '{"kind":"dry","at_ms":-1}',
    "time a float": '{"kind":"dry","at_ms":5.0}',
    "time a text": '{"kind":"dry","at_ms":"5"}',
    "time a bool": '{"kind":"dry","at_ms":true}',
    "time null": '{"kind":"dry","at_ms":null}',
    "time beyond all clocks": '{"kind":"dry","at_ms":9223372036854775808}',
    "time with five thousand digits": '{"kind":"dry","at_ms":' + "9" * 5000 + "}",
    "until before at": '{"kind":"hand_hidden","at_ms":5,"until_ms":4,"seat":"A"}',
    "until of an unknown kind before at": '{"kind":"nap","at_ms":5,"until_ms":4}',
    "time of an unknown kind negative": '{"kind":"nap","at_ms":-5}',
    "confidence nan": '{"kind":"dry","at_ms":5,"confidence":NaN}',
    "confidence infinite": '{"kind":"dry","at_ms":5,"confidence":Infinity}',
    "confidence over one": '{"kind":"dry","at_ms":5,"confidence":1.01}',
    "confidence a bool": '{"kind":"dry","at_ms":5,"confidence":true}',
    "uncertainty negative": '{"kind":"dry","at_ms":5,"uncertainty_ms":-5}',
    "a card of no deck": '{"kind":"card_taken","at_ms":5,"seat":"A","card":"1x"}',
    "cards no list": '{"kind":"centre_turned","at_ms":5,"cards":"9c"}',
    "cards missing": '{"kind":"centre_turned","at_ms":5}',
    "card among cards null": '{"kind":"centre_turned","at_ms":5,"cards":[null]}',
    "a million unread": '{"kind":"centre_turned","at_ms":5,"cards":[],"unread":1000000}',
    "seat of no table": '{"kind":"card_taken","at_ms":5,"seat":"J","card":"9c"}',
    "seat of a larger table": '{"kind":"card_taken","at_ms":5,"seat":"E","card":"9c"}',
    "seat in lower case": '{"kind":"card_taken","at_ms":5,"seat":"a","card":"9c"}',
    "accused seat of a larger table": '{"kind":"called","at_ms":5,"seat":"A","call":"stop","against":"F"}',
    "seat in a list": '{"kind":"hands_touched","at_ms":5,"seats":["A","H"]}',
    "inserted seat": '{"kind":"inserted","at_ms":5,"as":{"kind":"card_laid","seat":"H","card":"9c"}}',
    "inserted nonsense": '{"kind":"inserted","at_ms":5,"as":{"kind":"card_laid","seat":"A","card":"99"}}',
    "inserted decision": '{"kind":"inserted","at_ms":5,"as":{"kind":"undone","event":0}}',
    "why of no deal": '{"kind":"deal_ended","at_ms":5,"why":"bored"}',
    "ruling of no court": '{"kind":"ruled","at_ms":5,"event":0,"ruling":"maybe"}',
    "decision of none": '{"kind":"reviewed","at_ms":5,"target":{"rule":"R1","events":[0]},"decision":"meh"}',
    "fewer at most than surely": (
        '{"kind":"hand_shown","at_ms":5,"seat":"A","unread":2,"unread_at_most":1,"complete":false}'
    ),
    "more at most and yet complete": '{"kind":"hand_shown","at_ms":5,"unread":1,"unread_at_most":2}',
    "complete no bool": '{"kind":"hand_shown","at_ms":5,"seat":"A","cards":[],"complete":1}',
    "second header": HEADER,
    "deep nesting": '{"kind":"x","at_ms":5,"y":' + "[" * 100_000 + "]" * 100_000 + "}",
}


@pytest.mark.parametrize("line", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_line_is_an_error_that_names_it(tmp_path: Path, line: str) -> None:
    with pytest.raises(JournalError, match=r"^line 3: ") as caught:
        read_journal(write(tmp_path, HEADER, TAKE, line, SWEEP))
    assert caught.value.line == 3
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text_name_their_line(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(HEADER.encode() + b'\n{"kind":"\xff","at_ms":1}\n' + SWEEP.encode() + b"\n")
    with pytest.raises(JournalError, match=r"line 2: .*UTF-8"):
        read_journal(path)


@pytest.mark.parametrize(
    "seats",
    [
        "{}",
        '{"A":"x"}',
        '{"A":"","B":"","C":"","D":"","E":""}',
        '{"A":"","B":"","C":"","X":""}',
        '["A","B","C","D"]',
    ],
)
def test_a_table_of_other_than_four_six_or_eight_is_an_error(tmp_path: Path, seats: str) -> None:
    with pytest.raises(JournalError, match=r"^line 1: "):
        read_journal(write(tmp_path, '{"kind":"game_opened","at_ms":0,"seats":' + seats + "}"))


def test_a_journal_without_header_and_one_from_the_future_are_errors(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="line 1: a journal begins with its header"):
        read_journal(write(tmp_path, SWEEP))
    with pytest.raises(JournalError, match="begins with its header"):
        read_journal(write(tmp_path, "", end=""))
    with pytest.raises(JournalError, match="line 1: journal version 2"):
        read_journal(write(tmp_path, HEADER.replace('"version":1', '"version":2')))
    with pytest.raises(JournalError, match="cannot read"):
        read_journal(tmp_path / "none.jsonl")
    with pytest.raises(JournalError, match="cannot read"):
        read_journal(tmp_path)


def test_a_list_of_calls_needs_no_header(tmp_path: Path) -> None:
    assert len(read_events(write(tmp_path, '{"kind":"called","at_ms":5,"seat":"C","call":"kemps"}'))) == 1


def take(at_ms: int) -> Event:
    return CardTaken(at_ms=at_ms, seat="A", card=None)


def test_a_writer_appends_and_gives_each_line_its_number(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with JournalWriter(path) as writer:
        assert [writer.append(parse_line(HEADER)), writer.append(take(5))] == [0, 1]
        assert len(read_journal(path)) == 2  # already on disk while the game goes on
    with JournalWriter(path) as writer:
        assert writer.append(take(6)) == 2
    assert [event.at_ms for event in read_journal(path)] == [0, 5, 6]
    with pytest.raises(JournalError, match="closed"):
        writer.append(take(7))


def test_a_writer_refuses_what_could_not_be_read_again(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with JournalWriter(path) as writer:
        writer.append(parse_line(HEADER))
        for bad in (
            take(-1),
            CardTaken(at_ms=5, seat="Q", card=None),
            CardTaken(at_ms=5, seat="A", card=None, confidence=float("nan")),
        ):
            with pytest.raises(JournalError, match="not written"):
                writer.append(bad)
        writer.append(take(5))
    assert len(read_journal(path)) == 2


def test_a_half_written_line_is_cut_off_before_more_is_written(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER, SWEEP[:20], end="")
    with JournalWriter(path) as writer:
        assert writer.append(take(5)) == 1
    assert [event.kind for event in read_journal(path)] == ["game_opened", "card_taken"]
    path = write(tmp_path, HEADER, SWEEP, end="")
    with JournalWriter(path) as writer:
        assert writer.append(take(5)) == 2
    assert len(read_journal(path)) == 3


def test_two_writers_of_one_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with JournalWriter(path), pytest.raises(JournalError, match="another process"):
        JournalWriter(path)
    with JournalWriter(path) as writer:
        writer.append(parse_line(HEADER))
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(JournalError, match="another process"):
            JournalWriter(path)


def test_a_folder_that_is_not_there_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="cannot write"):
        JournalWriter(tmp_path / "none" / "game.jsonl")


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.jsonl"
    real = os.write
    with JournalWriter(path) as writer:
        writer.append(parse_line(HEADER))
        monkeypatch.setattr(os, "write", lambda file, row: real(file, row[:7]))
        with pytest.raises(JournalError, match="disk is full"):
            writer.append(take(5))
        monkeypatch.setattr(os, "write", real)
        assert writer.append(take(6)) == 1
    assert [event.at_ms for event in read_journal(path)] == [0, 6]


WRITER = """
import sys
from kemps_rules.events import CardTaken, GameOpened
from kemps_rules.journal import JournalWriter
with JournalWriter(sys.argv[1]) as writer:
    writer.append(GameOpened(at_ms=0, seats=dict.fromkeys("ABCD", "x" * 200)))
    number = 0
    while True:
        number += 1
        writer.append(CardTaken(at_ms=number, seat="A", card=None))
        print(number, flush=True)
"""


def test_a_killed_writer_loses_at_most_the_line_it_was_writing(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    child = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    for _ in range(200):
        child.stdout.readline()
    time.sleep(0.02)
    os.kill(child.pid, signal.SIGKILL)
    told = [int(line) for line in child.stdout.read().split()]
    child.wait()
    child.stdout.close()
    journal = read_journal(path)
    kept = [event.at_ms for event in journal]
    assert kept == list(range(len(kept)))
    assert max(told, default=200) <= kept[-1] <= max(told, default=200) + 1
    with JournalWriter(path) as writer:  # the lock died with its owner
        assert writer.append(take(1)) == len(kept)


def test_half_a_character_is_an_error_and_a_whole_one_in_two_halves_is_read() -> None:
    line = '{"kind":"ruled","at_ms":1,"event":0,"ruling":"right","by":"%s"}'
    with pytest.raises(JournalError, match="line 8: half a character"):
        parse_line(line % "\\ud800", 7)
    event = parse_line(line % "\\ud83d\\ude00", 7)
    assert isinstance(event, Ruled)
    assert event.by == "\U0001f600"


def test_a_journal_in_memory_reads_as_its_file_does(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER, "", TAKE, SWEEP[:20], end="")
    content = path.read_bytes()
    assert journal_of(content) == read_journal(path)
    assert whole_lines(content) == f"{HEADER}\n\n{TAKE}\n".encode()
    assert whole_lines(whole_lines(content)) == whole_lines(content)
    assert whole_lines(f"\ufeff{HEADER}".encode()) == f"\ufeff{HEADER}".encode()
