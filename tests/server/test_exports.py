"""A game in other programs' formats, read back by readers that are not ours."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import av
import pytest
from av.subtitles.subtitle import AssSubtitle

from kemps_rules.journal import journal_of, parse_line
from kemps_server.errors import KempsServerError
from kemps_server.exports.csv_file import COLUMNS
from kemps_server.exports.formats import FORMATS, exported
from kemps_server.page.words import load_words

SAMPLES = sorted((Path(__file__).resolve().parents[2] / "samples/journals").glob("*.jsonl"))
EN = load_words("en")
PEOPLE = """
{"kind":"corrected","at_ms":31000,"event":2,"to":{"cards":["9c","2h","5d","Qs"]},"by":"ref","why":"glare"}
{"kind":"retracted","at_ms":32000,"event":7,"by":"=cmd|calc","why":"-2+3"}
{"kind":"reviewed","at_ms":33000,"target":{"rule":"R8","events":[3]},"decision":"dismiss","by":"","why":"no"}
{"kind":"hands_touched","at_ms":20000,"until_ms":20900,"seats":["A","B"],"where":"over_table","confidence":0.8}
{"kind":"card_passed","at_ms":21000,"from":"A","to":"C"}
{"kind":"sneezed","at_ms":21001,"seat":"B","loud":true}
""".lstrip()


@pytest.fixture
def content(game_text: str) -> bytes:
    return (game_text + PEOPLE).encode()


def rows(content: bytes) -> list[dict[str, str]]:
    text = exported(content, "csv", EN).decode()
    return list(csv.DictReader(io.StringIO(text), strict=True))


@pytest.mark.parametrize("path", SAMPLES[::7], ids=lambda path: path.stem)
def test_jsonl_is_the_file_itself(path: Path) -> None:
    assert exported(path.read_bytes(), "jsonl", EN) == path.read_bytes()


@pytest.mark.parametrize("path", SAMPLES[::5], ids=lambda path: path.stem)
def test_csv_has_each_event_in_the_order_of_time(path: Path) -> None:
    content = path.read_bytes()
    told = rows(content)
    assert sorted(int(row["line"]) for row in told) == list(journal_of(content).lines[1:])
    times = [int(row["at_ms"]) for row in told]
    assert times == sorted(times)
    for row in told:
        event = parse_line(row["event"])
        assert (event.kind, event.at_ms) == (row["kind"], int(row["at_ms"]))


def test_csv_tells_who_what_and_how_sure(content: bytes) -> None:
    told = {row["kind"]: row for row in rows(content)}
    assert tuple(told["called"]) == COLUMNS
    call = told["called"]
    assert [call[name] for name in ("seat", "other", "value", "uncertainty_ms", "deal")] == [
        "C",
        "",
        "kemps",
        "120",
        "1",
    ]
    touched = told["hands_touched"]
    assert [touched[name] for name in ("seat", "other", "value", "until_ms", "confidence")] == [
        "A",
        "B",
        "over_table",
        "20900",
        "0.8",
    ]
    assert (told["card_passed"]["seat"], told["card_passed"]["other"]) == ("A", "C")
    assert json.loads(told["sneezed"]["event"])["loud"] is True
    assert told["hand_shown"]["cards"] == "9s 9h 9d 9c"


def test_csv_shows_events_as_people_left_them(content: bytes) -> None:
    told = {int(row["line"]): row for row in rows(content)}
    assert told[2]["cards"] == "9c 2h 5d Qs"
    assert told[7]["is_retracted"] == "true"
    assert (told[16]["value"], told[16]["why"]) == ("dismiss", "no")


def test_csv_runs_nothing_in_a_spreadsheet(content: bytes) -> None:
    told = {int(row["line"]): row for row in rows(content)}
    assert (told[15]["by"], told[15]["why"]) == ("'=cmd|calc", "'-2+3")


def captions(content: bytes, language: str, tmp_path: Path) -> Iterator[tuple[int, int, str]]:
    """The cues as FFmpeg reads them: start and length in ms, and the text."""
    path = tmp_path / "game.vtt"
    path.write_bytes(exported(content, "vtt", load_words(language)))
    with av.open(str(path)) as file:
        stream = file.streams.subtitles[0]
        for packet in file.demux(stream):
            for cue in packet.decode():
                assert packet.pts is not None
                assert packet.duration is not None
                assert isinstance(cue, AssSubtitle)
                text = cue.ass.decode().split(",", 8)[8]
                yield packet.pts, packet.duration, text


def test_captions_are_read_by_ffmpeg_at_their_times(content: bytes, tmp_path: Path) -> None:
    cues = list(captions(content, "en", tmp_path))
    assert (23_250, 1_500, "Carla calls Kemps") in cues
    times = [at for at, _, _ in cues]
    assert times == sorted(times)
    hidden = [cue for cue in cues if cue[0] == 15_000]
    assert hidden == []  # a person took it out


def test_captions_last_as_long_as_what_they_tell(content: bytes, tmp_path: Path) -> None:
    longer = content + b'{"kind":"hand_hidden","at_ms":25000,"until_ms":29300,"seat":"B"}\n'
    assert (25_000, 4_300) in [(at, lasts) for at, lasts, _ in captions(longer, "en", tmp_path)]


@pytest.mark.parametrize("language", ["en", "ru", "pt", "fr", "es"])
def test_captions_speak_the_language(content: bytes, tmp_path: Path, language: str) -> None:
    texts = [text for _, _, text in captions(content, language, tmp_path)]
    assert len(texts) > 10
    assert all(texts)


def test_captions_show_odd_names_as_they_are(game_text: str, hostile: str, tmp_path: Path) -> None:
    content = game_text.replace('"Carla"', json.dumps(f"{hostile} -->")).encode()
    texts = [text for _, _, text in captions(content, "en", tmp_path)]
    assert any("<img src=x onerror=alert(1)>" in text for text in texts)
    assert len(texts) == len(list(captions(game_text.encode(), "en", tmp_path)))


def test_a_format_that_there_is_not_is_told() -> None:
    with pytest.raises(KempsServerError, match="--to docx: no such format; there are jsonl, csv, vtt"):
        exported(b"", "docx", EN)
    assert list(FORMATS) == ["jsonl", "csv", "vtt"]
