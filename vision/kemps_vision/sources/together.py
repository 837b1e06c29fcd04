"""Several recordings as one row of frames in the order of their times, on the table camera's clock."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from kemps_vision.errors import SourceError
from kemps_vision.frame import Frame, FrameSource

_END: Final = 1 << 30  # after all frames of one time


class Together:
    """The frames of a main source and of others, as long as the main one lasts.

    Recordings are merged by their times, which all begin with their first frames. A source that ends or fails
    is left out from then on; only the main one's error is an error of all.

    Args:
        main: The table camera.
        others: Each with the ms that its times are ahead of the main one's; they are taken off.
    """

    def __init__(
        self,
        main: FrameSource,
        others: Sequence[tuple[FrameSource, int]],
    ) -> None:
        self._main = main
        self._others = others
        self.failed: dict[str, str] = {}

    def __iter__(self) -> Iterator[Frame]:
        """Frames by time; of one time the main one's first."""
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
