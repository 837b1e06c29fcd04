"""Several cameras as one row of frames in the order of their times, on the table camera's clock."""

from __future__ import annotations

import heapq
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from kemps_vision.errors import SourceError
from kemps_vision.frame import Frame, FrameSource

_END: Final = 1 << 30  # after all frames of one time
WAITING_MOST: Final = 4  # frames of a live camera that wait for the table camera's next one


class Together:
    """The frames of a main source and of others, as long as the main one lasts.

    Recordings are merged by their times, which all begin with their first frames. Live cameras run freely:
    what the others have sent is given before the main one's next frame, with times by its clock. A source
    that ends or fails is left out from then on; only the main one's error is an error of all.

    Args:
        main: The table camera.
        others: Each with the ms that its times are ahead of the main one's; they are taken off.
        clock: Seconds that never go back; tests inject their own.
    """

    def __init__(
        self,
        main: FrameSource,
        others: Sequence[tuple[FrameSource, int]],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._main = main
        self._others = others
        self._clock = clock
        self.failed: dict[str, str] = {}

    def __iter__(self) -> Iterator[Frame]:
        """Frames by time; of one time the main one's first."""
        return self._live() if self._main.info.is_live else self._recorded()

    def _recorded(self) -> Iterator[Frame]:
        rows = [self._row(0, self._main, 0)]
        rows += [self._row(place, source, ahead) for place, (source, ahead) in enumerate(self._others, 1)]
        for _, place, frame in heapq.merge(*rows, key=lambda row: row[:2]):
            if place == _END:
                return
            if frame is not None and frame.at_ms >= 0:
                yield frame

    def _row(self, place: int, source: FrameSource, ahead_ms: int) -> Iterator[tuple[int, int, Frame | None]]:
        """(time, place, frame) of one source; a row without a frame at the main one's end."""
        last_ms = 0
        try:
            for frame in source:
                last_ms = frame.at_ms - ahead_ms
                yield last_ms, place, replace(frame, at_ms=last_ms)
        except SourceError as error:
            if place == 0:
                raise
            self.failed[source.info.name] = str(error)
        if place == 0:
            yield last_ms, _END, None

    def _live(self) -> Iterator[Frame]:
        pumps = [_Pump(source, ahead, self._clock) for source, ahead in self._others]
        last_ms = -1
        try:
            for frame in self._main:
                now_s = self._clock()
                late = [one for pump in pumps for one in pump.take(frame.at_ms, now_s)]
                for other in sorted(late, key=lambda one: one.at_ms):
                    if last_ms <= other.at_ms <= frame.at_ms:
                        yield other
                yield frame
                last_ms = frame.at_ms
        finally:
            for pump in pumps:
                pump.stop()
                if pump.error:
                    self.failed[pump.name] = pump.error


class _Pump:
    """Takes a live source's frames as they come."""

    def __init__(self, source: FrameSource, ahead_ms: int, clock: Callable[[], float]) -> None:
        self.name = source.info.name
        self.error = ""
        self._source = source
        self._ahead_ms = ahead_ms
        self._clock = clock
        self._waiting: deque[tuple[float, Frame]] = deque(maxlen=WAITING_MOST)
        self._is_stopped = False
        self._thread = threading.Thread(target=self._run, name=f"camera {self.name}", daemon=True)
        self._thread.start()

    def take(self, at_ms: int, now_s: float) -> list[Frame]:
        """What has come so far, with the times of a clock that shows ``at_ms`` now."""
        taken = []
        while self._waiting:
            came_s, frame = self._waiting.popleft()
            ago_ms = round((now_s - came_s) * 1000)
            taken.append(replace(frame, at_ms=at_ms - ago_ms - self._ahead_ms))
        return taken

    def stop(self) -> None:
        """Let the thread end, and the camera go."""
        self._is_stopped = True
        self._source.close()
        self._thread.join(timeout=2)

    def _run(self) -> None:
        try:
            for frame in self._source:
                if self._is_stopped:
                    return
                self._waiting.append((self._clock(), frame))
        except SourceError as error:
            self.error = str(error)
