"""Webcams through OpenCV: the newest frame wins, and a camera that vanishes is noticed and reopened."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Final, Protocol, Self

import cv2
import numpy as np

from kemps_vision.errors import SourceError
from kemps_vision.frame import Frame, Image, SourceInfo, SourceState, TimeBasis

LOST_AFTER_MS: Final = 1900  # told within two seconds
SAME_FRAMES: Final = 60  # equal pictures in a row: the driver repeats its last one (opencv#5221)
SAME_FRAMES_MIN: Final = 10  # fewer than these may be one slow camera under load
REOPEN_EVERY_MS: Final = 1000
GIVE_UP_AFTER_MS: Final = 60_000
DEFAULT_FPS: Final = 30.0


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


class Webcam:
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
        clock: Callable[[], float] = time.monotonic,
        lost_after_ms: int = LOST_AFTER_MS,
        reopen_every_ms: int = REOPEN_EVERY_MS,
        give_up_after_ms: int = GIVE_UP_AFTER_MS,
    ) -> None:
        self._device = device
        self._camera = camera
        self._opener = opener or open_capture
        self._clock = clock
        self._lost_after_ms = lost_after_ms
        self._reopen_every_ms = reopen_every_ms
        self._give_up_after_ms = give_up_after_ms
        self.dropped = 0
        self.skipped = 0
        self.state = SourceState.OPEN
        self._notes: list[str] = []
        self._lost: list[tuple[int, int | None]] = []
        self._capture, first = self._first_picture()
        self._start_s = clock()
        self._ready = threading.Condition()
        self._newest: tuple[int, Image] | None = (0, first)
        self._fresh_ms = 0
        fps = self._capture.get(cv2.CAP_PROP_FPS)
        self.info = SourceInfo(
            name=f"camera {device}",
            where=device,
            kind="webcam",
            width=first.shape[1],
            height=first.shape[0],
            fps=fps if 1 <= fps <= 240 else DEFAULT_FPS,
        )
        self._thread = threading.Thread(target=self._run, name=f"capture {device}", daemon=True)
        self._thread.start()

    @property
    def notes(self) -> tuple[str, ...]:
        """Each loss and return of the camera, a line each."""
        return tuple(self._notes)

    @property
    def lost_spans(self) -> tuple[tuple[int, int | None], ...]:
        """Spans in which the camera sent nothing new."""
        return tuple(self._lost)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the thread and release the camera; may be called twice."""
        self.state = SourceState.CLOSED
        if self._thread is not threading.current_thread():
            self._thread.join(timeout=2.0)  # a driver may hang in read(); the thread is a daemon

    def __iter__(self) -> Iterator[Frame]:
        """Frames until the source is closed; waits while the camera is lost."""
        index = 0
        while self.state is not SourceState.CLOSED:
            taken = self._take()
            if taken is not None:
                at_ms, pixels = taken
                yield Frame(self._camera, index, at_ms, pixels, TimeBasis.CLOCK)
                index += 1
            elif self.state is SourceState.LOST and self._silent_ms() > self._give_up_after_ms:
                self.state = SourceState.ENDED
                raise SourceError(
                    f"camera {self._device} stopped sending (unplugged?) at {clock_text(self._fresh_ms)} "
                    f"and did not come back in {self._give_up_after_ms // 1000} s; plug it in and start again"
                )

    def _take(self) -> tuple[int, Image] | None:
        with self._ready:
            if self._newest is None:
                self._ready.wait(timeout=0.1)
            taken, self._newest = self._newest, None
            if taken is None and self._silent_ms() >= self._lost_after_ms:
                self._mark_lost()  # the thread may hang in the driver and not see it
        return taken

    def _now_ms(self) -> int:
        return round((self._clock() - self._start_s) * 1000)

    def _silent_ms(self) -> int:
        return self._now_ms() - self._fresh_ms

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
                return capture, _rgb(picture)
        capture.release()
        raise SourceError(
            f"camera {self._device}: it opens but sends no pictures; does another program use it?"
        )

    def _run(self) -> None:
        before: Image | None = None
        same = 0
        while self.state in {SourceState.OPEN, SourceState.LOST}:
            is_read, picture = self._capture.read()
            now_ms = self._now_ms()
            if not is_read or picture is None:
                self._rest(0.01)
                is_dead = self._silent_ms() >= self._lost_after_ms
            elif before is not None and np.array_equal(picture, before):
                same += 1
                is_late = self._silent_ms() >= self._lost_after_ms
                is_dead = same >= SAME_FRAMES or (same >= SAME_FRAMES_MIN and is_late)
            else:
                before, same, is_dead = picture, 0, False
                with self._ready:
                    self._fresh_ms = now_ms
                    self._mark_found(now_ms)
                self._offer(now_ms, picture)
            if is_dead:
                same = 0
                self._reopen()
        self._capture.release()

    def _offer(self, at_ms: int, picture: Image) -> None:
        with self._ready:
            self.dropped += self._newest is not None
            self._newest = (at_ms, _rgb(picture))
            self._ready.notify()

    def _mark_lost(self) -> None:
        if self.state is SourceState.OPEN:
            self.state = SourceState.LOST
            self._lost.append((self._fresh_ms, None))
            self._notes.append(
                f"camera {self._device} stopped sending (unplugged?) at {clock_text(self._fresh_ms)}; "
                "the game goes on, plug it in again and it resumes"
            )

    def _mark_found(self, now_ms: int) -> None:
        if self.state is SourceState.LOST:
            self.state = SourceState.OPEN
            self._lost[-1] = (self._lost[-1][0], now_ms)
            gone_s = (now_ms - self._lost[-1][0]) / 1000
            self._notes.append(f"camera {self._device} is back after {gone_s:.0f} s that were not observed")

    def _reopen(self) -> None:
        """Open the camera again; it counts as found when it sends a new picture."""
        if self.state is SourceState.LOST:
            self._rest(self._reopen_every_ms / 1000)
        with self._ready:
            self._mark_lost()
        self._capture.release()
        while self.state is SourceState.LOST:
            capture = self._opener(self._device)
            if capture is not None:
                self._capture = capture
                return
            self._rest(self._reopen_every_ms / 1000)

    def _rest(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while self.state is not SourceState.CLOSED and time.monotonic() < until:
            time.sleep(min(0.05, max(0.0, until - time.monotonic())))


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


def clock_text(at_ms: int) -> str:
    """A time for people: ``0:41:12``."""
    seconds = at_ms // 1000
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _rgb(picture: Image) -> Image:
    return np.ascontiguousarray(picture[:, :, ::-1])
