"""How a table's camera stood is kept with the table as long as its places are those it was found with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kemps_server.observers.set_up import SeatSetUp, TableSetUp, save_set_up, set_up_of, undo_set_up
from kemps_server.observers.stood import KEY, stood_of
from kemps_server.store.store import Store
from kemps_vision.calibration.anchors import find_anchors
from kemps_vision.calibration.record import CalibrationRecord, CameraRecord, record_text
from kemps_vision.errors import CalibrationError

ANCHORS = find_anchors([np.random.default_rng(1).integers(0, 255, (180, 320), np.uint8)], most=5)
RECORD = record_text(CalibrationRecord({}, {"table": CameraRecord((1280, 720), ANCHORS)}))


def set_up(at: tuple[float, float] = (640, 828), name: str = "Ana", **more: Any) -> TableSetUp:  # noqa: ANN401
    seats = [SeatSetUp(id=seat, name=name, at=at if seat == "A" else None) for seat in "ABCD"]
    return TableSetUp(seats=seats, **more)


def stood(store: Store) -> CameraRecord | None:
    record = store.tables.find("club")
    assert record is not None
    return stood_of(record.settings, record.parsed)


def test_it_is_saved_with_what_was_found_and_not_told_again(store: Store) -> None:
    saved = save_set_up(store, "club", set_up(stood=RECORD))
    found = stood(store)
    assert found is not None
    assert found.size == (1280, 720)
    assert set_up_of(saved).stood == ""


def test_it_stays_while_only_other_things_change_and_goes_when_a_place_does(store: Store) -> None:
    save_set_up(store, "club", set_up(stood=RECORD))
    save_set_up(store, "club", set_up(name="Bea", record=False))
    assert stood(store) is not None
    save_set_up(store, "club", set_up(at=(600, 828)))
    assert stood(store) is None


def test_it_goes_when_a_saving_is_taken_back(store: Store) -> None:
    save_set_up(store, "club", set_up(at=(600, 828)))
    save_set_up(store, "club", set_up(stood=RECORD))
    assert undo_set_up(store, "club") is not None
    assert stood(store) is None


def test_what_is_no_record_is_refused_and_one_of_another_program_is_none(store: Store) -> None:
    with pytest.raises(CalibrationError, match="stood: is no record of a calibration"):
        save_set_up(store, "club", set_up(stood="[]"))
    save_set_up(store, "club", set_up(stood=RECORD))
    store.tables.set_settings("club", **{KEY: '{"version": 99}'})
    assert stood(store) is None
