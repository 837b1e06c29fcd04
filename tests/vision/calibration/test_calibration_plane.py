"""The table's plane from cards of known size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kemps_vision.calibration.plane import fit_plane

PLACES = np.array([[-500.0, 0.0], [500.0, 0.0], [0.0, 350.0], [0.0, -350.0]])

if TYPE_CHECKING:
    from tests.vision.calibration.conftest import Pinhole


@pytest.mark.parametrize("tilt", [0.0, 20.0, 45.0])
def test_four_cards_tell_tilt_and_places_far_beyond_them(pinhole: type[Pinhole], tilt: float) -> None:
    camera = pinhole(tilt_deg=tilt)
    plane = fit_plane(camera.row(), camera.size)
    assert plane is not None
    assert plane.tilt_deg == pytest.approx(tilt, abs=3)
    found = plane.table(camera.pixels(PLACES))
    assert np.linalg.norm(found - PLACES, axis=1).max() < 40
    assert plane.off_share < 0.01


def test_places_go_to_the_picture_and_back(pinhole: type[Pinhole]) -> None:
    camera = pinhole()
    plane = fit_plane(camera.row(), camera.size)
    assert plane is not None
    assert np.allclose(plane.table(plane.pixels(PLACES)), PLACES, atol=1e-6)


def test_cards_that_fit_no_plane_are_told_by_how_far_off_they_are(pinhole: type[Pinhole]) -> None:
    camera = pinhole()
    quads = camera.row()
    quads[1] = quads[1].mean(axis=0) + 1.25 * (quads[1] - quads[1].mean(axis=0))
    plane = fit_plane(quads, camera.size)
    assert plane is not None
    assert plane.off_share > 0.02


def test_one_card_tells_the_scale(pinhole: type[Pinhole]) -> None:
    camera = pinhole(tilt_deg=0.0)
    plane = fit_plane([camera.card(0, 0)], camera.size)
    assert plane is not None
    assert plane.px_per_mm == pytest.approx(1500 / 1300, rel=0.03)


def test_what_lies_above_the_horizon_is_not_on_the_table(pinhole: type[Pinhole]) -> None:
    camera = pinhole(tilt_deg=60.0)
    plane = fit_plane(camera.row(), camera.size)
    assert plane is not None
    assert plane.is_ahead(np.array([[640.0, 360.0], [640.0, -5000.0]])).tolist() == [True, False]


def test_without_cards_there_is_no_plane() -> None:
    assert fit_plane([], (1280, 720)) is None
