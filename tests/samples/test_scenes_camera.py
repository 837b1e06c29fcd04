from __future__ import annotations

import numpy as np
import pytest

from kemps_scenes import SpecError
from kemps_scenes.camera import VIEWS, Camera, camera_view
from kemps_scenes.layout import Layout
from kemps_scenes.motion import FACE_DOWN, CardPose
from kemps_scenes.things import is_face_seen, quad_of


@pytest.mark.parametrize("name", sorted(VIEWS))
def test_the_table_under_a_pixel_projects_back_to_that_pixel(name: str) -> None:
    camera = Camera(camera_view(name), 1280, 720)
    pixels = np.array([[640.0, 360.0], [100.0, 90.0], [1200.0, 650.0], [30.0, 700.0]])
    table = camera.table_points(pixels)
    world = np.column_stack([table, np.zeros(len(table))])
    assert np.abs(camera.project(world) - pixels).max() < 0.05


def test_what_is_higher_seems_nearer() -> None:
    camera = Camera(camera_view("arm"), 1280, 720)
    assert camera.pixels_per_metre(np.array([0, 0, 0.1])) > camera.pixels_per_metre(np.zeros(3))


@pytest.mark.parametrize("name", sorted(VIEWS))
def test_centre_cards_are_large_enough_to_be_read(name: str) -> None:
    camera = Camera(camera_view(name), 1280, 720)
    for place in Layout(4).slots:
        quad = quad_of(camera, CardPose(place.x, place.y, 0.0, place.yaw))
        longest = max(np.hypot(*(quad[0] - quad[3])), np.hypot(*(quad[1] - quad[2])))
        assert longest >= (100 if name in ("arm", "above") else 72)


@pytest.mark.parametrize("seats", [4, 6, 8])
def test_packets_and_shown_hands_of_every_seat_are_in_the_usual_picture(seats: int) -> None:
    layout = Layout(seats)
    camera = Camera(camera_view("arm").zoomed(layout.zoom_out), 1280, 720)
    for seat in layout.seats:
        shown = layout.shown(seat, 4, "row")
        quads = np.vstack([quad_of(camera, CardPose(p.x, p.y, 0.0, p.yaw)) for p in shown])
        assert quads.min() > 0
        assert (quads < (1280, 720)).all()
        packet = layout.packet(seat)
        x, y = camera.project(np.array([packet.x, packet.y, 0.0]))
        assert 0 < x < 1280
        assert 0 < y < 720


def test_a_face_is_seen_only_when_it_is_up() -> None:
    camera = Camera(camera_view("oblique"), 1280, 720)
    assert is_face_seen(quad_of(camera, CardPose(0, 0, 0, 0.4)))
    assert not is_face_seen(quad_of(camera, CardPose(0, 0, 0, 0.4, FACE_DOWN)))


def test_an_unknown_camera_is_an_error_that_lists_what_there_is() -> None:
    with pytest.raises(SpecError, match="arm"):
        camera_view("drone")
