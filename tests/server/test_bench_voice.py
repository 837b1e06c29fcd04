"""``kemps bench voice``: what counts as heard, as wrong, as uncertain, and the folder it reads."""

from __future__ import annotations

import json
import wave
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from kemps_server.bench import voice as command
from kemps_server.bench.voice_folder import SoundFile, TrueCall, load_folder
from kemps_server.bench.voice_scores import Listened, voice_scores
from kemps_server.bench.voice_tables import BEGIN, END, markdown, plainly, put_into, voice_bars
from kemps_server.errors import KempsServerError
from kemps_vision.hearing.detector import Heard


def heard(call: str, at_ms: float, overlap: float = 0.0) -> Heard:
    return Heard(call, at_ms, 2.0, 40, overlap, reported_ms=at_ms + 1500)


def listened(
    set_: str,
    calls: Sequence[tuple[str, float]],
    told: Sequence[Heard],
    *,
    seconds: float = 60.0,
    origin: str = "synthetic",
    snr: str = "10",
) -> Listened:
    true = tuple(
        TrueCall(at, call, {"language": "en", "engine": "pico", "voice": "pico-en"}) for call, at in calls
    )
    return Listened(SoundFile(Path("a.wav"), set_, origin, true, snr, "music"), tuple(told), seconds, 0.3)


def test_a_call_is_found_missed_or_taken_for_the_other() -> None:
    one = listened(
        "calls",
        [("kemps", 1000), ("kemps", 5000), ("stop", 9000), ("kemps", 13000)],
        [heard("kemps", 1010), heard("stop", 9030), heard("stop", 13020), heard("kemps", 20000)],
    )
    group = voice_scores([one])["synthetic"]
    assert group["recall"]["10"]["all"]["share"] == 0.5
    assert group["recall"]["10"]["by"]["engine"]["pico"]["of"] == 4
    assert group["confusion"]["kemps"]["share"] == pytest.approx(1 / 3, abs=1e-3)
    assert group["confusion"]["stop"]["share"] == 0
    assert group["onsets"] == {"count": 2, "median_ms": 20.0, "p95_ms": 29.0, "within_uncertainty": 1.0}


def test_callers_by_lips_are_held_against_their_bars() -> None:
    report = voice_scores([listened("calls", [("kemps", 1000)], [heard("kemps", 1010)])])
    report["lips"] = {"others": {"still": {"right": 180, "nobody": 19, "wrong": 1}, "talk": {"nobody": 3}}}
    bars = {bar.what: bar for bar in voice_bars(report) if "lips" in bar.what}
    one = bars["caller by lips, one speaking: right or nobody"]
    assert (one.figure, one.verdict) == ("99.5% of 200", "met")
    assert bars["caller by lips, one speaking: right"].verdict == "met"
    assert bars["caller by lips, the others talk, too: right"].figure == "0.0% of 3"


def test_false_calls_an_hour_have_their_poisson_interval() -> None:
    alarms = voice_scores([listened("talk", [], [heard("kemps", 1), heard("stop", 2)], seconds=1800)])[
        "synthetic"
    ]["alarms"]
    assert alarms["talk"]["an_hour"] == 4
    assert alarms["talk"]["interval"] == [0.48, 14.45]
    assert alarms["talk"]["minutes"] == 30
    none = voice_scores([listened("noise", [], [], seconds=3600)])["synthetic"]["alarms"]["noise"]
    assert none["interval"] == [0.0, 3.69]


