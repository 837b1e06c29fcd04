"""Faces looked at beside the table: a thread that takes the newest frame of each face camera in turn."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from kemps_rules.events import Event
from kemps_vision.errors import KempsVisionError
from kemps_vision.frame import Frame, FrameSource
from kemps_vision.sources.live import LiveSource

TAKE_S: Final = 0.05
WAIT_S: Final = 0.02
LONGEST_MS: Final = 1000  # without a look at a face, however late the table is: who is there stays known


@dataclass(frozen=True, slots=True, eq=False)
class Looked:
    """A frame of a face camera, on the table's clock, and the events that it made known."""

    frame: Frame
    events: list[Event]


class FaceWorker:
    """Looks at frames of face cameras, as many as there is time for.

    Args:
        cameras: By name, each with the ms that its times are ahead; they are taken off.
        see: Gives the events of a frame; called by this thread only.
        may_look: Whether there is time for faces now; else their frames are dropped, but for one a second.
    """

    def __init__(
        self,
        cameras: Mapping[str, tuple[FrameSource, int]],
        see: Callable[[Frame], list[Event]],
        may_look: Callable[[], bool],
    ) -> None:
        self.failed: dict[str, str] = {}
        self._cameras = dict(cameras)
        self._see = see
        self._may_look = may_look
        self._done: deque[Looked] = deque()
        self._looked_ms = dict.fromkeys(self._cameras, 0)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="faces", daemon=True)

    def start(self) -> None:
        """Begin; without cameras there is nothing to do."""
        if self._cameras:
            self._thread.start()

    def stop(self) -> None:
        """Finish the frame that is looked at; what was seen can still be taken."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def take(self) -> list[Looked]:
        """What was looked at since."""
        taken = []
        while self._done:
            taken.append(self._done.popleft())
        return taken

    def _run(self) -> None:
        while self._cameras and not self._stopping.is_set():
            for name, (source, ahead_ms) in list(self._cameras.items()):
                if self._stopping.is_set():
                    return
                if not isinstance(source, LiveSource):
                    continue
                is_due = source.now_ms - self._looked_ms[name] >= LONGEST_MS
                if is_due or self._may_look():
                    self._look(name, source, ahead_ms)
                else:
                    self._stopping.wait(WAIT_S)

    def _look(self, name: str, source: LiveSource, ahead_ms: int) -> None:
        try:
            frame = source.take(TAKE_S)
            if frame is not None and frame.at_ms >= ahead_ms:
                self._looked_ms[name] = frame.at_ms
                moved = replace(frame, at_ms=frame.at_ms - ahead_ms)
                self._done.append(Looked(moved, self._see(moved)))
        except KempsVisionError as error:  # lost for good, or its landmarker broke
            self.failed[name] = str(error)
            self._cameras.pop(name)
