"""What the doctor measures in pictures, and what it makes of the figures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import TracebackType
from typing import Self

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kemps_models.registry import FOLDER
from kemps_rules.cards import DECK_52
from kemps_server.doctoring.advice import advise
from kemps_server.doctoring.cameras import camera_sources
from kemps_server.doctoring.card_sizes import Counts, SizeRow, SizeTable, size_table
from kemps_server.doctoring.examination import check_seats
from kemps_server.doctoring.findings import Finding, Level
from kemps_server.doctoring.installation import (
    check_landmarkers,
    check_opencv,
    check_packages,
    check_python,
    check_table,
    check_weights,
    list_cameras,
)
from kemps_server.doctoring.light import Light, measure_light
from kemps_server.doctoring.looks import ENOUGH, Look, Sighting, see
from kemps_server.doctoring.measures import Measures, measure
from kemps_server.doctoring.sharpness import blur_of
from kemps_server.errors import KempsServerError, WorkFailedError
from kemps_vision.cards.reading import CardReading, Pixels, Reading
from kemps_vision.frame import Frame, SourceInfo, SourceState
from kemps_vision.zones import TableConfig, TableZones, parse_config

TABLE = SizeTable(
    rows=(
        SizeRow(40.0, Counts(100, 30, 2), Counts(50, 35, 1)),
        SizeRow(80.0, Counts(100, 90, 0), Counts(50, 50, 0)),
        SizeRow(120.0, Counts(100, 99, 0), Counts(50, 50, 0)),
        SizeRow(180.0, Counts(100, 100, 0), Counts(50, 50, 0)),
        SizeRow(360.0, Counts(100, 80, 1), Counts(50, 45, 1)),
    ),
    watched_ms=3000,
    weights={},
)
STEADY = Light(burnt=0.1, dark=0.0, paper=220.0, contrast=160.0)


def quad_at(x: float, y: float, length: float) -> NDArray[np.float64]:
    """An upright card whose upper left corner is there."""
    width = length * 63 / 88
    return np.array([[x, y], [x + width, y], [x + width, y + length], [x, y + length]])


def reading_of(*quads: NDArray[np.float64], unread: int = 0) -> Reading:
    cards = tuple(
        CardReading(DECK_52[n], 0.99, quad, np.zeros(52), indices=()) for n, quad in enumerate(quads)
    )
    return Reading(cards, unread=unread, face_down=0, alphabet="international", ms=20.0)


def centre_of(length: float, x: float = 400.0) -> list[NDArray[np.float64]]:
    """Four cards in a row."""
    return [quad_at(x + n * length * 0.9, 300.0, length) for n in range(4)]


def look(*quads: NDArray[np.float64], unread: int = 0, light: Light = STEADY, blur_px: float = 0.4) -> Look:
    return Look(2000, reading_of(*quads, unread=unread), light, blur_px, 30.0)


def sighting(*looks: Look, fps: float = 15.0, levels: tuple[float, ...] = (100.0,) * 30) -> Sighting:
    info = SourceInfo(name="x", where="x", kind="file", width=1280, height=720, fps=fps)
    return Sighting(info, tuple(round(n * 1000 / fps) for n in range(30)), levels, looks)


def measured(*looks: Look, centre: bool = False, fps: float = 15.0) -> Measures:
    zones = TableZones(centre=((900, 0), (1200, 0), (1200, 200), (900, 200))) if centre else TableZones()
    return measure(sighting(*looks, fps=fps), zones)


def finding(found: list[Finding], about: str) -> Finding:
    return next(one for one in found if one.about == about)


# -- pictures -------------------------------------------------------------------------------------


def printed_card(blur_px: float = 0.0, size: int = 240) -> Pixels:
    """A white card of ``size`` px with black bars, on a grey table."""
    picture = np.full((size + 80, size + 80), 90, np.uint8)
    left, top, right, bottom = np.concatenate([quad_at(40, 40, size)[0], quad_at(40, 40, size)[2]]).astype(
        int
    )
    picture[top:bottom, left:right] = 230
    for bar in range(4):
        picture[top + 20 + 40 * bar : top + 30 + 40 * bar, left + 20 : right - 20] = 20
    soft = cv2.GaussianBlur(picture, (0, 0), blur_px) if blur_px else picture
    return np.dstack([soft] * 3)


@pytest.mark.parametrize("blur_px", [1.5, 2.0, 3.0])
def test_blur_is_measured_in_px_of_the_picture(blur_px: float) -> None:
    seen = blur_of(printed_card(blur_px), quad_at(40, 40, 240))
    assert seen == pytest.approx(blur_px, rel=0.35)


def test_a_sharp_card_has_next_to_no_blur_and_a_blank_one_has_no_figure() -> None:
    assert (blur_of(printed_card(), quad_at(40, 40, 240)) or 0.0) < 0.6
    assert blur_of(np.full((320, 320, 3), 200, np.uint8), quad_at(40, 40, 240)) is None
    assert blur_of(printed_card(), quad_at(900, 900, 240)) is None


def test_light_is_measured_on_the_cards_alone() -> None:
    light = measure_light(printed_card(), [quad_at(40, 40, 240)])
    assert light is not None
    assert light.paper == pytest.approx(230, abs=2)
    assert light.contrast == pytest.approx(210, abs=3)
    assert light.burnt == 0
    white = measure_light(np.full((320, 320, 3), 255, np.uint8), [quad_at(40, 40, 240)])
    assert white is not None
    assert white.burnt == 1
    assert measure_light(printed_card(), [quad_at(900, 900, 240)]) is None


# -- looks ----------------------------------------------------------------------------------------


class Clip:
    """A source of grey frames, ``fps`` a second."""

    def __init__(self, seconds: float, *, fps: float = 10.0, kind: str = "file") -> None:
        self.info = SourceInfo(name="clip", where="clip", kind=kind, width=640, height=360, fps=fps)
        self.state, self.dropped, self.skipped = SourceState.OPEN, 0, 0
        self.notes: tuple[str, ...] = ()
        self.lost_spans: tuple[tuple[int, int | None], ...] = ()
        self._frames = round(seconds * fps)

    def __iter__(self) -> Iterator[Frame]:
        pixels = np.full((360, 640, 3), 90, np.uint8)
        for n in range(self._frames):
            yield Frame("table", n, round(n * 1000 / self.info.fps), pixels)

    def close(self) -> None:
        self.state = SourceState.CLOSED

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Reader:
    """Finds four cards, from the ``begin``-th reading on."""

    def __init__(self, begin: int = 0) -> None:
        self.readings, self._begin = 0, begin

    def read(
        self, pixels: Pixels, *, card_length_px: float | None = None, alphabet: str | None = None
    ) -> Reading:
        assert pixels.shape == (360, 640, 3)
        assert alphabet is None
        self.readings += card_length_px is None
        return reading_of(*(centre_of(60, 100) if self.readings > self._begin else []))


def test_frames_are_timed_before_the_first_is_read() -> None:
    seen = see(Clip(30), Reader())
    assert len(seen.times_ms) == 21
    assert [one.at_ms for one in seen.looks] == list(range(2000, 2000 + 1000 * ENOUGH, 1000))


def test_a_table_that_is_empty_at_first_is_watched_until_cards_lie_there() -> None:
    seen = see(Clip(50), Reader(begin=20))
    assert len(seen.looks) == 20 + ENOUGH
    assert sum(bool(one.quads) for one in seen.looks) == ENOUGH


def test_a_camera_without_cards_is_given_up_soon_and_a_clip_of_a_moment_is_looked_at_once() -> None:
    assert see(Clip(60, kind="webcam"), Reader(begin=999)).looks[-1].at_ms <= 12_000
    assert len(see(Clip(0.5), Reader()).looks) == 1


# -- figures --------------------------------------------------------------------------------------


def test_the_width_of_the_view_follows_from_the_length_of_the_cards() -> None:
    cards = measured(look(*centre_of(110))).cards
    assert cards is not None
    assert cards.length_px == pytest.approx(110)
    assert cards.across_cm == pytest.approx(1280 / 110 * 8.8)
    assert cards.fill == pytest.approx(4 * 110 * 110 * 63 / 88 / (1280 * 720))


def test_the_frame_rate_is_measured_not_believed() -> None:
    assert measured(look(*centre_of(110)), fps=8.0).fps == pytest.approx(8, rel=0.01)


def test_a_row_of_four_is_found_as_the_centre() -> None:
    found = measured(look(*centre_of(110)), look(*centre_of(110)))
    assert found.centre is not None
    assert found.in_centre == 4
    assert measured(look(quad_at(100, 100, 110))).centre is None


def test_the_figures_are_plain_values_for_programs() -> None:
    told = json.loads(json.dumps(measured(look(*centre_of(110))).as_json()))
    assert told["cards"]["length_px"] == 110.0
    assert told["size"] == [1280, 720]


# -- what is made of them -------------------------------------------------------------------------


def test_good_cards_in_good_light_need_nothing() -> None:
    assert {one.level for one in advise(measured(look(*centre_of(150))), TABLE)} == {Level.OK}


def test_small_cards_are_told_with_what_was_measured_and_how_far_to_go_nearer() -> None:
    told = finding(advise(measured(look(*centre_of(42))), TABLE), "card size")
    assert told.level is Level.FIX
    assert "42 px long" in told.says
    assert "30 of 100 cards of 40 px were named in one look, 35 of 50 cards after 3 s" in told.says
    assert "2 wrongly in one look and 1 after that" in told.says
    assert "nearer" in told.todo
    assert "94 cm across" in told.todo  # 1280 px with cards of 120 px
    assert "not 268" in told.todo


def test_no_more_pixels_are_asked_for_than_read_well() -> None:
    table = replace(
        TABLE,
        rows=(SizeRow(60.0, Counts(100, 90, 0), Counts(50, 45, 0)), SizeRow(80.0, *[Counts(50, 50, 0)] * 2)),
    )
    spread = [quad_at(x, y, 60) for x in (5, 1230) for y in (5, 640)]
    told = finding(advise(measured(look(*spread)), table), "card size")
    assert "pictures 1800 px wide or more" in told.todo  # 1280 * 80 / 60 = 1707
    assert advise(measured(look(*centre_of(80))), table)[1].level is Level.OK


def test_cards_all_over_the_picture_cannot_come_nearer() -> None:
    spread = [quad_at(x, y, 45) for x in (5, 1230) for y in (5, 660)]
    told = finding(advise(measured(look(*spread)), TABLE), "card size")
    assert "pictures 3500 px wide or more" in told.todo


def test_cards_that_are_a_little_short_are_noted_only_and_too_long_ones_are_sent_away() -> None:
    assert finding(advise(measured(look(*centre_of(85))), TABLE), "card size").level is Level.NOTE
    told = finding(advise(measured(look(*centre_of(340, 10))), TABLE), "card size")
    assert told.level is Level.FIX
    assert "farther" in told.todo or "away" in told.todo


def test_small_indices_count_as_those_of_smaller_cards() -> None:
    figures = measured(look(*centre_of(150)))
    assert figures.cards is not None
    small = replace(figures, cards=replace(figures.cards, index_px=13.0))
    told = finding(advise(small, TABLE), "card size")
    assert "13 px high, as those of usual cards of 60 px" in told.says
    assert told.level is Level.FIX
    assert "38 cm across where the cards lie, not 75" in told.todo


def test_cards_that_are_seen_but_never_named_are_measured_all_the_same() -> None:
    seen = reading_of(*centre_of(45))
    nameless = replace(seen, cards=tuple(replace(card, card=None) for card in seen.cards), unread=4)
    told = advise(measured(Look(2000, nameless, STEADY, 0.4, 30.0)), TABLE)
    assert finding(told, "unread").level is Level.FIX
    assert "45 px long" in finding(told, "card size").says


def test_no_card_at_all_is_the_first_thing_to_put_right() -> None:
    told = advise(measured(look()), TABLE)
    assert finding(told, "cards").level is Level.FIX
    assert not any(one.about == "card size" for one in told)


@pytest.mark.parametrize(
    ("light", "level"),
    [
        (Light(0.0, 0.2, 35.0, 25.0), Level.FIX),
        (Light(0.0, 0.1, 70.0, 50.0), Level.NOTE),
        (Light(0.9, 0.0, 255.0, 150.0), Level.FIX),
        (Light(0.75, 0.0, 255.0, 150.0), Level.NOTE),
        (Light(0.0, 0.0, 230.0, 60.0), Level.FIX),
        (Light(0.0, 0.0, 230.0, 100.0), Level.NOTE),
        (STEADY, Level.OK),
    ],
)
def test_dark_burnt_and_pale_cards_are_told_apart_from_well_lit_ones(light: Light, level: Level) -> None:
    told = finding(advise(measured(look(*centre_of(150), light=light)), TABLE), "light")
    assert told.level is level
    assert bool(told.todo) is (level is not Level.OK)


def test_blur_counts_by_the_length_of_the_cards() -> None:
    small = advise(measured(look(*centre_of(85), blur_px=1.2)), TABLE)
    large = advise(measured(look(*centre_of(170, 10), blur_px=1.2)), TABLE)
    assert finding(small, "sharpness").level is Level.FIX
    assert finding(large, "sharpness").level is Level.OK


def test_flickering_light_slow_frames_and_unread_cards_are_told() -> None:
    swinging = replace(measured(look(*centre_of(150), unread=2)), flicker=0.08, fps=6.0)
    told = advise(swinging, TABLE)
    assert finding(told, "flicker").level is Level.NOTE
    assert finding(told, "picture").level is Level.FIX
    assert "2 of 6" in finding(told, "unread").says
    gap = replace(swinging, fps=15.0, longest_gap_ms=900)
    assert "900 ms" in finding(advise(gap, TABLE), "picture").says


def test_a_centre_told_where_no_card_lies_has_to_be_marked_again() -> None:
    assert finding(advise(measured(look(*centre_of(110)), centre=True), TABLE), "centre").level is Level.FIX


def test_seats_without_a_place_are_named() -> None:
    text = '[[seat]]\nid = "A"\nat = [1, 2]\n[[seat]]\nid = "B"\n[[seat]]\nid = "C"\n[[seat]]\nid = "D"\n'
    assert check_seats(parse_config(text)).says == "seats without a place: B, C, D"
    assert check_seats(TableConfig()).level is Level.NOTE


# -- card sizes -----------------------------------------------------------------------------------


def test_between_the_rows_of_the_table_shares_lie_between_theirs() -> None:
    between = TABLE.expected(100)
    assert 0.90 < between.one_look < 0.99
    assert TABLE.expected(10) == TABLE.expected(40)
    assert TABLE.expected(9999).watched == pytest.approx(0.9)
    assert TABLE.nearest(55).length_px == 40
    assert TABLE.good_px == (120.0, 180.0)
    assert TABLE.is_good(119)
    assert not TABLE.is_good(100)


def test_the_table_of_the_package_is_measured_and_larger_cards_read_better() -> None:
    table = size_table()
    assert len(table.rows) >= 6
    assert all(row.one_look.cards >= 15 and row.watched.cards >= 8 for row in table.rows)
    assert table.expected(120).one_look > table.expected(40).one_look
    low, high = table.good_px
    assert low < 120 <= high


def test_a_broken_table_is_one_line(tmp_path: Path) -> None:
    broken = tmp_path / "card_sizes.json"
    broken.write_text('{"rows": [{}]}')
    with pytest.raises(WorkFailedError, match="install kemps again"):
        size_table(broken)


# -- the installation -----------------------------------------------------------------------------


def version_of(name: str) -> str:
    there = {"numpy": "2.3.1", "av": "14.2", "opencv-python": "4.10.0"}
    if name not in there:
        raise PackageNotFoundError(name)
    return there[name]


def test_an_old_python_has_to_be_renewed() -> None:
    assert check_python((3, 10, 2)).level is Level.FIX
    assert check_python((3, 12, 0)).level is Level.OK


def test_missing_and_old_packages_are_named() -> None:
    told = check_packages(["numpy>=2.0", "av>=15", "rich>=13", 'ruff>=0.8 ; extra == "dev"'], version_of)
    assert told.level is Level.FIX
    assert told.says == "av 14.2 is older than 15, rich is missing"
    assert check_packages(["numpy>=2.0"], version_of).level is Level.OK


def test_a_second_opencv_is_to_be_uninstalled() -> None:
    told = check_opencv(version_of)
    assert told is not None
    assert "pip uninstall opencv-python," in told.todo


def test_changed_weights_are_noticed(tmp_path: Path) -> None:
    assert check_weights(FOLDER).level is Level.OK
    (tmp_path / "weights").mkdir()
    (tmp_path / "manifest.toml").write_bytes((FOLDER / "manifest.toml").read_bytes())
    for file in (FOLDER / "weights").glob("*.onnx"):
        (tmp_path / "weights" / file.name).write_bytes(file.read_bytes()[:-1])
    told = check_weights(tmp_path)
    assert told.level is Level.FIX
    assert "checksum" in told.says
    assert "install kemps again" in told.todo


def test_models_for_people_that_were_not_fetched_are_noted_with_what_to_run(tmp_path: Path) -> None:
    missing = check_landmarkers(tmp_path)
    (tmp_path / "face_landmarker.task").write_bytes(b"half")
    damaged = check_landmarkers(tmp_path)
    for finding in (missing, damaged):
        assert finding.level is Level.NOTE
        assert finding.todo == "run kemps models once while this machine is online"


def test_a_table_measured_with_other_weights_is_noted() -> None:
    told = check_table(TABLE)
    assert told is not None
    assert "kemps_server.bench.card_sizes" in told.todo


def test_cameras_are_listed_without_their_nodes_for_metadata(tmp_path: Path) -> None:
    devices = tmp_path / "video4linux"
    for number, (name, index) in enumerate([("Webcam C920", "0"), ("Webcam C920", "1"), ("Desk", "0")]):
        (devices / f"video{number}").mkdir(parents=True)
        (devices / f"video{number}" / "name").write_text(f"{name}\n")
        (devices / f"video{number}" / "index").write_text(f"{index}\n")
    assert list_cameras(devices).says == "0 (Webcam C920), 2 (Desk)"
    assert list_cameras(tmp_path / "none").level is Level.NOTE
    assert "kemps doctor 0" in list_cameras(tmp_path / "no" / "such").todo


# -- sources --------------------------------------------------------------------------------------


def test_sources_belong_to_cameras_in_order_by_name_or_by_the_configuration() -> None:
    table = parse_config(
        '[[camera]]\nname = "table"\nsource = "3"\n[[camera]]\nname = "faces"\nrole = "faces"\nsource = "4"\n'
    )

    def where(*sources: str) -> list[tuple[str, str]]:
        return [(camera.name, text) for camera, text in camera_sources(sources, table)]

    assert where() == [("table", "3"), ("faces", "4")]
    assert where("a.mp4") == [("table", "a.mp4"), ("faces", "4")]
    assert where("faces=b.mp4", "a.mp4") == [("table", "a.mp4"), ("faces", "b.mp4")]
    with pytest.raises(KempsServerError, match="one source too many"):
        where("a", "b", "c")
    with pytest.raises(KempsServerError, match="there is no camera 'left'"):
        where("left=a.mp4")
    with pytest.raises(KempsServerError, match="camera 'faces' has a source already"):
        where("faces=b.mp4", "faces=c.mp4")


def test_a_camera_of_any_name_takes_a_source_by_its_name() -> None:
    table = parse_config('[[camera]]\nname = "table"\n[[camera]]\nname = "faces 2"\nrole = "faces"\n')
    found = camera_sources(["faces 2=b.mp4", "a.mp4"], table)
    assert [(camera.name, where) for camera, where in found] == [("table", "a.mp4"), ("faces 2", "b.mp4")]


def test_without_a_configuration_each_source_is_a_camera_on_the_table() -> None:
    found = camera_sources(["0", "1"], TableConfig())
    assert [(camera.name, camera.role, where) for camera, where in found] == [
        ("table", "table", "0"),
        ("table 2", "table", "1"),
    ]
