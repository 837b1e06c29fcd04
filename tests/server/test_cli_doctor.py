"""``kemps doctor``: findings for people and programs, and exit codes that scripts can use."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from kemps_models.errors import WeightsError
from kemps_rules.cards import DECK_52
from kemps_server.cli import doctor as command
from kemps_server.cli import main
from kemps_vision.calibration.anchors import find_anchors, small_view
from kemps_vision.calibration.record import CalibrationRecord, CameraRecord, record_path, save_record
from kemps_vision.cards.reading import CardReading, Pixels, Reading

FRAMES = Path(__file__).resolve().parents[2] / "samples" / "frames"
Kemps = Callable[..., int]


class RowReader:
    """Finds four cards in a row, a tenth as long as the picture is wide."""

    def read(
        self, pixels: Pixels, *, card_length_px: float | None = None, alphabet: str | None = None
    ) -> Reading:
        assert alphabet is None
        length = card_length_px or pixels.shape[1] / 10
        corners = np.array([[0.0, 0.0], [0.7, 0.0], [0.7, 1.0], [0.0, 1.0]]) * length
        cards = tuple(
            CardReading(DECK_52[n], 0.99, corners + np.array([3 + n, 2]) * length, np.zeros(52), ())
            for n in range(4)
        )
        return Reading(cards, unread=0, face_down=0, alphabet="international", ms=10.0)


@pytest.fixture
def kemps() -> Kemps:
    """Runs ``kemps doctor`` and returns the exit code."""

    def run(*words: object) -> int:
        with pytest.raises(SystemExit) as left:
            main(["doctor", *map(str, words)])
        assert isinstance(left.value.code, int)
        return left.value.code

    return run


@pytest.fixture
def row_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readings without networks."""
    monkeypatch.setattr(command, "default_reader", lambda **_: RowReader())


def striped(path: Path, width: int) -> Path:
    """A still with sharp edges everywhere, as printed cards have."""
    stripes = np.where(np.arange(width) // 16 % 2, 220, 40).astype(np.uint8)
    picture = np.repeat(stripes[None], width * 9 // 16, axis=0)
    cv2.imwrite(str(path), np.dstack([picture] * 3))
    return path


def test_without_a_source_only_the_installation_is_looked_at(
    kemps: Kemps, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps() == 0
    told = capsys.readouterr().out
    assert told.startswith("installation\n")
    assert "checksums right" in told
    assert "nothing to put right" in told


def test_a_real_still_is_read_and_told_in_px_and_cm(kemps: Kemps, capsys: pytest.CaptureFixture[str]) -> None:
    assert kemps(FRAMES / "separate_1.jpg", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    (camera,) = answer["cameras"]
    cards = camera["measures"]["cards"]
    assert answer["fine"] is True
    assert 85 < cards["length_px"] < 130
    assert cards["across_cm"] == pytest.approx(1280 / cards["length_px"] * 8.8, rel=0.01)
    assert 15 < cards["index_px"] < 35
    assert 0.5 < camera["expected"]["one_look"] <= camera["expected"]["watched"] <= 1
    assert "card size" in {one["about"] for one in camera["findings"]}


@pytest.mark.usefixtures("row_reader")
def test_small_cards_make_the_exit_code_one_and_say_what_to_do(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kemps(striped(tmp_path / "table.png", 352)) == 1
    told = capsys.readouterr().out
    assert "FIX   card size: cards are 35 px long" in told
    assert "→" in told
    assert "1 to put right" in told


@pytest.mark.usefixtures("row_reader")
def test_a_folder_of_stills_and_a_source_in_the_configuration_are_looked_through(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stills = tmp_path / "stills"
    stills.mkdir()
    striped(stills / "1.png", 1280)
    striped(stills / "2.png", 1280)
    config = tmp_path / "table.toml"
    config.write_text(f'[[camera]]\nname = "above"\nsource = "{stills}"\n', encoding="utf-8")
    assert kemps("--config", config, "--json") == 0
    (camera,) = json.loads(capsys.readouterr().out)["cameras"]
    assert camera["name"] == "above"
    assert camera["measures"]["cards"]["looks"] == 2
    assert camera["measures"]["centre"] is not None


@pytest.mark.usefixtures("row_reader")
def test_a_camera_on_faces_is_not_asked_for_cards(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "table.toml"
    still = striped(tmp_path / "faces.png", 640)
    config.write_text(f'[[camera]]\nname = "f"\nrole = "faces"\nsource = "{still}"\n', encoding="utf-8")
    assert kemps("--config", config) == 0
    assert "card size" not in capsys.readouterr().out.partition("f: ")[2]


@pytest.mark.usefixtures("row_reader")
def test_a_camera_that_was_moved_since_its_calibration_is_told(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(1)
    table = np.full((720, 1280), 90, np.uint8)
    for x, y in rng.integers(20, (1240, 690), (80, 2)):
        cv2.circle(table, (int(x), int(y)), int(rng.integers(5, 20)), int(rng.integers(20, 240)), -1)
    config = tmp_path / "table.toml"
    config.write_text('[[camera]]\nname = "table"\n', encoding="utf-8")
    anchors = find_anchors([small_view(np.dstack([table] * 3))])
    record = CalibrationRecord({}, {"table": CameraRecord((1280, 720), anchors)})
    save_record(record_path(config), record)
    told = []
    for n, far in enumerate((0, 50)):
        still = tmp_path / f"{n}.png"
        cv2.imwrite(str(still), np.dstack([np.roll(table, far, 1)] * 3))
        kemps(still, "--config", config)
        told.append(capsys.readouterr().out)
    assert "ok    moved: the camera stands as it was calibrated" in told[0]
    assert "FIX   moved: the camera was moved by 50 px since it was calibrated" in told[1]
    assert "kemps calibrate --update" in told[1]


@pytest.mark.usefixtures("row_reader")
def test_a_record_that_is_broken_is_one_line(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "table.toml"
    config.write_text("", encoding="utf-8")
    record_path(config).write_text("?", encoding="utf-8")
    assert kemps("--config", config) == 2
    assert "is no record of a calibration" in capsys.readouterr().err


@pytest.mark.usefixtures("row_reader")
def test_a_source_that_is_not_there_is_one_line_and_the_others_are_still_told(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    still = striped(tmp_path / "table.png", 1280)
    assert kemps(tmp_path / "none.mp4", still) == 2
    told = capsys.readouterr()
    assert told.err.startswith("kemps doctor: ")
    assert told.err.count("\n") == 1
    assert "there is no such file" in told.err
    assert "card size" in told.out
    assert "1 not looked through" in told.out


@pytest.mark.usefixtures("row_reader")
def test_zones_of_another_shape_of_picture_are_bad_input(
    kemps: Kemps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    still = striped(tmp_path / "table.png", 1280)
    config = tmp_path / "table.toml"
    config.write_text("[[camera]]\nsize = [640, 640]\ncentre = [[0,0],[90,0],[90,90]]\n", encoding="utf-8")
    assert kemps(still, "--config", config) == 2
    assert "mark the zones again" in capsys.readouterr().err


def test_broken_weights_are_told_once_and_no_camera_is_looked_through(
    kemps: Kemps, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(**_: int) -> None:
        raise WeightsError("the weights are not there; install kemps again")

    monkeypatch.setattr(command, "default_reader", refuse)
    monkeypatch.setattr("kemps_server.doctoring.installation.FOLDER", tmp_path)
    assert kemps(FRAMES / "separate_1.jpg") == 1
    told = capsys.readouterr()
    assert "FIX   models:" in told.out
    assert told.err == ""
