"""``kemps bench cards``: the command over labelled photos and made-up hands."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from numpy.typing import NDArray
from PIL import Image

from kemps_rules.cards import Card
from kemps_server.bench import card_looks, card_sheet, card_speed
from kemps_server.bench import cards as command
from kemps_server.errors import KempsServerError
from kemps_vision.cards.classify import CROP_HEIGHT, CROP_WIDTH
from kemps_vision.cards.reading import CardReading, Pixels, Reading

COLUMNS = ("image", "cards", "layout", "source", "notes")


class ColourReader:
    """Reads a red picture as 9s Td, any other as 9s; notes the widths and the letters asked for."""

    def __init__(self) -> None:
        self.widths: list[int] = []
        self.alphabets: list[str] = []

    def read(
        self, pixels: Pixels, *, card_length_px: float | None = None, alphabet: str | None = None
    ) -> Reading:
        """A reading that depends on the picture's colour only."""
        assert card_length_px is None
        assert alphabet is None
        self.widths.append(pixels.shape[1])
        names = ["9s", "Td"] if pixels[0, 0, 0] > 150 else ["9s"]
        quad = np.array([[5.0, 5.0], [40.0, 5.0], [40.0, 60.0], [5.0, 60.0]])
        cards = tuple(CardReading(Card.parse(name), 0.9, quad, np.zeros(52), ()) for name in names)
        return Reading(cards, unread=0, face_down=0, alphabet="international", ms=5.0)


ROWS = [
    ("red.png", "9S 10D", "separate", "rd-pong/x", ""),
    ("green.png", "9S KD", "separate", "wmcnicho/y", ""),
    ("red2.png", "9S", "fan", "wmcnicho/y", "recall only: more are visible"),
    ("red3.png", "9S", "overlap", "AnimaNoProject/z", "GERMAN indices"),
]


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    folder = tmp_path / "photos"
    folder.mkdir()
    for number, (name, *_) in enumerate(ROWS):
        colour = (200 + number, 20, 20) if name.startswith("red") else (20, 90, 20)
        Image.new("RGB", (1600, 900), colour).save(folder / name)
    with (folder / "labels.csv").open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *ROWS])
    return folder


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ColourReader:
    reader = ColourReader()

    def opened(networks: tuple[Path, Path], alphabet: str) -> ColourReader:
        assert [path.name for path in networks] == ["cards_detector.onnx", "cards_classifier.onnx"]
        reader.alphabets.append(alphabet)
        return reader

    monkeypatch.setattr(card_looks, "reader_for", opened)
    monkeypatch.setattr(card_sheet, "reader_for", opened)
    monkeypatch.setenv("KEMPS_CACHE", str(tmp_path / "cache"))
    return reader


def bench_cards(*words: object) -> int:
    """Runs the command by itself, without the group's other commands; its exit code."""
    app = typer.Typer()
    app.command()(command.cards)
    code = app([str(word) for word in ("--fans", 0, "--jobs", 1, *words)], standalone_mode=False)
    assert isinstance(code, int)
    return code


