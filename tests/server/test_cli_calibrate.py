"""``kemps calibrate``: from pictures to a table.toml, and nothing lost on the way."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import cv2
import numpy as np
import pytest

from kemps_rules.cards import DECK_52
from kemps_server.cli import calibrate as command
from kemps_server.cli import main
from kemps_vision.calibration.record import load_record, record_path
from kemps_vision.cards.reading import CardReading, FaceDownCard, Pixels, Reading
from kemps_vision.frame import Image
from kemps_vision.people.face_search import FoundFace
from kemps_vision.people.landmarks import Box, FaceSpot
from kemps_vision.zones import TableConfig, load_config

Kemps = Callable[..., int]
CORNERS = np.array([[-0.36, -0.5], [0.36, -0.5], [0.36, 0.5], [-0.36, 0.5]])


class RowReader:
    """Finds four cards in a row in the middle, 100 px long, and a packet before the player on the left."""

    cards = 4

    def read(
        self, pixels: Pixels, *, card_length_px: float | None = None, alphabet: str | None = None
    ) -> Reading:
        del card_length_px, alphabet
        middle = np.array([pixels.shape[1], pixels.shape[0]]) / 2
        cards = tuple(
            CardReading(
                DECK_52[n], 0.99, middle + CORNERS * 100 + np.array([90 * (n - 1.5), 0]), np.zeros(52), ()
            )
            for n in range(self.cards)
        )
        packet = FaceDownCard(0.9, middle + CORNERS * 100 + np.array([-380, 120]))
        return Reading(cards, unread=0, face_down=1, alphabet="international", ms=5.0, backs=(packet,))


class NoCards(RowReader):
    """Finds none."""

    cards = 0


@pytest.fixture
def kemps(monkeypatch: pytest.MonkeyPatch) -> Kemps:
    """Runs ``kemps calibrate`` without networks and returns the exit code."""
    monkeypatch.setattr(command, "default_reader", lambda **_: RowReader())
    monkeypatch.setattr(command, "are_fetched", lambda: False)

    def run(*words: object) -> int:
        with pytest.raises(SystemExit) as left:
            main(["calibrate", *map(str, words)])
        assert isinstance(left.value.code, int)
        return left.value.code

    return run


@pytest.fixture
def stills(tmp_path: Path) -> Path:
    """Three pictures of a table with things on it."""
    folder = tmp_path / "stills"
    folder.mkdir()
    rng = np.random.default_rng(2)
    table = np.full((720, 1280, 3), (60, 110, 50), np.uint8)
    for x, y in rng.integers(20, (1240, 690), (70, 2)):
        cv2.circle(table, (int(x), int(y)), int(rng.integers(4, 18)), rng.integers(0, 255, 3).tolist(), -1)
    for n in range(3):
        cv2.imwrite(str(folder / f"{n}.png"), table)
    return folder


def test_what_is_found_is_a_configuration_with_centre_seats_and_words_how_sure(
    kemps: Kemps, stills: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, picture = tmp_path / "club" / "table.toml", tmp_path / "zones.png"
    assert kemps(stills, "--out", out, "--names", "Ann,Ben,Cleo,Dan", "--picture", picture) == 0
    config = load_config(out)
    zones = config.zones(1280, 720)
    assert config.table_camera.size == (1280, 720)
    assert config.table_camera.source is None  # a folder here is nowhere else
    assert zones.is_in_centre((640, 360))
    assert not zones.is_in_centre((640, 560))
    assert config.seat_names == {"A": "Ann", "B": "Ben", "C": "Cleo", "D": "Dan"}
    towards = [zones.seat_towards(point) for point in ((640, 600), (300, 360), (640, 100), (1000, 360))]
    assert towards == ["A", "B", "C", "D"]
    text = out.read_text(encoding="utf-8")
    assert "# round the 4 cards that lay there, 100 px long" in text
    assert text.count("nothing was seen of the player") == 3
    drawn = cv2.imread(str(picture))
    assert drawn is not None
    assert drawn.shape[0] > 720
    told = capsys.readouterr()
    assert "seats, clockwise: A not seen, B seen, C not seen, D not seen" in told.out
    assert "card size: cards are 100 px long" in told.out
    assert "run kemps models once" in told.err


def test_json_tells_all_of_it(
    kemps: Kemps, stills: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps(stills, "--out", tmp_path / "t.toml", "--seats", 6, "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["cards"] == 4
    assert answer["card_px"] == pytest.approx(100, abs=3)
    assert [seat["id"] for seat in answer["seats"]] == list("ABCDEF")
    assert [seat["seen"] for seat in answer["seats"]].count(True) == 1
    assert any("nothing was seen of" in note for note in answer["notes"])
    assert {"card size", "centre"} <= {finding["about"] for finding in answer["findings"]}


def test_a_file_that_is_there_stays_unless_asked_and_its_old_text_is_kept(
    kemps: Kemps, stills: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "table.toml"
    out.write_text("# mine\n", encoding="utf-8")
    assert kemps(stills, "--out", out) == 2
    assert "--update finds anew and keeps what a person wrote" in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == "# mine\n"
    assert kemps(stills, "--out", out, "--force") == 0
    assert (tmp_path / "table.toml.bak").read_text(encoding="utf-8") == "# mine\n"
    assert load_config(out).table_camera.centre is not None
    assert kemps(stills, "--out", out, "--force", "--update") == 2
    assert kemps(stills, "--out", tmp_path) == 2


def test_update_finds_anew_and_keeps_what_a_person_wrote(
    kemps: Kemps, stills: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "table.toml"
    assert kemps(stills, "--out", out) == 0
    found = load_config(out)
    text = out.read_text(encoding="utf-8").replace('"Player C"', '"Zoë"').replace("leaflet", "points")
    out.write_text(text.replace(f"at = {_at(found, 3)}", "at = [1300, 333]"), encoding="utf-8")
    assert kemps(stills, "--out", out, "--update", "--json") == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["kept"] == ["rules", "seat.C.name", "seat.D.at"]
    assert told["moved_px"] < 1
    config = load_config(out)
    assert (config.rules, config.seat_names["C"]) == ("points", "Zoë")
    assert config.seats[3].at == (1300.0, 333.0)
    assert config.table_camera.centre == found.table_camera.centre
    assert "kept as it was written; found:" in out.read_text(encoding="utf-8")


def test_update_to_a_smaller_table_leaves_out_the_seats_that_are_gone(
    kemps: Kemps, stills: Path, tmp_path: Path
) -> None:
    out = tmp_path / "table.toml"
    assert kemps(stills, "--out", out, "--seats", 6) == 0
    assert kemps(stills, "--out", out, "--update") == 0
    assert len(load_config(out).seats) == 6
    assert kemps(stills, "--out", out, "--update", "--seats", 4) == 0
    assert [seat.id for seat in load_config(out).seats] == list("ABCD")


def test_what_a_person_wrote_follows_a_camera_that_was_moved(
    kemps: Kemps, stills: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "table.toml"
    assert kemps(stills, "--out", out) == 0
    found = load_config(out)
    text = out.read_text(encoding="utf-8")
    out.write_text(text.replace(f"at = {_at(found, 3)}", "at = [1300, 333]"), encoding="utf-8")
    for still in stills.iterdir():
        picture = cv2.imread(str(still))
        assert picture is not None
        cv2.imwrite(str(still), np.roll(picture, (20, 12), (1, 0)))
    assert kemps(stills, "--out", out, "--update") == 0
    assert load_config(out).seats[3].at == (1320.0, 345.0)
    assert "the camera has moved by 23 px since it was last calibrated" in capsys.readouterr().out


def _at(config: TableConfig, seat: int) -> str:
    return str([round(value) for value in config.seats[seat].at or ()])


def test_the_record_beside_it_tells_how_the_camera_stands(kemps: Kemps, stills: Path, tmp_path: Path) -> None:
    out = tmp_path / "table.toml"
    assert kemps(stills, "--out", out) == 0
    record = load_record(record_path(out))
    assert record is not None
    assert len(record.cameras["table"].anchors) > 10
    assert record.cameras["table"].size == (1280, 720)


def test_without_cards_it_says_what_to_do_and_clicks_are_enough(
    kemps: Kemps,
    stills: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(command, "default_reader", lambda **_: NoCards())
    out = tmp_path / "table.toml"
    assert kemps(stills, "--out", out) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert "lay four cards face up side by side in the middle" in told
    assert not out.exists()
    assert kemps(stills, "--out", out, "--clicks", "400,300", "880,300", "880,420", "400,420") == 0
    config = load_config(out)
    assert config.table_camera.centre == ((400.0, 300.0), (880.0, 300.0), (880.0, 420.0), (400.0, 420.0))
    assert config.zones(1280, 720).seat_towards((640, 600)) == "A"
    assert "# the corners that were given\ncentre" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--clicks", "1,2", "3", "4,5", "6,7"), "give x,y in px"),
        (("--names", "Ann,Ben"), "--names gives 2"),
        (("--seats", "5"), "there are 5 seats"),
        (("--faces", "1"), "give NAME=SOURCE"),
        (("--first", "north"), "give x,y in px"),
        (("--picture", "zones.xyz"), "its ending should be .png or .jpg"),
        (("--picture", "/"), "is a folder; --picture names the picture"),
        (("--picture", "nowhere/zones.png"), "there is no such folder"),
    ],
)
def test_bad_words_are_one_line_and_nothing_is_written(
    kemps: Kemps,
    stills: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    says: str,
) -> None:
    out = tmp_path / "table.toml"
    assert kemps(stills, "--out", out, *words) == 2
    told = capsys.readouterr().err
    assert says in told
    assert told.count("\n") == 1
    assert not out.exists()


class _Closing:
    def __init__(self, **_: object) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


class TwoFaces:
    """Always sees two faces."""

    def __init__(self, *_: object) -> None:
        pass

    def read(self, pixels: Image) -> list[FoundFace]:
        del pixels
        points = np.zeros((6, 2), np.float32)
        return [FoundFace(FaceSpot(Box(x, 100, x + 90, 190), 0.9, points)) for x in (500, 100)]


def test_faces_of_a_second_camera_are_given_to_the_far_seats_as_a_guess(
    kemps: Kemps,
    stills: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(command, "FaceFinder", _Closing)
    monkeypatch.setattr(command, "FaceReader", _Closing)
    monkeypatch.setattr(command, "FaceSearch", TwoFaces)
    monkeypatch.setattr(command, "_clocks", lambda *_: {"players": (200, 40.0)})
    out = tmp_path / "table.toml"
    assert kemps(stills, "--out", out, "--faces", f"players={stills}") == 0
    config = load_config(out)
    assert [camera.name for camera in config.cameras] == ["table", "players"]
    boxes = {seat.id: seat.face_box for seat in config.seats if seat.face_box}
    assert len(boxes) == 2
    assert config.cameras[1].offset_ms == 200
    assert boxes["C"] is not None
    assert sorted(box[0] for box in boxes.values()) == [100.0, 500.0]
    assert "is a guess by the order from left to right" in out.read_text(encoding="utf-8")
    told = capsys.readouterr().out
    assert "(a guess)" in told
    assert "clock of players: it is 200 ms behind the table camera's" in told
