"""The list of used frames, line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from kemps_rules.events import Called
from kemps_vision.errors import SourceError
from kemps_vision.sources.frames_index import (
    HEADER,
    End,
    Entry,
    Gap,
    Made,
    Used,
    Withdrawn,
    read_frames_index,
)

ENTRIES: list[Entry] = [
    Used("table", 0),
    Used("the left one #2", 12),
    Gap("the left one #2", 1200, 4600),
    Made(Called(at_ms=5000, seat="C", call="kemps")),
    Withdrawn(Called(at_ms=5000, seat="C", call="kemps")),
    Used("end", 5066),
    End(5100),
]


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    rows = "".join(f"{entry.line()}\n" for entry in ENTRIES)
    assert list(read_frames_index(written(tmp_path / "f", f"{HEADER}\n{rows}"))) == ENTRIES


def test_a_last_line_that_was_not_finished_is_left_out(tmp_path: Path) -> None:
    path = written(tmp_path / "f", f"{HEADER}\ntable 0\ntable 6")
    assert list(read_frames_index(path)) == [Used("table", 0)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no list of used frames"),
        ("kemps-frames 2\n", "no list of used frames of this version"),
        (f"{HEADER}\ntable 0\ntable\n", "line 3: makes no sense: 'table'"),
        (f"{HEADER}\ntable x\n", "line 2"),
        (f"{HEADER}\n#gap table 5\n", "line 2"),
        (f'{HEADER}\n#call {{"kind":"dry","at_ms":1}}\n', "line 2"),
    ],
)
def test_what_makes_no_sense_is_told_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(SourceError, match=told):
        list(read_frames_index(written(tmp_path / "f", text)))


def test_a_list_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        list(read_frames_index(tmp_path / "f"))
