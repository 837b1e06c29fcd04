from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from kemps_vision.errors import SourceError
from kemps_vision.frame import SourceState, TimeBasis
from kemps_vision.sources import StillFolder, kind_of, open_source


def still(path: Path, red: int, size: tuple[int, int] = (40, 60)) -> None:
    picture = np.zeros((*size, 3), np.uint8)
    picture[:, :, 2] = red
    assert cv2.imwrite(str(path), picture)


def test_stills_come_by_number_one_interval_apart(tmp_path: Path) -> None:
    for number in (10, 9, 1, 2):
        still(tmp_path / f"shot{number}.png", number)
    with StillFolder(tmp_path, interval_ms=250) as source:
        frames = list(source)
        assert (source.info.kind, source.info.width, source.info.frame_count) == ("stills", 60, 4)
        assert source.info.duration_ms == 1000
        assert source.state is SourceState.ENDED
    assert [int(frame.pixels[0, 0, 0]) for frame in frames] == [1, 2, 9, 10]
    assert [frame.at_ms for frame in frames] == [0, 250, 500, 750]
    assert {frame.basis for frame in frames} == {TimeBasis.COUNT}


def test_broken_and_odd_pictures_are_left_out_and_told(tmp_path: Path) -> None:
    still(tmp_path / "a.png", 1)
    (tmp_path / "b.png").write_bytes(b"no picture")
    (tmp_path / "c.png").write_bytes(b"")
    still(tmp_path / "d.png", 4, size=(50, 60))
    still(tmp_path / "e.png", 5)
    (tmp_path / "notes.txt").write_text("not a picture")
    with open_source(str(tmp_path)) as source:
        assert [frame.at_ms for frame in source] == [0, 400]
        assert source.skipped == 3
        assert [note.split(":")[0] for note in source.notes] == ["b.png", "c.png", "d.png"]


def test_a_folder_without_pictures_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no pictures in this folder"):
        open_source(str(tmp_path))
    (tmp_path / "bad.jpg").write_bytes(b"x")
    with pytest.raises(SourceError, match="can be read"):
        open_source(str(tmp_path))


def test_a_source_text_names_its_kind(tmp_path: Path) -> None:
    texts = ["0", "/dev/video2", "rtsp://cam/1", "file:///x.mp4", str(tmp_path), "game.mp4"]
    assert [kind_of(text) for text in texts] == ["webcam", "webcam", "stream", "file", "stills", "file"]


def test_a_game_that_was_watched_from_a_file_says_what_to_watch_instead(tmp_path: Path) -> None:
    (tmp_path / "recording.json").write_text('{"path": "/films/thursday.mp4"}')
    with pytest.raises(SourceError, match=r"give the recording that it was watched from"):
        open_source(str(tmp_path))
