from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest

from kemps_vision.draw.strip import draw_strip
from kemps_vision.draw.suits import SUIT_PATHS, suit_outlines
from kemps_vision.draw.table import Banner, Places, clock_text, draw_table
from kemps_vision.draw.text import draw_plate, draw_suit, draw_text, shorten, text_width
from kemps_vision.draw.video import VideoWriter
from kemps_vision.errors import ImageError
from kemps_vision.frame import Image


def ground(width: int = 640, height: int = 360, grey: int = 90) -> Image:
    return np.full((height, width, 3), grey, dtype=np.uint8)


def test_the_four_suits_differ_by_shape_alone() -> None:
    shapes = []
    for suit in SUIT_PATHS:
        canvas = ground(100, 100, 0)
        draw_suit(canvas, suit, (0, 0), 100, (255, 255, 255))
        shapes.append(canvas[..., 0] > 127)
    for number, one in enumerate(shapes):
        assert 0.2 < one.mean() < 0.8
        for other in shapes[:number]:
            assert (one != other).mean() > 0.06


def test_suit_outlines_fill_their_box_and_are_symmetric() -> None:
    for suit in SUIT_PATHS:
        points = np.vstack(suit_outlines(suit))
        assert points.min() >= 0
        assert points.max() <= 1
        assert points[:, 0].min() + points[:, 0].max() == pytest.approx(1, abs=0.005)


def test_suit_signs_in_a_text_become_shapes_in_their_colours() -> None:
    canvas = ground(200, 60, 255)
    draw_text(canvas, "♥", (10, 45), size=40, colour=(0, 0, 0), suits_coloured=True)
    red = (canvas[..., 0] > 150) & (canvas[..., 1] < 90)
    assert red.sum() > 200


def test_text_of_several_scripts_is_written_with_letters_of_its_own() -> None:
    # A letter that the face lacks would come out as the same question mark.
    pictures = []
    for letter in "жéñãß?":
        canvas = ground(60, 60, 0)
        draw_text(canvas, letter, (10, 45), size=36)
        pictures.append(canvas.copy())
    for number, one in enumerate(pictures):
        assert one.max() > 200
        assert all((one != other).any() for other in pictures[:number])


def test_a_text_too_wide_is_cut_with_an_ellipsis_that_fits() -> None:
    cut = shorten("Anna takes 9♣ and lays K♣", 120, 18)
    assert cut.endswith("…")
    assert text_width(cut, 18) <= 120
    assert shorten("Anna", 120, 18) == "Anna"


def test_a_plate_half_outside_the_picture_is_drawn_where_it_can_be() -> None:
    canvas = ground(50, 50, 0)
    draw_plate(canvas, (-20, -20, 20, 20), (255, 255, 255))
    assert canvas[5, 5].tolist() == [255, 255, 255]
    assert canvas[40, 40].tolist() == [0, 0, 0]
    draw_plate(canvas, (200, 200, 300, 300), (255, 255, 255))


def test_the_banner_is_added_below_and_covers_nothing() -> None:
    drawn = draw_table(ground(641, 361), banner=Banner(at_ms=8400, event="Anna takes 9♣"))
    assert drawn.shape[0] % 2 == drawn.shape[1] % 2 == 0
    assert drawn.shape[0] > 361
    assert (drawn[:361] == 90).all()
    assert (drawn[361:] > 200).any()


def test_rulings_differ_without_colour() -> None:
    greys = []
    for ruling in ("right", "wrong", "cannot_verify"):
        drawn = draw_table(ground(), banner=Banner(at_ms=0, verdict="Kemps", ruling=ruling))
        greys.append((drawn[360:].mean(axis=2) < 60).astype(int))
    assert all(np.abs(one - other).sum() > 20 for at, one in enumerate(greys) for other in greys[:at])


def test_seats_outside_the_picture_are_named_at_its_edge() -> None:
    places = Places(seats={"A": ("Anna", (320, 900)), "B": ("Boris", (-300, 180))})
    drawn = draw_table(ground(), banner=Banner(at_ms=0), places=places)
    assert (drawn[320:360, 250:400] != 90).any()
    assert (drawn[160:200, 0:120] != 90).any()


def test_the_centre_is_marked_at_its_corners_only() -> None:
    places = Places(centre=((200, 100), (440, 100), (440, 260), (200, 260)))
    drawn = draw_table(ground(), banner=Banner(at_ms=0), places=places)[:360]
    assert (drawn[96:104, 200:225] != 90).any()
    assert (drawn[110:250, 210:430] == 90).all()


def test_the_clock_counts_minutes_seconds_and_tenths() -> None:
    assert [clock_text(at_ms) for at_ms in (0, 8_449, 61_000, 3_600_000)] == [
        "0:00.0",
        "0:08.4",
        "1:01.0",
        "60:00.0",
    ]


def test_a_strip_puts_pictures_of_any_size_side_by_side() -> None:
    strip = draw_strip([(ground(640, 360), "before"), (ground(320, 240), "after 9♣")], frame_width=200)
    assert strip.shape[1] == 2 * 200 + 3 * 8
    assert strip.shape[0] > 150
    with pytest.raises(ImageError, match="one picture"):
        draw_strip([])


def test_a_video_gives_back_its_pictures_and_times(tmp_path: Path) -> None:
    path = tmp_path / "v.mp4"
    times = [0, 66, 133, 400]
    with VideoWriter(path, fps=15) as video:
        for number, at_ms in enumerate(times):
            video.add(ground(64, 48, 40 + 50 * number), at_ms)
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.name == "h264"
        frames = list(container.decode(stream))
    assert [round(frame.time * 1000) for frame in frames] == times
    assert [round(float(frame.to_ndarray(format="rgb24").mean()), -1) for frame in frames] == [
        40,
        90,
        140,
        190,
    ]


def test_a_video_refuses_odd_or_changing_sizes_and_time_that_stands_still(tmp_path: Path) -> None:
    with VideoWriter(tmp_path / "v.mp4", fps=15) as video:
        with pytest.raises(ImageError, match="even sides"):
            video.add(ground(63, 48), 0)
        video.add(ground(64, 48), 0)
        with pytest.raises(ImageError, match="128x48 in a video of 64x48"):
            video.add(ground(128, 48), 10)
        with pytest.raises(ImageError, match="after one at 0 ms"):
            video.add(ground(64, 48), 0)


def write_noise(path: Path) -> None:
    with VideoWriter(path, fps=15) as video:
        for number in range(60):
            noise = np.random.default_rng(number).integers(0, 256, (120, 160, 3), dtype=np.uint8)
            video.add(noise, number * 66)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_an_error_and_no_crash(tmp_path: Path) -> None:
    (tmp_path / "v.mp4").symlink_to("/dev/full")
    with pytest.raises(OSError, match="space"):
        write_noise(tmp_path / "v.mp4")
