"""A camera that sends all the time: the newest picture wins, and one that vanishes is noticed.

``Webcam`` and ``StreamCamera`` are such cameras; each reads in a thread of its own, so that no old picture
waits in a queue.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Protocol, Self

import numpy as np

from kemps_vision.errors import SourceError
from kemps_vision.frame import Frame, Image, SourceInfo, SourceState, TimeBasis

LOST_AFTER_MS: Final = 1900  # told within two seconds
REOPEN_EVERY_MS: Final = 1000
GIVE_UP_AFTER_MS: Final = 600_000  # somebody finds the plug within ten minutes, or the evening is over
DEFAULT_FPS: Final = 30.0

Clock = Callable[[], float]
"""Seconds that never go back; tests inject their own."""


class Picture(Protocol):
    """A picture that is turned into pixels only when it is watched."""

    def rgb(self) -> Image:
        """RGB uint8 (h, w, 3)."""
        ...


@dataclass(frozen=True, slots=True)
class Coded:
    """One picture as H.264 in Annex B form, with the parameter sets before each key picture."""

    data: bytes
    at_ms: int
    dts_ms: int  # when it is to be decoded: other than ``at_ms`` only where later pictures are needed for it
    is_key: bool


class Tap(Protocol):
    """What the pictures of a camera go through on their way: a recorder.

    A camera of raw pictures watches what it is given back, so that what was watched is what was recorded.
    """

    def encode(self, at_ms: int, bgr: Image) -> Picture | None:
        """The picture as it stands in the recording, or None when it does not yet."""
        ...

    def copy(self, coded: Coded) -> None:
        """A picture that the camera itself has encoded."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long a camera may be silent, and how often it is opened again."""

    lost_after_ms: int = LOST_AFTER_MS
    reopen_every_ms: int = REOPEN_EVERY_MS
    give_up_after_ms: int = GIVE_UP_AFTER_MS


@dataclass(frozen=True, slots=True)
class Raw:
    """A picture as OpenCV gives it, BGR."""

    bgr: Image

    def rgb(self) -> Image:
        """RGB, contiguous."""
        return np.ascontiguousarray(self.bgr[:, :, ::-1])


