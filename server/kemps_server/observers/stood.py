"""How a table's camera stood when its places were found: kept with the table, by which a push is noticed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kemps_vision.calibration.record import CameraRecord, parse_record
from kemps_vision.errors import CalibrationError
from kemps_vision.zones import TableConfig

KEY: Final = "calibration"
"""In a table's settings: the record of its calibration, as one line of JSON."""


def stood_of(settings: Mapping[str, Any], config: TableConfig) -> CameraRecord | None:
    """How the table camera stood; None where nobody knows, or another program wrote it."""
    text = settings.get(KEY)
    if not isinstance(text, str) or not text:
        return None
    try:
        cameras = parse_record(text, where=KEY).cameras
    except CalibrationError:
        return None
    only = next(iter(cameras.values())) if len(cameras) == 1 else None  # it may have been renamed since
    return cameras.get(config.table_camera.name, only)


def kept_stood(told: str, settings: Mapping[str, Any], before: TableConfig | None, now: TableConfig) -> str:
    """The record to keep with a table that is set up: the one told, or the one there while no place moved.

    Places that were put right by hand are where the camera shows them by then: an older view is no guide.

    Raises:
        CalibrationError: What was told is no record.
    """
    if told:
        parse_record(told, where="stood")
        return told
    kept = settings.get(KEY)
    is_same = before is not None and _places(before) == _places(now)
    return kept if is_same and isinstance(kept, str) else ""


def _places(config: TableConfig) -> tuple[object, ...]:
    camera = config.table_camera
    seats = tuple((seat.id, seat.at) for seat in config.seats)
    return (camera.source, camera.size, camera.centre, seats)
