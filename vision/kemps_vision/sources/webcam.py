"""Webcams through OpenCV: the newest frame wins, and a camera that vanishes is noticed and reopened."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol

import cv2
import numpy as np

from kemps_vision.errors import SourceError
from kemps_vision.frame import Image, SourceInfo, SourceState
from kemps_vision.sources.live import (
    DEFAULT_FPS,
    GIVE_UP_AFTER_MS,
    LOST_AFTER_MS,
    REOPEN_EVERY_MS,
    Clock,
    LiveSource,
    Patience,
    Raw,
)

SAME_FRAMES: Final = 60  # equal pictures in a row: the driver repeats its last one (opencv#5221)
SAME_FRAMES_MIN: Final = 10  # fewer than these may be one slow camera under load


class Capture(Protocol):
    """The part of ``cv2.VideoCapture`` that is used."""

    def read(self) -> tuple[bool, Image | None]:
        """The next picture, BGR; waits for it."""
        ...

    def get(self, prop: int) -> float:
        """A property of the capture; 0 where unknown."""
        ...

    def release(self) -> None:
        """Let the camera go."""
        ...


Opener = Callable[[str], Capture | None]


class Webcam(LiveSource):
    """Frames of a webcam, each the newest when it is asked for; times by a monotonic clock.

    A thread reads all the time, so that no old picture waits in the driver's queue; pictures that
    nobody asked for in time count as dropped. ``clock`` gives seconds and is injected by tests.

    Raises:
        SourceError: The camera cannot be opened, or (while iterating) it vanished and did not come
            back within ``give_up_after_ms``.
    """

    def __init__(
        self,
        device: str,
        *,
        camera: str = "table",
        opener: Opener | None = None,
        clock: Clock = time.monotonic,
        lost_after_ms: int = LOST_AFTER_MS,
        reopen_every_ms: int = REOPEN_EVERY_MS,
        give_up_after_ms: int = GIVE_UP_AFTER_MS,
    ) -> None:
        self._device = device
        self._opener = opener or open_capture
        self._capture, first = self._first_picture()
        patience = Patience(
            lost_after_ms=lost_after_ms, reopen_every_ms=reopen_every_ms, give_up_after_ms=give_up_after_ms
        )
        super().__init__(device, camera, clock, patience)
        self._offer(0, Raw(first), None)
        self._size = (first.shape[1], first.shape[0])
        fps = self._capture.get(cv2.CAP_PROP_FPS)
        self.info = SourceInfo(
            name=f"camera {device}",
            where=device,
            kind="webcam",
            width=first.shape[1],
            height=first.shape[0],
            fps=fps if 1 <= fps <= 240 else DEFAULT_FPS,
        )
        self._thread.start()

    def _first_picture(self) -> tuple[Capture, Image]:
        capture = self._opener(self._device)
        if capture is None:
            raise SourceError(
                f"camera {self._device}: cannot be opened; "
                "is it plugged in, free, and are you allowed to use it?"
            )
        for _ in range(30):  # some cameras fail for a moment while they wake up
            is_read, picture = capture.read()
            if is_read and picture is not None:
                return capture, _even(picture)
        capture.release()
        raise SourceError(
            f"camera {self._device}: it opens but sends no pictures; does another program use it?"
        )

    def _run(self) -> None:
        before: Image | None = None
        same = 0
        while self._goes_on():
            is_read, picture = self._capture.read()
            at_s = self._clock()
            if not is_read or picture is None:
                self._rest(0.01)
                is_dead = self.silent_ms >= self._patience.lost_after_ms
            elif before is not None and np.array_equal(picture, before):
                same += 1
                is_late = self.silent_ms >= self._patience.lost_after_ms
                is_dead = same >= SAME_FRAMES or (same >= SAME_FRAMES_MIN and is_late)
            else:
                before, same, is_dead = picture, 0, False
                self._give(at_s, picture)
            if is_dead:
                same = 0
                self._reopen()
        self._capture.release()

    def _give(self, at_s: float, picture: Image) -> None:
        at_ms, tap = self._stamp(at_s)
        bgr = _even(picture)
        if (bgr.shape[1], bgr.shape[0]) != self._size:  # it came back with another size
            bgr = np.asarray(cv2.resize(bgr, self._size, interpolation=cv2.INTER_AREA), np.uint8)
        shown = Raw(bgr) if tap is None else tap.encode(at_ms, bgr)
        if shown is not None:
            self._offer(at_ms, shown, tap)

    def _reopen(self) -> None:
        """Open the camera again; it counts as found when it sends a new picture."""
        if self.state is SourceState.LOST:
            self._rest(self._patience.reopen_every_ms / 1000)
        with self._ready:
            self._mark_lost()
        self._capture.release()
        while self.state is SourceState.LOST:
            capture = self._opener(self._device)
            if capture is not None:
                self._capture = capture
                return
            self._rest(self._patience.reopen_every_ms / 1000)


def _even(picture: Image) -> Image:
    """The picture without a last odd row or column, which no video can hold."""
    height, width = picture.shape[:2]
    return picture[: height // 2 * 2, : width // 2 * 2]


def backends(system: str = sys.platform) -> tuple[int, ...]:
    """OpenCV's capture back ends worth trying on a system, best first.

    On Windows DirectShow goes first: Media Foundation takes from 12 s up to minutes to open a
    camera (opencv#17687).
    """
    if system.startswith("linux"):
        return (cv2.CAP_V4L2,)
    if system == "darwin":
        return (cv2.CAP_AVFOUNDATION,)
    if system == "win32":
        return (cv2.CAP_DSHOW, cv2.CAP_MSMF)
    return (cv2.CAP_ANY,)


def open_capture(device: str) -> Capture | None:
    """The camera with this number or device path, or None if no back end opens it."""
    for backend in backends():
        with _quiet_opencv():
            capture = (
                cv2.VideoCapture(int(device), backend)
                if device.isdigit()
                else cv2.VideoCapture(device, backend)
            )
        if capture.isOpened():
            return _OpenCvCapture(capture)
        capture.release()
    return None


@contextmanager
def _quiet_opencv() -> Iterator[None]:
    """OpenCV says nothing on stderr: what it knows of an absent camera is told by our error, in one line."""
    level = cv2.utils.logging.getLogLevel()
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    try:
        yield
    finally:
        cv2.utils.logging.setLogLevel(level)


class _OpenCvCapture:
    """``cv2.VideoCapture`` with a read that gives None for no picture."""

    def __init__(self, capture: cv2.VideoCapture) -> None:
        self._capture = capture

    def read(self) -> tuple[bool, Image | None]:
        is_read, picture = self._capture.read()
        return is_read, picture.astype(np.uint8, copy=False) if is_read else None

    def get(self, prop: int) -> float:
        return float(self._capture.get(prop))

    def release(self) -> None:
        self._capture.release()
