"""``kemps bench cards``: figures over labelled photos."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import typer
from numpy.typing import NDArray
from PIL import Image

from kemps_rules.cards import Card
from kemps_server.bench import card_speed
from kemps_server.bench import cards as command
from kemps_server.bench.card_photos import Photo, groups, load_photos, outcome, score, wilson
from kemps_server.errors import KempsServerError
from kemps_vision.cards.classify import CROP_HEIGHT, CROP_WIDTH
from kemps_vision.cards.reading import CardReading, Pixels, Reading

COLUMNS = ("image", "cards", "layout", "source", "notes")


class ColourReader:
    """Reads a red picture as 9s Td, any other as 9s; notes the widths."""

    def __init__(self) -> None:
        self.widths: list[int] = []

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
    ("green.png", "9S KD", "separate", "someone/y", ""),
    ("red2.png", "9S", "fan", "someone/y", "recall only: more are visible"),
    ("red3.png", "9S", "overlap", "AnimaNoProject/z", ""),
]


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    folder = tmp_path / "photos"
    folder.mkdir()
    for name, *_ in ROWS:
        Image.new("RGB", (1600, 900), (200, 20, 20) if name.startswith("red") else (20, 90, 20)).save(
            folder / name
        )
    with (folder / "labels.csv").open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *ROWS])
    return folder


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> ColourReader:
    reader = ColourReader()
    monkeypatch.setattr(command, "default_reader", lambda **_: reader)
    return reader


def bench_cards(*words: object) -> None:
    """Runs the command by itself, without the group's other commands."""
    app = typer.Typer()
    app.command()(command.cards)
    app([str(word) for word in words], standalone_mode=False)


