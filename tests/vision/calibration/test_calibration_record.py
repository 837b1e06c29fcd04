"""What lies beside a table.toml that was found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kemps_vision.calibration.anchors import find_anchors, small_view
from kemps_vision.calibration.record import (
    CalibrationRecord,
    CameraRecord,
    load_record,
    record_path,
    save_record,
)
from kemps_vision.errors import CalibrationError

if TYPE_CHECKING:
    from tests.vision.calibration.conftest import NudgedView


def test_a_record_is_read_as_it_was_written(nudged: NudgedView, tmp_path: Path) -> None:
    anchors = find_anchors([small_view(nudged.seen())], most=5)
    record = CalibrationRecord(
        {"camera.table.centre": [[1, 2], [3, 4]], "seat.A.name": "Zoë"},
        {"table": CameraRecord((1280, 720), anchors)},
    )
    path = record_path(tmp_path / "table.toml")
    save_record(path, record)
    again = load_record(path)
    assert again is not None
    assert path.name == "table.calibration.json"
    assert dict(again.found) == dict(record.found)
    assert again.cameras["table"].size == (1280, 720)
    assert np.array_equal(again.cameras["table"].anchors.patches, anchors.patches)


def test_a_record_is_for_pictures_of_its_shape(nudged: NudgedView) -> None:
    anchors = find_anchors([small_view(nudged.seen())], most=5)
    stood = CameraRecord((1280, 720), anchors)
    assert stood.anchors_for(1280, 720) is stood.anchors_for(1920, 1080) is anchors
    assert stood.anchors_for(640, 480) is None


def test_no_record_is_none(tmp_path: Path) -> None:
    assert load_record(tmp_path / "none.json") is None


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 9}', '{"version": 1, "found": {}, "cameras": {"table": {}}}']
)
def test_something_else_is_one_line_that_says_what_to_do(tmp_path: Path, text: str) -> None:
    path = tmp_path / "table.calibration.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CalibrationError, match="delete it, or run kemps calibrate again"):
        load_record(path)
