from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kemps_vision.centre_finding import find_centre
from kemps_vision.errors import ConfigError
from kemps_vision.zones import TableConfig, load_config, parse_config

WHOLE = """
rules = "leaflet"
deck = "any"
alphabet = "international"
[[camera]]
name = "table"
role = "table"
size = [1280, 720]
source = "0"
offset_ms = 0
centre = [[500,260],[780,260],[780,460],[500,460]]
[[camera]]
name = "faces"
role = "faces"
[[seat]]
id = "A"
name = "Ada"
at = [640, 900]
face = { camera = "faces", box = [100, 80, 300, 300] }
[[seat]]
id = "B"
at = [-100, 360]
[[seat]]
id = "C"
at = [640, -100]
[[seat]]
id = "D"
at = [1400, 360]
"""


def test_the_example_of_the_design_loads(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(WHOLE)
    config = load_config(tmp_path / "table.toml")
    assert config.table_camera.name == "table"
    assert config.seat_names == {"A": "Ada", "B": "Player B", "C": "Player C", "D": "Player D"}
    assert config.seats[0].face_box == (100.0, 80.0, 300.0, 300.0)
    zones = config.zones(1280, 720)
    assert zones.middle == (640.0, 360.0)
    assert zones.is_in_centre((510, 270))
    assert not zones.is_in_centre((490, 270))


def test_zones_are_scaled_to_the_pictures() -> None:
    zones = parse_config(WHOLE).zones(1920, 1080)
    assert zones.middle == (960.0, 540.0)
    assert zones.seats["A"] == (960.0, 1350.0)


def test_pictures_of_another_shape_are_refused() -> None:
    with pytest.raises(ConfigError, match="1280x720, but these are 720x1280: another shape"):
        parse_config(WHOLE).zones(720, 1280)


def test_everything_is_optional() -> None:
    assert parse_config("") == TableConfig()
    zones = parse_config("").zones(640, 480)
    assert zones.centre is None
    assert not zones.is_in_centre((1, 1))
    assert zones.seat_towards((1, 1)) is None
    assert sorted(parse_config("").seat_names) == ["A", "B", "C", "D"]


def test_a_point_belongs_to_the_seat_in_its_direction() -> None:
    zones = parse_config(WHOLE).zones(1280, 720)
    assert [zones.seat_towards(point) for point in ((650, 600), (200, 350), (640, 10), (1000, 380))] == list(
        "ABCD"
    )
    assert zones.seat_towards((640 - 300, 360 + 305)) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("deck = 3", "deck is a text in quotes"),
        ("decks = 'any'", "unknown key 'decks'; known are rules, deck"),
        ("alphabet = 'greek'", "alphabet is one of any, international, french, german"),
        ("[camera]\nname = 'x'", r"camera is written \[\[camera\]\]"),
        ("[[camera]]\nnam = 'x'", "camera 1: unknown key 'nam'"),
        ("[[camera]]\nrole = 'sound'", "camera 1: role is one of table, faces"),
        ("[[camera]]\nsize = [0, 720]", "size is the pictures' width and height"),
        ("[[camera]]\nsize = [1280]", "size is made of lists of 2 numbers"),
        ("[[camera]]\noffset_ms = 1.5", "offset_ms is a whole number"),
        ("[[camera]]\noffset_ms = 100000000000", "offset_ms is by how many ms .* at most 3600000"),
        ("[[camera]]\ncentre = [[1,2],[3,4]]", "centre is no area"),
        ("[[camera]]\ncentre = [[0,0],[100,100],[100,0],[0,100]]", "centre is no area|crosses itself"),
        ("[[camera]]\ncentre = [[0,0],[300,200],[300,0],[0,100]]", "crosses itself"),
        ("[[camera]]\ncentre = [[0,0],[9,'a'],[5,5]]", "centre is made of lists of 2 numbers"),
        ("[[camera]]\ncentre = [[0,0],[nan,1],[5,5]]", "centre is made of lists of 2 numbers"),
        ("[[camera]]\n[[camera]]", "camera 'table' is given twice"),
        ("[[seat]]\nid = 'Z'", "id is one letter from A to H"),
        ("[[seat]]\nid = 'A'\n[[seat]]\nid = 'A'", "seat A is given twice"),
        ("[[seat]]\nid = 'A'\n[[seat]]\nid = 'B'", "seats A B; give 4, 6 or 8"),
        ("[[seat]]\nid = 'A'\nat = [1, true]", "at is made of lists of 2 numbers"),
        ("rules = ", "is no TOML"),
    ],
)
def test_what_is_wrong_is_named(text: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told) as caught:
        parse_config(text)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("table.toml: ")


def test_a_face_camera_must_exist() -> None:
    with pytest.raises(ConfigError, match="seat A: there is no camera 'faces'"):
        parse_config(WHOLE.replace('name = "faces"', 'name = "people"'))


def test_a_missing_or_unreadable_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: no such file"):
        load_config(tmp_path / "table.toml")
    (tmp_path / "table.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="no UTF-8"):
        load_config(tmp_path / "table.toml")


def card(x: float, y: float, length: float = 100) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    width = length * 63 / 88
    return np.array([[x, y], [x + width, y], [x + width, y + length], [x, y + length]], np.float64)


def test_the_centre_is_the_group_of_four() -> None:
    four = [card(500 + 80 * i, 300) for i in range(4)]
    others = [card(900 + 20 * i, 600) for i in range(2)] + [card(50, 50)]
    outline = find_centre([*others, *four], (1280, 720))
    assert outline is not None
    found = TableConfig().zones(1280, 720).with_centre(outline)
    assert all(found.is_in_centre(quad.mean(axis=0)) for quad in four)
    assert not any(found.is_in_centre(quad.mean(axis=0)) for quad in others)


def test_two_cards_make_no_centre() -> None:
    assert find_centre([card(500, 300), card(580, 300)], (1280, 720)) is None


def test_face_boxes_are_scaled_to_the_pictures_of_their_camera() -> None:
    table = parse_config(
        '[[camera]]\nname = "front"\nrole = "faces"\nsize = [1280, 720]\n'
        '[[seat]]\nid = "A"\nface = { camera = "front", box = [100, 80, 300, 200] }\n'
        + "".join(f'[[seat]]\nid = "{seat}"\n' for seat in "BCD")
    )
    assert table.face_boxes(table.cameras[0], 640, 360) == {"A": (50, 40, 200, 140)}


def test_a_face_box_outside_the_pictures_is_refused() -> None:
    table = parse_config(
        '[[camera]]\n[[camera]]\nname = "faces"\nrole = "faces"\n'
        + "".join(f'[[seat]]\nid = "{seat}"\n' for seat in "ABC")
        + '[[seat]]\nid = "D"\nface = {camera = "faces", box = [1300, 20, 200, 200]}\n'
    )
    with pytest.raises(ConfigError, match=r"seat D: its face box lies outside .*1280x720"):
        table.face_boxes(table.cameras[1], 1280, 720)


@pytest.mark.parametrize("box", ["[100, 80, 0, 200]", "[100, 80, 300, -1]"])
def test_a_face_box_without_a_size_is_refused(box: str) -> None:
    seats = f'[[seat]]\nid = "A"\nface = {{ box = {box} }}\n'
    with pytest.raises(ConfigError, match="x, y, width and height"):
        parse_config(seats + "".join(f'[[seat]]\nid = "{seat}"\n' for seat in "BCD"))