class LiveSource:
    """Frames of a camera, each the newest when it is asked for; times by a monotonic clock.

    Subclasses read the camera in ``_run`` and give pictures to ``_offer``. Times count from the first picture
    on, or from ``begin``, which puts several cameras on one clock.

    Raises:
        SourceError: (while iterating) it vanished and did not come back in time.
    """

    info: SourceInfo

    def __init__(self, name: str, camera: str, clock: Clock, patience: Patience) -> None:
        self.dropped = 0
        self.skipped = 0
        self.state = SourceState.OPEN
        self.camera = camera
        self._name = name
        self._clock = clock
        self._patience = patience
        self._notes: list[str] = []
        self._lost: list[tuple[int, int | None]] = []
        self._ready = threading.Condition()
        self._start_s = clock()
        self._newest: tuple[int, Picture] | None = None
        self._fresh_ms = 0
        self._offered_ms = -1
        self._gap_ms = 0.0
        self._tap: Tap | None = None
        self._index = 0
        self._thread = threading.Thread(target=self._run, name=f"capture {name}", daemon=True)

    @property
    def notes(self) -> tuple[str, ...]:
        """Each loss and return of the camera, a line each."""
        return tuple(self._notes)

    @property
    def lost_spans(self) -> tuple[tuple[int, int | None], ...]:
        """Spans in which the camera sent nothing new."""
        return tuple(self._lost)

    @property
    def now_ms(self) -> int:
        """What its clock shows now."""
        return round((self._clock() - self._start_s) * 1000)

    @property
    def silent_ms(self) -> int:
        """For how long nothing new has come."""
        return self.now_ms - self._fresh_ms

    def begin(self, zero_s: float, *, tap: Tap | None = None, gap_ms: float = 0.0) -> None:
        """From now on times count from ``zero_s`` of the clock, and pictures go through ``tap``.

        Args:
            zero_s: The same for all cameras of a table.
            tap: The recorder; what was captured before is forgotten.
            gap_ms: A picture that comes sooner than so long after the one before is recorded, not watched.
        """
        with self._ready:
            shift_ms = round((zero_s - self._start_s) * 1000)
            self._start_s = zero_s
            # A stream that sent faster than time goes by has stamps to come; they count no more.
            self._fresh_ms = max(0, min(self._fresh_ms - shift_ms, self.now_ms))
            self._lost = [
                (max(0, start - shift_ms), None if end is None else max(0, end - shift_ms))
                for start, end in self._lost
            ]
            self._tap, self._gap_ms = tap, gap_ms
            self._newest, self._offered_ms, self.dropped = None, -1, 0

    def take(self, wait_s: float) -> Frame | None:
        """The newest picture nobody has taken yet, or None when none came within ``wait_s``.

        Raises:
            SourceError: The camera has been lost for too long.
        """
        with self._ready:
            if self._newest is None:
                self._ready.wait(timeout=wait_s)
            taken, self._newest = self._newest, None
            if taken is None and self.silent_ms >= self._patience.lost_after_ms:
                self._mark_lost()  # the thread may hang in the driver and not see it
        if taken is not None:
            self._index += 1
            return Frame(self.camera, self._index - 1, taken[0], taken[1].rgb(), TimeBasis.CLOCK)
        if self.state is SourceState.LOST and self.silent_ms > self._patience.give_up_after_ms:
            self.state = SourceState.ENDED
            raise SourceError(
                f"camera {self._name} stopped sending (unplugged?) at {clock_text(self._fresh_ms)} "
                f"and did not come back in {self._patience.give_up_after_ms // 1000} s; "
                "plug it in and start again"
            )
        return None

    def notice(self) -> None:
        """Look whether it is still there, also while nobody takes its pictures."""
        with self._ready:
            if self.silent_ms >= self._patience.lost_after_ms:
                self._mark_lost()

    def __iter__(self) -> Iterator[Frame]:
        """Frames until the source is closed; waits while the camera is lost."""
        while self.state is not SourceState.CLOSED:
            frame = self.take(0.1)
            if frame is not None:
                yield frame

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the thread and release the camera; may be called twice."""
        self.state = SourceState.CLOSED
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=2.0)  # a driver may hang in read(); the thread is a daemon

    # -- for the thread ---------------------------------------------------------------------------

    def _run(self) -> None:
        raise NotImplementedError

    def _goes_on(self) -> bool:
        return self.state in {SourceState.OPEN, SourceState.LOST}

    def _stamp(self, at_s: float) -> tuple[int, Tap | None]:
        """The time of a new picture captured at ``at_s``, and what it goes through; the camera is there."""
        with self._ready:
            at_ms = max(self._fresh_ms + 1, round((at_s - self._start_s) * 1000))
            self._fresh_ms = at_ms
            self._mark_found(at_ms)
            return at_ms, self._tap

    def _offer(self, at_ms: int, picture: Picture, tap: Tap | None) -> None:
        """A picture to be watched, unless it comes too soon after another or went through an old tap."""
        with self._ready:
            is_soon = self._offered_ms >= 0 and at_ms - self._offered_ms < self._gap_ms
            if tap is not self._tap or is_soon:
                return
            self.dropped += self._newest is not None
            self._newest, self._offered_ms = (at_ms, picture), at_ms
            self._ready.notify()

    def _mark_lost(self) -> None:
        if self.state is SourceState.OPEN:
            self.state = SourceState.LOST
            self._lost.append((self._fresh_ms, None))
            self._notes.append(
                f"camera {self._name} stopped sending (unplugged?) at {clock_text(self._fresh_ms)}; "
                "the game goes on, plug it in again and it resumes"
            )

    def _mark_found(self, now_ms: int) -> None:
        if self.state is SourceState.LOST:
            self.state = SourceState.OPEN
            self._lost[-1] = (self._lost[-1][0], now_ms)
            gone_s = (now_ms - self._lost[-1][0]) / 1000
            self._notes.append(f"camera {self._name} is back after {gone_s:.0f} s that were not observed")

    def _rest(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while self.state is not SourceState.CLOSED and time.monotonic() < until:
            time.sleep(min(0.05, max(0.0, until - time.monotonic())))


def clock_text(at_ms: int) -> str:
    """A time for people: ``0:41:12``."""
    seconds = at_ms // 1000
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
