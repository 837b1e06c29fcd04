"""Spans of a film as videos of their own: which frames are in them and when, copied or made."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from io import BytesIO
from pathlib import Path

import av
import numpy as np
import pytest

from kemps_server.bench.numbered_film import Kind, make_clip, number_in, numbered
from kemps_server.errors import KempsServerError
from kemps_server.film.clips import Wish
from kemps_server.film.film import Film, NoPictureError
from kemps_vision.frame import Frame, Image

WriteFilm = Callable[..., Path]
COPY = Wish(may_copy=True)


def shown(source: Path | BytesIO) -> list[tuple[int, int]]:
    """The time and number of each frame as a player shows them."""
    where = str(source) if isinstance(source, Path) else source
    found = []
    with av.open(where, "r") as container:
        for frame in container.decode(video=0):
            at_ms = round((frame.pts or 0) * (frame.time_base or 0) * 1000)
            found.append((at_ms, number_in(frame.to_ndarray(format="rgb24").astype(np.uint8))))
    return found


def test_a_made_clip_begins_sharp_with_the_frame_on_show(tmp_path: Path, linked: WriteFilm) -> None:
    clip = make_clip(tmp_path, Kind(name="b.mp4", b_frames=2, gop=50, options={"bf": "2"}), 100)
    with Film.beside(linked(clip)) as film:
        made = film.clip("table", 1010, 1400, tmp_path / "made.mp4")
    assert shown(tmp_path / "made.mp4") == [
        (0, 25),
        *((number * 40 - 1010, number) for number in range(26, 36)),
    ]
    assert (made.from_ms, made.until_ms, made.frames, made.is_copied) == (1010, 1400, 11, False)


def test_a_copied_clip_begins_at_the_key_picture_before(tmp_path: Path, linked: WriteFilm) -> None:
    clip = make_clip(tmp_path, Kind(name="b.mp4", b_frames=2, gop=25, options={"bf": "2", "g": "25"}), 100)
    with Film.beside(linked(clip)) as film:
        copied = film.clip("table", 1500, 2400, tmp_path / "copied.mp4", COPY)
    assert copied.is_copied
    frames = shown(tmp_path / "copied.mp4")
    assert frames[0] == (0, copied.from_ms // 40)
    assert copied.from_ms <= 1500
    numbers = [number for _, number in frames]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert numbers[-1] >= 60
    assert [at_ms for at_ms, _ in frames] == [40 * place for place in range(len(frames))]


def test_a_clip_over_several_files_of_a_live_recording_is_copied_whole(
    tmp_path: Path, recorded: WriteFilm
) -> None:
    times = [round(number * 1000 / 15) for number in range(120)]
    with Film.beside(recorded({"table": times, "faces": times}, ahead_ms=100)) as film:
        copied = film.clip("faces", 1000, 6000, tmp_path / "copied.mp4", COPY)
    frames = shown(tmp_path / "copied.mp4")
    assert copied.is_copied
    assert copied.frames == len(frames)
    assert [at_ms + copied.from_ms for at_ms, _ in frames] == [times[number] - 100 for _, number in frames]
    assert frames[0][1] * 1000 / 15 - 100 <= 1000
    assert times[frames[-1][1]] - 100 == copied.until_ms


def test_what_browsers_do_not_play_is_made_anew(tmp_path: Path, linked: WriteFilm) -> None:
    clip = make_clip(tmp_path, Kind(name="old.avi", codec="mpeg4", base=Fraction(1, 25)), 50)
    with Film.beside(linked(clip)) as film:
        made = film.clip("table", 400, 800, tmp_path / "made.mp4", COPY)
    assert not made.is_copied
    assert [number for _, number in shown(tmp_path / "made.mp4")] == list(range(10, 21))


def test_parts_in_memory_follow_one_another_without_a_gap(tmp_path: Path, linked: WriteFilm) -> None:
    clip = make_clip(tmp_path, Kind(name="old.avi", codec="mpeg4", base=Fraction(1, 25)), 50)
    numbers = []
    with Film.beside(linked(clip)) as film:
        for from_ms in (0, 800):
            part = BytesIO()
            film.clip("table", from_ms, from_ms + 799, part, Wish(is_part=True))
            part.seek(0)
            numbers += [number for _, number in shown(part)]
    assert numbers == list(range(40))


def test_what_is_drawn_is_in_the_clip_and_a_wide_one_is_made_smaller(
    tmp_path: Path, linked: WriteFilm
) -> None:
    def negative(frame: Frame) -> Image:
        return np.asarray(np.kron(255 - frame.pixels, np.ones((2, 2, 1), np.uint8)), np.uint8)

    clip = make_clip(tmp_path, Kind(), 20)
    with Film.beside(linked(clip)) as film:
        film.clip("table", 40, 200, tmp_path / "a.mp4", Wish(may_copy=True, draw=negative, widest_px=96))
    with av.open(str(tmp_path / "a.mp4")) as container:
        assert container.streams.video[0].width == 96
    assert [number for _, number in shown(tmp_path / "a.mp4")] == [4095 - number for number in range(1, 6)]
    assert number_in(numbered(5)) == 5


def test_a_span_without_a_picture_or_a_length_is_refused(tmp_path: Path, linked: WriteFilm) -> None:
    with Film.beside(linked(make_clip(tmp_path, Kind(), 20))) as film:
        with pytest.raises(NoPictureError, match="was over by then"):
            film.clip("table", 60_000, 61_000, tmp_path / "a.mp4")
        with pytest.raises(KempsServerError, match="has no length"):
            film.clip("table", 400, 400, tmp_path / "a.mp4")
        with pytest.raises(KempsServerError, match="at most 5 minutes"):
            film.clip("table", 0, 400_000, tmp_path / "a.mp4")
        assert not (tmp_path / "a.mp4").exists()