def test_two_callers_are_decided_right_wrong_uncertain_or_not_heard() -> None:
    calls = [("kemps", 1000.0), ("stop", 1400.0)] * 4
    times = [(call, at + 4000 * (place // 2)) for place, (call, at) in enumerate(calls)]
    told = [
        heard("kemps", 1010),
        heard("stop", 1410),
        heard("stop", 5400),
        heard("kemps", 9000, overlap=2.0),
    ]
    pairs = voice_scores([listened("two_callers", times, told)])["synthetic"]["two_callers"]["two_callers"]
    assert pairs == {"scenes": 4, "right": 0.25, "wrong": 0.25, "uncertain": 0.25, "nothing": 0.25}


def test_bars_are_met_missed_or_not_measured() -> None:
    report = voice_scores(
        [
            listened("calls", [("kemps", 1000.0)], [heard("kemps", 1010)], snr="20"),
            listened("calls", [("kemps", 1000.0)], [], snr="5"),
            listened("talk", [], [heard("kemps", 1)] * 3, seconds=3600),
            listened("noise", [], [], seconds=60),
        ]
    )
    verdicts = {bar.what: bar.verdict for bar in voice_bars(report)}
    assert verdicts["recall at 20 dB"] == "met"
    assert verdicts["recall at 10 dB"] == "not measured"
    assert verdicts["recall at 5 dB"] == "not met"
    assert verdicts["false calls an hour: ordinary talk"] == "not met"
    assert verdicts["false calls an hour: music, clatter, babble, noise"] == "not measured"
    assert verdicts["reported after the onset, at most"] == "met"


def test_the_report_says_plainly_that_no_player_is_in_it_and_keeps_players_apart() -> None:
    synthetic = listened("calls", [("kemps", 1000.0)], [heard("kemps", 1010)])
    assert "No call of a real player" in plainly(voice_scores([synthetic]))
    both = voice_scores([synthetic, listened("calls", [("stop", 1000.0)], [], origin="players", snr="")])
    assert both["players"]["recall"]["as recorded"]["all"]["share"] == 0
    assert both["synthetic"]["recall"]["10"]["all"]["share"] == 1
    assert plainly(both).startswith("1 calls are of real players")
    assert "### Recall, players voices" in markdown(both | {"weights": "abc"})


def test_tables_go_between_the_marks_of_a_document(tmp_path: Path) -> None:
    document = tmp_path / "benchmarks.md"
    document.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    put_into(document, voice_scores([listened("talk", [], [])]) | {"weights": "abc"})
    text = document.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    assert "≥ 0.95" in text


def wav(path: Path, seconds: float = 1.0) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(np.zeros(int(16000 * seconds), np.int16).tobytes())


def test_a_folder_of_players_needs_no_more_than_sounds_and_their_calls(tmp_path: Path) -> None:
    wav(tmp_path / "anna.wav")
    wav(tmp_path / "evening.wav")
    (tmp_path / "calls.csv").write_text(
        "file,at_ms,call,language\nanna.wav,900,stop,pt\nanna.wav,300.5,kemps,pt\n"
    )
    anna, evening = load_folder(tmp_path)
    assert (anna.set, anna.origin, evening.set) == ("calls", "players", "talk")
    assert [(call.at_ms, call.call, call.about["language"]) for call in anna.calls] == [
        (300.5, "kemps", "pt"),
        (900.0, "stop", "pt"),
    ]


@pytest.mark.parametrize(
    ("calls", "files", "said"),
    [
        (None, None, "there is no calls.csv"),
        ("file,at_ms,call\na.wav,soon,kemps\n", None, "row 2: needs file, at_ms"),
        ("file,at_ms,call\na.wav,10,bingo\n", None, "row 2: call must be kemps or stop"),
        ("file,at_ms,call\nb.wav,10,stop\n", None, "there is no file 'b.wav'"),
        ("file,at_ms,call\n", "file,set\na.wav,songs\n", "set 'songs', but must be one of"),
    ],
)
def test_a_folder_that_makes_no_sense_is_one_line(
    tmp_path: Path, calls: str | None, files: str | None, said: str
) -> None:
    wav(tmp_path / "a.wav")
    for name, text in (("calls.csv", calls), ("files.csv", files)):
        if text is not None:
            (tmp_path / name).write_text(text)
    with pytest.raises(KempsServerError, match=said) as caught:
        load_folder(tmp_path)
    assert "\n" not in str(caught.value)


def test_the_command_writes_its_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wav(tmp_path / "evening.wav", 3.0)
    (tmp_path / "calls.csv").write_text("file,at_ms,call\n")
    monkeypatch.setattr(command, "_listened", lambda file: Listened(file, (), 3.0, 0.01))
    monkeypatch.setattr(command, "_head", lambda _files: {"weights": "abc"})
    monkeypatch.setattr(command, "shipped_listener", lambda: None)
    assert command.voice(tmp_path, as_json=True, lips=0, out=tmp_path / "voice.json", docs=None) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((tmp_path / "voice.json").read_text())
    assert printed["players"]["alarms"]["talk"]["count"] == 0
    assert printed["players_calls"] == 0
