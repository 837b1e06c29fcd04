"""What a watcher meets: gaps where they end, cameras that are too far apart left out, faces that wait."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Self

import numpy as np
import pytest

from kemps_rules.events import Event
from kemps_server.face_worker import LONGEST_MS, FaceWorker
from kemps_server.people import OtherCamera
from kemps_server.rows import FileRow, Gaps, row_of, watched_fps, watching_gap_ms
from kemps_vision.errors import LandmarkerError
from kemps_vision.frame import Frame, SourceInfo, SourceState
from kemps_vision.sources.frames_index import Gap
from kemps_vision.sources.live import LiveSource, Patience, Raw

RNG = np.random.default_rng(8)
ROOM = RNG.integers(60, 200, (36, 64, 3)).astype(np.float64)
PIXELS = np.zeros((36, 64, 3), np.uint8)
INFO = SourceInfo(name="x", where="x", kind="file", width=64, height=36, fps=15)


class Recording:
    """Frames at given times; the lamp goes on and off ``behind_ms`` late."""

    dropped = skipped = 0
    notes: tuple[str, ...] = ()
    lost_spans: tuple[tuple[int, int | None], ...] = ()
    state = SourceState.OPEN
    info = INFO

    def __init__(self, name: str, times: Sequence[int], *, behind_ms: int = 0) -> None:
        self._name, self._times, self._behind_ms = name, times, behind_ms

    def __iter__(self) -> Iterator[Frame]:
        for index, at_ms in enumerate(self._times):
            is_on = 1000 <= at_ms - self._behind_ms < 3000
            pixels = (ROOM * (1.0 if is_on else 0.6)).astype(np.uint8)
            yield Frame(self._name, index, at_ms, pixels)

    def close(self) -> None:
        """Nothing to let go."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def row(behind_ms: int, ahead_ms: int = 0) -> FileRow:
    faces = Recording("faces", range(0, 5000, 70), behind_ms=behind_ms)
    found = row_of(
        Recording("table", range(0, 5000, 66)), "table", [OtherCamera("faces", faces, ahead_ms=ahead_ms)]
    )
    assert isinstance(found, FileRow)
    return found


def test_recordings_whose_clocks_agree_are_joined() -> None:
    made = row(behind_ms=20)
    items = list(made)
    assert all(isinstance(item, Frame) for item in items)
    assert len(items) > 140
    assert made.notes == ()


@pytest.mark.parametrize(("behind_ms", "ahead_ms", "is_joined"), [(300, 0, False), (300, 300, True)])
def test_a_recording_more_than_a_frame_apart_is_left_out_until_its_offset_is_given(
    behind_ms: int, ahead_ms: int, is_joined: bool
) -> None:
    made = row(behind_ms, ahead_ms)
    items = list(made)
    gaps = [item for item in items if isinstance(item, Gap)]
    assert bool(gaps) is not is_joined
    assert bool(made.notes) is not is_joined
    if gaps:
        assert gaps[0].camera == "faces"
        assert gaps[0].until_ms >= 4900
        assert "offset_ms = " in made.notes[0]
        assert not [i for i in items if isinstance(i, Frame) and i.camera == "faces" and i.at_ms > 3500]


def test_gaps_are_told_once_when_they_have_ended() -> None:
    source = Recording("faces", [])
    gaps = Gaps([("faces", source, 100)])
    source.lost_spans = ((500, None),)
    assert list(gaps.ended()) == []
    assert list(gaps.still_open(2000)) == [Gap("faces", 400, 2000)]
    source.lost_spans = ((500, 900), (2000, None))
    assert list(gaps.ended()) == [Gap("faces", 400, 800)]
    assert list(gaps.ended()) == []
    assert list(gaps.still_open(2500)) == [Gap("faces", 1900, 2500)]


@pytest.mark.parametrize(("fps", "watched"), [(15, 15), (30, 15), (25, 12.5), (60, 15), (10, 10)])
def test_of_fast_cameras_each_second_or_fourth_frame_is_watched(fps: float, watched: float) -> None:
    assert watched_fps(fps) == watched
    interval = 1000 / fps
    step = round(fps / watched)
    assert (step - 1) * interval < watching_gap_ms(fps) < step * interval


class Shown(LiveSource):
    """A live camera that shows a picture whenever it is told to."""

    def __init__(self) -> None:
        super().__init__("7", "faces", time.monotonic, Patience(give_up_after_ms=10**9))
        self.info = INFO

    def _run(self) -> None:
        """Nothing: the test shows."""

    def show(self) -> None:
        at_ms, tap = self._stamp(time.monotonic())
        self._offer(at_ms, Raw(PIXELS), tap)


def until(what: object, seconds: float = 10.0) -> bool:
    """Whether it becomes true in time."""
    assert callable(what)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.002)
    return False


def test_faces_wait_while_the_table_is_late() -> None:
    source, seen, may = Shown(), list[int](), [False]

    def see(frame: Frame) -> list[Event]:
        seen.append(frame.at_ms)
        return []

    worker = FaceWorker({"faces": (source, 0)}, see, lambda: may[0])
    worker.start()
    for _ in range(5):
        source.show()
        time.sleep(0.01)
    assert seen == []
    assert LONGEST_MS == 1000  # by then it looks all the same
    may[0] = True
    assert until(lambda: len(seen) == 1)  # the newest, the others are dropped
    assert source.dropped == 4
    worker.stop()
    assert [looked.frame.at_ms for looked in worker.take()] == seen
    assert worker.take() == []


def test_a_face_camera_whose_landmarker_breaks_is_named_and_left_out() -> None:
    source = Shown()

    def see(_: Frame) -> list[Event]:
        raise LandmarkerError("it broke")

    worker = FaceWorker({"faces": (source, 0)}, see, lambda: True)
    worker.start()
    source.show()
    assert until(lambda: worker.failed)
    assert worker.failed == {"faces": "it broke"}
    worker.stop()


def test_without_face_cameras_nothing_runs() -> None:
    worker = FaceWorker({}, lambda _: [], lambda: True)
    worker.start()
    worker.stop()
    assert worker.take() == []
