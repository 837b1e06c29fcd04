"""A video file as a camera: its pictures come at its own pace, once or over and over."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from kemps_vision.errors import SourceError
from kemps_vision.frame import Frame, Image, SourceInfo, SourceState
from kemps_vision.sources.files import VideoFile
from kemps_vision.sources.live import Clock, LiveSource, Patience, Raw, Tap

_LOOK_S: Final = 0.005  # how often it is looked whether a picture has been taken


class ClipEndedError(SourceError):
    """The clip has been played to its end."""


class PlayedClip(LiveSource):
    """The frames of a video file as those of a camera that began with the game.

    It plays on while it is watched: where there is no time for a picture it waits, so that a slow machine
    sees a slower film and not another one. Of a game that goes on it shows what would be on by now.

    Raises:
        SourceError: The file cannot be opened; ``ClipEndedError`` when it is over, unless it loops.
    """

    def __init__(
        self, path: Path, *, camera: str = "table", loop: bool = False, clock: Clock = time.monotonic
    ) -> None:
        super().__init__(path.name, camera, clock, Patience())
        self._path = path
        self._loop = loop
        self._has_begun = threading.Event()
        self._is_over = False
        self._seen_ms = 0
        self._shown: tuple[float, int] | None = None
        with VideoFile(str(path), camera=camera) as first:
            seen = first.info
        self.info = SourceInfo(
            name=path.name,
            where=str(path),
            kind="stream",
            width=seen.width // 2 * 2,
            height=seen.height // 2 * 2,
            fps=seen.fps,
        )
        self._thread.start()

    def begin(self, zero_s: float, *, tap: Tap | None = None, gap_ms: float = 0.0) -> None:
        """As of every camera; the film begins now."""
        super().begin(zero_s, tap=tap, gap_ms=gap_ms)
        # Of a game that goes on so much of the film is over; taken here, as the thread may be slow to begin.
        self._seen_ms = self.now_ms
        self._has_begun.set()

    def take(self, wait_s: float) -> Frame | None:
        """As of every camera.

        Raises:
            ClipEndedError: That was all.
        """
        is_over = self._is_over
        frame = super().take(wait_s)
        if frame is None and is_over:
            raise ClipEndedError(f"{self._path.name} has been played to its end")
        return frame

    def _mark_lost(self) -> None:
        """A clip is not unplugged: it is silent while nobody has time for it, and when it is over."""

    def notice(self) -> None:
        """A clip that is over is not lost."""

    def close(self) -> None:
        """As of every camera."""
        self._has_begun.set()
        super().close()

    def film_at(self, film_ms: float) -> float | None:
        """How many ms later than in the film the game was there; None while it is not there yet.

        What sounds after the last picture is as late as that one was.
        """
        shown = self._shown
        if shown is None or (shown[0] < film_ms and not self._is_over):
            return None
        return shown[1] - shown[0]

    def _run(self) -> None:
        self._has_begun.wait()
        seen_ms = self._seen_ms
        start_s, step_ms = self._clock() - seen_ms / 1000, 1000 / self.info.fps
        for film_ms, picture in self._pictures():
            if not self._goes_on():
                return
            if film_ms < seen_ms and seen_ms >= step_ms:  # a ms or two after its begin nothing is over
                continue
            self._rest(start_s + film_ms / 1000 - self._clock())
            late_s = self._wait_until_taken()
            start_s += late_s
            at_ms, tap = self._stamp(self._clock())
            bgr = picture[: self.info.height, : self.info.width, ::-1]
            shown = Raw(bgr) if tap is None else tap.encode(at_ms, np.ascontiguousarray(bgr))
            if shown is not None:
                self._offer(at_ms, shown, tap)
            self._shown = film_ms, at_ms
        self._wait_until_taken()
        self._is_over = True
        if self.state is SourceState.OPEN:
            self.state = SourceState.ENDED

    def _pictures(self) -> Iterator[tuple[int, Image]]:
        """The pictures with their times from the film's beginning on."""
        passed_ms = 0
        while True:
            last_ms = 0
            with VideoFile(str(self._path)) as film:
                for frame in film:
                    last_ms = frame.at_ms
                    yield passed_ms + last_ms, frame.pixels
            if not self._loop:
                return
            passed_ms += last_ms + round(1000 / self.info.fps)

    def _wait_until_taken(self) -> float:
        """How long the last picture waited to be watched."""
        began_s = self._clock()
        while self._newest is not None and self.state is SourceState.OPEN:
            time.sleep(_LOOK_S)
        return self._clock() - began_s
