from __future__ import annotations

from pathlib import Path

import pytest

from kemps_rules.house import House
from kemps_server.called import TYPED_UNCERTAINTY_MS, late_calls, merged, read_calls, typed_call
from kemps_server.errors import KempsServerError

LEAFLET = House.preset("leaflet")


@pytest.mark.parametrize(
    ("text", "at_ms", "seat", "call", "against"),
    [
        ("41.25 C kemps", 41250, "C", "kemps", None),
        ("1:02.5 b STOP a", 62500, "B", "stop", "A"),
        ("1:00:00 D Stop Kemps", 3_600_000, "D", "stop", None),
        ("0 - Кемпс", 0, None, "kemps", None),
        ("7 A стоп-кемпс B", 7000, "A", "stop", "B"),
    ],
)
def test_words_on_the_command_line_are_calls(
    text: str, at_ms: int, seat: str | None, call: str, against: str | None
) -> None:
    got = typed_call(text, LEAFLET, "ABCD")
    assert (got.at_ms, got.seat, got.call, got.against) == (at_ms, seat, call, against)
    assert got.uncertainty_ms == TYPED_UNCERTAINTY_MS


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "write the second, the seat and the word"),
        ("41 C", "write the second, the seat and the word"),
        ("soon C kemps", "'soon' is no time"),
        ("-3 C kemps", "'-3' is no time"),
        ("99999999999999999999999 C kemps", "'99999999999999999999999' is no time"),
        ("41 C hello", "'hello' is no call at this table"),
        ("41 X kemps", "there is no seat 'X'"),
        ("4.2 A stop A", "A is of the caller's own pair A/C"),
        ("4.2 A stop C", "C is of the caller's own pair A/C"),
        ("41 E kemps", "there is no seat 'E' at this table of A B C D"),
        ("41 B kemps A", "A is no partner of B; a Kemps is about the partner's hand"),
    ],
)
def test_words_that_tell_no_call_are_refused(text: str, told: str) -> None:
    with pytest.raises(KempsServerError, match=told):
        typed_call(text, LEAFLET, "ABCD")


def test_a_file_of_calls_is_read_and_blank_lines_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text(
        '\n{"kind":"called","at_ms":900,"seat":"B","call":"stop","against":"A"}\n\n'
        '{"kind":"called","at_ms":100,"seat":null,"call":"kemps"}\n'
    )
    assert [call.at_ms for call in merged(read_calls(path, "ABCD"))] == [100, 900]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"kind":"called","at_ms":900', "line 1"),
        ('\n{"kind":"centre_swept","at_ms":3}', "line 2: a 'centre_swept' event is no call"),
        ('{"kind":"called","at_ms":-1,"seat":"A","call":"kemps"}', "line 1"),
        ('{"kind":"called","at_ms":1,"seat":"F","call":"kemps"}', "line 1: there is no seat 'F'"),
    ],
)
def test_a_line_that_is_no_call_is_named(tmp_path: Path, content: str, told: str) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text(content + "\n")
    with pytest.raises(KempsServerError, match=told):
        read_calls(path, "ABCD")


def test_a_stop_of_the_own_pair_that_was_heard_stays(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text('{"kind":"called","at_ms":900,"seat":"B","call":"stop","against":"D"}\n')
    assert [call.against for call in read_calls(path, "ABCD")] == ["D"]


def test_calls_beyond_the_end_are_told_in_one_line() -> None:
    calls = [typed_call(text, LEAFLET, "ABCD") for text in ("6.5 A kemps", "7 B kemps", "99:00 C kemps")]
    assert late_calls(calls[:1], 6500) == ()
    assert late_calls(calls, None) == ()
    (one,) = late_calls(calls[:2], 6500)
    assert one.startswith("the call at 7 s lies beyond the end of the recording (6.5 s)")
    (two,) = late_calls(calls, 6500)
    assert two.startswith("the calls at 7 s, 5940 s lie beyond")


def test_a_missing_file_of_calls_is_told(tmp_path: Path) -> None:
    with pytest.raises(KempsServerError, match="cannot be read"):
        read_calls(tmp_path / "calls.jsonl", "ABCD")
