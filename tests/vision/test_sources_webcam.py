"""A made-up camera with a clock of its own: no test waits for real seconds to pass."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise

import cv2
import numpy as np
import pytest

from kemps_vision.errors import SourceError
from kemps_vision.frame import Frame, Image, SourceState, TimeBasis
from kemps_vision.sources.webcam import Webcam, backends, open_capture


class Clock:
    """Seconds that pass only when a picture is read."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class MadeUpCamera:
    """Gives what ``plan(n)`` says for the n-th read, 1/30 s apart: new, same, fail or stop."""

    def __init__(self, clock: Clock, plan: Callable[[int], str], pace: float = 0.001) -> None:
        self.clock = clock
        self.plan = plan
        self.pace = pace
        self.reads = 0
        self.opened = 0
        self.released = 0
        self.is_openable = True
        self.done = threading.Event()
        self._picture = np.zeros((8, 8, 3), np.uint8)

    def open(self, device: str) -> MadeUpCamera | None:
        assert device == "3"
        self.opened += 1
        return self if self.is_openable else None

    def read(self) -> tuple[bool, Image | None]:
        what = self.plan(self.reads)
        if what == "stop":
            self.done.set()
            time.sleep(0.005)
            return False, None
        self.reads += 1
        self.clock.now += 1 / 30
        time.sleep(self.pace)
        if what == "fail":
            return False, None
        if what == "new":
            self._picture = np.full((8, 8, 3), (self.reads % 250, 1, 2), np.uint8)
        return True, self._picture.copy()

    def get(self, prop: int) -> float:
        return 30.0 if prop == cv2.CAP_PROP_FPS else 0.0

    def release(self) -> None:
        self.released += 1


def take(frames: Iterator[Frame], count: int) -> list[Frame]:
    return [next(frames) for _ in range(count)]


def test_times_are_those_of_capture_and_colours_are_rgb() -> None:
    clock = Clock()
    camera = MadeUpCamera(clock, lambda n: "new" if n < 40 else "stop")
    with Webcam("3", opener=camera.open, clock=clock) as source:
        frames = take(iter(source), 5)
        assert source.info.fps == 30.0
        assert source.info.is_live
    assert frames[0].at_ms == 0
    assert all(a.at_ms < b.at_ms for a, b in pairwise(frames))
    assert all(abs(frame.at_ms * 30 / 1000 - round(frame.at_ms * 30 / 1000)) < 0.02 for frame in frames)
    assert frames[1].pixels[0, 0].tolist()[:2] == [2, 1]
    assert {frame.basis for frame in frames} == {TimeBasis.CLOCK}
    assert camera.released == 1


def test_the_newest_picture_wins_and_drops_are_counted() -> None:
    clock = Clock()
    camera = MadeUpCamera(clock, lambda n: "new" if n < 50 else "stop", pace=0.0)
    with Webcam("3", opener=camera.open, clock=clock) as source:
        frames = iter(source)
        next(frames)
        assert camera.done.wait(5)
        newest = next(frames)
        assert newest.at_ms == round(49 / 30 * 1000)
        assert source.dropped + 2 == camera.reads


def test_a_camera_that_repeats_its_last_picture_is_lost_within_two_seconds_and_found_again() -> None:
    clock = Clock()
    plan = lambda n: "new" if n < 30 or n >= 150 else "same"  # noqa: E731
    camera = MadeUpCamera(clock, plan)
    source = Webcam("3", opener=camera.open, clock=clock, reopen_every_ms=0)
    with source:
        at = [frame.at_ms for frame, _ in zip(source, range(60), strict=False)]
        lost_from, lost_until = source.lost_spans[0]
        assert source.state is SourceState.OPEN
    gap = max(b - a for a, b in pairwise(at))
    assert lost_until is not None
    assert abs(lost_from - 29 * 1000 / 30) < 3
    assert abs((lost_until - lost_from) - 121 * 1000 / 30) < 3
    assert gap >= lost_until - lost_from
    assert camera.opened >= 2
    assert "stopped sending" in source.notes[0]
    assert "is back after 4 s" in source.notes[1]


def test_sixty_equal_pictures_are_needed_when_they_come_fast() -> None:
    clock = Clock()
    camera = MadeUpCamera(clock, lambda n: "new" if n < 5 or n % 30 == 0 else ("same" if n < 400 else "stop"))
    with Webcam("3", opener=camera.open, clock=clock) as source:
        assert camera.done.wait(5)
        assert source.lost_spans == ()
    assert camera.opened == 1


def test_a_camera_whose_reads_fail_is_given_up_with_a_clear_line() -> None:
    clock = Clock()
    camera = MadeUpCamera(clock, lambda n: "new" if n < 10 else "fail")

    def reopen(device: str) -> MadeUpCamera | None:
        clock.now += 1.0
        return camera.open(device)

    source = Webcam("3", opener=reopen, clock=clock, reopen_every_ms=0, give_up_after_ms=10_000)
    with source, pytest.raises(SourceError, match=r"unplugged\?\) at 0:00:00 and did not come back in 10 s"):
        list(source)
    assert source.state is SourceState.CLOSED
    assert camera.opened > 2


def test_a_camera_that_hangs_in_a_read_is_noticed_from_outside() -> None:
    clock = Clock()
    hang = threading.Event()

    class Hanging(MadeUpCamera):
        def read(self) -> tuple[bool, Image | None]:
            if self.reads >= 5:
                clock.now += 3.0
                hang.wait(20)
                return False, None
            return super().read()

    camera = Hanging(clock, lambda _: "new")
    source = Webcam("3", opener=camera.open, clock=clock, give_up_after_ms=2000)
    with pytest.raises(SourceError, match="stopped sending"):
        list(source)
    assert source.lost_spans
    hang.set()
    source.close()


def test_a_camera_that_cannot_be_opened_or_sends_nothing_is_told() -> None:
    clock = Clock()
    camera = MadeUpCamera(clock, lambda _: "fail")
    with pytest.raises(SourceError, match="sends no pictures"):
        Webcam("3", opener=camera.open, clock=clock)
    camera.is_openable = False
    with pytest.raises(SourceError, match="cannot be opened"):
        Webcam("3", opener=camera.open, clock=clock)


def test_each_system_has_its_back_ends() -> None:
    assert backends("linux") == (cv2.CAP_V4L2,)
    assert backends("darwin") == (cv2.CAP_AVFOUNDATION,)
    assert backends("win32") == (cv2.CAP_DSHOW, cv2.CAP_MSMF)
    assert backends("plan9") == (cv2.CAP_ANY,)


def test_no_camera_of_that_number_gives_none() -> None:
    assert open_capture("97") is None


def test_opencv_says_nothing_of_an_absent_camera(capfd: pytest.CaptureFixture[str]) -> None:
    level = cv2.utils.logging.getLogLevel()
    assert open_capture("97") is None
    assert capfd.readouterr() == ("", "")
    assert cv2.utils.logging.getLogLevel() == level