def test_figures_are_given_by_layout_source_and_split_at_each_width(
    reader: ColourReader, photos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "reports" / "cards_photos.json"
    bench_cards("--data", photos, "--json", "--out", out)
    report = json.loads(capsys.readouterr().out)
    assert report == json.loads(out.read_text())
    assert reader.widths == [1600] * 4 + [1280] * 4
    assert set(report["weights"]) == {"cards_detector.onnx", "cards_classifier.onnx"}
    native = report["sizes"]["native"]
    assert native["all"]["cards"] == 5
    assert native["all"]["precision"] == 1.0
    assert native["all"]["recall"] == 0.8
    assert native["all"]["exact"] == pytest.approx(2 / 3, abs=1e-4)
    assert native["tuning sources"]["f1"] == 1.0
    assert native["reporting sources"]["missed"] == 1
    assert native["other letters"]["wrong"] == 1
    assert native["layout fan, up to 6 cards"]["photos"] == 1
    assert "layout overlap" not in native
    assert report["recall_by_colour"]["native"] == {"red": 0.5, "black": 1.0}
    assert report["errors"]["1280 px"][0] == {"image": "green.png", "missed": ["Kd"], "extra": []}


def test_people_get_a_table(reader: ColourReader, photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench_cards("--data", photos, "--width", "640")
    out = capsys.readouterr().out
    assert reader.widths == [640] * 4
    assert "640 px" in out
    assert "reporting sources" in out
    assert "0.800" in out
    assert max(map(len, out.splitlines())) <= 80


def test_photos_with_errors_are_drawn_on_a_sheet(reader: ColourReader, photos: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.png"
    bench_cards("--data", photos, "--width", "0", "--sheet", sheet)
    assert reader.widths == [1600] * 4
    with Image.open(sheet) as picture:
        drawn = np.asarray(picture)
    assert drawn.shape == (520, 3 * 640, 3)
    assert drawn[:, :640].std() > 20  # the one wrong photo
    assert drawn[:, 640:].std() == 0  # the rest of its row is empty


def test_without_data_it_says_what_to_give() -> None:
    with pytest.raises(KempsServerError, match="--data DIR"):
        bench_cards()


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        (None, "not there"),
        ("image,cards\na.png,9S\n", "lacks the columns layout, source"),
        ("image,cards,layout,source\na.png,1S,single,x\n", "line 2: '1S' is no card"),
    ],
)
def test_labels_that_cannot_be_used_are_told(tmp_path: Path, labels: str | None, reason: str) -> None:
    if labels is not None:
        (tmp_path / "labels.csv").write_text(labels)
    with pytest.raises(KempsServerError, match=reason):
        load_photos(tmp_path)


def test_labels_of_low_confidence_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text(
        "image,cards,layout,source,confidence\na.png,9S,single,x,low\nb.png,9S,single,x,high\n"
    )
    assert [photo.path.name for photo in load_photos(tmp_path)] == ["b.png"]


def a_photo(cards: str, *, is_recall_only: bool = False, source: str = "x") -> Photo:
    parsed = tuple(Card.parse(text) for text in cards.split())
    return Photo(Path("a.png"), parsed, "separate", source, is_recall_only)


def test_equal_cards_are_counted_not_just_named() -> None:
    twice = outcome(a_photo("9s 9s Kd"), [Card.parse("9s"), Card.parse("Kd")], 1.0)
    assert [str(card) for card in twice.missed] == ["9s"]
    thrice = outcome(a_photo("9s"), [Card.parse("9s")] * 3, 1.0)
    assert len(thrice.extra) == 2
    assert not thrice.is_exact


def test_nothing_is_extra_in_a_photo_that_counts_for_recall_alone() -> None:
    assert outcome(a_photo("9s", is_recall_only=True), [Card.parse("9s"), Card.parse("Kd")], 1.0).is_exact


def test_unread_cards_are_right_as_far_as_cards_were_missed() -> None:
    some = [outcome(a_photo("9s Kd"), [Card.parse("9s")], 1.0, unread=unread) for unread in (0, 1, 3)]
    assert (score(some).unread_right, score(some).unread_wrong) == (2, 2)


def test_intervals_hold_the_figure_and_narrow_with_more_photos() -> None:
    def figures(photos: int) -> tuple[float, float, float]:
        some = [outcome(a_photo("9s Kd"), [Card.parse("9s")] * (n % 2), 1.0) for n in range(photos)]
        result = score(some)
        return result.recall_95[0], result.recall, result.recall_95[1]

    few, many = figures(8), figures(400)
    assert few[0] < few[1] < few[2]
    assert many[2] - many[0] < few[2] - few[0]


def test_no_photos_have_no_figures() -> None:
    nothing = score([])
    assert (nothing.photos, nothing.f1, nothing.exact_95) == (0, 0.0, (0.0, 1.0))
    assert groups([]) == {}


def test_wilsons_interval_of_all_right_is_not_just_one() -> None:
    low, high = wilson(20, 20)
    assert low == pytest.approx(0.839, abs=0.001)
    assert high == 1.0


def test_speed_is_told_for_the_centre_and_for_a_whole_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, ...]] = []

    def network(batch: NDArray[np.float32]) -> NDArray[np.float32]:
        seen.append(batch.shape)
        if batch.shape[2:] == (CROP_HEIGHT, CROP_WIDTH):
            return np.zeros((len(batch), 18), np.float32)
        return np.zeros((1, 11, batch.shape[2] // 4, batch.shape[3] // 4), np.float32)

    monkeypatch.setattr(card_speed, "open_networks", lambda **_: (network, network))
    speeds = card_speed.card_speeds(repeats=2)
    assert [(speed.width, speed.height, speed.crops) for speed in speeds] == [(640, 384, 8), (1280, 720, 16)]
    assert all(0 < speed.fastest_ms <= speed.find_ms + speed.classify_ms for speed in speeds)
    assert all(speed.cpu_ms > 0 for speed in speeds)
    assert {(1, 3, 384, 640), (1, 3, 720, 1280), (8, 3, 64, 40), (16, 3, 64, 40)} == set(seen)
