"""Parts of an observer: a clip as a camera, pictures for whoever looks, settings, and what it tells."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from kemps_server.errors import KempsServerError
from kemps_server.observers.pictures import latest_picture, picture_path, want_pictures
from kemps_server.observers.picturing import Pictures
from kemps_server.observers.played_clip import ClipEndedError, PlayedClip
from kemps_server.observers.table_settings import TableSettings
from kemps_server.observers.telling import RecentMeter, Teller, read_line
from kemps_server.recording.status import CameraStatus, LiveStatus
from kemps_vision.draw.video import VideoWriter
from kemps_vision.frame import Frame, SourceState
from kemps_vision.pipeline import Snapshot
from kemps_vision.zones import TableZones

FRAMES = 8
STEP_MS = 40


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """A film of eight pictures, each brighter than the one before, in 0.32 s."""
    path = tmp_path / "film.mp4"
    with VideoWriter(path, fps=1000 / STEP_MS) as video:
        for number in range(FRAMES):
            video.add(np.full((48, 64, 3), 20 + 25 * number, np.uint8), number * STEP_MS)
    return path


def seen(camera: PlayedClip, most: int = 99) -> list[Frame]:
    """Its frames, taken without haste: a watcher may be slower than the film."""
    frames: list[Frame] = []
    try:
        while len(frames) < most:
            frame = camera.take(0.5)
            if frame is not None:
                frames.append(frame)
                time.sleep(0.05)
    except ClipEndedError:
        pass
    return frames


def brightness(frames: list[Frame]) -> list[int]:
    return [round((float(frame.pixels.mean()) - 20) / 25) for frame in frames]


def test_a_clip_waits_for_a_slow_watcher_and_misses_nothing(clip: Path) -> None:
    with PlayedClip(clip) as camera:
        assert camera.info.is_live
        assert (camera.info.width, camera.info.height) == (64, 48)
        camera.begin(time.monotonic())
        frames = seen(camera)
        assert brightness(frames) == list(range(FRAMES))
        times = [frame.at_ms for frame in frames]
        assert times == sorted(set(times))
        assert camera.dropped == 0
        with pytest.raises(ClipEndedError, match=r"film\.mp4 has been played to its end"):
            camera.take(0.1)
        camera.notice()
        assert camera.lost_spans == ()
        assert str(camera.state) == str(SourceState.ENDED)
    assert camera.state is SourceState.CLOSED


def test_a_clip_that_is_over_or_waited_for_is_not_told_as_unplugged(clip: Path) -> None:
    now = [100.0]
    with PlayedClip(clip, clock=lambda: now[0]) as camera:
        camera.begin(100.0)
        now[0] = 200.0  # nobody has taken a picture for more than a minute
        camera.notice()
        assert (camera.state, camera.notes) == (SourceState.OPEN, ())
        assert len(seen(camera)) > 0
        camera.notice()
    assert camera.notes == ()


def test_a_clip_can_be_played_over_and_over(clip: Path) -> None:
    with PlayedClip(clip, loop=True) as camera:
        camera.begin(time.monotonic())
        assert brightness(seen(camera, 11)) == [*range(FRAMES), 0, 1, 2]


def test_of_a_game_that_goes_on_a_clip_shows_what_would_be_on_by_now(clip: Path) -> None:
    with PlayedClip(clip, clock=lambda: 100.0) as camera:
        camera.begin(100.0 - 4.5 * STEP_MS / 1000)
        frames = seen(camera)
    assert brightness(frames) == [5, 6, 7]
    assert frames[0].at_ms == 181  # the game had gone on for 180 ms


def test_pictures_are_drawn_while_somebody_looks_and_not_else(tmp_path: Path) -> None:
    frame = Frame("table", 0, 40, np.full((720, 1280, 3), 90, np.uint8))
    snapshot = Snapshot(frame, TableZones(centre=((330, 298), (949, 298), (949, 434), (330, 434))), ())
    pictures = Pictures(tmp_path, {"A": "Ana"})
    pictures.used(frame)
    pictures.seen(frame, snapshot)
    assert not picture_path(tmp_path, "table", is_marked=False).exists()
    want_pictures(tmp_path)
    pictures = Pictures(tmp_path, {"A": "Ana"})
    pictures.used(frame)
    pictures.seen(frame, None)
    pictures.seen(frame, snapshot)
    raw = latest_picture(tmp_path, "table", is_marked=False, since_s=0)
    drawn = latest_picture(tmp_path, "table", is_marked=True, since_s=0)
    assert raw is not None
    assert drawn is not None
    assert raw != drawn
    picture = cv2.imdecode(np.frombuffer(raw, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture.shape == (720, 1280, 3)
    assert latest_picture(tmp_path, "table", is_marked=True, since_s=time.time() + 5) is None
    assert latest_picture(tmp_path, "faces", is_marked=False, since_s=0) is None
    pictures.clear()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("stored", "settings"),
    [
        ({}, TableSettings()),
        ({"observer": "odd"}, TableSettings()),
        ({"observer": {"record": 1, "loop": True, "new": 3}}, TableSettings(loop=True)),
        ({"observer": {"record": False, "disk_budget": "5G", "people": False}, "delay_ms": 7},
         TableSettings(record=False, disk_budget="5G", people=False)),
    ],
)  # fmt: skip
def test_settings_are_read_whoever_wrote_them(stored: dict[str, Any], settings: TableSettings) -> None:
    assert TableSettings.of(stored) == settings
    assert TableSettings.of(settings.stored()) == settings


def test_a_budget_that_is_no_size_is_told() -> None:
    with pytest.raises(KempsServerError, match="write it as in 20G"):
        TableSettings(disk_budget="plenty").checked()


def test_an_observer_tells_how_it_goes_for_as_long_as_somebody_reads() -> None:
    meter = RecentMeter()
    assert meter.event_p95_ms is None
    for late_ms in range(100):
        meter.event(late_ms)
    camera = CameraStatus(name="table", state="open", used=30, dropped=2, silent_ms=0)
    live = LiveStatus(at_ms=2000, latency_ms=70, cameras=(camera,), recording="on")
    out = io.StringIO()
    teller = Teller(out, meter)
    teller.watching(5)
    teller.status(live)
    teller.note("camera 0 «is back»")
    watching, status, note = (read_line(row) for row in out.getvalue().splitlines())
    assert watching == {"told": "watching", "at_ms": 5}
    assert status is not None
    assert (status["event_p95_ms"], status["live"]["cameras"][0]["dropped"]) == (94, 2)
    assert note == {"told": "note", "text": "camera 0 «is back»"}
    out.close()
    teller.note("nobody reads")
    for odd in ("", "{", "[1]", '{"told":3}', json.dumps({"told": "note", "text": "x" * 30_000})):
        assert read_line(odd) is None
