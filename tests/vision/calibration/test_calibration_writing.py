"""The text of a table.toml: read back as meant, and with what a person wrote before."""

from __future__ import annotations

import tomllib
from typing import Any

from kemps_vision.calibration.writing import DraftTable, found_values, kept_values, merge, toml_text
from kemps_vision.zones import parse_config


def draft(at: list[int] | None = None, name: str = "Player A") -> list[DraftTable]:
    seats = [
        DraftTable(
            "seat", seat, {"id": seat, "name": name if seat == "A" else f"Player {seat}", "at": [n, 1]}
        )
        for n, seat in enumerate("ABCD")
    ]
    seats[0].values["at"] = at or [640, 800]
    seats[0].comments["at"] = "seen\nhere"
    seats[1].values["face"] = {"camera": "faces", "box": [1, 2, 30, 40]}
    return [
        DraftTable("", "", {"rules": "leaflet", "deck": "any"}),
        DraftTable(
            "camera", "table", {"name": "table", "size": [1280, 720], "centre": [[0, 0], [50, 0], [50, 50]]}
        ),
        DraftTable("camera", "faces", {"name": "faces", "role": "faces"}),
        *seats,
    ]


def test_the_text_is_read_back_as_it_was_meant() -> None:
    text = toml_text(draft(name='Zoë "Z" O\'Neil \\ König'))
    config = parse_config(text)
    assert config.seat_names["A"] == 'Zoë "Z" O\'Neil \\ König'
    assert config.table_camera.size == (1280, 720)
    assert config.seats[0].at == (640.0, 800.0)
    assert config.seats[1].face_box == (1.0, 2.0, 30.0, 40.0)
    assert "# seen\n# here\nat = [640, 800]" in text


def test_values_of_a_person_stay_and_found_ones_are_found_anew() -> None:
    first = draft()
    edited: dict[str, Any] = tomllib.loads(toml_text(first))
    edited["seat"][0]["name"] = "Ann"
    edited["rules"] = "points"
    kept = kept_values(edited, found_values(first))
    assert kept == {"rules": "points", "seat.A.name": "Ann"}
    merged = parse_config(toml_text(merge(draft(at=[600, 790]), edited, kept)))
    assert merged.rules == "points"
    assert merged.seat_names["A"] == "Ann"
    assert merged.seats[0].at == (600.0, 790.0)


def test_without_a_record_all_that_is_there_is_a_persons() -> None:
    old = tomllib.loads(toml_text(draft(at=[1, 1])))
    text = toml_text(merge(draft(at=[600, 790]), old, kept_values(old, {})))
    assert parse_config(text).seats[0].at == (1.0, 1.0)
    assert "kept as it was written; found: [600, 790]" in text


def test_tables_and_keys_that_only_the_older_file_has_stay() -> None:
    old = tomllib.loads(toml_text(draft()))
    old["camera"][0]["offset_ms"] = 40
    old["camera"].append({"name": "side", "role": "faces", "source": "2"})
    old["alphabet"] = "german"
    config = parse_config(toml_text(merge(draft(), old, kept_values(old, found_values(draft())))))
    assert config.alphabet == "german"
    assert config.table_camera.offset_ms == 40
    assert [camera.name for camera in config.cameras] == ["table", "faces", "side"]
    assert config.cameras[2].source == "2"