def test_figures_are_given_by_layout_source_and_split_at_each_width(
    reader: ColourReader, photos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "reports" / "cards_photos.json"
    assert bench_cards("--data", photos, "--width", 0, "--width", 1280, "--json", "--out", out) == 0
    report = json.loads(capsys.readouterr().out)
    assert report == json.loads(out.read_text())
    assert reader.widths == [1600] * 6 + [1280] * 6
    assert reader.alphabets == [*["any"] * 4, "german", "international"] * 2
    assert set(report["weights"]) == {"cards_detector.onnx", "cards_classifier.onnx"}
    native = report["photos"]["native"]["groups"]
    assert native["all"]["cards"] == 5
    assert native["all"]["precision"] == 1.0
    assert native["all"]["recall"] == 0.8
    assert native["all"]["exact"] == pytest.approx(2 / 3, abs=1e-4)
    assert native["tuning sources"]["f1"] == 1.0
    assert native["reporting sources"]["missed"] == 1
    assert native["other letters"]["wrong"] == 1
    assert native["layout fan, up to 6 cards"]["photos"] == 1
    assert native["card length under 70 px, as read"]["photos"] == 3
    assert native["light dim"]["photos"] == 3
    assert "layout overlap" not in native
    assert report["photos"]["native"]["recall_by_colour"] == {"red": 0.5, "black": 1.0}
    error = report["photos"]["1280 px"]["errors"][0]
    assert error == {"image": "green.png", "missed": ["Kd"], "extra": [], "extra_scores": []}
    german = report["german"]["native"]
    assert german["groups"]["given"]["wrong"] == german["groups"]["each photo by itself"]["wrong"] == 1
    assert german["settled_after_photos"] is None


def test_bars_say_what_is_met_and_what_was_not_measured(
    reader: ColourReader, photos: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench_cards("--data", photos, "--json")
    verdicts = {bar["what"]: bar["verdict"] for bar in json.loads(capsys.readouterr().out)["bars"]}
    assert verdicts["single frame, separate cards: precision"] == "met"
    assert verdicts["single frame, separate cards: F1"] == "not met"
    assert verdicts["640x480 webcam singles, jumbo index: F1"] == "not measured"
    assert set(reader.widths) == {1600, 1280, 960}


def test_people_get_tables_that_fit(
    reader: ColourReader, photos: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench_cards("--data", photos, "--width", "640")
    out = capsys.readouterr().out
    assert reader.widths == [640] * 6
    assert "640 px" in out
    assert "reporting sources" in out
    assert "0.800" in out
    assert "not met" in out
    assert max(map(len, out.splitlines())) <= 80


def test_what_was_looked_at_is_not_looked_at_again(
    reader: ColourReader, photos: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench_cards("--data", photos, "--width", "640", "--json")
    first = json.loads(capsys.readouterr().out)
    bench_cards("--data", photos, "--width", "640", "--json")
    assert json.loads(capsys.readouterr().out) == first
    assert len(reader.widths) == 6
    Image.new("RGB", (1600, 900), (20, 90, 40)).save(photos / "red.png")
    bench_cards("--data", photos, "--width", "640", "--json")
    assert len(reader.widths) == 7


def test_pictures_with_errors_are_drawn_on_a_sheet(
    reader: ColourReader, photos: Path, tmp_path: Path
) -> None:
    sheet = tmp_path / "sheet.png"
    bench_cards("--data", photos, "--width", "0", "--width", "1280", "--sheet", sheet)
    assert reader.widths == [1600] * 6 + [1280] * 6 + [1600] * 2
    with Image.open(sheet) as picture:
        drawn = np.asarray(picture)
    assert drawn.shape == (520, 3 * 640, 3)
    assert drawn[:, :640].std() > 20  # the wrong photo
    assert drawn[:, 640:1280].std() > 20  # and the one with German letters
    assert drawn[:, 1280:].std() == 0  # the rest of the row is empty


@pytest.mark.usefixtures("reader")
def test_a_figure_that_fell_is_told_and_makes_the_command_fail(
    photos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "earlier.json"
    assert bench_cards("--data", photos, "--width", "640", "--out", out) == 0
    assert bench_cards("--data", photos, "--width", "640", "--compare", out) == 0
    earlier: dict[str, Any] = json.loads(out.read_text())
    earlier["photos"]["640 px"]["groups"]["all"]["recall"] = 0.9
    out.write_text(json.dumps(earlier))
    capsys.readouterr()
    assert bench_cards("--data", photos, "--width", "640", "--compare", out) == 1
    assert capsys.readouterr().err == "photos at 640 px, all: recall fell from 0.9000 to 0.8000\n"
    assert bench_cards("--data", photos, "--width", "640", "--compare", out, "--tolerance", 0.2) == 0


def test_made_up_hands_are_read_and_held_against_their_truth(
    reader: ColourReader, capsys: pytest.CaptureFixture[str]
) -> None:
    bench_cards("--fans", 2, "--json")
    rendered = json.loads(capsys.readouterr().out)["rendered"]
    assert reader.widths == [1280, 1280]
    assert rendered["seeds"] == [1, 2]
    assert rendered["groups"]["all"]["photos"] == 2
    assert rendered["groups"]["all"]["missed"] >= 3
    assert len(rendered["errors"]) == 2


@pytest.mark.parametrize("text", ["", "[]", "no report"])
def test_what_is_no_earlier_report_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "earlier.json"
    path.write_text(text)
    with pytest.raises(KempsServerError, match="is no report of kemps bench cards"):
        bench_cards("--compare", path)


def test_a_folder_without_the_networks_before_int8_is_told(photos: Path, tmp_path: Path) -> None:
    with pytest.raises(KempsServerError, match="--float names the folder"):
        bench_cards("--data", photos, "--width", "640", "--float", tmp_path)


def test_speed_is_told_for_the_centre_and_for_a_whole_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, ...]] = []

    def network(batch: NDArray[np.float32]) -> NDArray[np.float32]:
        seen.append(batch.shape)
        if batch.shape[2:] == (CROP_HEIGHT, CROP_WIDTH):
            return np.zeros((len(batch), 29), np.float32)
        return np.zeros((1, 16, batch.shape[2] // 4, batch.shape[3] // 4), np.float32)

    monkeypatch.setattr(card_speed, "open_networks", lambda **_: (network, network))
    speeds = card_speed.card_speeds(repeats=2)
    assert [(speed.width, speed.height, speed.crops) for speed in speeds] == [(640, 384, 8), (1280, 720, 16)]
    assert all(0 < speed.fastest_ms <= speed.find_ms + speed.classify_ms for speed in speeds)
    assert all(speed.cpu_ms > 0 for speed in speeds)
    assert {(1, 3, 384, 640), (1, 3, 720, 1280), (8, 3, 64, 40), (16, 3, 64, 40)} == set(seen)
