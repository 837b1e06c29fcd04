"""A game in other programs' formats, read back by readers that are not ours."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import av
import duckdb
import pytest
from av.subtitles.subtitle import AssSubtitle
from pympi import Eaf

from kemps_rules.errors import JournalError
from kemps_rules.journal import journal_of, parse_line
from kemps_server.errors import KempsServerError
from kemps_server.exports.csv_file import COLUMNS
from kemps_server.exports.formats import FORMATS, exported
from kemps_server.exports.material import Material, Recording, material_of
from kemps_server.games import find_game
from kemps_server.page.words import load_words

SAMPLES = sorted((Path(__file__).resolve().parents[2] / "samples/journals").glob("*.jsonl"))
VIDEO = Recording(Path("/videos/game one.mp4"), 30.0, 40_000)
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


def made(content: bytes, to: str, language: str = "en", recording: Recording | None = None) -> bytes:
    return exported(Material(content, load_words(language), "Thursday", recording), to)


def rows(content: bytes) -> list[dict[str, str]]:
    text = made(content, "csv").decode()
    return list(csv.DictReader(io.StringIO(text), strict=True))


@pytest.mark.parametrize("path", SAMPLES[::7], ids=lambda path: path.stem)
def test_jsonl_is_the_file_itself(path: Path) -> None:
    assert made(path.read_bytes(), "jsonl") == path.read_bytes()


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
    path.write_bytes(made(content, "vtt", language))
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


def test_parquet_is_read_by_duckdb_with_its_types(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "game.parquet"
    path.write_bytes(made(content, "parquet"))
    with duckdb.connect() as database:
        table = database.read_parquet(str(path))
        assert tuple(table.columns) == COLUMNS
        types = dict(zip(table.columns, map(str, table.types), strict=True))
        assert (types["at_ms"], types["confidence"], types["is_retracted"]) == ("BIGINT", "DOUBLE", "BOOLEAN")
        told = table.filter("kind = 'called'").project("line, seat, other, value, at_ms").fetchall()
        assert told == [(11, "C", None, "kemps", 23_250)]
        (count,) = table.aggregate("count(*)").fetchall()[0]
        assert count == len(rows(content))
        (header,) = database.execute(
            "SELECT value FROM parquet_kv_metadata(?) WHERE key = 'kemps.header'", [str(path)]
        ).fetchall()[0]
    assert json.loads(header)["seats"]["C"] == "Carla"


def test_parquet_and_csv_tell_the_same(content: bytes, tmp_path: Path) -> None:
    for to in ("parquet", "csv"):
        (tmp_path / f"game.{to}").write_bytes(made(content, to))
    with duckdb.connect() as database:
        parquet = database.read_parquet(str(tmp_path / "game.parquet"))
        kept = database.read_csv(str(tmp_path / "game.csv"))
        wanted = (
            "line, deal, at_ms, until_ms, kind, seat, other, cards, value, confidence, is_retracted, event"
        )
        assert parquet.project(wanted).fetchall() == kept.project(wanted).fetchall()


def test_without_its_library_parquet_says_what_to_install(
    content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(KempsServerError, match=r"pip install 'kemps\[parquet\]'"):
        made(content, "parquet")


def elan(content: bytes, tmp_path: Path, recording: Recording | None = None) -> Eaf:
    path = tmp_path / "game.eaf"
    path.write_bytes(made(content, "eaf", recording=recording))
    return Eaf(str(path))


def test_elan_tiers_are_read_by_pympi(content: bytes, tmp_path: Path) -> None:
    document = elan(content, tmp_path, recording=VIDEO)
    assert {"A cards", "A gestures", "A calls", "C calls", "table cards"} <= set(document.get_tier_names())
    assert document.get_annotation_data_for_tier("A gestures") == [(22_000, 22_400, "brow_raise")]
    assert document.get_annotation_data_for_tier("C calls") == [(23_250, 23_350, "kemps")]
    assert document.get_annotation_data_for_tier("A contacts") == [(20_000, 20_900, "over_table (B)")]
    assert document.get_annotation_data_for_tier("A calls")[0][2] == "hand_shown 9s 9h 9d 9c"
    assert document.get_parameters_for_tier("C calls")["PARTICIPANT"] == "Carla"
    media = document.get_linked_files()[0]
    assert (media["MEDIA_URL"], media["MIME_TYPE"]) == ("file:///videos/game%20one.mp4", "video/mp4")
    assert "C hidden" not in document.get_tier_names()  # a person took it out


def test_elan_annotations_of_a_tier_do_not_overlap(content: bytes, tmp_path: Path) -> None:
    smile = '{"kind":"gesture","at_ms":%d,"until_ms":%d,"seat":"A","gesture":"smile"}\n'
    more = "".join(smile % (at, at + 1_000) for at in range(21_000, 23_000, 300))
    document = elan(content + more.encode(), tmp_path)
    tiers = [name for name in document.get_tier_names() if name.startswith("A gestures")]
    assert len(tiers) > 2
    told = 0
    for tier in tiers:
        spans = sorted(document.get_annotation_data_for_tier(tier))
        told += len(spans)
        assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans))
    assert told == 8


def test_elan_holds_odd_names_and_signs_that_xml_cannot(game_text: str, hostile: str, tmp_path: Path) -> None:
    odd = json.dumps(f"{hostile} \x00\x0b")
    content = game_text.replace('"Carla"', odd) + '{"kind":"x\\u0001y","at_ms":9,"seat":"A"}\n'
    document = elan(content.encode(), tmp_path)
    assert document.get_parameters_for_tier("C calls")["PARTICIPANT"].startswith(hostile)
    assert (9, 109, "xy") in document.get_annotation_data_for_tier("A events 2")


# BORIS is a desktop program: what plays videos and sounds is left out, its reader is used as it is.
READ_BY_BORIS = """
import importlib.util, json, sys, types
from pathlib import Path
places = [Path(path) / "boris" for path in sys.path]
place = next(path for path in places if (path / "project_functions.py").exists())
package = types.ModuleType("boris")
package.__path__ = [str(place)]
player = types.ModuleType("mpv")
player.sofile, player.dll = "libmpv.so.1", ""
sys.modules.update({"boris": package, "boris.mpv": player, "boris.mpv2": player})
package.mpv = package.mpv2 = player
from boris import db_functions, project_functions
_, _, project, _ = project_functions.open_project_json(sys.argv[1])
check = project_functions.check_project_integrity
told = check(project, "hh:mm:ss", sys.argv[1], media_file_available=False)
names = [entry["name"] for entry in project["subjects_conf"].values()]
codes = [entry["code"] for entry in project["behaviors_conf"].values()]
_, _, database = db_functions.load_aggregated_events_in_db(
    project, [*names, "No focal subject"], list(project["observations"]), codes
)
rows = database.execute("SELECT subject, behavior, type, start, stop FROM aggregated_events").fetchall()
print(json.dumps({"told": told, "rows": [list(map(str, row)) for row in rows]}))
"""
OVERLAPPING = """
{"kind":"gesture","at_ms":22300,"until_ms":22900,"seat":"A","gesture":"brow_raise"}
{"kind":"gesture","at_ms":22950,"until_ms":22950,"seat":"A","gesture":"brow_raise"}
""".lstrip()


@pytest.mark.boris
@pytest.mark.parametrize("recording", [None, VIDEO])
def test_boris_finds_nothing_wrong_and_reads_the_spans(
    content: bytes, tmp_path: Path, recording: Recording | None
) -> None:
    path = tmp_path / "game.boris"
    path.write_bytes(made(content + OVERLAPPING.encode(), "boris", recording=recording))
    done = subprocess.run(
        [os.environ["KEMPS_BORIS"], "-c", READ_BY_BORIS, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )
    read = json.loads(done.stdout.splitlines()[-1])
    assert read["told"].replace("<br>", "") == ""
    spans = {(row[0], row[1], row[2], float(row[3]), float(row[4])) for row in read["rows"]}
    assert ("A Anna", "brow_raise", "STATE", 22.0, 22.9) in spans
    assert ("A Anna", "brow_raise", "STATE", 22.95, 22.95) in spans
    assert ("A Anna", "hands_touched", "STATE", 20.0, 20.9) in spans
    assert ("C Carla", "called", "POINT", 23.25, 23.25) in spans


@pytest.mark.parametrize("recording", [None, VIDEO])
def test_a_boris_project_pairs_what_lasts_and_names_all_it_uses(
    content: bytes, recording: Recording | None
) -> None:
    project = json.loads(made(content + OVERLAPPING.encode(), "boris", recording=recording))
    (observation,) = project["observations"].values()
    events = observation["events"]
    assert [event[0] for event in events] == sorted(event[0] for event in events)
    types = {entry["code"]: entry["type"] for entry in project["behaviors_conf"].values()}
    assert {event[2] for event in events} == set(types)
    assert {event[1] for event in events} <= {one["name"] for one in project["subjects_conf"].values()} | {""}
    lasting = Counter(tuple(event[1:3]) for event in events if types[event[2]] == "State event")
    assert lasting["A Anna", "brow_raise"] == 4
    assert all(count % 2 == 0 for count in lasting.values())
    assert observation["type"] == ("LIVE" if recording is None else "MEDIA")
    called = next(event for event in events if event[2] == "called")
    assert called[:5] == [23.25, "C Carla", "called", "", "kemps"]


@pytest.mark.parametrize("path", SAMPLES[::9], ids=lambda path: path.stem)
@pytest.mark.parametrize("to", ["parquet", "eaf", "boris", "vtt"])
def test_every_game_can_be_exported(path: Path, to: str) -> None:
    assert len(made(path.read_bytes(), to)) > 100


def test_the_recording_is_the_one_that_was_noted(write_game: Callable[..., Path]) -> None:
    folder = write_game()
    words = load_words("en")
    assert material_of(find_game(folder), words).recording is None
    known = '{"path": "/x/game.mp4", "fps": 29.97, "duration_ms": 61000}'
    odd = '{"path": "/x/game.mp4", "fps": "many", "duration_ms": null}'
    for note, recording in (
        (known, Recording(Path("/x/game.mp4"), 29.97, 61_000)),
        (odd, Recording(Path("/x/game.mp4"))),
        ('{"path": 5}', None),
        ("[]", None),
        ("{", None),
    ):
        (folder / "recording.json").write_text(note, encoding="utf-8")
        assert material_of(find_game(folder), words).recording == recording


def test_a_format_that_there_is_not_is_told() -> None:
    with pytest.raises(KempsServerError, match="--to docx: no such format; there are jsonl, csv,"):
        made(b"", "docx")


def test_the_document_tells_every_format() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs/data.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in text for name in FORMATS)


@pytest.mark.parametrize("to", list(FORMATS))
def test_what_is_no_journal_is_told_by_its_line(to: str) -> None:
    with pytest.raises(JournalError, match="line 1: not readable"):
        made(b"nonsense\n", to)
